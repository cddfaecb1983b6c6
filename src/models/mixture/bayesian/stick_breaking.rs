//! Priors over mixture weights: the symmetric Dirichlet distribution, and sticks broken K times (a truncated Dirichlet
//! process). Expectations and divergences of their posteriors.

use ndarray::Array1;
use statrs::function::beta::ln_beta;
use statrs::function::gamma::{digamma, ln_gamma};

use super::model::WeightPrior;

/// The posterior over the weights.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Weights {
    /// Dirichlet(α).
    Dirichlet(#[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))] Array1<f64>),
    /// `π_k = v_k prod_{l<k} (1 - v_l)` with `v_k ~ Beta(a_k, b_k)`; what is left after K sticks belongs to nobody.
    Sticks(
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))] Array1<f64>,
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))] Array1<f64>,
    ),
}

impl crate::saved::Wire for Weights {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Weights::Dirichlet(alpha) => (false, alpha.clone()).write(to),
            Weights::Sticks(a, b) => (true, a.clone(), b.clone()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> crate::Result<Self> {
        if bool::read(from)? {
            Ok(Weights::Sticks(crate::saved::Wire::read(from)?, crate::saved::Wire::read(from)?))
        } else {
            crate::saved::Wire::read(from).map(Weights::Dirichlet)
        }
    }
}

impl Weights {
    /// The posterior, given how much each component has.
    pub fn learn(prior: WeightPrior, mass: &Array1<f64>) -> Self {
        match prior {
            WeightPrior::Dirichlet(alpha) => Weights::Dirichlet(mass + alpha),
            WeightPrior::DirichletProcess(gamma) => {
                let mut after = Array1::zeros(mass.len());
                for k in (0..mass.len().saturating_sub(1)).rev() {
                    after[k] = after[k + 1] + mass[k + 1];
                }
                Weights::Sticks(mass + 1.0, after + gamma)
            }
        }
    }

    /// `E[log π_k]`.
    pub fn expected_log(&self) -> Array1<f64> {
        match self {
            Weights::Dirichlet(alpha) => alpha.mapv(|a| digamma(a) - digamma(alpha.sum())),
            Weights::Sticks(a, b) => {
                let mut before = 0.0;
                Array1::from_shape_fn(a.len(), |k| {
                    let both = digamma(a[k] + b[k]);
                    let own = digamma(a[k]) - both + before;
                    before += digamma(b[k]) - both;
                    own
                })
            }
        }
    }

    /// `E[π_k]`, made to sum to one.
    pub fn expected(&self) -> Array1<f64> {
        match self {
            Weights::Dirichlet(alpha) => alpha / alpha.sum(),
            Weights::Sticks(a, b) => {
                let mut left = 1.0;
                let raw = Array1::from_shape_fn(a.len(), |k| {
                    let own = left * a[k] / (a[k] + b[k]);
                    left *= b[k] / (a[k] + b[k]);
                    own
                });
                let total = raw.sum();
                raw / total
            }
        }
    }

    /// How many components it is about, if all of its numbers are positive.
    #[cfg(feature = "serde")]
    pub fn count(&self) -> Option<usize> {
        let fine = |a: &Array1<f64>| a.iter().all(|v| *v > 0.0 && v.is_finite());
        match self {
            Weights::Dirichlet(alpha) => fine(alpha).then_some(alpha.len()),
            Weights::Sticks(a, b) => (a.len() == b.len() && fine(a) && fine(b)).then_some(a.len()),
        }
    }

    /// `KL(q || prior)`.
    pub fn divergence(&self, prior: WeightPrior) -> f64 {
        match (self, prior) {
            (Weights::Dirichlet(alpha), WeightPrior::Dirichlet(own) | WeightPrior::DirichletProcess(own)) => {
                let (k, total) = (alpha.len() as f64, alpha.sum());
                let norms = ln_gamma(total)
                    - alpha.iter().map(|a| ln_gamma(*a)).sum::<f64>()
                    - (ln_gamma(k * own) - k * ln_gamma(own));
                norms + alpha.iter().map(|a| (a - own) * (digamma(*a) - digamma(total))).sum::<f64>()
            }
            (Weights::Sticks(a, b), WeightPrior::Dirichlet(gamma) | WeightPrior::DirichletProcess(gamma)) => {
                let one = |a: f64, b: f64| {
                    let both = digamma(a + b);
                    ln_beta(1.0, gamma) - ln_beta(a, b)
                        + (a - 1.0) * (digamma(a) - both)
                        + (b - gamma) * (digamma(b) - both)
                };
                a.iter().zip(b).map(|(a, b)| one(*a, *b)).sum()
            }
        }
    }
}
