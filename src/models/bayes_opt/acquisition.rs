//! What the next evaluation is worth. Checked in `tests/bayes_opt/acquisition.rs` against the notes' numbers and draws.

use crate::probability::normal::{cdf, hazard, log_cdf, log_positive_part, positive_part, quantile};
use crate::{Error, Result};

/// The score of a candidate x, with μ and σ the posterior mean and standard deviation of f(x).
///
/// Improvements are measured from a [`Reference`]: g is by how much f(x) is expected to be below it, τ the standard
/// deviation of that.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Acquisition {
    /// `μ - Φ⁻¹(1 - alpha) σ`, minimised: optimism in the face of uncertainty.
    LowerConfidenceBound {
        /// In (0, 1); ½ gives the mean, 0.05 a bound that f is above with probability 0.95.
        alpha: f64,
    },
    /// `Φ((g - margin)/τ)`, maximised: the probability of an improvement by more than a margin.
    ProbabilityOfImprovement {
        /// In standard deviations of the observations. Zero is the form of the books; it likes small sure gains so much
        /// that it creeps along from where it is. A tenth keeps it moving.
        margin: f64,
    },
    /// `E max(0, S) = g Φ(g/τ) + τ φ(g/τ)`, `S ~ N(g, τ²)`, maximised.
    ExpectedImprovement,
    /// Its logarithm, maximised: the same order, and still a number where the other has underflowed.
    LogExpectedImprovement,
}

/// What an improvement is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reference {
    /// The smallest observation: `g = ỹ - μ(x)`, `τ = σ(x)`. For exact observations.
    BestObservation,
    /// The smallest posterior mean at an evaluated point x̃, as if it were known: `g = μ(x̃) - μ(x)`, `τ = σ(x)`.
    BestMean,
    /// f(x̃) itself, which is not known either: `g = μ(x̃) - μ(x)`, `τ² = ρ² = κ(x, x) + κ(x̃, x̃) - 2κ(x, x̃)`. For
    /// noisy observations: at x̃ there is nothing to gain, where the others would evaluate again and again.
    Joint,
}

/// Whether a score is to be made small or large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Small.
    Minimise,
    /// Large.
    Maximise,
}

/// `μ - Φ⁻¹(1 - alpha) σ`.
///
/// ```
/// use mercer::models::bayes_opt::lower_confidence_bound;
/// assert!((lower_confidence_bound(1.0, 2.0, 0.05) - (1.0 - 2.0 * 1.6448536269514722)).abs() < 1e-14);
/// ```
pub fn lower_confidence_bound(mean: f64, sd: f64, alpha: f64) -> f64 {
    mean + quantile(alpha) * sd
}

/// `P(S > 0)`, `S ~ N(gain, sd²)`; for a gain that is certain 0, ½ or 1 by its sign.
pub fn probability_of_improvement(gain: f64, sd: f64) -> f64 {
    if certain(gain, sd) {
        0.5 * (f64::from(u8::from(gain > 0.0)) + f64::from(u8::from(gain >= 0.0)))
    } else {
        cdf(gain / sd)
    }
}

/// `E max(0, S)`, `S ~ N(gain, sd²)`.
///
/// ```
/// use mercer::models::bayes_opt::expected_improvement;
/// assert!((expected_improvement(-0.4, 1.3) - 0.3429833864).abs() < 1e-10);
/// ```
pub fn expected_improvement(gain: f64, sd: f64) -> f64 {
    if certain(gain, sd) { gain.max(0.0) } else { sd * positive_part(gain / sd) }
}

/// `ln E max(0, S)`, `S ~ N(gain, sd²)`, exact however far below zero the gain is.
pub fn log_expected_improvement(gain: f64, sd: f64) -> f64 {
    if certain(gain, sd) { gain.max(0.0).ln() } else { sd.ln() + log_positive_part(gain / sd).0 }
}

/// Whether so many standard deviations from zero that their number overflows; or there is no deviation.
fn certain(gain: f64, sd: f64) -> bool {
    sd <= 0.0 || (gain / sd).is_infinite()
}

/// What the posterior says of a candidate, with derivatives by its coordinates.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    pub mean: f64,
    pub sd: f64,
    pub gain: f64,
    /// τ.
    pub spread: f64,
    pub d_mean: Vec<f64>,
    pub d_sd: Vec<f64>,
    pub d_spread: Vec<f64>,
}

impl Acquisition {
    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self {
            Acquisition::LowerConfidenceBound { .. } => Direction::Minimise,
            _ => Direction::Maximise,
        }
    }

    pub(super) fn check(self) -> Result<()> {
        match self {
            Acquisition::LowerConfidenceBound { alpha } if !(alpha > 0.0 && alpha < 1.0) => {
                let requirement = "a probability strictly between 0 and 1";
                Err(Error::Parameter { name: "alpha".to_owned(), value: alpha, requirement })
            }
            Acquisition::ProbabilityOfImprovement { margin } if !(margin >= 0.0 && margin.is_finite()) => {
                let requirement = "a margin must be finite and not negative";
                Err(Error::Parameter { name: "margin".to_owned(), value: margin, requirement })
            }
            _ => Ok(()),
        }
    }

    /// The score as it is defined.
    pub(super) fn value(self, mean: f64, sd: f64, gain: f64, spread: f64) -> f64 {
        match self {
            Acquisition::LowerConfidenceBound { alpha } => lower_confidence_bound(mean, sd, alpha),
            Acquisition::ProbabilityOfImprovement { margin } => {
                probability_of_improvement(gain - margin, spread)
            }
            Acquisition::ExpectedImprovement => expected_improvement(gain, spread),
            Acquisition::LogExpectedImprovement => log_expected_improvement(gain, spread),
        }
    }

    /// What to minimise to find the best score: probabilities and expectations by their logarithms, which do not go
    /// flat where they are small.
    pub(super) fn cost(self, mean: f64, sd: f64, gain: f64, spread: f64) -> f64 {
        match self {
            Acquisition::LowerConfidenceBound { alpha } => lower_confidence_bound(mean, sd, alpha),
            Acquisition::ProbabilityOfImprovement { margin } => -log_cdf((gain - margin) / spread),
            _ => -log_expected_improvement(gain, spread),
        }
    }

    /// [`cost`](Self::cost) and its gradient.
    pub(super) fn cost_gradient(self, b: &Belief) -> (f64, Vec<f64>) {
        let cost = self.cost(b.mean, b.sd, b.gain, b.spread);
        let z = b.gain / b.spread;
        // By the mean (the gain falls as it rises), by σ and by τ.
        let (by_mean, by_sd, by_spread) = match self {
            Acquisition::LowerConfidenceBound { alpha } => (1.0, quantile(alpha), 0.0),
            Acquisition::ProbabilityOfImprovement { margin } => {
                let z = z - margin / b.spread;
                let slope = hazard(z).0 / b.spread;
                (slope, 0.0, slope * z)
            }
            _ => {
                let slope = log_positive_part(z).1 / b.spread;
                (slope, 0.0, slope * z - 1.0 / b.spread)
            }
        };
        let each = b.d_mean.iter().zip(&b.d_sd).zip(&b.d_spread);
        (cost, each.map(|((m, s), t)| by_mean * m + by_sd * s + by_spread * t).collect())
    }
}
