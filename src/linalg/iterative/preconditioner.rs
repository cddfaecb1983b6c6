//! Approximate inverses that make conjugate gradients converge sooner.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::operator::Operator;
use crate::check::block;
use crate::{Error, Result};

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

    /// What rounding may have done to [`log_det`](Covariance::log_det), an estimate.
    fn rounding(&self) -> f64 {
        0.0
    }

    /// `n x count`: independent vectors of mean zero and covariance M, made of random signs; the same for the same seed.
    ///
    /// # Errors
    /// [`Error::Shape`] if M is not `n x n`, [`Error::Parameter`] for more vectors than memory has room for.
    fn draw(&self, n: usize, count: usize, seed: u64) -> Result<Array2<f64>>;
}

/// `n x count` entries +1 and -1, each with probability one half; an error if memory has no room for them.
pub(in crate::linalg) fn signs(n: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut all = Vec::new();
    let held = n.checked_mul(count).filter(|&size| all.try_reserve_exact(size).is_ok());
    all.extend((0..held.unwrap_or(0)).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }));
    Array2::from_shape_vec((n, count), all).map_err(|_| Error::Parameter {
        name: "probes".to_owned(),
        value: count as f64,
        requirement: "must not be more than memory has room for",
    })
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
        signs(n, count, seed)
    }
}

/// `M = diag(A)`: for a diagonal that varies much.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobi {
    inverse: Array1<f64>,
}

impl Jacobi {
    /// The preconditioner that divides by the diagonal of `op`.
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
        let z = signs(n, count, seed)?;
        block("Jacobi", "z", z.view(), self.inverse.len())?;
        Ok(z / self.inverse.sqrt().insert_axis(Axis(1)))
    }
}
