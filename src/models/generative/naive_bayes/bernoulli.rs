//! Features that are 0 or 1.

use ndarray::{Array1, Array2, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{class_log_priors, floored, further, linear, log, log_dirichlet_sequence, posterior, scores};
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{not_negative, parameter, zeros};
use crate::learn::classify::{Body, Joint, Probable, Task, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Inputs, Label, Targets};
use crate::models::generative::on_device::placed;
use crate::ops::product;
use crate::{Device, Result};

/// `p(x | k) = Π_j φ_kj^{x_j} (1 - φ_kj)^{1 - x_j}` for features of 0 and 1.
///
/// By maximum likelihood `φ_kj = n_kj/n_k`, `p(k) = n_k/n`: what never happened in a class excludes it for ever, and a row
/// that no class can have made is an error. With priors `φ_kj ~ Beta(a, b)` and `p ~ Dirichlet(α)` predictions are those of
/// the posterior, `(a + n_kj)/(a + b + n_k)`, and never zero. Classes are counted in f64 on the
/// CPU; many rows are told apart on a GPU, unless a probability is zero.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]];
/// let y = [0, 0, 0, 1, 1];
/// let new = array![[0.0, 0.0, 1.0]];
/// assert!(BernoulliNaiveBayes::new().fit(&Device::cpu(), &x, y)?.predict_proba(&new).is_err());
/// let fit = BernoulliNaiveBayes::new().beta(1.0, 1.0).dirichlet(1.0).fit(&Device::cpu(), &x, y)?;
/// assert!((fit.predict_proba(&new)?[[0, 1]] - 0.5942947702).abs() < 1e-10);
/// assert!((fit.log_evidence()? + 14.43943627).abs() < 1e-8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BernoulliNaiveBayes {
    ones: f64,
    zeros: f64,
    alpha: f64,
}

impl BernoulliNaiveBayes {
    /// Maximum likelihood.
    pub fn new() -> Self {
        BernoulliNaiveBayes { ones: 0.0, zeros: 0.0, alpha: 0.0 }
    }

    /// The prior Beta(a, b) of each `φ_kj`: a ones and b zeros seen before.
    #[must_use]
    pub fn beta(mut self, a: f64, b: f64) -> Self {
        (self.ones, self.zeros) = (a, b);
        self
    }
}

impl Default for BernoulliNaiveBayes {
    fn default() -> Self {
        Self::new()
    }
}

setters!(BernoulliNaiveBayes {
    /// The prior Dirichlet(α, ..., α) of the class probabilities: α rows of each class seen before.
    dirichlet => alpha: f64,
});

fits_across!(BernoulliNaiveBayes: Classify -> FittedBernoulliNaiveBayes);

/// Zeros and ones, or an error.
fn binary(x: ArrayView2<f64>) -> Result<()> {
    let bad = x.indexed_iter().find(|(_, v)| **v != 0.0 && **v != 1.0);
    bad.map_or(Ok(()), |((i, j), v)| parameter(&format!("x[{i}, {j}]"), *v, false, "must be 0 or 1"))
}

impl BernoulliNaiveBayes {
    fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
        not_negative("a", self.ones)?;
        not_negative("b", self.zeros)?;
        not_negative("alpha", self.alpha)?;
        binary(task.x.view())?;
        let mut ones = Array2::zeros((task.classes, task.x.ncols()));
        product(1.0, task.weighted_one_hot().t(), task.x.view(), 0.0, ones.view_mut());
        let op = "BernoulliNaiveBayes::fit";
        let (ones, mass) = (all.add(op, ones)?, task.mass_across(all, op)?);
        Ok(Found { prior: *self, ones, mass, device: device.clone() })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    prior: BernoulliNaiveBayes,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    ones: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

impl Found {
    fn probability(&self, k: usize, j: usize) -> f64 {
        let BernoulliNaiveBayes { ones: a, zeros: b, .. } = self.prior;
        (a + self.ones[[k, j]]) / (a + b + self.mass[k])
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.ones.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        scores(self.log_joint(x)?)
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        require(op, self.ones.nrows() == classes && self.mass.len() == classes, || {
            "counts of other classes".to_owned()
        })?;
        finite(op, "the counts", self.ones.view())?;
        self.mass.iter().try_for_each(|m| not_negative("class count", *m))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        binary(x)?;
        let prior = class_log_priors(&self.mass, self.prior.alpha);
        // One product: the log-odds of each feature, and what all zeros would have.
        let p = Array2::from_shape_fn(self.ones.dim(), |(k, j)| self.probability(k, j));
        let odds = p.mapv(|p| log(p) - log(1.0 - p));
        let nothing: Array1<f64> = p.rows().into_iter().map(|row| row.mapv(|p| log(1.0 - p)).sum()).collect();
        let exact = p.iter().all(|p| *p > 0.0 && *p < 1.0);
        if exact {
            return linear("FittedBernoulliNaiveBayes::predict", &self.device, x, &odds, &(nothing + prior));
        }
        // With zeros among them sums would cancel.
        let each = |(i, k): (usize, usize)| {
            let term = |j: usize| log(if x[[i, j]] == 1.0 { p[[k, j]] } else { 1.0 - p[[k, j]] });
            prior[k] + (0..x.ncols()).map(term).sum::<f64>()
        };
        Ok(floored(Array2::from_shape_fn((x.nrows(), self.mass.len()), each)))
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        posterior(self.log_joint(x)?)
    }
}

fitted_classifier! {
    /// Fitted [`BernoulliNaiveBayes`]. A `log_joint` of -1e30 is that of probability zero.
    FittedBernoulliNaiveBayes(Found): Probable, Joint
}

placed!(FittedBernoulliNaiveBayes: found);

getters!(FittedBernoulliNaiveBayes<L> {
    /// How often each feature was 1 in each class, `K x d`.
    ones => found.ones: &Array2<f64>,
    /// The weight of each class.
    mass => found.mass: &Array1<f64>,
});

impl<L: Label> FittedBernoulliNaiveBayes<L> {
    /// `φ_kj`: the probability of a 1, `K x d`.
    pub fn probabilities(&self) -> Array2<f64> {
        Array2::from_shape_fn(self.found.ones.dim(), |(k, j)| self.found.probability(k, j))
    }

    /// Free parameters: `(K - 1) + K d`.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.found.ones.dim();
        k - 1 + k * d
    }

    /// `ln p(x, y)` of the rows of the fit, with probabilities integrated out under their priors.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if a prior is zero: there is no evidence without one.
    pub fn log_evidence(&self) -> Result<f64> {
        let Found { prior: BernoulliNaiveBayes { ones: a, zeros: b, alpha }, ones, mass, .. } = &self.found;
        let least = a.min(*b).min(*alpha);
        parameter("prior", least, least > 0.0, "must be positive for an evidence")?;
        let classes = log_dirichlet_sequence(mass.iter().copied(), mass.iter().map(|_| *alpha));
        let feature = |((k, _), n): ((usize, usize), &f64)| {
            log_dirichlet_sequence([*n, mass[k] - n].into_iter(), [*a, *b].into_iter())
        };
        Ok(classes + ones.indexed_iter().map(feature).sum::<f64>())
    }

    /// Learns from further rows of known classes: the same as if all had been there from the start.
    ///
    /// # Errors
    /// As `fit`; [`Error::Parameter`](crate::Error::Parameter) for a label that was never seen. Nothing is learned then.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<()> {
        let d = self.found.features();
        let (x, classes) = further("FittedBernoulliNaiveBayes::update", &self.labels, d, x, y)?;
        binary(x.view())?;
        for (row, k) in x.rows().into_iter().zip(classes) {
            let mut ones = self.found.ones.row_mut(k);
            ones += &row;
            self.found.mass[k] += 1.0;
        }
        Ok(())
    }

    /// New rows and their labels: first the class, then each feature; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for none, or more than memory has room for.
    pub fn sample_labelled(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<L>)> {
        parameter("count", count as f64, count > 0, "must be at least 1")?;
        let (k, d) = self.found.ones.dim();
        let prior = class_log_priors(&self.found.mass, self.found.prior.alpha).mapv(f64::exp);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut x = zeros("count", count, d)?;
        let mut classes = Vec::with_capacity(count);
        for mut row in x.rows_mut() {
            let mut u: f64 = rng.random();
            let class = (0..k - 1)
                .find(|&c| {
                    u -= prior[c];
                    u < 0.0
                })
                .unwrap_or(k - 1);
            for (j, v) in row.iter_mut().enumerate() {
                *v = f64::from(u8::from(rng.random::<f64>() < self.found.probability(class, j)));
            }
            classes.push(class);
        }
        Ok((x, self.labels.names(&classes)?))
    }
}
