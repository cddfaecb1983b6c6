//! Penalties of coefficients: value, gradient, proximal operator. Checked in `tests/optim/penalty.rs`.

use crate::Result;
use crate::check::{not_negative, parameter};

/// A penalty `Σ_j p(w_j)` of coefficients.
///
/// | penalty | p(w) |
/// |---|---|
/// | `None` | 0 |
/// | `L1(λ)` | λ\|w\| |
/// | `L2(λ)` | λw² |
/// | `ElasticNet { penalty: λ, mix: α }` | λ(α\|w\| + (1 - α)w²) |
/// | `Power { penalty: λ, power: q }` | λ\|w\|^q; not convex for q < 1 |
///
/// ```
/// use mercer::optim::Penalty;
/// assert_eq!(Penalty::L1(1.0).prox(3.0, 0.5), 2.5); // the soft threshold
/// assert_eq!(Penalty::L1(1.0).prox(0.3, 0.5), 0.0);
/// assert_eq!(Penalty::L2(2.0).value(&[1.0, -3.0]), 20.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Penalty {
    /// No penalty.
    #[default]
    None,
    /// λ|w|: the lasso, a Laplace prior.
    L1(f64),
    /// λw²: ridge, a Gaussian prior of variance 1/(2λ).
    L2(f64),
    /// λ(α|w| + (1 - α)w²).
    ElasticNet {
        /// λ ≥ 0.
        penalty: f64,
        /// α in [0, 1], the share of the absolute values.
        mix: f64,
    },
    /// λ|w|^q.
    Power {
        /// λ ≥ 0.
        penalty: f64,
        /// q > 0.
        power: f64,
    },
}

impl Penalty {
    /// An error if a parameter is out of its domain.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter).
    pub fn check(&self) -> Result<()> {
        match *self {
            Penalty::None => Ok(()),
            Penalty::L1(penalty) | Penalty::L2(penalty) => not_negative("penalty", penalty),
            Penalty::ElasticNet { penalty, mix } => {
                not_negative("penalty", penalty)?;
                parameter("mix", mix, (0.0..=1.0).contains(&mix), "must lie between 0 and 1")
            }
            Penalty::Power { penalty, power } => {
                not_negative("penalty", penalty)?;
                parameter("power", power, power > 0.0 && power.is_finite(), "must be positive and finite")
            }
        }
    }

    /// The factors of |w| and w², where the penalty is made of these.
    pub fn parts(&self) -> Option<(f64, f64)> {
        match *self {
            Penalty::None | Penalty::Power { penalty: 0.0, .. } => Some((0.0, 0.0)),
            Penalty::L1(penalty) | Penalty::Power { penalty, power: 1.0 } => Some((penalty, 0.0)),
            Penalty::L2(penalty) | Penalty::Power { penalty, power: 2.0 } => Some((0.0, penalty)),
            Penalty::ElasticNet { penalty, mix } => Some((penalty * mix, penalty * (1.0 - mix))),
            Penalty::Power { .. } => None,
        }
    }

    /// Whether it has a continuous derivative.
    pub fn smooth(&self) -> bool {
        match (self.parts(), self) {
            (Some((absolute, _)), _) => absolute == 0.0,
            (None, Penalty::Power { power, .. }) => *power > 1.0,
            (None, _) => false,
        }
    }

    /// `p(w)`.
    pub fn at(&self, w: f64) -> f64 {
        match (self.parts(), *self) {
            (Some((a, b)), _) => a * w.abs() + b * w * w,
            (None, Penalty::Power { penalty, power }) => penalty * w.abs().powf(power),
            (None, _) => 0.0,
        }
    }

    /// `Σ_j p(w_j)`.
    pub fn value(&self, w: &[f64]) -> f64 {
        w.iter().map(|w| self.at(*w)).sum()
    }

    /// `p'(w)`; at a kink the subgradient nearest zero.
    pub fn slope(&self, w: f64) -> f64 {
        let sign = if w == 0.0 { 0.0 } else { w.signum() };
        match (self.parts(), *self) {
            (Some((a, b)), _) => a * sign + 2.0 * b * w,
            (None, Penalty::Power { penalty, power }) if w != 0.0 => {
                penalty * power * w.abs().powf(power - 1.0) * sign
            }
            (None, _) => 0.0,
        }
    }

    /// The gradient `p'(w_j)`, a subgradient at kinks.
    pub fn gradient(&self, w: &[f64]) -> Vec<f64> {
        w.iter().map(|w| self.slope(*w)).collect()
    }

    /// `prox(v) = argmin_w p(w) γ + ½(w - v)²` for a step γ: the soft threshold of `L1`, a shrinkage of `L2`.
    ///
    /// For `Power` with q < 1, where there may be two minima, it is the lower one, zero if they are equal.
    pub fn prox(&self, v: f64, step: f64) -> f64 {
        match (self.parts(), *self) {
            (Some((a, b)), _) => soft_threshold(v, step * a) / (1.0 + 2.0 * step * b),
            (None, Penalty::Power { penalty, power }) => {
                prox_power(v.abs(), step * penalty, power) * v.signum()
            }
            (None, _) => v,
        }
    }
}

/// `sign(v) max(|v| - t, 0)`.
pub fn soft_threshold(v: f64, t: f64) -> f64 {
    if v > t {
        v - t
    } else if v < -t {
        v + t
    } else {
        0.0
    }
}

/// `argmin_{w ≥ 0} c w^q + ½(w - v)²` for v ≥ 0.
fn prox_power(v: f64, c: f64, q: f64) -> f64 {
    if v == 0.0 || c == 0.0 {
        return v;
    }
    let slope = |w: f64| c * q * w.powf(q - 1.0) + w - v;
    // Of q < 1 the slope falls and then rises: the minimum, if there is one, lies beyond the inflection.
    let turn = if q < 1.0 { (c * q * (1.0 - q)).powf(1.0 / (2.0 - q)) } else { 0.0 };
    if turn >= v || (q < 1.0 && slope(turn) >= 0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (turn, v);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let w = 0.5 * (low + high);
    if q >= 1.0 || c * w.powf(q) + 0.5 * (w - v).powi(2) < 0.5 * v * v { w } else { 0.0 }
}
