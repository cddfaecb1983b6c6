//! Features that are counts: words of a text.

use ndarray::{Array1, Array2, ArrayView2};

use super::{class_log_priors, counts, further, linear, log, log_dirichlet_sequence, posterior, scores};
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{not_negative, parameter};
use crate::learn::classify::{Body, Joint, Probable, Task, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Inputs, Label, Targets};
use crate::models::generative::on_device::placed;
use crate::ops::product;
use crate::{Device, Result};

/// `p(x | k) ∝ Π_j θ_kj^{x_j}` for counts x, of words for instance: `θ_kj = (n_kj + a)/(Σ_j n_kj + d a)`.
///
/// With a = 0 it is maximum likelihood, where a word that a class never had excludes the class; a is the prior
/// Dirichlet(a, ..., a) of the words of a class. Weights of words (tf-idf) need not be whole. Classes
/// are counted in f64 on the CPU; many rows are told apart on a GPU.
///
/// θ is the posterior mean, which predicts one word. With [`predictive`](Self::predictive) a row is predicted as a whole, θ
/// integrated out: `p(x | k) ∝ Γ(A)/Γ(A + Σ_j x_j) Π_j Γ(a_j + x_j)/Γ(a_j)` with `a_j = n_kj + a`, `A = Σ_j a_j`, in which a
/// word that came once is likelier to come again; it is computed on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[3.0, 0.0, 1.0], [2.0, 1.0, 0.0], [0.0, 4.0, 1.0]];
/// let fit = MultinomialNaiveBayes::new(1.0).fit(&Device::cpu(), &x, ["ham", "ham", "spam"])?;
/// assert_eq!(fit.predict(array![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])?, ["ham", "spam"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MultinomialNaiveBayes {
    smoothing: f64,
    alpha: f64,
    predictive: bool,
}

impl MultinomialNaiveBayes {
    /// With the prior count a ≥ 0 of every word in every class; 0 is maximum likelihood.
    pub fn new(smoothing: f64) -> Self {
        MultinomialNaiveBayes { smoothing, alpha: 0.0, predictive: false }
    }
}

setters!(MultinomialNaiveBayes {
    /// The prior count a of every word in every class.
    smoothing: f64,
    /// The prior Dirichlet(α, ..., α) of the class probabilities.
    dirichlet => alpha: f64,
    /// Whether rows are predicted with θ integrated out (Dirichlet-multinomial) and not by its posterior mean; false unless
    /// said otherwise. It needs a positive prior count.
    predictive: bool,
});

fits_across!(MultinomialNaiveBayes: Classify -> FittedMultinomialNaiveBayes);

const COUNT: &str = "a count must not be negative";

impl MultinomialNaiveBayes {
    fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
        not_negative("smoothing", self.smoothing)?;
        not_negative("alpha", self.alpha)?;
        let proper = !self.predictive || self.smoothing > 0.0;
        parameter("smoothing", self.smoothing, proper, "must be positive for a posterior predictive")?;
        counts(task.x.view(), false, COUNT)?;
        let mut table = Array2::zeros((task.classes, task.x.ncols()));
        product(1.0, task.weighted_one_hot().t(), task.x.view(), 0.0, table.view_mut());
        if table.iter().any(|v| !v.is_finite()) {
            return Err(crate::check::blame("MultinomialNaiveBayes::fit", task.x.view()));
        }
        let op = "MultinomialNaiveBayes::fit";
        let (table, mass) = (all.add(op, table)?, task.mass_across(all, op)?);
        Ok(Found { prior: *self, table, mass, device: device.clone() })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    prior: MultinomialNaiveBayes,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    table: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

impl Found {
    /// `θ`, `K x d`; a class without a word has all alike.
    fn probabilities_of_words(&self) -> Array2<f64> {
        let mut theta = &self.table + self.prior.smoothing;
        for mut row in theta.rows_mut() {
            let (sum, share) = (row.sum(), 1.0 / row.len() as f64);
            row.mapv_inplace(|v| if sum > 0.0 { v / sum } else { share });
        }
        theta
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.table.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        scores(self.log_joint(x)?)
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        require(op, self.table.nrows() == classes && self.mass.len() == classes, || {
            "counts of other classes".to_owned()
        })?;
        not_negative("smoothing", self.prior.smoothing)?;
        not_negative("alpha", self.prior.alpha)?;
        require(op, !self.prior.predictive || self.prior.smoothing > 0.0, || {
            "a predictive without a prior".to_owned()
        })?;
        finite(op, "the counts", self.table.view())?;
        self.mass.iter().try_for_each(|m| not_negative("class count", *m))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        counts(x, false, COUNT)?;
        let classes = class_log_priors(&self.mass, self.prior.alpha);
        if self.prior.predictive {
            let each = |(i, k): (usize, usize)| {
                let pseudo = self.table.row(k).into_iter().map(|n| n + self.prior.smoothing);
                classes[k] + log_dirichlet_sequence(x.row(i).into_iter().copied(), pseudo)
            };
            return Ok(Array2::from_shape_fn((x.nrows(), self.mass.len()), each));
        }
        let words = self.probabilities_of_words().mapv(log);
        linear("FittedMultinomialNaiveBayes::predict", &self.device, x, &words, &classes)
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        posterior(self.log_joint(x)?)
    }
}

fitted_classifier! {
    /// Fitted [`MultinomialNaiveBayes`]. A `log_joint` of -1e30 is that of probability zero; it leaves out the
    /// multinomial coefficient, which is the same for all classes.
    FittedMultinomialNaiveBayes(Found): Probable, Joint
}

placed!(FittedMultinomialNaiveBayes: found);

getters!(FittedMultinomialNaiveBayes<L> {
    /// The sum of the counts of each word in each class, `K x d`.
    counts => found.table: &Array2<f64>,
    /// The weight of each class.
    mass => found.mass: &Array1<f64>,
});

impl<L: Label> FittedMultinomialNaiveBayes<L> {
    /// Learns from further rows of known classes: the same as if all had been there from the start.
    ///
    /// # Errors
    /// As `fit`; [`Error::Parameter`](crate::Error::Parameter) for a label that was never seen. Nothing is learned then.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<()> {
        let d = self.found.features();
        let (x, classes) = further("FittedMultinomialNaiveBayes::update", &self.labels, d, x, y)?;
        counts(x.view(), false, COUNT)?;
        for (row, k) in x.rows().into_iter().zip(classes) {
            let mut own = self.found.table.row_mut(k);
            own += &row;
            self.found.mass[k] += 1.0;
        }
        Ok(())
    }

    /// `ln p(x, y)` of the rows of the fit, with probabilities integrated out under their priors and without multinomial
    /// coefficients, as `log_joint` has it.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if a prior is zero: there is no evidence without one.
    pub fn log_evidence(&self) -> Result<f64> {
        let Found { prior: MultinomialNaiveBayes { smoothing, alpha, .. }, table, mass, .. } = &self.found;
        let least = smoothing.min(*alpha);
        parameter("prior", least, least > 0.0, "must be positive for an evidence")?;
        let classes = log_dirichlet_sequence(mass.iter().copied(), mass.iter().map(|_| *alpha));
        let words = |row: ndarray::ArrayView1<f64>| {
            log_dirichlet_sequence(row.iter().copied(), row.iter().map(|_| *smoothing))
        };
        Ok(classes + table.rows().into_iter().map(words).sum::<f64>())
    }
}

impl<L> FittedMultinomialNaiveBayes<L> {
    /// `θ_kj`: the probability of each word in each class, `K x d`.
    pub fn probabilities(&self) -> Array2<f64> {
        self.found.probabilities_of_words()
    }
}
