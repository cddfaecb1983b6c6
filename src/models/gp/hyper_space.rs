//! The space of hyper-parameters, one for every process that learns some: names, bounds and priors, on the scale of the
//! optimiser.

use super::prior::Prior;
use crate::kernel::Scale;
use crate::{Error, Kernel, Result};

/// Bounds of a noise variance that nobody bounded.
pub(super) const NOISE: (f64, f64) = (1e-8, 1e5);

/// One entry for each free parameter of a kernel, in the order of [`Kernel::theta`], then the noise if that is learned.
#[derive(Debug)]
pub(super) struct HyperSpace {
    pub names: Vec<String>,
    pub scales: Vec<Scale>,
    pub bounds: Vec<(f64, f64)>,
    priors: Vec<Vec<Prior>>,
}

/// The variance of noise beside a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoiseRange {
    /// On the natural scale.
    pub bounds: (f64, f64),
    pub learned: bool,
}

impl HyperSpace {
    /// The space, once kernel, bounds and priors are known to be in order. A prior may be that of a parameter which is
    /// fixed, and then counts for nothing.
    pub fn new(kernel: &Kernel, noise: Option<NoiseRange>, priors: &[(String, Prior)]) -> Result<Self> {
        kernel.check()?;
        let mut all: Vec<(String, Scale, (f64, f64), bool)> =
            kernel.params().into_iter().map(|p| (p.name, p.scale, p.bounds, !p.fixed)).collect();
        if let Some(NoiseRange { bounds: (low, high), learned }) = noise {
            if !(low > 0.0 && low <= high && high.is_finite()) {
                let requirement = "must be positive, finite and in order";
                return Err(Error::Parameter { name: "noise_bounds".to_owned(), value: low, requirement });
            }
            all.push(("noise".to_owned(), Scale::Log, (low, high), learned));
        }
        for (name, prior) in priors {
            prior.check(name)?;
            if !all.iter().any(|(n, ..)| n == name) {
                let known = all.into_iter().map(|(n, ..)| n).collect::<Vec<_>>().join(", ");
                return Err(Error::UnknownName { kind: "hyper-parameter", name: name.clone(), known });
            }
        }
        let mut space =
            HyperSpace { names: Vec::new(), scales: Vec::new(), bounds: Vec::new(), priors: Vec::new() };
        for (name, scale, (low, high), _) in all.into_iter().filter(|(.., free)| *free) {
            let own = priors.iter().filter(|(n, _)| *n == name).map(|(_, p)| *p);
            space.priors.push(own.collect());
            space.names.push(name);
            space.scales.push(scale);
            space.bounds.push(if scale == Scale::Log { (low.ln(), high.ln()) } else { (low, high) });
        }
        Ok(space)
    }

    /// `log p(parameters)`, a density on the natural scale, and its gradient by theta. Variables beyond those of the
    /// space have neither.
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

    /// What a search for the most probable parameters minimises, from `log p(data | theta)` and its gradient: minus the
    /// logarithm of the posterior, but for a constant.
    pub fn objective(&self, theta: &[f64], (value, mut gradient): (f64, Vec<f64>)) -> (f64, Vec<f64>) {
        let (prior, slope) = self.log_prior(theta);
        // Variables beyond those of the space have no prior.
        for (g, s) in gradient.iter_mut().zip(slope.into_iter().chain(std::iter::repeat(0.0))) {
            *g = -*g - s;
        }
        (-value - prior, gradient)
    }
}

/// The names of those that a search left at a bound; variables without a name have none.
pub(super) fn at_bounds(kernel: &Kernel, noise: bool, held: impl IntoIterator<Item = usize>) -> Vec<String> {
    let names = names(kernel, noise);
    held.into_iter().filter_map(|i| names.get(i).cloned()).collect()
}

/// What the free parameters are called, and the noise if it is one of them.
pub(super) fn names(kernel: &Kernel, noise: bool) -> Vec<String> {
    let free = kernel.params().into_iter().filter(|p| !p.fixed).map(|p| p.name);
    free.chain(noise.then(|| "noise".to_owned())).collect()
}

/// A gradient by every parameter of a kernel on the natural scale, as one by its theta.
pub(super) fn by_theta(kernel: &Kernel, natural: &[f64]) -> Vec<f64> {
    let free = kernel.params().into_iter().zip(natural).filter(|(p, _)| !p.fixed);
    free.map(|(p, g)| if p.scale == Scale::Log { g * p.value } else { *g }).collect()
}
