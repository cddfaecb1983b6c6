//! The von Mises distribution of an angle.

use ndarray::Array1;
use rand::RngExt;
use std::f64::consts::{PI, TAU};

use super::component::weighted;
use super::{Learned, Normal, Univariate, draws, probability, solve};
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::quadrature::integral;
use crate::probability::special::{bessel_gap, log_bessel_scaled};
use crate::{Error, Result};

/// `p(x) = exp(κ cos(x - μ))/(2π I₀(κ))` for angles x in [-π, π].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct VonMises {
    centre: f64,
    concentration: f64,
}

getters!(VonMises {
    /// μ, in [-π, π].
    location => centre: f64,
    /// κ.
    concentration: f64,
});

/// The angle in [-π, π].
fn wrapped(x: f64) -> f64 {
    if (-PI..=PI).contains(&x) { x } else { (x + PI).rem_euclid(TAU) - PI }
}

/// `I₁(κ)/I₀(κ)`, the mean resultant length.
fn ratio(k: f64) -> f64 {
    (log_bessel_scaled(1, k) - log_bessel_scaled(0, k)).exp()
}

impl VonMises {
    /// The von Mises distribution about an angle, with concentration κ.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an angle that is not finite, or a concentration that is not positive.
    pub fn new(location: f64, concentration: f64) -> Result<Self> {
        parameter("location", location, location.is_finite(), "must be finite")?;
        positive("concentration", concentration)?;
        Ok(VonMises { centre: wrapped(location), concentration })
    }

    /// `1 - I₁(κ)/I₀(κ)`: the circular variance.
    pub fn circular_variance(&self) -> f64 {
        bessel_gap(self.concentration)
    }

    /// `∫ f(t) p(t)` over distances t from μ, `0 ≤ from ≤ to ≤ π`: as far as p falls to `e^-45` of what it begins with, so that
    /// however narrow the peak, a panel sees it smooth.
    fn beyond(&self, from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
        let unit = VonMises { centre: 0.0, ..*self };
        let last = ((0.5 * from).sin().powi(2) + 22.5 / self.concentration).min(1.0).sqrt();
        integral(from, to.min(2.0 * last.asin()).max(from), 48, |t| f(t) * unit.density(t))
    }

    /// `∫ p` between two angles of [-π, π], in pieces on which the distance from μ rises or falls.
    fn mass(&self, from: f64, to: f64) -> f64 {
        let (low, high) = (from.clamp(-PI, PI) - self.centre, to.clamp(-PI, PI) - self.centre);
        let piece = |edge: f64| {
            let (a, b) = (low.max(edge), high.min(edge + PI));
            let distance = |u: f64| if u.abs() <= PI { u.abs() } else { TAU - u.abs() };
            let (a, b) = if a < b { (distance(a), distance(b)) } else { (0.0, 0.0) };
            self.beyond(a.min(b), a.max(b), |_| 1.0)
        };
        [-TAU, -PI, 0.0, PI].into_iter().map(piece).sum::<f64>().min(1.0)
    }
}

impl Univariate for VonMises {
    fn log_density(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        if !(-PI..=PI).contains(&x) {
            return f64::NEG_INFINITY;
        }
        // κ (cos - 1) = -2 κ sin²(½ ·), which loses nothing at the mode.
        let s = (0.5 * (x - self.centre)).sin();
        -2.0 * self.concentration * s * s - TAU.ln() - log_bessel_scaled(0, self.concentration)
    }

    /// From the angle -π on.
    fn cdf(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { self.mass(-PI, x) }
    }

    fn survival(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { self.mass(x, PI) }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        Ok(solve::continuous(self, p, (-PI, PI), 0.0))
    }

    /// The circular mean μ.
    fn mean(&self) -> Option<f64> {
        Some(self.centre)
    }

    /// `∫ (x - μ)² p`, of the difference as an angle in [-π, π].
    fn variance(&self) -> Option<f64> {
        Some(2.0 * self.beyond(0.0, PI, |t| t * t))
    }

    fn mode(&self) -> Option<f64> {
        Some(self.centre)
    }

    /// `ln(2π I₀(κ)) - κ I₁(κ)/I₀(κ)`.
    fn entropy(&self) -> f64 {
        let k = self.concentration;
        TAU.ln() + log_bessel_scaled(0, k) + k * bessel_gap(k)
    }

    /// By Best and Fisher's rejection from a wrapped Cauchy distribution; above κ = 1e8 from `N(μ, 1/κ)`, whose density is the
    /// same to 1e-6.
    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let k = self.concentration;
        if k > 1e8 {
            return Ok(Normal::new(self.centre, 1.0 / k)?.sample(count, seed)?.mapv(wrapped));
        }
        let tau = 1.0 + (1.0 + 4.0 * k * k).sqrt();
        let rho = (tau - (2.0 * tau).sqrt()) / (2.0 * k);
        // Of tiny κ the difference above is rounding: 1/κ + κ is its limit; of huge κ the sum.
        let r = if k < 1e-5 { 1.0 / k + k } else { (1.0 + rho * rho) / (2.0 * rho) };
        draws(count, seed, |rng| {
            loop {
                let z = (PI * rng.random::<f64>()).cos();
                let f = (1.0 + r * z) / (r + z);
                let c = k * (r - f);
                let u = 1.0 - rng.random::<f64>();
                if c * (2.0 - c) - u > 0.0 || (c / u).ln() + 1.0 - c >= 0.0 {
                    let angle = f.clamp(-1.0, 1.0).acos();
                    let signed = if rng.random::<bool>() { angle } else { -angle };
                    return wrapped(self.centre + signed);
                }
            }
        })
    }
}

impl Learned for VonMises {
    /// The direction of the mean vector, and the κ with `I₁(κ)/I₀(κ)` its length.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("VonMises::fit", x, w)?;
        let total: f64 = w.iter().sum();
        let c = x.iter().zip(w).map(|(x, w)| w * x.cos()).sum::<f64>() / total;
        let s = x.iter().zip(w).map(|(x, w)| w * x.sin()).sum::<f64>() / total;
        let length = c.hypot(s);
        let inside = length > 1e-12 && length < 1.0 - 1e-12;
        parameter(
            "length of the mean vector",
            length,
            inside,
            "must lie between 0 and 1: angles that differ, about a mean",
        )?;
        let mut k = length * (2.0 - length * length) / (1.0 - length * length);
        for _ in 0..200 {
            let a = ratio(k);
            let next = k - (a - length) / (1.0 - a * a - a / k);
            let next = if next > 0.0 { next } else { 0.5 * k };
            let moved = (next / k - 1.0).abs();
            k = next;
            if moved < 1e-13 {
                return VonMises::new(s.atan2(c), k);
            }
        }
        Err(Error::NoConvergence {
            op: "VonMises::fit",
            iterations: 200,
            residual: (ratio(k) - length).abs(),
            tolerance: 1e-13,
        })
    }
}
