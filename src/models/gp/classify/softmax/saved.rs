//! The factors of several latent functions as they are saved.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{ManyFactors, Matrix, Result, ScaledFactor, total};
use crate::linalg::SavedFactor;
use crate::check::require;
use crate::saved::{Column, Grid};

#[derive(Serialize, Deserialize)]
#[serde(rename = "ManyFactors")]
pub(in crate::models::gp::classify) struct SavedMany<'a> {
    pi: Grid<'a>,
    each: Vec<SavedFactor<'a>>,
    e: Vec<Grid<'a>>,
    inner: Vec<Column<'a>>,
    sum: SavedFactor<'a>,
}

impl<'a> SavedMany<'a> {
    pub fn of(own: &'a ManyFactors) -> Result<Self> {
        Ok(SavedMany {
            pi: Grid::new(&own.pi),
            each: own.each.iter().map(|each| each.factor.saved(true)).collect::<Result<_>>()?,
            e: own.e.iter().map(Matrix::to_array).map(|e| e.map(Grid::owned)).collect::<Result<_>>()?,
            inner: own.inner.iter().map(|v| Column::owned(v.clone().into())).collect(),
            sum: own.sum.saved(true)?,
        })
    }

    pub fn restored(self, op: &'static str, k: &Matrix, classes: usize) -> Result<ManyFactors> {
        let n = k.rows();
        require(op, [self.each.len(), self.e.len(), self.inner.len()] == [classes; 3], || {
            format!("{classes} classes, {} factors", self.each.len())
        })?;
        let pi = self.pi.checked(op, "the class probabilities", (n, classes))?;
        let each = self.each.into_iter().zip(pi.columns());
        let each = each.map(|(saved, p)| ScaledFactor::restored(op, k, p.mapv(f64::sqrt), saved));
        let each = each.collect::<Result<Vec<_>>>()?;
        let e = self.e.into_iter().map(|e| e.checked(op, "a block of (W⁻¹ + K)⁻¹", (n, n)));
        let e: Vec<Matrix> = e.map(|e| e.map(Matrix::from_host)).collect::<Result<_>>()?;
        let inner = self.inner.into_iter().map(|v| Ok(v.checked(op, "a diagonal of B⁻¹", n)?.to_vec()));
        let inner = inner.collect::<Result<_>>()?;
        let sum: Array2<f64> = total(&e, n)?;
        Ok(ManyFactors { pi, each, e, inner, sum: self.sum.of_matrix(op, sum)?, single: None })
    }
}
