//! What a model was told, and the space of its hyper-parameters: names, bounds and priors, on the scale of the optimiser.

use super::mean::Mean;
use super::prior::Prior;
use super::regressor::GpRegressor;
use crate::kernel::{Scale, about};
use crate::linalg::Noise;
use crate::{Error, Kernel, Result};

/// Bounds of a noise variance that nobody bounded.
pub(super) const NOISE: (f64, f64) = (1e-8, 1e5);

/// One entry for each of [`GpRegressor::theta`].
#[derive(Debug)]
pub(super) struct Space {
    pub names: Vec<String>,
    pub scales: Vec<Scale>,
    pub bounds: Vec<(f64, f64)>,
    priors: Vec<Vec<Prior>>,
}

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
        let free = self.kernel.params().into_iter().filter(|p| !p.fixed).map(|p| p.name);
        free.chain(self.learned_noise().map(|_| "noise".to_owned())).collect()
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
        self.kernel.check()?;
        self.check_noise(n)?;
        let mut all: Vec<(String, Scale, (f64, f64), bool)> = Vec::new();
        for p in self.kernel.params() {
            let (low, high) = p.bounds;
            let bounds = if p.scale == Scale::Log { (low.ln(), high.ln()) } else { (low, high) };
            all.push((p.name, p.scale, bounds, !p.fixed));
        }
        let (low, high) = self.noise_reach();
        all.push(("noise".to_owned(), Scale::Log, (low.ln(), high.ln()), self.learned_noise().is_some()));
        for (name, prior) in &self.priors {
            prior.check(name)?;
            if !all.iter().any(|(n, ..)| n == name) {
                let known = all.into_iter().map(|(n, ..)| n).collect::<Vec<_>>().join(", ");
                return Err(Error::UnknownName { kind: "hyper-parameter", name: name.clone(), known });
            }
        }
        let mut space =
            Space { names: Vec::new(), scales: Vec::new(), bounds: Vec::new(), priors: Vec::new() };
        for (name, scale, bounds, free) in all {
            if free {
                let own = self.priors.iter().filter(|(n, _)| *n == name).map(|(_, p)| *p);
                space.priors.push(own.collect());
                space.names.push(name);
                space.scales.push(scale);
                space.bounds.push(bounds);
            }
        }
        Ok(space)
    }

    fn check_noise(&self, n: usize) -> Result<()> {
        let refuse = |name: &str, value, requirement| {
            Err(Error::Parameter { name: name.to_owned(), value, requirement })
        };
        let variances = match &self.noise {
            Noise::Same(v) => std::slice::from_ref(v),
            Noise::Each(v) if v.len() != n => {
                let what = format!("{n} observations, {} noise variances", v.len());
                return Err(Error::Shape { op: "GpRegressor::fit", what });
            }
            Noise::Each(v) => v.as_slice(),
        };
        if let Some(v) = variances.iter().copied().find(|v| !(*v >= 0.0 && v.is_finite())) {
            return refuse("noise", v, "a variance must be finite and not negative");
        }
        let (low, high) = self.noise_reach();
        if !(low > 0.0 && low <= high && high.is_finite()) {
            return refuse("noise_bounds", low, "must be positive, finite and in order");
        }
        Ok(())
    }
}

impl Space {
    /// `log p(parameters)`, a density on the natural scale, and its gradient by theta.
    ///
    /// A parameter without a prior adds nothing, which is what maximises the likelihood.
    pub fn log_prior(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let mut sum = 0.0;
        let each = theta.iter().zip(&self.scales).zip(&self.priors).map(|((&t, scale), priors)| {
            let (value, by_theta) = match scale {
                Scale::Log => (t.exp(), t.exp()),
                Scale::Linear => (t, 1.0),
            };
            let slope: f64 = priors
                .iter()
                .map(|p| {
                    let (density, slope) = p.log_density(value);
                    sum += density;
                    slope
                })
                .sum();
            slope * by_theta
        });
        let gradient = each.collect();
        (sum, gradient)
    }

    /// `log p(theta)`, a density on the scale of the optimiser: uniform within the bounds where there is no prior.
    pub fn log_prior_of_theta(&self, theta: &[f64]) -> f64 {
        let jacobian = theta.iter().zip(&self.scales).zip(&self.priors);
        let jacobian = jacobian.filter(|((_, s), p)| **s == Scale::Log && !p.is_empty()).map(|((t, _), _)| t);
        self.log_prior(theta).0 + jacobian.sum::<f64>()
    }
}
