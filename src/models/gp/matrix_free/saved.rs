//! A process without a stored covariance as it is saved. Its preconditioner is made again, in the time of a few iterations.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::evidence::Parts;
use super::plan;
use super::system::System;
use crate::linalg::{Certificate, CgInfo, KernelOperator, LogDet, Operator};
use crate::check::require;
use crate::models::gp::mean::Trend;
use crate::models::gp::regressor::GpRegressor;
use crate::{Device, Matrix, Result};

/// Rows of `Cα = y - Hβ` that are looked at.
const ROWS: usize = 32;
/// What they may be off by, besides what the solve was allowed.
const ROUNDING: f64 = 1e-8;

#[derive(Serialize, Deserialize)]
#[serde(rename = "MatrixFree")]
pub(in crate::models::gp) struct SavedParts<'a> {
    info: Cow<'a, CgInfo>,
    log_det: Cow<'a, LogDet>,
}

impl<'a> SavedParts<'a> {
    pub fn of(own: &'a Parts) -> Self {
        SavedParts { info: Cow::Borrowed(&own.info), log_det: Cow::Borrowed(&own.log_det) }
    }

    /// With a rank that is that of a fit, once α is seen to solve for the residual `y - Hβ`.
    pub fn restored(
        self,
        (op, model): (&'static str, &GpRegressor),
        (x, y): (ArrayView2<f64>, ArrayView2<f64>),
        (trend, residual, alpha): (Trend, Array2<f64>, Array2<f64>),
        certificate: Certificate,
        value: f64,
    ) -> Result<Parts> {
        let rank = plan::rank(x.nrows(), &model.large, model.budget);
        let system = System::new(model, &Device::cpu(), x, rank)?;
        some_rows((op, model), (x, y), &residual, &alpha)?;
        let (info, log_det) = (self.info.into_owned(), self.log_det.into_owned());
        Ok(Parts { system, trend, alpha, info, certificate, log_det, value })
    }
}

/// Whether `Cα = y - Hβ` in some rows, to the tolerance of the solve: all of them would take as long as an iteration.
fn some_rows(
    (op, model): (&'static str, &GpRegressor),
    (x, y): (ArrayView2<f64>, ArrayView2<f64>),
    residual: &Array2<f64>,
    alpha: &Array2<f64>,
) -> Result<()> {
    let which: Vec<usize> = (0..x.nrows()).step_by(x.nrows().div_ceil(ROWS)).collect();
    let points = Matrix::from_host(x.to_owned());
    let columns = KernelOperator::new(&model.kernel, &points, model.noise.clone())?.columns(&which)?;
    let (product, size) = (columns.t().dot(alpha), columns.mapv(f64::abs).t().dot(&alpha.mapv(f64::abs)));
    let allowed = residual.map_axis(Axis(0), |r| 100.0 * model.large.tolerance * r.dot(&r).sqrt());
    for ((row, c), product) in product.indexed_iter() {
        let off = (product - residual[[which[row], c]]).abs();
        // Written so that a NaN is refused.
        let fits = off <= allowed[c] + ROUNDING * (size[[row, c]] + y[[which[row], c]].abs());
        require(op, fits, || format!("the coefficients do not solve for the targets in row {}", which[row]))?;
    }
    Ok(())
}
