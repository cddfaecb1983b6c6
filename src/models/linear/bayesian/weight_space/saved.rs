//! A Gaussian of d weights as it is saved.

use ndarray::Axis;
use serde::{Deserialize, Serialize};

use super::{Matrix, Result, WeightSpace};
use crate::check::parameter;
use crate::saved::{Column, Grid, Triangular, solves};

#[derive(Serialize, Deserialize)]
#[serde(rename = "WeightSpace")]
pub(in crate::models::linear::bayesian) struct SavedWeights<'a> {
    precision: Grid<'a>,
    information: Column<'a>,
    l: Triangular<'a>,
    log_det: f64,
    mean: Column<'a>,
    log_evidence: f64,
}

impl<'a> SavedWeights<'a> {
    pub fn of(own: &'a WeightSpace) -> Self {
        SavedWeights {
            precision: Grid::new(&own.precision),
            information: Column::new(&own.information),
            l: Triangular::new(own.l.cpu()),
            log_det: own.log_det,
            mean: Column::new(&own.mean),
            log_evidence: own.log_evidence,
        }
    }

    pub fn restored(self, op: &'static str, d: usize) -> Result<WeightSpace> {
        let precision = self.precision.checked(op, "the precision", (d, d))?;
        let information = self.information.checked(op, "the information", d)?;
        let mean = self.mean.checked(op, "the mean", d)?;
        let l = self.l.of_diagonal(op, precision.diag())?;
        let (m, b) = (mean.view().insert_axis(Axis(1)), information.view().insert_axis(Axis(1)));
        solves(op, &l, m, b, b)?;
        let (log_det, log_evidence) = (self.log_det, self.log_evidence);
        parameter("log_det", log_det, log_det.is_finite(), "must be finite")?;
        parameter("log_evidence", log_evidence, log_evidence.is_finite(), "must be finite")?;
        Ok(WeightSpace { precision, information, l: Matrix::from_host(l), log_det, mean, log_evidence })
    }
}
