//! f-divergences by their variational form, with a discriminator T.

use super::pair;
use crate::Result;
use crate::check::{parameter, positive, require};

/// Convex g of `D = max_T E_p[T] - E_q[g(T)]`: any T gives a lower bound, the best has `g'(T) = p/q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discriminator {
    /// `g(t) = exp(t - 1)`: `KL(p ‖ q)`, reached by `T = 1 + ln p/q`.
    KullbackLeibler,
    /// `g(t) = -ln(2 - e^t)`: twice the Jensen-Shannon divergence, by `T = ln 2p/(p + q)`.
    TwiceJensenShannon,
    /// `g(t) = -ln(1 - e^t)`, `T = ln D`: the game of a generator and a classifier D; `2 JS - 2 ln 2`, by `D = p/(p + q)`.
    Adversarial,
}

impl Discriminator {
    /// `g(t)`; infinite outside its domain.
    pub fn conjugate(self, t: f64) -> f64 {
        let log = |v: f64| if v > 0.0 { -v.ln() } else { f64::INFINITY };
        match self {
            Discriminator::KullbackLeibler => (t - 1.0).exp(),
            Discriminator::TwiceJensenShannon => log(2.0 - t.exp()),
            Discriminator::Adversarial => log(-t.exp_m1()),
        }
    }

    /// `g'(t)`, the ratio p/q that this t stands for.
    pub fn ratio(self, t: f64) -> f64 {
        match self {
            Discriminator::KullbackLeibler => (t - 1.0).exp(),
            Discriminator::TwiceJensenShannon => t.exp() / (2.0 - t.exp()),
            Discriminator::Adversarial => t.exp() / -t.exp_m1(),
        }
    }

    /// `E_p[T] - E_q[g(T)]` for T at each outcome: a lower bound of the divergence.
    ///
    /// # Errors
    /// As [`entropy`](super::entropy), and [`Error::Shape`](crate::Error::Shape) unless T has a value for each outcome.
    pub fn bound(self, p: &[f64], q: &[f64], t: &[f64]) -> Result<f64> {
        pair("Discriminator::bound", p, q)?;
        require("Discriminator::bound", t.len() == p.len(), || {
            format!("{} outcomes, {} T", p.len(), t.len())
        })?;
        let term = |((&p, &q), &t): ((&f64, &f64), &f64)| {
            let own = if p == 0.0 { 0.0 } else { p * t };
            own - if q == 0.0 { 0.0 } else { q * self.conjugate(t) }
        };
        Ok(p.iter().zip(q).zip(t).map(term).sum())
    }

    /// The best T, where p and q are positive.
    ///
    /// # Errors
    /// As [`entropy`](super::entropy), and [`Error::Parameter`](crate::Error::Parameter) where one of them is zero.
    pub fn optimum(self, p: &[f64], q: &[f64]) -> Result<Vec<f64>> {
        pair("Discriminator::optimum", p, q)?;
        for (k, (&p, &q)) in p.iter().zip(q).enumerate() {
            positive(&format!("p[{k}]"), p)?;
            positive(&format!("q[{k}]"), q)?;
        }
        let best = |(p, q): (&f64, &f64)| match self {
            Discriminator::KullbackLeibler => 1.0 + (p / q).ln(),
            Discriminator::TwiceJensenShannon => (2.0 * p / (p + q)).ln(),
            Discriminator::Adversarial => (p / (p + q)).ln(),
        };
        Ok(p.iter().zip(q).map(best).collect())
    }

    /// T by gradient ascent on the bound, `T += rate (p - q g'(T))`, from a start inside the domain: for a table it ends at the
    /// optimum.
    ///
    /// # Errors
    /// As [`bound`](Self::bound), and [`Error::Parameter`](crate::Error::Parameter) for a rate that is not positive or leads out of the
    /// domain.
    pub fn ascend(self, p: &[f64], q: &[f64], start: &[f64], rate: f64, steps: usize) -> Result<Vec<f64>> {
        positive("rate", rate)?;
        self.bound(p, q, start)?;
        let mut t = start.to_vec();
        for _ in 0..steps {
            for ((t, p), q) in t.iter_mut().zip(p).zip(q) {
                *t += rate * (p - q * self.ratio(*t));
            }
        }
        let bound = self.bound(p, q, &t)?;
        parameter("bound", bound, bound.is_finite(), "T has left the domain: take a smaller rate")?;
        Ok(t)
    }
}
