//! Divergences as games: `D(p, q) = max_T E_p[T] - E_q[g(T)]`.

use crate::Result;
use crate::check::{parameter, require};
use crate::models::neural::activation::softplus;

/// A divergence in its variational form, `max_T E_p[T] - E_q[g(T)]` with a convex g: a discriminator T that does its best
/// measures it. At the best T, `g'(T) = p/q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariationalDivergence {
    /// `g(t) = e^{t-1}`: the Kullback-Leibler divergence, at `T = 1 + ln p/q`.
    KullbackLeibler,
    /// `g(t) = -ln(2 - e^t)`: twice the Jensen-Shannon divergence, at `T = ln 2p/(p + q)`.
    JensenShannon,
    /// `g(t) = -ln(1 - e^t)` with `T = ln D`: the game of the first adversarial networks, 2 JSD - 2 ln 2, at `D = p/(p + q)`.
    Adversarial,
}

impl VariationalDivergence {
    /// g(t); infinite outside its domain.
    pub fn conjugate(self, t: f64) -> f64 {
        let log = |inside: f64| if inside > 0.0 { -inside.ln() } else { f64::INFINITY };
        match self {
            VariationalDivergence::KullbackLeibler => (t - 1.0).exp(),
            VariationalDivergence::JensenShannon => log(2.0 - t.exp()),
            VariationalDivergence::Adversarial => log(-t.exp_m1()),
        }
    }

    /// T as a function of a number v that may be anything: what a network's output is passed through.
    pub fn output(self, v: f64) -> f64 {
        match self {
            VariationalDivergence::KullbackLeibler => v,
            VariationalDivergence::JensenShannon => 2f64.ln() - softplus(-v),
            VariationalDivergence::Adversarial => -softplus(-v),
        }
    }

    /// The best T for probabilities p and q of one outcome.
    pub fn best(self, p: f64, q: f64) -> f64 {
        match self {
            VariationalDivergence::KullbackLeibler => 1.0 + (p / q).ln(),
            VariationalDivergence::JensenShannon => (2.0 * p / (p + q)).ln(),
            VariationalDivergence::Adversarial => (p / (p + q)).ln(),
        }
    }

    /// `Σ p T - Σ q g(T)` for a table of T: never above the divergence.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let (p, q) = ([0.5, 0.3, 0.2], [0.2, 0.2, 0.6]);
    /// let kl = VariationalDivergence::KullbackLeibler;
    /// let best: Vec<f64> = p.iter().zip(&q).map(|(p, q)| kl.best(*p, *q)).collect();
    /// assert!((kl.bound(&p, &q, &best)? - 0.3600624406).abs() < 1e-9);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for tables of different sizes,
    /// [`Error::Parameter`](crate::Error::Parameter) for a negative probability.
    pub fn bound(self, p: &[f64], q: &[f64], table: &[f64]) -> Result<f64> {
        let n = p.len();
        require("VariationalDivergence::bound", q.len() == n && table.len() == n, || {
            format!("tables of {n}, {} and {}", q.len(), table.len())
        })?;
        for v in p.iter().chain(q) {
            parameter("probability", *v, *v >= 0.0 && v.is_finite(), "must be finite and not negative")?;
        }
        let term = |p: f64, t: f64| if p == 0.0 { 0.0 } else { p * t };
        let one = |((p, q), t): ((&f64, &f64), &f64)| term(*p, *t) - term(*q, self.conjugate(*t));
        Ok(p.iter().zip(q).zip(table).map(one).sum())
    }
}
