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
use crate::models::generative::on_device::{Sums, White, class_moments, log_densities, placed};
use crate::ops::Second;
use crate::{Device, Error, Result};

/// `p(x | k) = Π_j N(x_j; m_kj, v_kj)`: quadratic discriminant analysis with diagonal covariances.
///
/// Means and variances are those of the classes (divided by `N_k`). To every variance the smoothing times the largest
/// variance of a feature over all rows is added, 1e-9 by default, so that a feature which is constant in one class does
/// not divide by zero.
///
/// A GPU sums the moments of the classes and computes densities in f32; classes that are narrow beside the range of a
/// feature, and rows between two classes, are computed in f64 on the CPU.
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
    fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
        let op = "GaussianNaiveBayes::fit";
        not_negative("smoothing", self.smoothing)?;
        let there = class_moments(op, all, device, task, Second::Diagonal)?;
        let (mass, centres, spread) =
            there.map_or_else(|| exact_moments(all, op, task), |s| Ok(pooled(s)))?;
        let k = task.classes;
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
        Ok(Found { means, variances, priors, device: device.clone() })
    }
}

/// The mass, the mean and the variances of each class, and after them of all rows.
type Spread = (Array1<f64>, Array2<f64>, Array2<f64>);

fn exact_moments(all: &Meeting, op: &'static str, task: &Task) -> Result<Spread> {
    let (k, d) = (task.classes, task.x.ncols());
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
    Ok((mass, centres, spread))
}

/// The same of sums that a device has made: the scatter of all rows is that within classes and that of their means.
fn pooled(Sums { mass, means, scatter }: Sums) -> Spread {
    let total = mass.sum();
    let column = mass.view().insert_axis(Axis(1));
    let centre = (&means * &column).sum_axis(Axis(0)) / total;
    let between = (&means - &centre).mapv(|v| v * v) * column;
    let whole = (between + &scatter).sum_axis(Axis(0)) / total;
    let mut spread = scatter / column;
    let (mut masses, mut centres) = (mass.to_vec(), means);
    masses.push(total);
    centres.push_row(centre.view()).expect("d features");
    spread.push_row(whole.view()).expect("d features");
    (masses.into(), centres, spread)
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
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
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
        let constant = Array1::from_shape_fn(self.priors.len(), |k| {
            self.priors[k].ln() - 0.5 * self.variances.row(k).iter().map(|v| LN_2PI + v.ln()).sum::<f64>()
        });
        let exact = |x: ArrayView2<f64>| {
            let mut out = Array2::zeros((x.nrows(), self.priors.len()));
            for (k, mut column) in out.columns_mut().into_iter().enumerate() {
                let (m, v) = (self.means.row(k), self.variances.row(k));
                for (out, row) in column.iter_mut().zip(x.rows()) {
                    let squares = row.iter().zip(m).zip(v).map(|((x, m), v)| (x - m) * (x - m) / v);
                    *out = constant[k] - 0.5 * squares.sum::<f64>();
                }
            }
            out
        };
        let (op, units) = ("FittedGaussianNaiveBayes::predict", self.variances.mapv(|v| 1.0 / v.sqrt()));
        let white = White::Diagonal(units.view());
        let there = log_densities(op, &self.device, x, &self.means, &white, &constant, exact)?;
        Ok(there.unwrap_or_else(|| exact(x)))
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

placed!(FittedGaussianNaiveBayes: found);

getters!(FittedGaussianNaiveBayes<L> {
    /// The mean of each feature in each class, `K x d`.
    means => found.means: &Array2<f64>,
    /// The variance of each feature in each class, `K x d`.
    variances => found.variances: &Array2<f64>,
    /// The probabilities of classes.
    priors => found.priors: &Array1<f64>,
});
