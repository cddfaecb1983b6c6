//! Priors on hyper-parameters: log densities and their slopes, on the natural scale.

use statrs::function::gamma::ln_gamma;

use crate::{Error, Result};

/// A density for one hyper-parameter, as the caller knows it: a length scale, not its logarithm.
///
/// ```
/// use mercer::models::gp::Prior;
/// let (log_density, slope) = Prior::HalfCauchy { scale: 1.0 }.log_density(1.0);
/// assert!((log_density - (1.0 / std::f64::consts::PI).ln()).abs() < 1e-15);
/// assert_eq!(slope, -1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Prior {
    /// Normal.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// The logarithm is normal.
    LogNormal {
        /// The mean of the logarithm.
        mean: f64,
        /// The standard deviation of the logarithm.
        deviation: f64,
    },
    /// Gamma, of mean `shape / rate`.
    Gamma {
        /// Its shape.
        shape: f64,
        /// Its rate.
        rate: f64,
    },
    /// Cauchy about zero, of positive values: heavy-tailed, for standard deviations and length scales.
    HalfCauchy {
        /// Its median.
        scale: f64,
    },
    /// Normal about zero, of positive values.
    HalfNormal {
        /// The standard deviation of the whole normal.
        deviation: f64,
    },
}

impl Prior {
    /// Whether its parameters make it a density.
    pub(super) fn check(self, name: &str) -> Result<()> {
        let (numbers, real) = match self {
            Prior::Normal { mean, deviation } | Prior::LogNormal { mean, deviation } => {
                ([deviation, 1.0], mean)
            }
            Prior::Gamma { shape, rate } => ([shape, rate], 0.0),
            Prior::HalfCauchy { scale } => ([scale, 1.0], 0.0),
            Prior::HalfNormal { deviation } => ([deviation, 1.0], 0.0),
        };
        let bad = numbers.into_iter().find(|v| !(*v > 0.0 && v.is_finite()));
        match bad.or(Some(real).filter(|v| !v.is_finite())) {
            None => Ok(()),
            Some(value) => {
                let requirement = "a prior's scale, shape and rate must be positive, its mean finite";
                Err(Error::Parameter { name: format!("prior of {name}"), value, requirement })
            }
        }
    }

    /// `log p(v)` and `d log p / dv`; minus infinity where the density is zero.
    pub fn log_density(self, v: f64) -> (f64, f64) {
        let half_log_tau = 0.5 * std::f64::consts::TAU.ln();
        if v <= 0.0 && !matches!(self, Prior::Normal { .. }) {
            return (f64::NEG_INFINITY, 0.0);
        }
        match self {
            Prior::Normal { mean, deviation } => {
                let z = (v - mean) / deviation;
                (-0.5 * z * z - deviation.ln() - half_log_tau, -z / deviation)
            }
            Prior::LogNormal { mean, deviation } => {
                let z = (v.ln() - mean) / deviation;
                let value = -0.5 * z * z - deviation.ln() - half_log_tau - v.ln();
                (value, -(z / deviation + 1.0) / v)
            }
            Prior::Gamma { shape, rate } => {
                let value = shape * rate.ln() - ln_gamma(shape) + (shape - 1.0) * v.ln() - rate * v;
                (value, (shape - 1.0) / v - rate)
            }
            Prior::HalfCauchy { scale } => {
                let z = v / scale;
                let value = (2.0 / (std::f64::consts::PI * scale)).ln() - (z * z).ln_1p();
                (value, -2.0 * z / (scale * (1.0 + z * z)))
            }
            Prior::HalfNormal { deviation } => {
                let z = v / deviation;
                (-0.5 * z * z + 2f64.ln() - deviation.ln() - half_log_tau, -z / deviation)
            }
        }
    }
}
