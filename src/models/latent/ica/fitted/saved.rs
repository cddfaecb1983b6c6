//! Independent components as they are saved. Checked in `tests/saved/latent.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Device, FittedIca, Report, Result};
use crate::check::require;
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedIca";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedIca")]
struct Saved<'a> {
    format: Format,
    mean: Column<'a>,
    unmixing: Grid<'a>,
    mixing: Grid<'a>,
    report: Cow<'a, Report>,
}

saved_as!(FittedIca, Saved);

impl<'a> Record<'a, FittedIca> for Saved<'a> {
    fn of(own: &'a FittedIca) -> Result<Self> {
        Ok(Saved {
            format: Format,
            mean: Column::new(&own.mean),
            unmixing: Grid::new(&own.unmixing),
            mixing: Grid::new(&own.mixing),
            report: Cow::Borrowed(&own.report),
        })
    }

    fn restored(self) -> Result<FittedIca> {
        let (k, d) = self.unmixing.dim();
        require(OP, k > 0 && k <= d, || format!("{k} sources in {d} dimensions"))?;
        Ok(FittedIca {
            mean: self.mean.checked(OP, "the mean", d)?,
            unmixing: self.unmixing.checked(OP, "the unmixing", (k, d))?,
            mixing: self.mixing.checked(OP, "the mixing", (d, k))?,
            report: self.report.into_owned(),
            device: Device::cpu(),
        })
    }
}
