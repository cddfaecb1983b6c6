//! Priors of probabilities and rates.

use super::Conjugate;
use crate::Result;
use crate::check::{not_negative, parameter};
use crate::configure::getters;
use crate::probability::distributions::{Beta, Dirichlet, Gamma};
use crate::probability::special::{log_beta, log_choose, log_factorial, log_gamma, log_multivariate_beta};

/// `μ ~ Beta(a, b)`, yes with probability μ: posterior `Beta(a + n₁, b + n₀)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaBernoulli {
    belief: Beta,
}

getters!(BetaBernoulli {
    /// The distribution of μ.
    belief: &Beta,
});

impl BetaBernoulli {
    /// The prior `Beta(a, b)`; `a = b = 1` is uniform, `a = b = ½` Jeffreys', smaller ones say less.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless both are positive.
    pub fn new(a: f64, b: f64) -> Result<Self> {
        Ok(BetaBernoulli { belief: Beta::new(a, b)? })
    }

    /// The posterior after so many yeses and noes.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for negative counts.
    pub fn after(&self, yes: f64, no: f64) -> Result<Self> {
        not_negative("yes", yes)?;
        not_negative("no", no)?;
        Self::new(self.belief.a() + yes, self.belief.b() + no)
    }

    /// The probability that the next is a yes: `a/(a + b)`.
    pub fn predictive(&self) -> f64 {
        self.belief.a() / (self.belief.a() + self.belief.b())
    }

    /// `ln B(a + n₁, b + n₀)/B(a, b)`: of one sequence with these counts.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for negative counts.
    pub fn log_evidence_of(&self, yes: f64, no: f64) -> Result<f64> {
        let after = self.after(yes, no)?.belief;
        Ok(log_beta(after.a(), after.b()) - log_beta(self.belief.a(), self.belief.b()))
    }

    /// The probability of so many yeses and noes in any order, which is beta-binomial, as a logarithm.
    ///
    /// # Errors
    /// As [`log_evidence_of`](Self::log_evidence_of).
    pub fn log_evidence_of_counts(&self, yes: f64, no: f64) -> Result<f64> {
        Ok(self.log_evidence_of(yes, no)? + log_choose(yes + no, yes))
    }
}

impl Conjugate for BetaBernoulli {
    type Observation = bool;

    fn posterior(&self, x: &[bool]) -> Result<Self> {
        let yes = x.iter().filter(|x| **x).count() as f64;
        self.after(yes, x.len() as f64 - yes)
    }

    fn log_predictive(&self, x: &bool) -> Result<f64> {
        let (a, b) = (self.belief.a(), self.belief.b());
        let (own, other) = if *x { (a, b) } else { (b, a) };
        let both = a + b;
        // Of the smaller share: the larger is one less it.
        Ok(if own < other { (own / both).ln() } else { (-other / both).ln_1p() })
    }

    fn log_evidence(&self, x: &[bool]) -> Result<f64> {
        let yes = x.iter().filter(|x| **x).count() as f64;
        self.log_evidence_of(yes, x.len() as f64 - yes)
    }
}

/// `π ~ Dir(α)`, category k with probability `π_k`: posterior `Dir(α + n)`.
#[derive(Debug, Clone, PartialEq)]
pub struct DirichletCategorical {
    belief: Dirichlet,
}

getters!(DirichletCategorical {
    /// The distribution of π.
    belief: &Dirichlet,
});

impl DirichletCategorical {
    /// The prior `Dir(α)`; all ones are Laplace's smoothing.
    ///
    /// # Errors
    /// As [`Dirichlet::new`].
    pub fn new(alpha: &[f64]) -> Result<Self> {
        Ok(DirichletCategorical { belief: Dirichlet::new(alpha)? })
    }

    /// The posterior after so many of each category, which need not be whole.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of categories,
    /// [`Error::Parameter`](crate::Error::Parameter) for negative counts.
    pub fn after(&self, counts: &[f64]) -> Result<Self> {
        let (k, l) = (self.belief.alpha().len(), counts.len());
        crate::check::require("DirichletCategorical", k == l, || format!("{k} categories, {l} counts"))?;
        counts.iter().enumerate().try_for_each(|(k, &n)| not_negative(&format!("counts[{k}]"), n))?;
        Self::new(&self.belief.alpha().iter().zip(counts).map(|(a, n)| a + n).collect::<Vec<_>>())
    }

    /// Probabilities of the next category: `α_k/Σα`.
    pub fn predictive(&self) -> Vec<f64> {
        self.belief.mean()
    }

    /// `ln B(α + n) - ln B(α)`: of one sequence with these counts.
    ///
    /// # Errors
    /// As [`after`](Self::after).
    pub fn log_evidence_of(&self, counts: &[f64]) -> Result<f64> {
        let after = self.after(counts)?;
        Ok(log_multivariate_beta(after.belief.alpha()) - log_multivariate_beta(self.belief.alpha()))
    }

    fn counts(&self, x: &[usize]) -> Result<Vec<f64>> {
        let mut counts = vec![0.0; self.belief.alpha().len()];
        for (i, &c) in x.iter().enumerate() {
            let k = counts.len();
            parameter(&format!("x[{i}]"), c as f64, c < k, "must be below the number of categories")?;
            counts[c] += 1.0;
        }
        Ok(counts)
    }
}

impl Conjugate for DirichletCategorical {
    type Observation = usize;

    fn posterior(&self, x: &[usize]) -> Result<Self> {
        self.after(&self.counts(x)?)
    }

    fn log_predictive(&self, x: &usize) -> Result<f64> {
        self.counts(&[*x])?;
        Ok(self.predictive()[*x].ln())
    }

    fn log_evidence(&self, x: &[usize]) -> Result<f64> {
        self.log_evidence_of(&self.counts(x)?)
    }
}

/// `l ~ Gamma(k, r)`, counts of Poisson's distribution with rate l: posterior `Gamma(k + Σx, r + n)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaPoisson {
    belief: Gamma,
}

getters!(GammaPoisson {
    /// The distribution of l.
    belief: &Gamma,
});

impl GammaPoisson {
    /// The prior `Gamma(shape, rate)`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless both are positive.
    pub fn new(shape: f64, rate: f64) -> Result<Self> {
        Ok(GammaPoisson { belief: Gamma::new(shape, rate)? })
    }
}

impl Conjugate for GammaPoisson {
    type Observation = u64;

    fn posterior(&self, x: &[u64]) -> Result<Self> {
        let sum: f64 = x.iter().map(|&x| x as f64).sum();
        Self::new(self.belief.shape() + sum, self.belief.rate() + x.len() as f64)
    }

    /// Negative binomial: `Γ(k + x)/(Γ(k) x!) (r/(r + 1))^k (1/(r + 1))^x`.
    fn log_predictive(&self, x: &u64) -> Result<f64> {
        self.log_evidence(&[*x])
    }

    fn log_evidence(&self, x: &[u64]) -> Result<f64> {
        let after = self.posterior(x)?.belief;
        let (k, r) = (self.belief.shape(), self.belief.rate());
        let measure: f64 = x.iter().map(|&x| log_factorial(x as f64)).sum();
        Ok(log_gamma(after.shape()) - log_gamma(k) + k * r.ln() - after.shape() * after.rate().ln() - measure)
    }
}
