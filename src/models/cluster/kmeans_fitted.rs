//! What k-means has found, and what can be done with it.

#[cfg(feature = "serde")]
mod saved;

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2};

use super::lloyd::Sums;
use super::seeding::squared_distance;
use crate::inference::em::Outcome;
use crate::ops::nearest;
use crate::{Device, Error, Matrix, Result};

/// Fitted [`KMeans`](super::KMeans).
#[derive(Debug, Clone)]
pub struct FittedKMeans {
    /// μ, `K x d`.
    pub centres: Array2<f64>,
    /// The cluster of each row.
    pub labels: Vec<usize>,
    /// The weight in each cluster.
    pub mass: Array1<f64>,
    /// `sum_i w_i |x_i - μ_k|^2`, of the best start.
    pub cost: f64,
    /// The cost at the best start and after each iteration.
    pub trace: Vec<f64>,
    /// The cost that each start ended with.
    pub costs: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    /// Clusters without a row: fewer than K rows differ.
    pub empty: Vec<usize>,
    device: Device,
}

impl FittedKMeans {
    pub(super) fn new(device: Device, x: ArrayView2<f64>, run: Outcome<Array2<f64>, Sums>) -> Result<Self> {
        let (mass, labels) = (run.stats.mass, run.stats.labels);
        let mut fitted = FittedKMeans {
            centres: run.params,
            labels: Vec::new(),
            empty: (0..mass.len()).filter(|&k| mass[k] <= 0.0).collect(),
            mass,
            cost: -run.objective,
            trace: run.trace.iter().map(|v| -v).collect(),
            costs: run.objectives.iter().map(|v| -v).collect(),
            iterations: run.iterations,
            converged: run.converged,
            device,
        };
        fitted.labels = match labels {
            Some(labels) => Arc::unwrap_or_clone(labels),
            None => fitted.predict(x)?,
        };
        Ok(fitted)
    }

    /// The nearest centre of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows do not have d entries, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let work = 2.0 * x.len() as f64 * self.centres.nrows() as f64;
        let device = self.device.suited_to(work);
        let centres = Matrix::from_array(&device, self.centres.view())?;
        Ok(nearest(&Matrix::from_array(&device, x)?, &centres)?.index)
    }

    /// `|x_i - μ_k|^2`, `m x K`.
    ///
    /// # Errors
    /// As [`FittedKMeans::predict`].
    pub fn squared_distances(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.check(x)?;
        Ok(Array2::from_shape_fn((x.nrows(), self.centres.nrows()), |(i, k)| {
            squared_distance(x.row(i), self.centres.row(k))
        }))
    }

    /// Learns from further rows, one after the other: the nearest centre moves by `(x - μ_k) / N_k`, which keeps it the
    /// mean of all rows it ever took. Labels, cost and trace stay those of the fit.
    ///
    /// # Errors
    /// As [`FittedKMeans::predict`]; nothing is learned then.
    pub fn update(&mut self, x: ArrayView2<f64>) -> Result<()> {
        self.check(x)?;
        for row in x.rows() {
            let distance = |k: usize| squared_distance(row, self.centres.row(k));
            let near = (0..self.centres.nrows()).map(|k| (k, distance(k)));
            let Some((k, _)) = near.reduce(|a, b| if b.1 < a.1 { b } else { a }) else { continue };
            self.mass[k] += 1.0;
            let step = 1.0 / self.mass[k];
            self.centres.row_mut(k).zip_mut_with(&row, |c, x| *c += step * (x - *c));
        }
        Ok(())
    }

    fn check(&self, x: ArrayView2<f64>) -> Result<()> {
        let d = self.centres.ncols();
        if x.ncols() != d {
            return Err(Error::Shape { op: "KMeans", what: format!("x has {} columns, not {d}", x.ncols()) });
        }
        match x.indexed_iter().find(|(_, v)| !v.is_finite()) {
            None => Ok(()),
            Some(((row, col), &value)) => Err(Error::NotFinite { op: "KMeans", what: "x", value, row, col }),
        }
    }
}
