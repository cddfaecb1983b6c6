//! Kernel mean embeddings: a distribution as a point of the kernel's function space.
//!
//! Nothing here stores an `n x n` matrix. Checked in `tests/stats/embedding.rs` against the double sums and against the
//! closed form for Gaussians.

mod gaussian;
mod herding;

use ndarray::{Array1, ArrayView2, Axis};

use crate::check::{numbers, parameter, pooled, require, sample};
use crate::learn::Inputs;
use crate::matrix::Points;
use crate::ops::{Weights, gram_sum, gram_vec};
use crate::stats::resample::finite;
use crate::{Device, Error, Kernel, Matrix, Result};

pub use gaussian::{gaussian_embedding, gaussian_embedding_product, gaussian_squared_mmd};
pub use herding::Herded;

const OP: &str = "KernelMeanEmbedding";

/// `μ = Σ_i w_i k(·, x_i)`: the embedding of a sample (all `w_i = 1/n`), or of any weighted set of points.
///
/// `⟨μ, f⟩ = Σ_i w_i f(x_i)` for every f of the function space, so that `⟨μ, ν⟩` is a mean of k over all pairs, and
/// `‖μ - ν‖` the (biased) MMD of two samples. With a kernel that is
/// [characteristic](Kernel::is_characteristic) the embedding of a distribution determines it.
///
/// White noise in a kernel counts where a point meets itself, which is in [`norm`](Self::norm) only.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (cpu, k) = (Device::cpu(), Kernel::rbf(1.0));
/// let p = KernelMeanEmbedding::new(&cpu, &k, array![[0.0], [1.0], [2.0]])?;
/// let q = KernelMeanEmbedding::new(&cpu, &k, array![[1.0], [2.0], [4.0], [5.0]])?;
/// assert!((p.distance(&q)? - 0.6073054545).abs() < 1e-9);
/// let witness = p.combined(1.0, &q, -1.0)?; // positive where p has more mass
/// assert!((witness.evaluate(array![[3.0]])?[0] + 0.119941325).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelMeanEmbedding {
    kernel: Kernel,
    /// Where it was asked to compute; its points may have stayed on the CPU.
    device: Device,
    points: Points,
    weights: Array1<f64>,
}

impl KernelMeanEmbedding {
    /// The embedding of the sample `x`, `n x d`: every weight is `1/n`.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is empty or does not fit the kernel, [`Error::NotFinite`] if it is not finite,
    /// [`Error::Parameter`] for a bad hyper-parameter of the kernel.
    pub fn new(device: &Device, kernel: &Kernel, x: impl Inputs) -> Result<Self> {
        let n = x.inputs().nrows();
        Self::weighted(device, kernel, x, &vec![1.0 / n.max(1) as f64; n])
    }

    /// `Σ_i w_i k(·, x_i)`, one weight for each row of `x`. Weights may be negative and need not sum to one.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::new`], and for weights that are too few, too many or not finite.
    pub fn weighted(device: &Device, kernel: &Kernel, x: impl Inputs, weights: &[f64]) -> Result<Self> {
        let x = x.inputs();
        sample(OP, "x", x.view(), 1)?;
        let (n, d) = x.dim();
        require(OP, weights.len() == n, || format!("{n} points, {} weights", weights.len()))?;
        let weights = Array1::from(weights.to_vec());
        numbers(OP, "the weights", weights.view().insert_axis(Axis(1)))?;
        kernel.check()?;
        let asks = kernel.dim().unwrap_or(d);
        require(OP, asks == d, || format!("the points have {d} features, the kernel asks for {asks}"))?;
        let flops = (n * n) as f64 * (2 * d + 10) as f64;
        let points = Points::new(OP, device, x.view(), kernel.origin(), flops)?;
        Ok(KernelMeanEmbedding { kernel: kernel.clone(), device: device.clone(), points, weights })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The points `x_i`, `n x d`.
    pub fn points(&self) -> ArrayView2<'_, f64> {
        self.points.host()
    }

    /// The weights `w_i`.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// Where it computes: the device it was made for, or the CPU if that is as fast or f32 would change the points.
    pub fn device(&self) -> &Device {
        self.points.device()
    }

    fn column(&self, device: &Device) -> Result<Matrix> {
        Matrix::upload(OP, device, self.weights.view().insert_axis(Axis(1)))
    }

    /// `μ(t) = Σ_i w_i k(t, x_i)` at each row t of `at`.
    ///
    /// # Errors
    /// [`Error::Shape`] for points of another dimension, [`Error::NotFinite`].
    pub fn evaluate(&self, at: impl Inputs) -> Result<Array1<f64>> {
        let at = at.inputs();
        sample("KernelMeanEmbedding::evaluate", "at", at.view(), 1)?;
        let (d, e) = (self.points().ncols(), at.ncols());
        require("KernelMeanEmbedding::evaluate", d == e, || {
            format!("the embedding has {d} features, at has {e}")
        })?;
        self.values(at.view())
    }

    fn values(&self, at: ArrayView2<f64>) -> Result<Array1<f64>> {
        // Where it is asked for may lie so far from the points that f32 does not hold both.
        let all = pooled(self.points(), at);
        let place = Points::new(OP, self.device(), all.view(), self.kernel.origin(), f64::INFINITY)?;
        let (there, points) = (place.like(OP, at)?, place.like(OP, self.points())?);
        let values =
            gram_vec(&self.kernel, &there, Some(&points), &self.column(place.device())?)?.to_array()?;
        numbers("KernelMeanEmbedding::evaluate", "the embedding", values.view())?;
        Ok(values.index_axis_move(Axis(1), 0))
    }

    /// `⟨μ, ν⟩ = Σ_ij w_i v_j k(x_i, y_j)`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the two do not have one kernel and one dimension, [`Error::DeviceMismatch`],
    /// [`Error::Parameter`] for a result that is not finite.
    pub fn inner(&self, other: &Self) -> Result<f64> {
        self.same_space(other)?;
        let all = pooled(self.points(), other.points());
        let both = self.device().is_gpu() && other.device().is_gpu();
        let device = if both { self.device.clone() } else { Device::cpu() };
        let place = Points::new(OP, &device, all.view(), self.kernel.origin(), f64::INFINITY)?;
        let (x, y) = (place.like(OP, self.points())?, place.like(OP, other.points())?);
        let (u, v) = (self.column(place.device())?, other.column(place.device())?);
        finite(OP, gram_sum(&self.kernel, &x, Some(&y), Weights::LowRank { u: &u, v: &v })?)
    }

    /// `‖μ‖² = Σ_ij w_i w_j k(x_i, x_j)`.
    ///
    /// # Errors
    /// Those of the device; [`Error::Parameter`] for a result that is not finite.
    pub fn squared_norm(&self) -> Result<f64> {
        let u = self.column(self.device())?;
        finite(OP, gram_sum(&self.kernel, self.points.matrix()?, None, Weights::LowRank { u: &u, v: &u })?)
    }

    /// `‖μ‖`.
    ///
    /// # Errors
    /// As [`KernelMeanEmbedding::squared_norm`].
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
        let weights: Vec<f64> =
            self.weights.iter().map(|w| a * w).chain(other.weights.iter().map(|w| b * w)).collect();
        Self::weighted(&self.device, &self.kernel, pooled(self.points(), other.points()), &weights)
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
        let (d, e) = (self.points().ncols(), other.points().ncols());
        require(OP, d == e, || format!("one embeds points of {d} features, the other of {e}"))?;
        require(OP, self.kernel == other.kernel, || {
            format!("one lives in the space of {}, the other in that of {}", self.kernel, other.kernel)
        })?;
        if self.device == other.device {
            return Ok(());
        }
        let (left, right) = (self.device.to_string(), other.device.to_string());
        Err(Error::DeviceMismatch { op: OP, left, right })
    }
}
