//! The beta distribution of a proportion.

use ndarray::Array1;

use super::component::{moments, weighted};
use super::{Dirichlet, Learned, Univariate, probability, solve};
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::incomplete::beta_parts;
use crate::probability::special::log_beta;
use crate::probability::stirling::{LARGE, binomial, digamma_difference, dirichlet_entropy};
use crate::{Error, Result};

/// `p(x) = x^(a-1) (1 - x)^(b-1)/B(a, b)` on [0, 1].
///
/// ```
/// use mercer::probability::distributions::{Beta, Univariate};
/// let coin = Beta::new(8.0, 4.0)?; // seven heads and three tails, after a uniform prior
/// assert!((coin.mean().unwrap() - 2.0 / 3.0).abs() < 1e-15);
/// assert!((coin.mode().unwrap() - 0.7).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Beta {
    a: f64,
    b: f64,
}

getters!(Beta {
    /// a: pseudo-counts of yes.
    a: f64,
    /// b: pseudo-counts of no.
    b: f64,
});

impl Beta {
    /// The beta distribution with these two shapes.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless both are positive.
    pub fn new(a: f64, b: f64) -> Result<Self> {
        positive("a", a)?;
        positive("b", b)?;
        Ok(Beta { a, b })
    }

    /// `E[ln X] = ψ(a) - ψ(a + b)` and `E[ln(1 - X)] = ψ(b) - ψ(a + b)`.
    pub fn mean_logs(&self) -> (f64, f64) {
        (digamma_difference(self.a, self.b), digamma_difference(self.b, self.a))
    }
}

impl Beta {
    /// The mode after so many more of yes and no.
    pub(super) fn after(&self, yes: f64, no: f64) -> Result<f64> {
        let none = Error::Parameter {
            name: "prior.a".to_owned(),
            value: self.a,
            requirement: "the posterior has no single mode: raise a and b",
        };
        Beta::new(self.a + yes, self.b + no)?.mode().ok_or(none)
    }
}

impl Univariate for Beta {
    fn log_density(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        if !(0.0..=1.0).contains(&x) {
            return f64::NEG_INFINITY;
        }
        let (a, b) = (self.a, self.b);
        if a.min(b) >= LARGE && x > 0.0 && x < 1.0 {
            return binomial(a, b, x, 1.0 - x) + (a * (b / (a + b))).ln() - (x * (1.0 - x)).ln();
        }
        // A power of zero is one, not 0 · ∞.
        let power = |p: f64, log: f64| if p == 0.0 { 0.0 } else { p * log };
        power(self.a - 1.0, x.ln()) + power(self.b - 1.0, (-x).ln_1p()) - log_beta(self.a, self.b)
    }

    fn cdf(&self, x: f64) -> f64 {
        beta_parts(self.a, self.b, x.clamp(0.0, 1.0), (1.0 - x).clamp(0.0, 1.0))
    }

    fn survival(&self, x: f64) -> f64 {
        beta_parts(self.b, self.a, (1.0 - x).clamp(0.0, 1.0), x.clamp(0.0, 1.0))
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        Ok(solve::continuous(self, p, (0.0, 1.0), self.a / (self.a + self.b)))
    }

    fn mean(&self) -> Option<f64> {
        Some(self.a / (self.a + self.b))
    }

    fn variance(&self) -> Option<f64> {
        let sum = self.a + self.b;
        Some((self.a / sum) * (self.b / sum) / (sum + 1.0))
    }

    /// `(a - 1)/(a + b - 2)` if both exceed one; an end if one of them does not; else none.
    fn mode(&self) -> Option<f64> {
        match (self.a > 1.0, self.b > 1.0) {
            (true, true) => Some((self.a - 1.0) / (self.a + self.b - 2.0)),
            (true, false) => Some(1.0),
            (false, true) => Some(0.0),
            (false, false) => None,
        }
    }

    fn entropy(&self) -> f64 {
        dirichlet_entropy(&[self.a, self.b])
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let both = Dirichlet::new(&[self.a, self.b])?;
        Ok(both.sample(count, seed)?.column(0).to_owned())
    }
}

impl Learned for Beta {
    /// The two-category case of [`Dirichlet::fit_weighted`]: Newton's method on the likelihood.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Beta::fit", x, w)?;
        for (i, &x) in x.iter().enumerate() {
            parameter(&format!("x[{i}]"), x, x > 0.0 && x < 1.0, "must lie between 0 and 1")?;
        }
        let (_, mean, variance) = moments(x, w);
        parameter("variance", variance, variance > 0.0, "the numbers must not all be equal")?;
        let logs: Vec<f64> = x.iter().map(|x| x.ln()).collect();
        let rests: Vec<f64> = x.iter().map(|x| (-x).ln_1p()).collect();
        let total = (mean * (1.0 - mean) / variance - 1.0).max(1e-3);
        let start = [mean * total, (1.0 - mean) * total];
        let found = super::dirichlet::matched(&[moments(&logs, w).1, moments(&rests, w).1], &start)?;
        Beta::new(found[0], found[1])
    }
}
