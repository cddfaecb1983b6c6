//! What k-means has found, and what can be done with it.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2};

use super::lloyd::Sums;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{inputs, not_negative};
use crate::inference::em::Outcome;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, Report, Reported, Score, Transform};
use crate::matrix::{Origin, Points};
use crate::models::cluster::seeding::{closest, cost, squared_distance};
use crate::ops::nearest;
use crate::saved::Format;
use crate::{Device, Result};

/// Fitted [`KMeans`](super::KMeans).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKMeans {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    centres: Array2<f64>,
    labels: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
    cost: f64,
    empty: Vec<usize>,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedKMeans {
    /// The centres μ, `K x d`.
    centres: &Array2<f64>,
    /// The cluster of each row of the fit; of this rank's rows, if it was made across several; none if it was made of parts.
    labels: &[usize],
    /// The weight in each cluster.
    mass: &Array1<f64>,
    /// The cost `sum_i w_i |x_i - μ_k|^2` of the best start.
    cost: f64,
    /// The clusters without a row: fewer than K rows differ.
    empty: &[usize],
    /// How the fit went; its objectives are costs.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedKMeans: Predict -> Vec<usize>, Transform, Score);

impl FittedKMeans {
    pub(super) fn new(device: Device, x: ArrayView2<f64>, run: Outcome<Array2<f64>, Sums>) -> Result<Self> {
        let (mass, labels) = (run.stats.mass, run.stats.labels);
        let report = run.report.negated();
        let mut fitted = FittedKMeans {
            format: Format,
            centres: run.params,
            labels: Vec::new(),
            empty: (0..mass.len()).filter(|&k| mass[k] <= 0.0).collect(),
            mass,
            cost: report.objective(),
            report,
            device,
        };
        fitted.labels = match labels {
            Some(labels) => Arc::unwrap_or_clone(labels),
            None if x.nrows() == 0 => Vec::new(),
            None => fitted.predict(x)?,
        };
        Ok(fitted)
    }

    /// The squared distances `|x_i - μ_k|^2`, `m x K`.
    ///
    /// # Errors
    /// As [`FittedKMeans::predict`].
    pub fn squared_distances(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("FittedKMeans::squared_distances", x.view(), self.centres.ncols())?;
        Ok(Array2::from_shape_fn((x.nrows(), self.centres.nrows()), |(i, k)| {
            squared_distance(x.row(i), self.centres.row(k))
        }))
    }

    /// Learns from further rows, one after the other: the nearest centre moves by `(x - μ_k) / N_k`, which keeps it the
    /// mean of all rows it ever took. Labels, cost and report stay those of the fit.
    ///
    /// # Errors
    /// As [`FittedKMeans::predict`]; nothing is learned then.
    pub fn update(&mut self, x: impl Inputs) -> Result<()> {
        self.update_by(x, |mass| 1.0 / mass)
    }

    /// The same with a step of the caller's: the nearest centre moves by `η (x - μ_k)`, where η comes from the number of rows that this
    /// centre has taken, the new one included. A constant η ≤ 1 keeps centres in the hull of the data and forgets; a decreasing one
    /// settles if its sum is infinite and that of its squares is not.
    ///
    /// # Errors
    /// As [`FittedKMeans::update`], and [`Error::Parameter`](crate::Error::Parameter) for a step that is negative or not finite; rows
    /// before it are learned then.
    pub fn update_by(&mut self, x: impl Inputs, step: impl Fn(f64) -> f64) -> Result<()> {
        let x = x.inputs();
        inputs("FittedKMeans::update", x.view(), self.centres.ncols())?;
        for row in x.rows() {
            let Some((k, _)) = closest(row, self.centres.view()) else { continue };
            self.mass[k] += 1.0;
            let step = step(self.mass[k]);
            not_negative("step", step)?;
            self.centres.row_mut(k).zip_mut_with(&row, |c, x| *c += step * (x - *c));
        }
        Ok(())
    }
}

impl Predict for FittedKMeans {
    type Output = Vec<usize>;

    /// The nearest centre of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        const OP: &str = "FittedKMeans::predict";
        inputs(OP, x, self.centres.ncols())?;
        let work = 2.0 * x.len() as f64 * self.centres.nrows() as f64;
        let points = Points::new(OP, &self.device, x, Origin::Free, work)?;
        Ok(nearest(points.matrix()?, &points.like(OP, self.centres.view())?)?.index)
    }
}

/// Distances from the centres.
impl Transform for FittedKMeans {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.squared_distances(x)?.mapv(f64::sqrt))
    }
}

/// Minus the cost of new rows.
impl Score for FittedKMeans {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        inputs("FittedKMeans::score", x, self.centres.ncols())?;
        Ok(-cost(x, self.centres.view()))
    }
}

impl Reported for FittedKMeans {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKMeans);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedKMeans {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKMeans";
        finite(OP, "the centres", self.centres.view())?;
        let k = self.centres.nrows();
        require(OP, self.mass.len() == k, || {
            format!("{k} centres, {} entries of the mass", self.mass.len())
        })?;
        self.mass.iter().try_for_each(|v| not_negative("mass", *v))?;
        not_negative("cost", self.cost)?;
        require(OP, self.labels.iter().chain(&self.empty).all(|own| *own < k), || {
            format!("a label that is none of {k} centres")
        })
    }
}
