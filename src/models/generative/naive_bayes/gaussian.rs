//! Features that are Gaussian.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::check::not_negative;
#[cfg(feature = "serde")]
use crate::check::{finite, positive, require};
use crate::learn::classify::{Body, Joint, Probable, Task, contrast, fitted_classifier, softmax_rows};
use crate::learn::configure::{getters, setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::models::generative::gaussians::{LN_2PI, priors};
use crate::models::generative::moments::group_means;
use crate::{Device, Error, Result};

/// `p(x | k) = Π_j N(x_j; m_kj, v_kj)`: quadratic discriminant analysis with diagonal covariances.
///
/// Means and variances are those of the classes (divided by `N_k`). To every variance the smoothing times the largest
/// variance of a feature over all rows is added, 1e-9 by default, so that a feature which is constant in one class does
/// not divide by zero. It is computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]];
/// let fit = GaussianNaiveBayes::new().fit(&Device::cpu(), &x, ["low", "low", "low", "high", "high", "high"])?;
/// assert_eq!(fit.predict(array![[2.5], [6.0]])?, ["low", "high"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianNaiveBayes {
    smoothing: f64,
    priors: Option<Vec<f64>>,
}

impl GaussianNaiveBayes {
    /// Priors from the data, a smoothing of 1e-9.
    pub fn new() -> Self {
        GaussianNaiveBayes { smoothing: 1e-9, priors: None }
    }
}

impl Default for GaussianNaiveBayes {
    fn default() -> Self {
        Self::new()
    }
}

setters!(GaussianNaiveBayes {
    /// The share of the largest variance that is added to all variances.
    smoothing: f64,
    /// The probability of each class, in the order of the classes; their shares by default.
    priors: into Option<Vec<f64>>,
});

fits_across!(GaussianNaiveBayes: Classify -> FittedGaussianNaiveBayes);

impl GaussianNaiveBayes {
    fn run(&self, all: &Meeting, _: &Device, task: &Task) -> Result<Found> {
        let op = "GaussianNaiveBayes::fit";
        not_negative("smoothing", self.smoothing)?;
        let (k, d) = (task.classes, task.x.ncols());
        // Each class, and after them all rows.
        let mut groups: Vec<Vec<usize>> = (0..k).map(|c| task.rows_of(c)).collect();
        groups.push((0..task.index.len()).collect());
        let (mass, centres) = group_means(all, op, task, &groups)?;
        let mut squares = Array2::zeros((k + 1, d));
        for (g, rows) in groups.iter().enumerate() {
            let (x, w) = (task.x.select(Axis(0), rows), task.weights.select(Axis(0), rows));
            let own = (&x - &centres.row(g)).mapv(|v| v * v) * w.insert_axis(Axis(1));
            squares.row_mut(g).assign(&own.sum_axis(Axis(0)));
        }
        let spread = all.add(op, squares)? / mass.view().insert_axis(Axis(1));
        let largest = spread.row(k).fold(0f64, |m, v| m.max(*v));
        let means = centres.slice(s![..k, ..]).to_owned();
        let variances = &spread.slice(s![..k, ..]) + self.smoothing * largest;
        if variances.iter().chain(&means).any(|v| !v.is_finite()) {
            return Err(crate::check::blame(op, task.x.view()));
        }
        if let Some(((_, j), &value)) = variances.indexed_iter().find(|(_, v)| **v <= 0.0) {
            return Err(Error::NotPositiveDefinite { op, pivot: j, value });
        }
        let priors = priors(op, self.priors.as_ref(), &mass.slice(s![..k]).to_owned())?;
        Ok(Found { means, variances, priors })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    means: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    variances: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    priors: Array1<f64>,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.means.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.log_joint(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits = self.means.nrows() == classes && self.means.dim() == self.variances.dim();
        require(op, fits && self.priors.len() == classes, || {
            "means and variances that do not fit".to_owned()
        })?;
        finite(op, "the means", self.means.view())?;
        self.variances.iter().chain(&self.priors).try_for_each(|v| positive("a variance or a prior", *v))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((x.nrows(), self.priors.len()));
        for (k, mut column) in out.columns_mut().into_iter().enumerate() {
            let (m, v) = (self.means.row(k), self.variances.row(k));
            let constant = self.priors[k].ln() - 0.5 * v.iter().map(|v| LN_2PI + v.ln()).sum::<f64>();
            for (out, row) in column.iter_mut().zip(x.rows()) {
                let squares = row.iter().zip(m).zip(v).map(|((x, m), v)| (x - m) * (x - m) / v);
                *out = constant - 0.5 * squares.sum::<f64>();
            }
        }
        Ok(out)
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(softmax_rows(self.log_joint(x)?))
    }
}

fitted_classifier! {
    /// Fitted [`GaussianNaiveBayes`].
    FittedGaussianNaiveBayes(Found): Probable, Joint
}

getters!(FittedGaussianNaiveBayes<L> {
    /// The mean of each feature in each class, `K x d`.
    means => found.means: &Array2<f64>,
    /// The variance of each feature in each class, `K x d`.
    variances => found.variances: &Array2<f64>,
    /// The probabilities of classes.
    priors => found.priors: &Array1<f64>,
});
