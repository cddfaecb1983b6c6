//! A Gaussian of low rank plus noise as it is saved.

use serde::{Deserialize, Serialize};

use super::{Result, Subspace};
use crate::check::{positive, require, parameter};
use crate::saved::{Column, Grid};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Subspace")]
pub(in crate::models::latent) struct SavedSubspace<'a> {
    mean: Column<'a>,
    axes: Grid<'a>,
    variances: Column<'a>,
    noise: f64,
}

impl<'a> SavedSubspace<'a> {
    pub fn of(own: &'a Subspace) -> Self {
        SavedSubspace {
            mean: Column::new(&own.mean),
            axes: Grid::new(&own.axes),
            variances: Column::new(&own.variances),
            noise: own.noise,
        }
    }

    pub fn restored(self, op: &'static str) -> Result<Subspace> {
        let ((k, d), noise) = (self.axes.dim(), self.noise);
        require(op, d > 0 && k <= d, || format!("{k} axes in {d} dimensions"))?;
        positive("noise", noise)?;
        let variances = self.variances.checked(op, "the variances", k)?;
        let bad = variances.iter().copied().find(|v| *v < noise);
        parameter("a variance", bad.unwrap_or(noise), bad.is_none(), "must not be below the noise")?;
        let mean = self.mean.checked(op, "the mean", d)?;
        Ok(Subspace { mean, axes: self.axes.checked(op, "the axes", (k, d))?, variances, noise })
    }
}
