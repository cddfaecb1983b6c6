//! The coefficients of a mean function as they are saved. Its frame and its columns come from the inputs again.

use serde::{Deserialize, Serialize};

use super::{Array2, ArrayView2, Design, Device, Frame, Mean, Result, SpdFactor, SpdParams, Trend, renamed};
use crate::check::require;
use crate::saved::Grid;

#[derive(Serialize, Deserialize)]
#[serde(rename = "Trend")]
pub(in crate::models::gp) struct SavedTrend<'a> {
    inner: Grid<'a>,
    weighted: Grid<'a>,
}

impl<'a> SavedTrend<'a> {
    pub fn of(own: &'a Trend) -> Self {
        SavedTrend { inner: Grid::new(&own.inner), weighted: Grid::new(&own.weighted) }
    }

    /// β, and `y - Hβ`.
    pub fn restored(
        self,
        op: &'static str,
        mean: Mean,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<(Trend, Array2<f64>)> {
        let (n, p, q) = (x.nrows(), mean.coefficients(x.ncols()), y.ncols());
        require(op, p <= n, || format!("a mean of {p} coefficients cannot be told from {n} points"))?;
        let inner = self.inner.checked(op, "the mean's coefficients", (p, q))?;
        let weighted = self.weighted.checked(op, "the mean's columns", (n, p))?;
        if p == 0 {
            let (frame, coefficients) = (Frame::new(mean, x), inner.clone());
            return Ok((Trend { frame, coefficients, inner, weighted, normal: None }, y.to_owned()));
        }
        let Design { frame, u, .. } = Design::new(mean, x, y)?;
        let gram = u.t().dot(&weighted);
        let gram = (&gram + &gram.t()) * 0.5;
        let normal = SpdFactor::new(&Device::cpu(), gram.view(), &SpdParams::default()).map_err(renamed)?;
        let residual = &y - &frame.columns(x).dot(&inner);
        let coefficients = frame.outside(inner.clone());
        Ok((Trend { frame, coefficients, inner, weighted, normal: Some(normal) }, residual))
    }
}
