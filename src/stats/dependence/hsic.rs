//! The Hilbert-Schmidt independence criterion of two paired samples.
//!
//! Checked in `tests/stats/hsic.rs` against double loops, reference values and hyppo.

use ndarray::ArrayView2;

use crate::check::{paired, require};
use crate::learn::Inputs;
use crate::matrix::Points;
use crate::ops::{
    Along, Map, Reduction, Zip, add_diagonal_vector, centre, diagonal, gram, gram_vec, map, reduce, zip,
};
use crate::stats::resample::{finite, number_on, same_device};
use crate::{Device, Kernel, Matrix, Result, ops};

/// `HSIC = ‖C_XY‖²_HS = E k l + E k E l - 2 E[E k E l]`, and its estimators from pairs `(x_i, y_i)`.
///
/// It is the squared MMD between the joint distribution and the product of its margins, zero only for independent
/// variables if both kernels are characteristic. `x` is `n x p` and `y` is `n x q`; row i of both is one observation.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [1.0], [2.0], [3.0], [4.0]];
/// let y = ndarray::array![[0.1], [0.8], [2.2], [2.9], [4.1]];
/// let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0));
/// assert!((hsic.biased(&Device::cpu(), &x, &y)? - 0.131_692_749_3).abs() < 1e-10);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hsic {
    pub(in crate::stats) k: Kernel,
    pub(in crate::stats) l: Kernel,
}

/// The three terms of HSIC, each a mean over pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HsicTerms {
    /// `1/n² Σ k_ij l_ij`.
    pub joint: f64,
    /// `1/n² Σ k_ij · 1/n² Σ l_ij`.
    pub product: f64,
    /// `1/n Σ_i (1/n Σ_j k_ij) (1/n Σ_j l_ij)`.
    pub cross: f64,
}

impl HsicTerms {
    /// joint + product - 2 cross.
    pub fn value(&self) -> f64 {
        self.joint + self.product - 2.0 * self.cross
    }
}

impl Hsic {
    /// The dependence that `k` on x and `l` on y see.
    pub fn new(k: Kernel, l: Kernel) -> Self {
        Hsic { k, l }
    }

    /// `tr(K H L H) / n²`, `H = I - 1 1^T / n`: never negative, biased upwards by O(1/n). Both Gram matrices are held.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for different numbers of observations or fewer than two,
    /// [`Error::NotFinite`](crate::Error::NotFinite), and what the kernels refuse.
    pub fn biased(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let n = x.inputs().nrows() as f64;
        let sum = self.of_grams("Hsic::biased", 2, device, x, y, |k, l| inner(&centre(k)?, &centre(l)?))?;
        Ok(sum.max(0.0) / (n * n))
    }

    /// The same as three means over pairs, by sums over tiles in O(n) memory.
    ///
    /// The terms are of order one and their sum of order 1/n: in f32 use [`Hsic::biased`].
    ///
    /// # Errors
    /// As [`Hsic::biased`].
    pub fn terms(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<HsicTerms> {
        const OP: &str = "Hsic::terms";
        let (x, y) = (x.inputs(), y.inputs());
        paired(OP, x.view(), y.view(), 2)?;
        let (n, flops) = (x.nrows(), flops(x.view(), y.view()));
        let (k, l) =
            same_device(OP, device, (x.view(), self.k.origin()), (y.view(), self.l.origin()), flops)?;
        let ones = Matrix::column(k.device(), &vec![1.0; n])?;
        let rows = |kernel: &Kernel, points: &Points| -> Result<Vec<f64>> {
            let sums = gram_vec(kernel, points.matrix()?, None, &ones)?.to_array()?;
            Ok(sums.into_iter().map(|s| s / n as f64).collect())
        };
        let both = Matrix::upload(OP, k.device(), beside(shifted(&k).view(), shifted(&l).view()).view())?;
        let (k, l) = (rows(&self.k, &k)?, rows(&self.l, &l)?);
        let weights = ops::Weights::LowRank { u: &ones, v: &ones };
        let joint = ops::gram_sum(&self.on_pairs(x.ncols(), y.ncols()), &both, None, weights)?;
        let mean = |r: &[f64]| r.iter().sum::<f64>() / n as f64;
        let cross = k.iter().zip(&l).map(|(k, l)| k * l).sum::<f64>() / n as f64;
        let terms = HsicTerms { joint: joint / (n * n) as f64, product: mean(&k) * mean(&l), cross };
        finite(OP, terms.value()).map(|_| terms)
    }

    /// The U-statistic, `1/(n(n-3)) Σ_{i≠j} k̃_ij l̃_ij` of U-centred matrices: unbiased, and may be negative.
    ///
    /// # Errors
    /// As [`Hsic::biased`]; there must be four observations.
    pub fn unbiased(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let n = x.inputs().nrows() as f64;
        let sum =
            self.of_grams("Hsic::unbiased", 4, device, x, y, |k, l| inner(&u_centred(k)?, &u_centred(l)?))?;
        Ok(sum / (n * (n - 3.0)))
    }

    /// `HSIC(x, y) / √(HSIC(x, x) HSIC(y, y))`, between 0 and 1: centred kernel alignment, or the distance correlation of
    /// the kernels' distances, squared. 0 if either variable is constant.
    ///
    /// # Errors
    /// As [`Hsic::biased`].
    pub fn cka(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        self.of_grams("Hsic::cka", 2, device, x, y, |k, l| correlation(&centre(k)?, &centre(l)?))
    }

    /// The same ratio of U-statistics: near 0 for independent variables at any n, and may be negative.
    ///
    /// # Errors
    /// As [`Hsic::unbiased`].
    pub fn cka_unbiased(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        self.of_grams("Hsic::cka_unbiased", 4, device, x, y, |k, l| {
            correlation(&u_centred(k)?, &u_centred(l)?)
        })
    }

    /// `⟨f, C_XY g⟩ = 1/n α^T K H L β`, the sample covariance of `f(x_i)` and `g(y_i)`, for `f = Σ α_i k(·, x_i)` and
    /// `g = Σ β_i l(·, y_i)`. Neither Gram matrix is held.
    ///
    /// # Errors
    /// As [`Hsic::biased`], and if there is not one coefficient for each observation.
    pub fn cross_covariance(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Inputs,
        alpha: &[f64],
        beta: &[f64],
    ) -> Result<f64> {
        const OP: &str = "Hsic::cross_covariance";
        let (x, y) = (x.inputs(), y.inputs());
        paired(OP, x.view(), y.view(), 2)?;
        let n = x.nrows();
        require(OP, alpha.len() == n && beta.len() == n, || {
            format!("there are {n} observations, {} and {} coefficients", alpha.len(), beta.len())
        })?;
        let flops = flops(x.view(), y.view());
        let at =
            |kernel: &Kernel, a: ArrayView2<f64>, weights: &[f64], device: &Device| -> Result<Vec<f64>> {
                let points = Points::new(OP, device, a, kernel.origin(), flops)?;
                let weights = Matrix::column(points.device(), weights)?;
                let values = gram_vec(kernel, points.matrix()?, None, &weights)?.to_array()?;
                let mean = values.sum() / n as f64;
                Ok(values.into_iter().map(|v| v - mean).collect())
            };
        number_on(OP, device, |device| {
            let (f, g) = (at(&self.k, x.view(), alpha, device)?, at(&self.l, y.view(), beta, device)?);
            Ok(f.iter().zip(&g).map(|(f, g)| f * g).sum::<f64>() / n as f64)
        })
    }

    /// A number that is made of both Gram matrices.
    fn of_grams(
        &self,
        op: &'static str,
        least: usize,
        device: &Device,
        x: impl Inputs,
        y: impl Inputs,
        of: impl Fn(&Matrix, &Matrix) -> Result<f64>,
    ) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        paired(op, x, y, least)?;
        number_on(op, device, |device| {
            let (on_x, on_y) = ((x, self.k.origin()), (y, self.l.origin()));
            let (x, y) = same_device(op, device, on_x, on_y, flops(x, y))?;
            of(&gram(&self.k, x.matrix()?, None)?, &gram(&self.l, y.matrix()?, None)?)
        })
    }

    /// `k(x, x') l(y, y')` on rows `(x, y)`.
    pub(in crate::stats) fn on_pairs(&self, p: usize, q: usize) -> Kernel {
        let columns = |from: usize, to: usize| (from..to).collect::<Vec<_>>();
        self.k.clone().on(columns(0, p)) * self.l.clone().on(columns(p, p + q))
    }
}

/// Operations of two Gram matrices.
fn flops(x: ArrayView2<f64>, y: ArrayView2<f64>) -> f64 {
    (x.nrows() * x.nrows()) as f64 * (2 * (x.ncols() + y.ncols()) + 20) as f64
}

/// The points as their device sees them, in f64.
pub(super) fn shifted(points: &Points) -> ndarray::Array2<f64> {
    &points.host() - &points.offset()
}

/// The columns of x and then those of y.
pub(super) fn beside(x: ArrayView2<f64>, y: ArrayView2<f64>) -> ndarray::Array2<f64> {
    ndarray::concatenate(ndarray::Axis(1), &[x, y]).expect("the caller has checked that the rows are pairs")
}

/// `Σ a_ij b_ij`, the last sum in f64.
pub(super) fn inner(a: &Matrix, b: &Matrix) -> Result<f64> {
    Ok(reduce(&zip(a, b, Zip::Mul)?, Along::EachRow, Reduction::Sum)?.to_array()?.sum())
}

pub(in crate::stats) fn sum_of_squares(a: &Matrix) -> Result<f64> {
    Ok(reduce(a, Along::EachRow, Reduction::SumSquares)?.to_array()?.sum())
}

fn correlation(k: &Matrix, l: &Matrix) -> Result<f64> {
    let scale = (sum_of_squares(k)? * sum_of_squares(l)?).sqrt();
    if scale > 0.0 { Ok(inner(k, l)? / scale) } else { Ok(0.0) }
}

/// `k_ij - r_i/(n-2) - r_j/(n-2) + t/((n-1)(n-2))` off the diagonal, 0 on it; r and t are sums without the diagonal.
pub(in crate::stats) fn u_centred(k: &Matrix) -> Result<Matrix> {
    let n = k.rows() as f64;
    let k = hollow(k)?;
    let scaled = |m: &Matrix, scale: f64, shift: f64| map(m, Map::Affine { scale, shift });
    let rows = reduce(&k, Along::EachRow, Reduction::Sum)?;
    let total = rows.to_array()?.sum();
    let columns = ops::transpose(&rows)?;
    let centred = zip(
        &zip(&k, &scaled(&rows, 1.0 / (n - 2.0), 0.0)?, Zip::Sub)?,
        &scaled(&columns, 1.0 / (n - 2.0), 0.0)?,
        Zip::Sub,
    )?;
    hollow(&scaled(&centred, 1.0, total / ((n - 1.0) * (n - 2.0)))?)
}

/// A matrix without its diagonal.
fn hollow(k: &Matrix) -> Result<Matrix> {
    add_diagonal_vector(k, &map(&diagonal(k)?, Map::Affine { scale: -1.0, shift: 0.0 })?)
}
