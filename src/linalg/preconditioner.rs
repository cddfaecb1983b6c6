//! Approximate inverses that make conjugate gradients converge sooner.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::check::{block, parameter, require};
use super::low_rank::LowRank;
use super::operator::Operator;
use crate::ops::{Side, Trans, Triangle, cholesky, gemm, gemm_add, log_det, solve_triangular};
use crate::{Error, Matrix, Result};

/// A symmetric positive definite `M ≈ A` whose inverse is cheap.
pub trait Preconditioner {
    /// `M⁻¹ R` for `r`, `n x r`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `r` does not have as many rows as M.
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// An M that is also the covariance of vectors one can draw, with a known determinant: what [`lanczos_log_det`] needs.
///
/// [`lanczos_log_det`]: super::lanczos_log_det
pub trait Covariance: Preconditioner {
    /// `log det M`.
    ///
    /// # Errors
    /// Those of the device.
    fn log_det(&self) -> Result<f64>;

    /// `n x count`: independent vectors of mean zero and covariance M, made of random signs; the same for the same seed.
    ///
    /// # Errors
    /// [`Error::Shape`] if M is not `n x n`.
    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>>;
}

/// Entries +1 and -1, each with probability one half.
fn signs(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, cols), || if rng.random::<bool>() { 1.0 } else { -1.0 })
}

/// `M = I`: no preconditioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity;

impl Preconditioner for Identity {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(r.to_owned())
    }
}

impl Covariance for Identity {
    fn log_det(&self) -> Result<f64> {
        Ok(0.0)
    }

    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(signs(n, count, &mut ChaCha8Rng::seed_from_u64(seed)))
    }
}

/// `M = diag(A)`: for a diagonal that varies much.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobi {
    inverse: Array1<f64>,
}

impl Jacobi {
    /// From the diagonal of `op`.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] if an entry is not positive.
    pub fn new(op: &dyn Operator) -> Result<Self> {
        let diagonal = op.diagonal()?;
        match diagonal.indexed_iter().find(|(_, v)| **v <= 0.0 || v.is_nan()) {
            None => Ok(Jacobi { inverse: diagonal.recip() }),
            Some((pivot, &value)) => Err(Error::NotPositiveDefinite { op: "Jacobi", pivot, value }),
        }
    }
}

impl Preconditioner for Jacobi {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("Jacobi", "r", r, self.inverse.len())?;
        Ok(&r * &self.inverse.view().insert_axis(Axis(1)))
    }
}

impl Covariance for Jacobi {
    fn log_det(&self) -> Result<f64> {
        Ok(-self.inverse.iter().map(|v| v.ln()).sum::<f64>())
    }

    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
        let z = signs(n, count, &mut ChaCha8Rng::seed_from_u64(seed));
        block("Jacobi", "z", z.view(), self.inverse.len())?;
        Ok(z / self.inverse.sqrt().insert_axis(Axis(1)))
    }
}

/// `M = F F^T + D`: a low-rank factor of K plus the noise, for `A = K + D`.
///
/// Its inverse, by Woodbury's identity, is `D⁻¹ - D⁻¹F (I + FᵀD⁻¹F)⁻¹ FᵀD⁻¹`: O(nk) a vector. The factor is that of
/// [`pivoted_cholesky`](super::pivoted_cholesky) or [`nystrom`](super::nystrom).
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
    /// `D^-½ F`.
    factor: Matrix,
    /// `D^-½`.
    root: Array1<f64>,
    /// The Cholesky factor of `I + FᵀD⁻¹F`.
    inner: Matrix,
}

impl LowRankPlusDiagonal {
    /// From F and the diagonal of D, whose entries must be positive.
    ///
    /// # Errors
    /// [`Error::Shape`] if they differ in length, [`Error::Parameter`] if an entry is not positive.
    pub fn new(low_rank: &LowRank, diagonal: ndarray::ArrayView1<f64>) -> Result<Self> {
        let (n, k) = low_rank.factor.dim();
        require("LowRankPlusDiagonal", diagonal.len() == n, || {
            format!("the factor has {n} rows, the diagonal {} entries", diagonal.len())
        })?;
        let bad = diagonal.iter().copied().find(|v| !(*v > 0.0 && v.is_finite()));
        let requirement = "the diagonal must be positive and finite: without noise M would be singular";
        parameter("diagonal", bad.unwrap_or(1.0), bad.is_none(), requirement)?;
        let root = diagonal.mapv(|d| d.sqrt().recip());
        let factor = Matrix::from_host(&low_rank.factor * &root.view().insert_axis(Axis(1)));
        let eye = Matrix::from_host(Array2::eye(k));
        let inner = cholesky(&gemm_add(1.0, &factor, Trans::Yes, &factor, Trans::No, 1.0, &eye)?)?;
        Ok(LowRankPlusDiagonal { factor, root, inner })
    }

    /// U with `M⁻¹ = D⁻¹ - U Uᵀ`, `n x k`: with it `tr(M⁻¹G)` is exact for any G whose sums over pairs are known.
    ///
    /// # Errors
    /// Those of the device.
    pub fn inverse_factor(&self) -> Result<Array2<f64>> {
        let half = solve_triangular(&self.inner, Triangle::Lower, Trans::Yes, Side::Right, &self.factor)?;
        Ok(half.cpu() * &self.root.view().insert_axis(Axis(1)))
    }
}

impl Preconditioner for LowRankPlusDiagonal {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("LowRankPlusDiagonal", "r", r, self.root.len())?;
        let root = self.root.view().insert_axis(Axis(1));
        let r = Matrix::from_host(&r * &root);
        let small = gemm(1.0, &self.factor, Trans::Yes, &r, Trans::No)?;
        let half = solve_triangular(&self.inner, Triangle::Lower, Trans::No, Side::Left, &small)?;
        let small = solve_triangular(&self.inner, Triangle::Lower, Trans::Yes, Side::Left, &half)?;
        let out = gemm_add(-1.0, &self.factor, Trans::No, &small, Trans::No, 1.0, &r)?;
        Ok(out.cpu() * &root)
    }
}

impl Covariance for LowRankPlusDiagonal {
    fn log_det(&self) -> Result<f64> {
        Ok(log_det(&self.inner)? - 2.0 * self.root.iter().map(|v| v.ln()).sum::<f64>())
    }

    /// `F e + D^½ e'` for two vectors of signs.
    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let own = Matrix::from_host(signs(n, count, &mut rng));
        block("LowRankPlusDiagonal", "z", own.cpu().view(), self.root.len())?;
        let shared = Matrix::from_host(signs(self.factor.cols(), count, &mut rng));
        let z = gemm_add(1.0, &self.factor, Trans::No, &shared, Trans::No, 1.0, &own)?;
        Ok(z.cpu() / &self.root.view().insert_axis(Axis(1)))
    }
}
