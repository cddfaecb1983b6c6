//! `p(y | f)` at one point and its derivatives by f. Checked in `tests.rs` against 300 digits.

use crate::probability::normal::{cdf, hazard, log_cdf};

/// How a latent value becomes the probability of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Likelihood {
    /// `p(y | f) = σ(y f)`, y = ±1: two classes; more are fitted one against the rest.
    #[default]
    Logistic,
    /// `p(y | f) = Φ(y f)`, y = ±1: two classes; more are fitted one against the rest.
    Probit,
    /// `p(c | f_1 .. f_C) = exp f_c / Σ exp f_c'`: one latent function for each of two or more classes, all with the
    /// same kernel, fitted together.
    Softmax,
}

impl Likelihood {
    /// The link of one latent value; none if it takes one for each class.
    pub(super) fn link(self) -> Option<Link> {
        match self {
            Likelihood::Logistic => Some(Link::Logistic),
            Likelihood::Probit => Some(Link::Probit),
            Likelihood::Softmax => None,
        }
    }
}

/// The two links that take one latent value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Link {
    Logistic,
    Probit,
}

/// `ln p(y | f)` and what Newton's method and the gradient of the evidence want of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Local {
    /// `ln p`.
    pub log: f64,
    /// `g = d ln p/df`.
    pub slope: f64,
    /// `D = -d² ln p/df²`, positive: both links are log-concave.
    pub curvature: f64,
    /// `d ln D/df`: finite where D has underflowed.
    pub drift: f64,
}

impl Link {
    /// The probability of the class +1 at a known latent value.
    pub fn value(self, f: f64) -> f64 {
        match self {
            Link::Logistic => 1.0 / (1.0 + (-f).exp()),
            Link::Probit => cdf(f),
        }
    }

    /// At the latent value `f` of a point of class `y`, 1 or -1.
    pub fn local(self, y: f64, f: f64) -> Local {
        let z = y * f;
        match self {
            Link::Logistic => {
                // e^-|z|: nothing overflows, and the smaller of the two probabilities keeps its digits.
                let small = (-z.abs()).exp();
                let (minor, major) = (small / (1.0 + small), 1.0 / (1.0 + small));
                Local {
                    log: z.min(0.0) - small.ln_1p(),
                    slope: y * if z > 0.0 { minor } else { major },
                    curvature: minor * major,
                    drift: -(0.5 * f).tanh(),
                }
            }
            Link::Probit => {
                let (r, gap) = hazard(z);
                let curvature = r * gap;
                Local { log: log_cdf(z), slope: y * r, curvature, drift: y * ((1.0 - curvature) / gap - gap) }
            }
        }
    }
}
