//! Hyper-parameters of a model on the scale of the optimiser.

use super::fit::OP;
use super::model::GpRegressor;
use crate::check::{not_negative, require};
use crate::kernel::about;
use crate::learn::configure::getters;
use crate::linalg::Noise;
use crate::models::gp::hyper_space::{HyperSpace, NOISE, NoiseRange, names};
use crate::models::gp::mean::Mean;
use crate::{Error, Kernel, Result};

getters!(GpRegressor {
    /// The kernel.
    kernel: &Kernel,
    /// The mean function.
    mean_function => mean: Mean,
    /// The variance of the noise.
    noise_variance => noise: &Noise,
    /// Bytes that a fit may allocate.
    budget: u64,
});

impl GpRegressor {
    /// The noise, if it is one of the hyper-parameters that are learned.
    pub(super) fn learned_noise(&self) -> Option<f64> {
        match self.noise {
            Noise::Same(v) if v > 0.0 && !self.noise_fixed => Some(v),
            _ => None,
        }
    }

    fn noise_reach(&self) -> (f64, f64) {
        let start = self.learned_noise().unwrap_or(1.0);
        self.noise_bounds.unwrap_or_else(|| about(NOISE, start))
    }

    /// The free hyper-parameters on the scale of the optimiser: [`Kernel::theta`], then the logarithm of the noise
    /// if it is learned.
    pub fn theta(&self) -> Vec<f64> {
        self.kernel.theta().into_iter().chain(self.learned_noise().map(f64::ln)).collect()
    }

    /// The name of each of [`GpRegressor::theta`].
    pub(super) fn names(&self) -> Vec<String> {
        names(&self.kernel, self.learned_noise().is_some())
    }

    /// The inverse of [`GpRegressor::theta`].
    ///
    /// # Errors
    /// As [`Kernel::with_theta`].
    pub fn with_theta(&self, theta: &[f64]) -> Result<Self> {
        let Some(_) = self.learned_noise() else {
            return Ok(GpRegressor { kernel: self.kernel.with_theta(theta)?, ..self.clone() });
        };
        let Some((noise, rest)) = theta.split_last() else {
            return Err(Error::Shape { op: "with_theta", what: "no values given".to_owned() });
        };
        let kernel = self.kernel.with_theta(rest)?;
        Ok(GpRegressor { kernel, noise: Noise::Same(noise.exp()), ..self.clone() })
    }

    /// The space, once noise, kernel and priors are known to be in order for n observations.
    pub(super) fn space(&self, n: usize) -> Result<HyperSpace> {
        self.check_noise(n)?;
        let noise = NoiseRange { bounds: self.noise_reach(), learned: self.learned_noise().is_some() };
        HyperSpace::new(&self.kernel, Some(noise), &self.priors)
    }

    fn check_noise(&self, n: usize) -> Result<()> {
        let variances = match &self.noise {
            Noise::Same(v) => std::slice::from_ref(v),
            Noise::Each(v) => {
                require(OP, v.len() == n, || format!("{n} observations, {} noise variances", v.len()))?;
                v.as_slice()
            }
        };
        variances.iter().try_for_each(|v| not_negative("noise", *v))
    }

    /// Whether a fit chooses hyper-parameters by a minimiser of its own.
    pub(in crate::models) fn is_searched(&self) -> bool {
        self.minimiser.is_some()
    }

    /// Whether a fit needs gradients: it searches, and there is something to search for.
    pub(super) fn learns(&self) -> bool {
        self.minimiser.is_some() && !self.theta().is_empty()
    }
}
