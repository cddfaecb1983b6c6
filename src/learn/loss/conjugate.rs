//! Conjugates of the losses: what dual problems and duality gaps are made of.

use super::family::Loss;
use crate::probability::normal;

/// Steps of bisection that reach the last bit of an f64 bracket of any width that occurs here.
const STEPS: usize = 200;

impl Loss {
    /// `φ*(u) = sup_z u z - φ(z)`, the conjugate by the margin or the residual; infinite outside of its domain.
    ///
    /// `φ(z) + φ*(u) ≥ u z`, with equality where u is a (sub)gradient at z.
    pub fn conjugate(&self, u: f64) -> f64 {
        let within = |holds: bool, value: f64| if holds { value } else { f64::INFINITY };
        match *self {
            Loss::ZeroOne => within(u == 0.0, 0.0),
            Loss::Perceptron => within((-1.0..=0.0).contains(&u), 0.0),
            Loss::Hinge => within((-1.0..=0.0).contains(&u), u),
            Loss::SquaredHinge => within(u <= 0.0, u + 0.25 * u * u),
            Loss::Logistic => within((-1.0..=0.0).contains(&u), entropy(-u) + entropy(1.0 + u)),
            Loss::Exponential => within(u <= 0.0, entropy(-u) + u),
            Loss::Probit => within(u <= 0.0, probit(-u)),
            Loss::Squared => 0.25 * u * u,
            Loss::Absolute => within(u.abs() <= 1.0, 0.0),
            Loss::Huber(delta) => within(u.abs() <= delta, 0.5 * u * u),
            Loss::Pinball(tau) => within((2.0 * (tau - 1.0)..=2.0 * tau).contains(&u), 0.0),
            Loss::EpsilonInsensitive(epsilon) => within(u.abs() <= 1.0, epsilon * u.abs()),
            Loss::Power(q) if q > 1.0 => (q - 1.0) * (u.abs() / q).powf(q / (q - 1.0)),
            Loss::Power(q) => within(u == 0.0 || (q == 1.0 && u.abs() <= 1.0), 0.0),
        }
    }

    /// `sup_f u f - L(y, f)`: the conjugate by the prediction.
    pub fn conjugate_at(&self, y: f64, u: f64) -> f64 {
        // y f = m gives u f = (u y) m for y = ±1; y - f = r gives u f = u y - u r.
        if self.of_margin() { self.conjugate(u * y) } else { u * y + self.conjugate(-u) }
    }
}

/// p ln p, and 0 at 0.
fn entropy(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}

/// `sup_z ln Φ(z) - p z`: z is where the hazard φ/Φ, which falls, is p.
fn probit(p: f64) -> f64 {
    if p == 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (-p - 2.0, 40.0);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if normal::hazard(middle).0 > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    let z = 0.5 * (low + high);
    normal::log_cdf(z) - p * z
}
