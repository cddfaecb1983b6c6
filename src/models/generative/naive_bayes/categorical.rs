//! Features that are one of several categories.

use ndarray::{Array1, Array2, ArrayView2};

use super::{class_log_priors, counts, floored, further, log, log_dirichlet_sequence, posterior, scores};
#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{not_negative, parameter, require, room};
use crate::learn::classify::{Body, Joint, Probable, Task, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Inputs, Label, Targets};
use crate::{Device, Result};

/// `p(x | k) = Π_j π_kj[x_j]` for features that are categories `0, 1, 2, ...`.
///
/// By maximum likelihood `π_kj[m] = n_kjm/n_k`; with a prior Dirichlet(a, ..., a) of each table the posterior predictive
/// `(n_kjm + a)/(n_k + M_j a)`. A feature has as many categories as its largest value says, unless more are given. It is
/// computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 2.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0]];
/// let fit = CategoricalNaiveBayes::new().smoothing(1.0).fit(&Device::cpu(), &x, ["a", "a", "b", "b"])?;
/// assert_eq!(fit.predict(array![[0.0, 1.0], [2.0, 0.0]])?, ["a", "b"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CategoricalNaiveBayes {
    smoothing: f64,
    alpha: f64,
    categories: Option<Vec<usize>>,
}

impl CategoricalNaiveBayes {
    /// Maximum likelihood.
    pub fn new() -> Self {
        CategoricalNaiveBayes { smoothing: 0.0, alpha: 0.0, categories: None }
    }
}

impl Default for CategoricalNaiveBayes {
    fn default() -> Self {
        Self::new()
    }
}

setters!(CategoricalNaiveBayes {
    /// The prior count a of every category in every class.
    smoothing: f64,
    /// The prior Dirichlet(α, ..., α) of the class probabilities.
    dirichlet => alpha: f64,
    /// How many categories each feature has; one more than the largest value seen by default.
    categories: into Option<Vec<usize>>,
});

fits_across!(CategoricalNaiveBayes: Classify -> FittedCategoricalNaiveBayes);

const WHOLE: &str = "a category must be a whole number, not negative";

impl CategoricalNaiveBayes {
    fn run(&self, all: &Meeting, _: &Device, task: &Task) -> Result<Found> {
        let op = "CategoricalNaiveBayes::fit";
        not_negative("smoothing", self.smoothing)?;
        not_negative("alpha", self.alpha)?;
        let x = &task.x;
        counts(x.view(), true, WHOLE)?;
        let largest = |c: ndarray::ArrayView1<f64>| c.fold(0f64, |m, v| m.max(*v));
        let seen: ndarray::Array1<f64> = x.columns().into_iter().map(|c| largest(c) + 1.0).collect();
        let (_, seen) = all.extent(op, seen.clone(), seen)?;
        for s in &seen {
            parameter("category", s - 1.0, *s <= 1e6, "must be a small whole number: below a million")?;
        }
        let sizes: Vec<usize> = match &self.categories {
            None => seen.iter().map(|s| *s as usize).collect(),
            Some(given) => {
                let fits = given.len() == seen.len() && given.iter().zip(&seen).all(|(g, s)| *g as f64 >= *s);
                require(op, fits, || "numbers of categories that x does not keep to".to_owned())?;
                given.clone()
            }
        };
        let width = sizes.iter().try_fold(0usize, |sum, s| sum.checked_add(*s)).unwrap_or(usize::MAX);
        room("categories", width, task.classes.saturating_mul(8))?;
        let mut table = Array2::zeros((task.classes, width));
        let starts = starts(&sizes);
        for (i, row) in x.rows().into_iter().enumerate() {
            for (j, v) in row.iter().enumerate() {
                table[[task.index[i], starts[j] + *v as usize]] += task.weights[i];
            }
        }
        let (table, mass) = (all.add(op, table)?, task.mass_across(all, op)?);
        Ok(Found { smoothing: self.smoothing, alpha: self.alpha, sizes, table, mass })
    }
}

/// Where the categories of each feature begin.
fn starts(sizes: &[usize]) -> Vec<usize> {
    sizes
        .iter()
        .scan(0, |at, s| {
            let start = *at;
            *at += s;
            Some(start)
        })
        .collect()
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    smoothing: f64,
    alpha: f64,
    sizes: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    table: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.sizes.len()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        scores(self.log_joint(x)?)
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let all = self.sizes.iter().try_fold(0usize, |sum, s| sum.checked_add(*s));
        let fits =
            all == Some(self.table.ncols()) && self.table.nrows() == classes && self.mass.len() == classes;
        require(op, fits, || "a table that does not fit".to_owned())?;
        not_negative("smoothing", self.smoothing)?;
        not_negative("alpha", self.alpha)?;
        finite(op, "the table", self.table.view())?;
        self.mass.iter().try_for_each(|m| not_negative("class count", *m))
    }
}

impl Found {
    /// The first entry of x that is no category of its feature, named.
    fn known(&self, x: ArrayView2<f64>) -> Result<()> {
        counts(x, true, WHOLE)?;
        for ((i, j), v) in x.indexed_iter() {
            let known = *v < self.sizes[j] as f64;
            if !known {
                parameter(
                    &format!("x[{i}, {j}]"),
                    *v,
                    false,
                    "must be a category that the fit has seen or was told of",
                )?;
            }
        }
        Ok(())
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.known(x)?;
        let starts = starts(&self.sizes);
        let prior = class_log_priors(&self.mass, self.alpha);
        let each = |(i, k): (usize, usize)| {
            let term = |j: usize| {
                let n = self.table[[k, starts[j] + x[[i, j]] as usize]];
                log((n + self.smoothing) / (self.mass[k] + self.smoothing * self.sizes[j] as f64))
            };
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
    /// Fitted [`CategoricalNaiveBayes`]. A `log_joint` of -1e30 is that of probability zero.
    FittedCategoricalNaiveBayes(Found): Probable, Joint
}

getters!(FittedCategoricalNaiveBayes<L> {
    /// How many categories each feature has.
    categories => found.sizes: &[usize],
    /// How often each category of each feature was seen in each class, `K x Σ_j M_j`.
    counts => found.table: &Array2<f64>,
    /// The weight of each class.
    mass => found.mass: &Array1<f64>,
});

impl<L: Label> FittedCategoricalNaiveBayes<L> {
    /// Learns from further rows of known classes and categories: the same as if all had been there from the start.
    ///
    /// # Errors
    /// As `predict`; [`Error::Parameter`](crate::Error::Parameter) for a label that was never seen. Nothing is learned then.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<()> {
        let d = self.found.sizes.len();
        let (x, classes) = further("FittedCategoricalNaiveBayes::update", &self.labels, d, x, y)?;
        self.found.known(x.view())?;
        let starts = starts(&self.found.sizes);
        for (row, k) in x.rows().into_iter().zip(classes) {
            row.iter().zip(&starts).for_each(|(v, start)| self.found.table[[k, start + *v as usize]] += 1.0);
            self.found.mass[k] += 1.0;
        }
        Ok(())
    }
}

impl<L> FittedCategoricalNaiveBayes<L> {
    /// Free parameters: `(K - 1) + K Σ_j (M_j - 1)`.
    pub fn parameters(&self) -> usize {
        let k = self.found.mass.len();
        k - 1 + k * self.found.sizes.iter().map(|m| m - 1).sum::<usize>()
    }

    /// `ln p(x, y)` of the rows of the fit, with probabilities integrated out under their priors.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if a prior is zero: there is no evidence without one.
    pub fn log_evidence(&self) -> Result<f64> {
        let Found { smoothing, alpha, sizes, table, mass } = &self.found;
        let least = smoothing.min(*alpha);
        parameter("prior", least, least > 0.0, "must be positive for an evidence")?;
        let mut sum = log_dirichlet_sequence(mass.iter().copied(), mass.iter().map(|_| *alpha));
        for row in table.rows() {
            for (start, size) in starts(sizes).into_iter().zip(sizes) {
                let own = row.slice(ndarray::s![start..start + size]);
                sum += log_dirichlet_sequence(own.iter().copied(), own.iter().map(|_| *smoothing));
            }
        }
        Ok(sum)
    }
}
