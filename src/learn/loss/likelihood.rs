//! From losses to likelihoods and back: `p(y | f) = exp(-L(y, f)/s) / Z(s)`, where Z does not depend on f.

use statrs::function::gamma::ln_gamma;

use super::family::Loss;
use crate::probability::normal;

impl Loss {
    /// `ln Z(s)` of `p(y | f) = exp(-L(y, f)/s) / Z(s)` for a scale s > 0; none if no such law exists.
    ///
    /// Squared loss is the normal law of variance s/2, absolute the Laplace law of scale s, pinball the asymmetric Laplace
    /// law. Of the losses of a margin, whose y is -1 or 1, only the logistic and the probit loss sum to one for every f,
    /// with s = 1: hinge, exponential and the others belong to no model.
    pub fn log_normaliser(&self, scale: f64) -> Option<f64> {
        if scale.is_nan() || scale <= 0.0 || self.check().is_err() {
            return None;
        }
        let s = scale;
        match *self {
            Loss::Logistic | Loss::Probit => (s == 1.0).then_some(0.0),
            Loss::Squared => Some(0.5 * (std::f64::consts::PI * s).ln()),
            Loss::Absolute => Some((2.0 * s).ln()),
            Loss::Pinball(tau) => Some((0.5 * s / (tau * (1.0 - tau))).ln()),
            Loss::EpsilonInsensitive(epsilon) => Some((2.0 * (epsilon + s)).ln()),
            Loss::Huber(delta) => {
                let inside = (std::f64::consts::TAU * s).sqrt() * (1.0 - 2.0 * normal::cdf(-delta / s.sqrt()));
                let tails = 2.0 * (s / delta) * (-0.5 * delta * delta / s).exp();
                Some((inside + tails).ln())
            }
            Loss::Power(q) if q > 0.0 => {
                Some(std::f64::consts::LN_2 + s.ln() / q + ln_gamma(1.0 + 1.0 / q))
            }
            _ => None,
        }
    }

    /// `ln p(y | f)` of the law `exp(-L(y, f)/s) / Z(s)`; none if no such law exists.
    ///
    /// The f that maximises a likelihood is the f that minimises the risk, whatever the scale.
    pub fn log_density(&self, y: f64, f: f64, scale: f64) -> Option<f64> {
        Some(-self.value(y, f) / scale - self.log_normaliser(scale)?)
    }
}
