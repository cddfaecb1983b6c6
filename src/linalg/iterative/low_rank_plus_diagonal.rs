//! A low-rank factor plus noise as a preconditioner.
//!
//! Woodbury's identity alone, `M'⁻¹ = I - BBᵀ`, loses what is small in M'⁻¹ beside the one: of a matrix of condition κ
//! it keeps a relative `κ ε`, and of noise at 1e-10 of K only six digits. B has orthogonal columns here, so that what
//! should be left along each of them is known, `1 / (1 + σ²)`, and can be put right.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::preconditioner::{Covariance, Preconditioner, signs};
use crate::check::{block, parameter, require};
use crate::linalg::decompose::low_rank::LowRank;
use crate::linalg::decompose::svd::{Svd, thin_svd};
use crate::ops::{Side, Trans, Triangle, cholesky, gemm, gemm_add, log_det, product, solve_triangular};
use crate::{Matrix, Result};

/// Rows of B that are made at a time.
const ROWS: usize = 128;
/// `1 / (1 + σ²)` up to which a column is put right: beyond it next to nothing cancels.
const STRONG: f64 = 0.5;

/// `M = F F^T + D`: a low-rank factor of K plus the noise, for `A = K + D`.
///
/// With `D^-½F FᵀD^-½ = U diag(σ²) Uᵀ` its inverse is `D^-½ (I - B Bᵀ) D^-½`, `B = U diag(σ / √(1 + σ²))`: O(nk) a
/// vector. The factor is that of [`pivoted_cholesky`](crate::linalg::decompose::pivoted_cholesky) or [`nystrom`](crate::linalg::decompose::nystrom).
///
/// ```
/// use mercer::linalg::{CgParams, KernelOperator, LowRankPlusDiagonal, conjugate_gradients, pivoted_cholesky};
/// use mercer::{Device, Kernel, Matrix};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 0.2, 0.4, 0.6, 0.8])?;
/// let a = KernelOperator::new(&Kernel::rbf(1.0), &x, 1e-4)?;
/// let low_rank = pivoted_cholesky(&a.without_noise(), 3, 0.0)?;
/// let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view())?;
/// let b = ndarray::array![[1.0], [2.0], [0.0], [1.0], [3.0]];
/// assert!(conjugate_gradients(&a, b.view(), &m, &CgParams::default())?.info.iterations <= 4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LowRankPlusDiagonal {
    /// B, `n x k`.
    basis: Matrix,
    /// `1 / √(1 + σ²)` of each of its columns.
    left: Array1<f64>,
    /// `D^-½`.
    root: Array1<f64>,
    log_det: f64,
    rounding: f64,
}

impl LowRankPlusDiagonal {
    /// From F and the diagonal of D, whose entries must be positive.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they differ in length, [`Error::Parameter`](crate::Error::Parameter) if
    /// an entry is not positive.
    pub fn new(low_rank: &LowRank, diagonal: ArrayView1<f64>) -> Result<Self> {
        let (n, k) = low_rank.factor.dim();
        require("LowRankPlusDiagonal", diagonal.len() == n, || {
            format!("the factor has {n} rows, the diagonal {} entries", diagonal.len())
        })?;
        let bad = diagonal.iter().copied().find(|v| !(*v > 0.0 && v.is_finite()));
        let requirement = "the diagonal must be positive and finite: without noise M would be singular";
        parameter("diagonal", bad.unwrap_or(1.0), bad.is_none(), requirement)?;
        let root = diagonal.mapv(|d| d.sqrt().recip());
        // What is as large as the factor, or its square, is dropped as soon as it has served.
        let eye = Matrix::from_host(Array2::eye(k));
        let squared = {
            let factor = Matrix::from_host(&low_rank.factor * &root.view().insert_axis(Axis(1)));
            gemm_add(1.0, &factor, Trans::Yes, &factor, Trans::No, 1.0, &eye)?
        };
        let sizes = squared.cpu().diag().mapv(f64::sqrt);
        let inner = cholesky(&squared)?;
        drop(squared);
        let log_det = log_det(&inner)? - 2.0 * root.iter().map(|v| v.ln()).sum::<f64>();
        // `[F'; I]R⁻¹` has orthonormal columns for `RᵀR = I + F'ᵀF'`, so that the V of `R⁻¹ = W S Vᵀ` makes those of
        // `F'R⁻¹V` orthogonal, of length `√(1 - s²)`. In this order: F' has large columns, and R⁻¹ the small rows for them.
        let inverse =
            solve_triangular(&inner, Triangle::Lower, Trans::Yes, Side::Left, &eye)?.into_array()?;
        drop((eye, inner));
        let rounding = rounding(&inverse, &sizes);
        let Svd { values: left, v, .. } = thin_svd(inverse.view())?;
        let mut basis = Array2::zeros((n, k));
        let chunks = basis.axis_chunks_iter_mut(Axis(0), ROWS);
        let from = low_rank.factor.axis_chunks_iter(Axis(0), ROWS).zip(root.axis_chunks_iter(Axis(0), ROWS));
        for (mut to, (factor, root)) in chunks.zip(from) {
            let mut half = Array2::zeros(to.raw_dim());
            let scaled = &factor * &root.insert_axis(Axis(1));
            product(1.0, scaled.view(), inverse.view(), 0.0, half.view_mut());
            product(1.0, half.view(), v.view(), 0.0, to.view_mut());
        }
        Ok(LowRankPlusDiagonal { basis: Matrix::from_host(basis), left, root, log_det, rounding })
    }

    /// U with `M⁻¹ = D⁻¹ - U Uᵀ`, `n x k`: with it `tr(M⁻¹G)` is exact for any G whose sums over pairs are known.
    pub fn inverse_factor(&self) -> Array2<f64> {
        self.basis.cpu() * &self.root.view().insert_axis(Axis(1))
    }

    /// `Bᵀv`.
    fn along(&self, v: &Matrix) -> Result<Array2<f64>> {
        gemm(1.0, &self.basis, Trans::Yes, v, Trans::No)?.into_array()
    }

    /// `by` of what is left along each column of B, for rows that belong to them.
    fn each(&self, by: impl Fn(f64) -> f64) -> Array2<f64> {
        self.left.mapv(by).insert_axis(Axis(1))
    }

    /// `v + Bc`.
    fn plus(&self, v: &Matrix, c: Array2<f64>) -> Result<Matrix> {
        gemm_add(1.0, &self.basis, Trans::No, &Matrix::from_host(c), Trans::No, 1.0, v)
    }
}

/// `ε Σ_ij |G⁻¹|_ij √(g_ii g_jj)` for `G = I + F'ᵀF'`, of which R⁻¹ and the roots of the diagonal are given: entries that
/// are off by a rounding of their sums move `log det G` by no more. Little where the columns are graded, as those of even
/// noise are; much where a few rows of little noise tower above the others.
fn rounding(inverse: &Array2<f64>, sizes: &Array1<f64>) -> f64 {
    let mut g = Array2::zeros(inverse.raw_dim());
    product(1.0, inverse.view(), inverse.t(), 0.0, g.view_mut());
    f64::EPSILON * g.indexed_iter().map(|((i, j), v): (_, &f64)| v.abs() * sizes[i] * sizes[j]).sum::<f64>()
}

impl Preconditioner for LowRankPlusDiagonal {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("LowRankPlusDiagonal", "r", r, self.root.len())?;
        let root = self.root.view().insert_axis(Axis(1));
        let r = Matrix::from_host(&r * &root);
        let along = self.along(&r)?;
        let kept = &along * &self.each(|s| s * s);
        let x = self.plus(&r, -along)?;
        // `Bᵀx` should be what is kept: the rest of it is rounding.
        let weight = |s: f64| if s * s <= STRONG { 1.0 / (1.0 - s * s) } else { 0.0 };
        let missing = (kept - self.along(&x)?) * &self.each(weight);
        Ok(self.plus(&x, missing)?.cpu() * &root)
    }
}

impl Covariance for LowRankPlusDiagonal {
    fn log_det(&self) -> Result<f64> {
        Ok(self.log_det)
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    /// `D^½ (I + U diag(√(1 + σ²) - 1) Uᵀ) e` for a vector of signs: the symmetric root of `D^-½ M D^-½`, under which
    /// signs stay signs.
    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
        let own = Matrix::from_host(signs(n, count, seed)?);
        block("LowRankPlusDiagonal", "z", own.cpu().view(), self.root.len())?;
        let more = self.along(&own)? * &self.each(|s| 1.0 / (s * (1.0 + s)));
        Ok(self.plus(&own, more)?.cpu() / &self.root.view().insert_axis(Axis(1)))
    }
}
