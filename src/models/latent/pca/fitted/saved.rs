//! Principal components as they are saved. Checked in `tests/saved/latent.rs`.

use serde::{Deserialize, Serialize};

use super::{Device, FittedPca, Result};
use crate::check::{require, parameter};
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedPca";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedPca")]
struct Saved<'a> {
    format: Format,
    mean: Column<'a>,
    components: Grid<'a>,
    explained_variance: Column<'a>,
    total_variance: f64,
    count: usize,
    iterations: Option<usize>,
    rank: usize,
    whiten: bool,
}

saved_as!(FittedPca, Saved);

impl<'a> Record<'a, FittedPca> for Saved<'a> {
    fn of(own: &'a FittedPca) -> Result<Self> {
        Ok(Saved {
            format: Format,
            mean: Column::new(&own.mean),
            components: Grid::new(&own.components),
            explained_variance: Column::new(&own.explained_variance),
            total_variance: own.total_variance,
            count: own.count,
            iterations: own.iterations,
            rank: own.rank,
            whiten: own.whiten,
        })
    }

    fn restored(self) -> Result<FittedPca> {
        let Saved { total_variance, count, iterations, rank, whiten, .. } = self;
        let (k, d) = self.components.dim();
        require(OP, (1..=rank).contains(&k) && rank <= d, || {
            format!("{k} components of {rank}, in {d} dimensions")
        })?;
        let requirement = "must be finite and not negative";
        parameter(
            "total_variance",
            total_variance,
            total_variance >= 0.0 && total_variance.is_finite(),
            requirement,
        )?;
        let explained_variance = self.explained_variance.checked(OP, "explained variance", k)?;
        let bad = explained_variance.iter().copied().find(|v| !(*v > 0.0 || (*v == 0.0 && !whiten)));
        parameter(
            "explained_variance",
            bad.unwrap_or(1.0),
            bad.is_none(),
            "must not be negative, nor zero if whitened",
        )?;
        Ok(FittedPca {
            mean: self.mean.checked(OP, "the mean", d)?,
            components: self.components.checked(OP, "the components", (k, d))?,
            explained_variance,
            total_variance,
            count,
            iterations,
            rank,
            whiten,
            device: Device::cpu(),
        })
    }
}
