//! The factor of one latent function as it is saved.

use ndarray::Array1;
use serde::{Deserialize, Serialize};

use super::{Matrix, OneFactor, Result, ScaledFactor, scaled};
use crate::linalg::SavedFactor;
use crate::check::parameter;
use crate::saved::Column;

#[derive(Serialize, Deserialize)]
#[serde(rename = "OneFactor")]
pub(in crate::models::gp::classify) struct SavedOne<'a> {
    root: Column<'a>,
    factor: SavedFactor<'a>,
    drift: Column<'a>,
}

impl<'a> SavedOne<'a> {
    pub fn of(own: &'a OneFactor) -> Result<Self> {
        let (root, drift) = (Column::new(&own.scaled.root), Column::new(&own.drift));
        Ok(SavedOne { root, factor: own.scaled.factor.saved(true)?, drift })
    }

    pub fn restored(self, op: &'static str, k: &Matrix) -> Result<OneFactor> {
        let root = self.root.checked(op, "the roots of the curvature", k.rows())?;
        let drift = self.drift.checked(op, "the drift of the curvature", k.rows())?;
        Ok(OneFactor { scaled: ScaledFactor::restored(op, k, root, self.factor)?, drift })
    }
}

impl ScaledFactor {
    pub fn restored(op: &'static str, k: &Matrix, root: Array1<f64>, saved: SavedFactor) -> Result<Self> {
        let bad = root.iter().copied().find(|v| !(*v >= 0.0 && v.is_finite()));
        parameter("a root", bad.unwrap_or(0.0), bad.is_none(), "must be finite and not negative")?;
        let (b, largest) = scaled(k, &root)?;
        Ok(ScaledFactor { root, largest, factor: saved.of_matrix(op, b)? })
    }
}
