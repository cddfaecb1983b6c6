//! Student's t: a normal distribution whose precision is not known.

use ndarray::Array1;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::component::{moments, weighted};
use super::{Learned, Univariate, draws, probability, solve};
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::incomplete::beta_parts;
use crate::probability::special::log_beta;
use crate::probability::stirling::digamma_difference;
use crate::{Error, Result};

/// Most rounds of EM.
const ROUNDS: usize = 2000;

/// `p(x) = Γ((ν+1)/2)/(Γ(ν/2) √(πν) s) (1 + z²/ν)^(-(ν+1)/2)`, `z = (x - μ)/s`: heavy tails of power `ν + 1`.
///
/// It is a normal distribution of variance `s²/g` with `g ~ Gamma(ν/2, ν/2)`, an infinite mixture of scales, and that
/// is how it is drawn and fitted. Its energy, up to constants, is `(ν+1)/2 ln(1 + z²/ν)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct StudentT {
    degrees: f64,
    centre: f64,
    width: f64,
}

getters!(StudentT {
    /// ν.
    degrees: f64,
    /// μ.
    location => centre: f64,
    /// s.
    scale => width: f64,
});

impl StudentT {
    /// Student's t with `degrees` of freedom about `location`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for degrees or a scale that are not positive.
    pub fn new(degrees: f64, location: f64, scale: f64) -> Result<Self> {
        positive("degrees", degrees)?;
        parameter("location", location, location.is_finite(), "must be finite")?;
        positive("scale", scale)?;
        Ok(StudentT { degrees, centre: location, width: scale })
    }

    /// The location and the scale of largest likelihood for these degrees of freedom, by EM on the mixture of scales.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`], and [`Error::NoConvergence`].
    pub fn fit_with_degrees(degrees: f64, x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("StudentT::fit", x, w)?;
        let (total, mean, variance) = moments(x, w);
        let mut t = StudentT::new(degrees, mean, variance.sqrt())?;
        let mut moved = f64::INFINITY;
        for _ in 0..ROUNDS {
            // The expected precision of each point, then a weighted normal fit.
            let g: Vec<f64> = x
                .iter()
                .zip(w)
                .map(|(&x, &w)| w * (degrees + 1.0) / (degrees + t.standard(x).powi(2)))
                .collect();
            let mass: f64 = g.iter().sum();
            let centre = g.iter().zip(x).map(|(g, x)| g * x).sum::<f64>() / mass;
            let square = g.iter().zip(x).map(|(g, x)| g * (x - centre) * (x - centre)).sum::<f64>() / total;
            let next = StudentT::new(degrees, centre, square.sqrt())?;
            moved = (next.centre - t.centre).abs() / next.width + (next.width / t.width - 1.0).abs();
            t = next;
            if moved < 1e-13 {
                return Ok(t);
            }
        }
        if moved < 1e-8 {
            return Ok(t);
        }
        Err(Error::NoConvergence {
            op: "StudentT::fit",
            iterations: ROUNDS,
            residual: moved,
            tolerance: 1e-8,
        })
    }

    fn standard(&self, x: f64) -> f64 {
        (x - self.centre) / self.width
    }

    /// `Pr(|Z| > |z|)/2`.
    fn tail(&self, z: f64) -> f64 {
        // ν/(ν + z²) and z²/(ν + z²), in the forms that z² = ∞ does not spoil.
        let (nu, square) = (self.degrees, z * z);
        let (less, more) = (nu / square, square / nu);
        0.5 * beta_parts(0.5 * nu, 0.5, (1.0 + more).recip(), (1.0 + less).recip())
    }
}

impl Univariate for StudentT {
    fn log_density(&self, x: f64) -> f64 {
        let (nu, z) = (self.degrees, self.standard(x));
        let far = if z.abs() > 1e150 { 2.0 * z.abs().ln() - nu.ln() } else { (z * z / nu).ln_1p() };
        -log_beta(0.5 * nu, 0.5) - 0.5 * nu.ln() - self.width.ln() - 0.5 * (nu + 1.0) * far
    }

    fn cdf(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z <= 0.0 { self.tail(z) } else { 1.0 - self.tail(z) }
    }

    fn survival(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z >= 0.0 { self.tail(z) } else { 1.0 - self.tail(z) }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let unit = StudentT { centre: 0.0, width: 1.0, ..*self };
        if p == 0.5 {
            return Ok(self.centre);
        }
        // By symmetry in the lower tail, where probabilities have their digits.
        let q = p.min(1.0 - p);
        let z = solve::continuous(&unit, q, (f64::NEG_INFINITY, 0.0), -1.0);
        Ok(self.centre + self.width * if p < 0.5 { z } else { -z })
    }

    fn mean(&self) -> Option<f64> {
        (self.degrees > 1.0).then_some(self.centre)
    }

    fn variance(&self) -> Option<f64> {
        (self.degrees > 2.0).then(|| self.width * self.width * self.degrees / (self.degrees - 2.0))
    }

    fn mode(&self) -> Option<f64> {
        Some(self.centre)
    }

    fn entropy(&self) -> f64 {
        let nu = self.degrees;
        0.5 * nu.ln() - 0.5 * (nu + 1.0) * digamma_difference(0.5 * nu, 0.5)
            + log_beta(0.5 * nu, 0.5)
            + self.width.ln()
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let half = 0.5 * self.degrees;
        let scales = rand_distr::Gamma::new(half, 1.0 / half).map_err(|_| Error::Parameter {
            name: "degrees".to_owned(),
            value: self.degrees,
            requirement: "must be positive and finite, and so must its inverse",
        })?;
        draws(count, seed, |rng| {
            let z: f64 = rng.sample(StandardNormal);
            self.centre + self.width * z / scales.sample(rng).sqrt()
        })
    }
}

impl Learned for StudentT {
    /// Location and scale by EM for each ν, and ν by a search over its logarithm from 0.1 to 1000. Where ν is so small that the
    /// likelihood of few numbers grows without a bound on one of them, EM does not end and that ν is passed over.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        let mut best: Option<(f64, StudentT)> = None;
        let (mut low, mut high) = (0.1f64.ln(), 1000f64.ln());
        for _ in 0..8 {
            let mut at = 0.5 * (low + high);
            for i in 0..=8 {
                let u = low + (high - low) * f64::from(i) / 8.0;
                let t = match StudentT::fit_with_degrees(u.exp(), x, w) {
                    Err(Error::NoConvergence { .. }) => continue,
                    other => other?,
                };
                let l = t.log_likelihood(x, w)?;
                if best.as_ref().is_none_or(|(most, _)| l >= *most) {
                    best = Some((l, t));
                    at = u;
                } else if let Some((_, t)) = &best {
                    at = t.degrees.ln();
                }
            }
            let step = (high - low) / 8.0;
            (low, high) = ((at - step).max(0.1f64.ln()), (at + step).min(1000f64.ln()));
        }
        let (residual, tolerance) = (f64::INFINITY, 1e-8);
        let none = Error::NoConvergence { op: "StudentT::fit", iterations: ROUNDS, residual, tolerance };
        best.map(|(_, t)| t).ok_or(none)
    }
}
