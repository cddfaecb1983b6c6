//! Kernel mean embeddings: a distribution as a point of the kernel's function space.
//!
//! Nothing here stores an `n x n` matrix. Checked in `tests/stats/embedding.rs` against the double sums and against the
//! closed form for Gaussians.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};

use crate::check::{parameter, require, sample};
use crate::ops::{Weights, gram_sum, gram_vec};
use crate::{Device, Error, Kernel, Matrix, Result};

/// `μ = Σ_i w_i k(·, x_i)`: the embedding of a sample (all `w_i = 1/n`), or of any weighted set of points.
///
/// `⟨μ, f⟩ = Σ_i w_i f(x_i)` for every f of the function space, so that `⟨μ, ν⟩` is a mean of k over all pairs, and
/// `‖μ - ν‖` the (biased) MMD of two samples. With a kernel that is
/// [characteristic](Kernel::is_characteristic) the embedding of a distribution determines it.
///
/// White noise in a kernel counts where a point meets itself, which is in [`norm`](Self::norm) only.
///
/// ```
/// use mercer::{Device, Kernel, stats::KernelMeanEmbedding};
/// use ndarray::array;
/// let (cpu, k) = (Device::cpu(), Kernel::rbf(1.0));
/// let p = KernelMeanEmbedding::new(&cpu, &k, array![[0.0], [1.0], [2.0]].view())?;
/// let q = KernelMeanEmbedding::new(&cpu, &k, array![[1.0], [2.0], [4.0], [5.0]].view())?;
/// assert!((p.distance(&q)? - 0.6073054545).abs() < 1e-9);
/// let witness = p.combined(1.0, &q, -1.0)?; // positive where p has more mass
/// assert!((witness.evaluate(array![[3.0]].view())?[0] + 0.119941325).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelMeanEmbedding {
    kernel: Kernel,
    points: Matrix,
    weights: Array1<f64>,
    /// The weights where the points are, `n x 1`.
    column: Matrix,
}

impl KernelMeanEmbedding {
    /// The embedding of the sample `x`, `n x d`: every weight is `1/n`.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is empty or does not fit the kernel, [`Error::NotFinite`] if it is not finite,
    /// [`Error::Parameter`] for a bad hyper-parameter of the kernel.
    pub fn new(device: &Device, kernel: &Kernel, x: ArrayView2<f64>) -> Result<Self> {
        let n = x.nrows();
        Self::weighted(device, kernel, x, &vec![1.0 / n.max(1) as f64; n])
    }

    /// `Σ_i w_i k(·, x_i)`, one weight for each row of `x`. Weights may be negative and need not sum to one.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::new`], and for weights that are too few, too many or not finite.
    pub fn weighted(device: &Device, kernel: &Kernel, x: ArrayView2<f64>, weights: &[f64]) -> Result<Self> {
        const OP: &str = "KernelMeanEmbedding";
        sample(OP, "x", x, 1)?;
        let (n, d) = x.dim();
        require(OP, weights.len() == n, || format!("{n} points, {} weights", weights.len()))?;
        kernel.check()?;
        let asks = kernel.dim().unwrap_or(d);
        require(OP, asks == d, || format!("the points have {d} features, the kernel asks for {asks}"))?;
        let points = Matrix::from_array(device, x)?;
        let column = Matrix::column(device, weights)?;
        Ok(KernelMeanEmbedding {
            kernel: kernel.clone(),
            points,
            weights: Array1::from(weights.to_vec()),
            column,
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The points `x_i`, where they live.
    pub fn points(&self) -> &Matrix {
        &self.points
    }

    /// The weights `w_i`.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// `μ(t) = Σ_i w_i k(t, x_i)` at each row t of `at`.
    ///
    /// # Errors
    /// [`Error::Shape`] for points of another dimension, [`Error::NotFinite`].
    pub fn evaluate(&self, at: ArrayView2<f64>) -> Result<Array1<f64>> {
        sample("KernelMeanEmbedding::evaluate", "at", at, 1)?;
        let at = Matrix::from_array(&self.points.device(), at)?;
        let values = gram_vec(&self.kernel, &at, Some(&self.points), &self.column)?.to_array()?;
        Ok(values.index_axis_move(Axis(1), 0))
    }

    /// `⟨μ, ν⟩ = Σ_ij w_i v_j k(x_i, y_j)`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the two do not have one kernel and one dimension, [`Error::DeviceMismatch`].
    pub fn inner(&self, other: &Self) -> Result<f64> {
        self.same_space(other)?;
        let weights = Weights::LowRank { u: &self.column, v: &other.column };
        gram_sum(&self.kernel, &self.points, Some(&other.points), weights)
    }

    /// `‖μ‖² = Σ_ij w_i w_j k(x_i, x_j)`.
    ///
    /// # Errors
    /// Those of the device.
    pub fn squared_norm(&self) -> Result<f64> {
        let weights = Weights::LowRank { u: &self.column, v: &self.column };
        gram_sum(&self.kernel, &self.points, None, weights)
    }

    /// `‖μ‖`.
    ///
    /// # Errors
    /// Those of the device.
    pub fn norm(&self) -> Result<f64> {
        // Rounding can make the square of nothing negative.
        Ok(self.squared_norm()?.max(0.0).sqrt())
    }

    /// `‖μ - ν‖²`, the biased estimate of the squared MMD if both are samples.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::inner`].
    pub fn squared_distance(&self, other: &Self) -> Result<f64> {
        Ok(self.squared_norm()? + other.squared_norm()? - 2.0 * self.inner(other)?)
    }

    /// `‖μ - ν‖`; rounding of three sums near each other leaves an error of about the square root of theirs where the
    /// two are equal.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::inner`].
    pub fn distance(&self, other: &Self) -> Result<f64> {
        Ok(self.squared_distance(other)?.max(0.0).sqrt())
    }

    /// `a μ + b ν`, a weighted set of all points of both; `a = 1, b = -1` gives the witness function of the two.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::inner`]; [`Error::Parameter`] if a factor is not finite.
    pub fn combined(&self, a: f64, other: &Self, b: f64) -> Result<Self> {
        self.same_space(other)?;
        parameter("a", a, a.is_finite(), "must be finite")?;
        parameter("b", b, b.is_finite(), "must be finite")?;
        let points = stacked(&self.points.to_array()?, &other.points.to_array()?)?;
        let weights: Vec<f64> =
            self.weights.iter().map(|w| a * w).chain(other.weights.iter().map(|w| b * w)).collect();
        Self::weighted(&self.points.device(), &self.kernel, points.view(), &weights)
    }

    /// The embedding of both samples together: each counts by its number of points.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::inner`].
    pub fn merged(&self, other: &Self) -> Result<Self> {
        let (n, m) = (self.weights.len() as f64, other.weights.len() as f64);
        self.combined(n / (n + m), other, m / (n + m))
    }

    fn same_space(&self, other: &Self) -> Result<()> {
        const OP: &str = "KernelMeanEmbedding";
        let (d, e) = (self.points.cols(), other.points.cols());
        require(OP, d == e, || format!("one embeds points of {d} features, the other of {e}"))?;
        require(OP, self.kernel == other.kernel, || {
            format!("one lives in the space of {}, the other in that of {}", self.kernel, other.kernel)
        })?;
        let (left, right) = (self.points.device(), other.points.device());
        if left == right {
            return Ok(());
        }
        Err(Error::DeviceMismatch { op: OP, left: left.to_string(), right: right.to_string() })
    }
}

fn stacked(x: &Array2<f64>, y: &Array2<f64>) -> Result<Array2<f64>> {
    concatenate(Axis(0), &[x.view(), y.view()])
        .map_err(|e| Error::Shape { op: "KernelMeanEmbedding", what: e.to_string() })
}
