//! What k-medoids has found.

use ndarray::{Array2, ArrayView2};

use crate::Result;
#[cfg(feature = "serde")]
use crate::check::not_negative;
use crate::check::{inputs, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, Report, Reported, Score, Transform};
use crate::models::cluster::seeding::{closest, squared_distance};
use crate::saved::Format;

/// Fitted [`KMedoids`](super::KMedoids).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKMedoids {
    format: Format,
    medoids: Vec<usize>,
    labels: Vec<usize>,
    /// The medoids as points; without columns if there were only dissimilarities.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    centres: Array2<f64>,
    report: Report,
}

getters!(FittedKMedoids {
    /// The observation that stands for each cluster.
    medoids: &[usize],
    /// The cluster of each observation.
    labels: &[usize],
    /// How the fit went; its objectives are costs.
    report: &Report,
});

inherent!(FittedKMedoids: Predict -> Vec<usize>, Transform, Score);

impl FittedKMedoids {
    pub(super) fn new(medoids: Vec<usize>, labels: Vec<usize>, centres: Array2<f64>, report: Report) -> Self {
        FittedKMedoids { format: Format, medoids, labels, centres, report }
    }

    /// The cost `sum_i w_i V(i, medoid of i)`.
    pub fn cost(&self) -> f64 {
        self.report.objective()
    }

    /// The medoids as points, `K x d`; none if the fit was to dissimilarities.
    pub fn centres(&self) -> Option<&Array2<f64>> {
        (self.centres.ncols() > 0).then_some(&self.centres)
    }

    fn check_inputs(&self, op: &'static str, x: ArrayView2<f64>) -> Result<()> {
        require(op, self.centres.ncols() > 0, || {
            "a fit to dissimilarities knows no points: use `fit` to predict".to_owned()
        })?;
        inputs(op, x, self.centres.ncols())
    }
}

impl Predict for FittedKMedoids {
    type Output = Vec<usize>;

    /// The nearest medoid of each row; an error if the fit was to dissimilarities.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        self.check_inputs("FittedKMedoids::predict", x)?;
        Ok(x.rows().into_iter().filter_map(|row| closest(row, self.centres.view())).map(|c| c.0).collect())
    }
}

/// Distances from the medoids.
impl Transform for FittedKMedoids {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.check_inputs("FittedKMedoids::transform", x)?;
        Ok(Array2::from_shape_fn((x.nrows(), self.medoids.len()), |(i, k)| {
            squared_distance(x.row(i), self.centres.row(k)).sqrt()
        }))
    }
}

/// Minus the cost of new rows.
impl Score for FittedKMedoids {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        self.check_inputs("FittedKMedoids::score", x)?;
        let near = x.rows().into_iter().filter_map(|row| closest(row, self.centres.view()));
        Ok(-near.map(|c| c.1.sqrt()).sum::<f64>())
    }
}

impl Reported for FittedKMedoids {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKMedoids);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedKMedoids {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKMedoids";
        let (k, n) = (self.medoids.len(), self.labels.len());
        require(OP, k > 0 && self.centres.nrows() == k, || {
            format!("{k} medoids, {} centres", self.centres.nrows())
        })?;
        crate::check::numbers(OP, "the centres", self.centres.view())?;
        require(OP, self.medoids.iter().all(|m| *m < n), || {
            format!("a medoid that is none of {n} observations")
        })?;
        require(OP, self.labels.iter().all(|l| *l < k), || format!("a label that is none of {k} medoids"))?;
        not_negative("cost", self.cost())
    }
}
