//! What a model was told, and its hyper-parameters on the scale of the optimiser.

use super::mean::Mean;
use super::regressor::GpRegressor;
use super::space::{NOISE, NoiseRange, Space, names};
use crate::kernel::about;
use crate::linalg::Noise;
use crate::{Error, Kernel, Result};

impl GpRegressor {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The mean function.
    pub fn mean_function(&self) -> Mean {
        self.mean
    }

    /// The variance of the noise.
    pub fn noise_variance(&self) -> &Noise {
        &self.noise
    }

    /// Bytes that a fit may allocate.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Whether the noise is one of the hyper-parameters that are learned.
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

    /// What each of [`GpRegressor::theta`] is called.
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
    pub(super) fn space(&self, n: usize) -> Result<Space> {
        self.check_noise(n)?;
        let noise = NoiseRange { bounds: self.noise_reach(), learned: self.learned_noise().is_some() };
        Space::new(&self.kernel, Some(noise), &self.priors)
    }

    fn check_noise(&self, n: usize) -> Result<()> {
        let variances = match &self.noise {
            Noise::Same(v) => std::slice::from_ref(v),
            Noise::Each(v) if v.len() != n => {
                let what = format!("{n} observations, {} noise variances", v.len());
                return Err(Error::Shape { op: "GpRegressor::fit", what });
            }
            Noise::Each(v) => v.as_slice(),
        };
        if let Some(v) = variances.iter().copied().find(|v| !(*v >= 0.0 && v.is_finite())) {
            let requirement = "a variance must be finite and not negative";
            return Err(Error::Parameter { name: "noise".to_owned(), value: v, requirement });
        }
        Ok(())
    }
}
