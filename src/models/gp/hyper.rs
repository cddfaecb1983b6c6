//! The space of hyper-parameters: names, bounds and priors, on the scale of the optimiser.

use super::prior::Prior;
use super::regressor::GpRegressor;
use crate::kernel::Scale;
use crate::linalg::Noise;
use crate::{Error, Result};

/// One entry for each of [`GpRegressor::theta`].
#[derive(Debug)]
pub(super) struct Space {
    pub names: Vec<String>,
    pub scales: Vec<Scale>,
    pub bounds: Vec<(f64, f64)>,
    priors: Vec<Vec<Prior>>,
}

impl GpRegressor {
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
        let (low, high) = self.noise_bounds;
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
        let (low, high) = self.noise_bounds;
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
