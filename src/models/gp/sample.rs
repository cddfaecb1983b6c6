//! Functions drawn from the prior and from the posterior: `f = m + Lz`, `LLᵀ` the covariance, `z ~ N(0, I)`.

use ndarray::{Array2, Array3, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::fitted::FittedGp;
use super::predict::Predictive;
use super::regressor::GpRegressor;
use crate::check::finite;
use crate::linalg::Jitter;
use crate::ops::{cholesky, gram, gram_diagonal};
use crate::{Error, Matrix, Result};

/// Functions, evaluated at the inputs they were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// `count x m x q`.
    pub values: Array3<f64>,
    /// What was added to the diagonal of the covariance, which is singular where the data leave no doubt.
    pub jitter: f64,
}

impl GpRegressor {
    /// Functions drawn from the prior at the rows of `x`: `count x m x 1`. Their mean is zero; that of the model has
    /// coefficients only once there are data.
    ///
    /// # Errors
    /// As [`gram`]; [`Error::Shape`] for a count of zero; [`Error::NotPositiveDefinite`] for a kernel that is not;
    /// [`Error::OverBudget`] before anything is allocated if the m x m covariance and what is drawn do not fit the
    /// [memory budget](GpRegressor::memory_budget).
    pub fn sample_prior(&self, x: ArrayView2<f64>, count: usize, seed: u64) -> Result<Samples> {
        const OP: &str = "GpRegressor::sample_prior";
        self.affords_joint(OP, (0, x.nrows()), (count, 1), false)?;
        finite(OP, "x", x)?;
        let covariance = gram(&self.kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
        let scale = covariance.diag().mean().unwrap_or(0.0);
        draw(&Array2::zeros((x.nrows(), 1)), &covariance, scale, count, seed)
    }
}

impl FittedGp {
    /// Functions, or observations, drawn from the posterior at the rows of `x`: `count x m x q`.
    ///
    /// # Errors
    /// As [`FittedGp::predict_joint`]; [`Error::Shape`] for a count of zero.
    pub fn sample(&self, x: ArrayView2<f64>, what: Predictive, count: usize, seed: u64) -> Result<Samples> {
        let joint = self.joint("FittedGp::sample", x, what, count)?;
        let prior = gram_diagonal(self.kernel(), &Matrix::from_host(x.to_owned()))?.into_array()?;
        draw(&joint.mean, &joint.covariance, prior.mean().unwrap_or(0.0), count, seed)
    }
}

/// `L` with `LLᵀ = covariance + jitter I`, and the jitter: as little as will do, relative to `scale`.
///
/// Where the data leave no doubt a covariance is rounding, of the prior and not of itself.
fn root(covariance: &Array2<f64>, scale: f64) -> Result<(Array2<f64>, f64)> {
    // Without any variance there is one function, and nothing that a jitter could be relative to.
    if covariance.iter().all(|v| *v == 0.0) {
        return Ok((covariance.clone(), 0.0));
    }
    let ladder = Jitter::Ladder { first: 1e-14, factor: 100.0, last: 1e-6 };
    ladder.climb(scale, |jitter| {
        let mut shifted = covariance.clone();
        shifted.diag_mut().mapv_inplace(|v| v + jitter);
        Ok((cholesky(&Matrix::from_host(shifted))?.into_array()?, jitter))
    })
}

/// The same numbers for the same seed, whatever the device the covariance comes from.
pub(super) fn draw(
    mean: &Array2<f64>,
    covariance: &Array2<f64>,
    scale: f64,
    count: usize,
    seed: u64,
) -> Result<Samples> {
    let (m, q) = mean.dim();
    if count == 0 {
        return Err(Error::Shape { op: "sample", what: "no functions were asked for".to_owned() });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Array3::zeros((count, m, q));
    values.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut rng));
    let (root, jitter) = root(covariance, scale)?;
    for mut one in values.axis_iter_mut(Axis(0)) {
        let spread = root.dot(&one);
        one.assign(&(mean + &spread));
    }
    Ok(Samples { values, jitter })
}
