//! What processes predict: means, variances, covariances and draws of functions.

use ndarray::{Array, Array1, Array2, Array3, Axis, Ix1, Ix2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::check::{level, require, room};
use crate::learn::TargetDim;
use crate::learn::{Answer, MeanVariance};
use crate::linalg::Noise;
use crate::ops::cholesky;
use crate::probability::normal::quantile;
use crate::{Error, Matrix, Result};

/// Jitters that a covariance to be drawn from is tried with, relative to the prior.
const JITTERS: [f64; 6] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6];

/// Which quantity is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Predictive {
    /// The function f(x).
    #[default]
    Latent,
    /// A new observation y = f(x) + ε, with the noise of the model. Not for a model with a noise for each point, which
    /// does not know that of a new one.
    Observed,
    /// A new observation with noise of this variance.
    ObservedWith(f64),
}

impl Predictive {
    /// The variance of the noise in what is predicted.
    pub(super) fn noise(self, noise: &Noise) -> Result<f64> {
        let (value, requirement) = match (self, noise) {
            (Predictive::Latent, _) => (0.0, ""),
            (Predictive::Observed, Noise::Same(v)) => (*v, ""),
            (Predictive::Observed, Noise::Each(_)) => {
                (f64::NAN, "the noise at new points is not known; say what it is with ObservedWith")
            }
            (Predictive::ObservedWith(v), _) => (v, "a variance must be finite and not negative"),
        };
        if value >= 0.0 && value.is_finite() {
            return Ok(value);
        }
        Err(Error::Parameter { name: "noise".to_owned(), value, requirement })
    }
}

/// Normal distributions at some inputs: means, and variances that all targets share.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prediction<D: TargetDim = Ix2> {
    /// The means: m numbers, or `m x q` if the targets were two-dimensional.
    pub mean: Array<f64, D>,
    /// The variance at each input, the same for all targets. Never negative.
    pub variance: Array1<f64>,
    /// A bound of `variance - exact variance`, which is never negative, where variances come from conjugate gradients:
    /// `|r|² / noise` for the residual r of the solve. None if they come from a factor.
    pub excess: Option<Array1<f64>>,
}

impl<D: TargetDim> Answer for Prediction<D> {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        self.mean.unfit().or_else(|| self.variance.unfit())
    }
}

impl MeanVariance for Prediction<Ix1> {
    fn mean_variance(&self) -> (Array1<f64>, Array1<f64>) {
        (self.mean.clone(), self.variance.clone())
    }
}

impl<D: TargetDim> Prediction<D> {
    pub(super) fn new(mean: Array2<f64>, variance: Array1<f64>, excess: Option<Array1<f64>>) -> Self {
        Prediction { mean: D::shaped(mean), variance, excess }
    }

    /// The standard deviation at each input.
    pub fn std(&self) -> Array1<f64> {
        self.variance.mapv(f64::sqrt)
    }

    /// The ends of the central interval that holds this share of the probability, for each mean: `μ ± z σ`.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    /// let fitted = gp.fit(&Device::cpu(), array![[0.0], [1.0]], array![0.3_f64, -0.2])?;
    /// let p = fitted.predict_distribution(array![[0.5]])?;
    /// let (low, high) = p.interval(0.95)?;
    /// assert!((high[0] - low[0] - 2.0 * 1.959964 * p.std()[0]).abs() < 1e-6);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level that does not lie between 0 and 1.
    pub fn interval(&self, share: f64) -> Result<(Array<f64, D>, Array<f64, D>)> {
        level(share)?;
        let reach = (self.std() * quantile(0.5 + 0.5 * share)).insert_axis(Axis(1));
        let mean = D::columns(&self.mean);
        Ok((D::shaped(&mean - &reach), D::shaped(&mean + &reach)))
    }
}

/// A normal distribution of several inputs together: means, and the covariance between all of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JointPrediction<D: TargetDim = Ix2> {
    /// The means: m numbers, or `m x q` if the targets were two-dimensional.
    pub mean: Array<f64, D>,
    /// The covariance, `m x m`, the same for all targets. Its diagonal is never negative.
    pub covariance: Array2<f64>,
}

impl<D: TargetDim> JointPrediction<D> {
    pub(super) fn new(mean: Array2<f64>, covariance: Array2<f64>) -> Self {
        JointPrediction { mean: D::shaped(mean), covariance }
    }

    /// So many draws; `scale` is the size of the prior variance. The seed alone decides, whatever the device.
    pub(super) fn draw(&self, scale: f64, count: usize, seed: u64) -> Result<Samples> {
        draw(&D::columns(&self.mean).to_owned(), &self.covariance, scale, count, seed)
    }
}

/// Functions, evaluated at the inputs they were asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Samples {
    /// The values, `count x m x q`.
    pub values: Array3<f64>,
    /// What was added to the diagonal of the covariance, which is singular where the data leave no doubt.
    pub jitter: f64,
}

/// `m + Lz`, `LLᵀ` the covariance, `z ~ N(0, I)`.
pub(super) fn draw(
    mean: &Array2<f64>,
    covariance: &Array2<f64>,
    scale: f64,
    count: usize,
    seed: u64,
) -> Result<Samples> {
    let (m, q) = mean.dim();
    require("sample", count > 0, || "no functions were asked for".to_owned())?;
    room("count", count, m.saturating_mul(q).saturating_mul(8))?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Array3::zeros((count, m, q));
    values.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut rng));
    let (root, jitter) = root(covariance, scale)?;
    for mut one in values.axis_iter_mut(Axis(0)) {
        let about = root.dot(&one);
        one.assign(&(mean + &about));
    }
    Ok(Samples { values, jitter })
}

/// `L` with `LLᵀ = covariance + jitter I`, and the jitter: as little as will do, relative to `scale`.
///
/// Where the data leave no doubt a covariance is rounding, of the prior and not of itself.
fn root(covariance: &Array2<f64>, scale: f64) -> Result<(Array2<f64>, f64)> {
    // Without any variance there is one function, and nothing that a jitter could be relative to.
    if covariance.iter().all(|v| *v == 0.0) {
        return Ok((covariance.clone(), 0.0));
    }
    let mut refusal = Error::Shape { op: "sample", what: "no jitter to try".to_owned() };
    for (i, relative) in JITTERS.into_iter().enumerate() {
        let mut shifted = covariance.clone();
        shifted.diag_mut().mapv_inplace(|v| v + relative * scale);
        match cholesky(&Matrix::from_host(shifted)) {
            Ok(l) => return Ok((l.into_array()?, relative * scale)),
            Err(e) if i == 0 => refusal = e,
            Err(_) => {}
        }
    }
    Err(refusal)
}
