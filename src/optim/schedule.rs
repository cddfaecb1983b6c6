//! Learning rates over time, and whether they satisfy Robbins and Monro. Checked in `tests/optim/first_order.rs`.

use crate::Result;
use crate::check::{not_negative, parameter, positive};

/// The learning rate `γ_i` of step i = 1, 2, 3, ...
///
/// ```
/// use mercer::optim::Schedule;
/// let inverse = Schedule::Power { rate: 1.0, exponent: 1.0 };
/// assert_eq!(inverse.at(4), 0.25);
/// assert!(inverse.robbins_monro().holds());
/// assert!(!Schedule::Power { rate: 1.0, exponent: 0.5 }.robbins_monro().holds());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Schedule {
    /// `γ_i = γ`.
    Constant(f64),
    /// `γ_i = γ i^-a`.
    Power {
        /// γ > 0.
        rate: f64,
        /// a ≥ 0.
        exponent: f64,
    },
    /// `γ_i = γ / (1 + c (i - 1))`.
    Inverse {
        /// γ > 0.
        rate: f64,
        /// c ≥ 0.
        decay: f64,
    },
    /// `γ_i = γ q^(i - 1)`.
    Exponential {
        /// γ > 0.
        rate: f64,
        /// q in (0, 1].
        factor: f64,
    },
    /// `γ_i = γ q^⌊(i - 1)/k⌋`: falls every k steps.
    Steps {
        /// γ > 0.
        rate: f64,
        /// q in (0, 1].
        factor: f64,
        /// k ≥ 1.
        every: usize,
    },
    /// Rises linearly to γ over the first `warm_up` steps, then falls as half a cosine to `last` at step `total`.
    Cosine {
        /// γ > 0.
        rate: f64,
        /// The rate at the end and after it, ≥ 0.
        last: f64,
        /// Steps of the rise.
        warm_up: usize,
        /// Steps in all.
        total: usize,
    },
}

/// The two conditions of Robbins and Monro under which stochastic gradients converge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobbinsMonro {
    /// `Σ γ_i = ∞`: every minimum is within reach.
    pub reaches: bool,
    /// `Σ γ_i² < ∞`: the noise dies out.
    pub settles: bool,
}

impl RobbinsMonro {
    /// Whether both hold.
    pub fn holds(&self) -> bool {
        self.reaches && self.settles
    }
}

impl From<f64> for Schedule {
    fn from(rate: f64) -> Self {
        Schedule::Constant(rate)
    }
}

impl Schedule {
    /// An error if a parameter is out of its domain.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter).
    pub fn check(&self) -> Result<()> {
        let share = |q: f64| parameter("factor", q, q > 0.0 && q <= 1.0, "must be above 0 and at most 1");
        match *self {
            Schedule::Constant(rate) => positive("rate", rate),
            Schedule::Power { rate, exponent } => {
                positive("rate", rate)?;
                not_negative("exponent", exponent)
            }
            Schedule::Inverse { rate, decay } => {
                positive("rate", rate)?;
                not_negative("decay", decay)
            }
            Schedule::Exponential { rate, factor } => {
                positive("rate", rate)?;
                share(factor)
            }
            Schedule::Steps { rate, factor, every } => {
                positive("rate", rate)?;
                share(factor)?;
                parameter("every", every as f64, every > 0, "must be at least 1")
            }
            Schedule::Cosine { rate, last, warm_up, total } => {
                positive("rate", rate)?;
                not_negative("last", last)?;
                parameter("total", total as f64, total > warm_up, "must be more than the steps of the rise")
            }
        }
    }

    /// `γ_i` for i from 1; step 0 is taken for step 1.
    pub fn at(&self, step: usize) -> f64 {
        let i = step.max(1);
        let before = (i - 1) as f64;
        match *self {
            Schedule::Constant(rate) => rate,
            Schedule::Power { rate, exponent } => rate * (i as f64).powf(-exponent),
            Schedule::Inverse { rate, decay } => rate / (1.0 + decay * before),
            Schedule::Exponential { rate, factor } => rate * factor.powf(before),
            Schedule::Steps { rate, factor, every } => {
                rate * factor.powf((before / every.max(1) as f64).floor())
            }
            Schedule::Cosine { rate, warm_up, .. } if i <= warm_up => rate * i as f64 / warm_up as f64,
            Schedule::Cosine { rate, last, warm_up, total } => {
                let fall = total.saturating_sub(warm_up).max(1);
                let share = ((i - warm_up) as f64 / fall as f64).min(1.0);
                last + 0.5 * (rate - last) * (1.0 + (std::f64::consts::PI * share).cos())
            }
        }
    }

    /// Whether `Σ γ_i = ∞` and `Σ γ_i² < ∞`. `i^-a` satisfies both for ½ < a ≤ 1; `1/√i` does not.
    pub fn robbins_monro(&self) -> RobbinsMonro {
        // Each is a power of i in the limit; what falls faster than every power has an infinite exponent.
        let exponent = match *self {
            Schedule::Power { exponent, .. } => exponent,
            Schedule::Inverse { decay, .. } => f64::from(u8::from(decay > 0.0)),
            Schedule::Exponential { factor, .. } | Schedule::Steps { factor, .. } if factor < 1.0 => {
                f64::INFINITY
            }
            Schedule::Cosine { last: 0.0, .. } => f64::INFINITY,
            _ => 0.0,
        };
        RobbinsMonro { reaches: exponent <= 1.0, settles: exponent > 0.5 }
    }
}
