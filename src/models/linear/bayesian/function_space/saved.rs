//! A process of fewer observations than features as it is saved.

use ndarray::Axis;
use serde::{Deserialize, Serialize};

use super::{FunctionSpace, Matrix, Result};
use crate::check::{require, parameter};
use crate::saved::{Column, Grid, Triangular};

#[derive(Serialize, Deserialize)]
#[serde(rename = "FunctionSpace")]
pub(in crate::models::linear::bayesian) struct SavedFunctions<'a> {
    phi: Grid<'a>,
    t: Column<'a>,
    l: Option<Triangular<'a>>,
    mean: Column<'a>,
    log_evidence: f64,
}

impl<'a> SavedFunctions<'a> {
    pub fn of(own: &'a FunctionSpace) -> Self {
        SavedFunctions {
            phi: Grid::new(&own.phi),
            t: Column::new(&own.t),
            l: own.l.as_ref().map(|l| Triangular::new(l.cpu())),
            mean: Column::new(&own.mean),
            log_evidence: own.log_evidence,
        }
    }

    /// With the precisions of the weights and of the noise, and for d features.
    pub fn restored(self, op: &'static str, (alpha, beta): (f64, f64), d: usize) -> Result<FunctionSpace> {
        let n = self.t.len();
        require(op, n < d && self.l.is_some() == (n > 0), || {
            format!("{n} observations of {d} features, and a factor that does not fit them")
        })?;
        let phi = self.phi.checked(op, "phi", (n, d))?;
        let own = phi.map_axis(Axis(1), |row| row.dot(&row) / alpha + 1.0 / beta);
        let l = self.l.map(|l| l.of_diagonal(op, own.view())).transpose()?.map(Matrix::from_host);
        let log_evidence = self.log_evidence;
        parameter("log_evidence", log_evidence, log_evidence.is_finite(), "must be finite")?;
        let (t, mean) = (self.t.checked(op, "t", n)?, self.mean.checked(op, "the mean", d)?);
        Ok(FunctionSpace { alpha, beta, phi, t, l, mean, log_evidence })
    }
}
