//! What is known of the weights, whichever way it is held.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::Prior;
use super::function_space::FunctionSpace;
use super::weight_space::WeightSpace;
use crate::Result;
use crate::check::{inputs, pairs, parameter};
use crate::learn::metrics::r_squared;
use crate::probability::posterior_variance::known;

/// `w | data ~ N(m, S)`: predictions, samples, evidence, and updates by more data.
#[derive(Debug, Clone)]
pub struct LinearPosterior {
    beta: f64,
    features: usize,
    observations: usize,
    prior: Prior,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    Weights(WeightSpace),
    Functions(FunctionSpace),
}

/// Mean and variance of predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearPrediction {
    /// `φᵀm`.
    pub mean: Array1<f64>,
    /// `φᵀSφ`: of the function, without the noise.
    pub variance: Array1<f64>,
    /// 1/β.
    pub noise_variance: f64,
}

impl LinearPrediction {
    /// `φᵀSφ + 1/β`: of a new observation.
    pub fn observation_variance(&self) -> Array1<f64> {
        &self.variance + self.noise_variance
    }
}

impl LinearPosterior {
    pub(super) fn before(prior: Prior, beta: f64, features: usize) -> Result<Self> {
        let state = match &prior {
            Prior::Isotropic(alpha) => State::Functions(FunctionSpace::before(*alpha, beta, features)),
            Prior::Full { .. } => State::Weights(WeightSpace::before(&prior, features)?),
        };
        Ok(LinearPosterior { beta, features, observations: 0, prior, state })
    }

    /// Takes in more data: what was the posterior becomes the prior. Any order and any division into batches gives the
    /// same, but for rounding.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data; then
    /// nothing has changed.
    pub fn update(&mut self, phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<()> {
        inputs("LinearPosterior::update", phi, self.features)?;
        pairs("LinearPosterior::update", phi, t.insert_axis(Axis(1)))?;
        match &mut self.state {
            State::Weights(weights) => weights.update(phi, t, self.beta)?,
            State::Functions(functions) => {
                let (all, targets) = functions.joined(phi, t)?;
                if all.nrows() < self.features {
                    functions.replace(all, targets)?;
                } else {
                    let mut weights = WeightSpace::before(&self.prior, self.features)?;
                    weights.update(all.view(), targets.view(), self.beta)?;
                    self.state = State::Weights(weights);
                }
            }
        }
        self.observations = self.observations.saturating_add(t.len());
        Ok(())
    }

    /// m, which is also the most probable w.
    pub fn mean(&self) -> &Array1<f64> {
        match &self.state {
            State::Weights(s) => &s.mean,
            State::Functions(s) => &s.mean,
        }
    }

    /// S, d x d.
    ///
    /// # Errors
    /// None that data can cause.
    pub fn covariance(&self) -> Result<Array2<f64>> {
        let eye = Array2::eye(self.features);
        self.prediction_covariance(eye.view(), eye.view())
    }

    /// `log p(t)` of all targets so far, the sum of the logarithms of what was predicted for each batch.
    pub fn log_evidence(&self) -> f64 {
        match &self.state {
            State::Weights(s) => s.log_evidence,
            State::Functions(s) => s.log_evidence,
        }
    }

    /// How many observations it has seen.
    pub fn observations(&self) -> usize {
        self.observations
    }

    /// β.
    pub fn noise_precision(&self) -> f64 {
        self.beta
    }

    /// Mean and variance for each row of `phi`, m x d.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it has not d columns, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, phi: ArrayView2<f64>) -> Result<LinearPrediction> {
        inputs("LinearPosterior::predict", phi, self.features)?;
        let variance = match &self.state {
            State::Weights(s) => s.whitened(phi)?.mapv(|v| v * v).sum_axis(Axis(0)),
            State::Functions(s) => s.variances(phi)?,
        };
        known("LinearPosterior::predict", 0, &variance)?;
        Ok(LinearPrediction { mean: phi.dot(self.mean()), variance, noise_variance: 1.0 / self.beta })
    }

    /// R² of the predicted means.
    ///
    /// # Errors
    /// As [`predict`](LinearPosterior::predict), and for a `t` that does not fit or has fewer than two entries.
    pub fn score(&self, phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<f64> {
        let mean = self.predict(phi)?.mean.insert_axis(Axis(1));
        r_squared("LinearPosterior::score", t.insert_axis(Axis(1)), mean.view())
    }

    /// `cov[y(x), y(x')] = φᵀSφ'` for each pair of rows of `a` and `b`, without the noise.
    ///
    /// # Errors
    /// As [`predict`](LinearPosterior::predict).
    pub fn prediction_covariance(&self, a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("LinearPosterior::prediction_covariance", a, self.features)?;
        inputs("LinearPosterior::prediction_covariance", b, self.features)?;
        match &self.state {
            State::Weights(s) => Ok(s.whitened(a)?.t().dot(&s.whitened(b)?)),
            State::Functions(s) => s.covariance(a, b),
        }
    }

    /// The equivalent kernel `κ(x', x_n) = βφ(x')ᵀSφ(x_n)`: for a prior of mean zero and all of the data as `data`,
    /// the predicted mean is `Σ_n κ(x', x_n) t_n`. With the data as `new` too it is the smoother (hat) matrix.
    ///
    /// # Errors
    /// As [`predict`](LinearPosterior::predict).
    pub fn equivalent_kernel(&self, new: ArrayView2<f64>, data: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.prediction_covariance(new, data)? * self.beta)
    }

    /// Weights drawn from the posterior, count x d.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if `count` is zero.
    pub fn sample_weights(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("count", count as f64, count > 0, "there must be at least one sample")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = |rows| Array2::from_shape_fn((rows, count), |_| rng.sample(StandardNormal));
        let z = normal(self.features);
        let w = match &self.state {
            State::Weights(s) => s.turn(z)?,
            State::Functions(s) => s.turn(z, &normal(s.t.len()))?,
        };
        Ok(w.reversed_axes())
    }

    /// Functions drawn from the posterior, at each row of `phi`: count x m.
    ///
    /// # Errors
    /// As [`predict`](LinearPosterior::predict) and [`sample_weights`](LinearPosterior::sample_weights).
    pub fn sample(&self, phi: ArrayView2<f64>, count: usize, seed: u64) -> Result<Array2<f64>> {
        inputs("LinearPosterior::sample", phi, self.features)?;
        Ok(self.sample_weights(count, seed)?.dot(&phi.t()))
    }
}
