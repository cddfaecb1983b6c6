//! The scores of every penalty, and the best fit, as they are saved. Checked in `tests/saved/ridge.rs`.

use std::borrow::Cow;

use ndarray::Array1;
use serde::{Deserialize, Serialize};

use super::{FittedRidge, FittedRidgeCv};
use crate::Result;
use crate::check::{positive, require};
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedRidgeCv";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedRidgeCv")]
struct Saved<'a> {
    format: Format,
    penalties: Column<'a>,
    scores: Grid<'a>,
    fit: Cow<'a, FittedRidge>,
    residuals: Grid<'a>,
    leverages: Column<'a>,
    effective: Column<'a>,
}

saved_as!(FittedRidgeCv, Saved);

impl<'a> Record<'a, FittedRidgeCv> for Saved<'a> {
    fn of(own: &'a FittedRidgeCv) -> Result<Self> {
        Ok(Saved {
            format: Format,
            penalties: Column::owned(Array1::from(own.penalties.clone())),
            scores: Grid::new(&own.scores),
            fit: Cow::Borrowed(&own.fit),
            residuals: Grid::new(&own.residuals),
            leverages: Column::new(&own.leverages),
            effective: Column::new(&own.effective),
        })
    }

    fn restored(self) -> Result<FittedRidgeCv> {
        let fit = self.fit.into_owned();
        let (count, n, t) = (self.penalties.len(), self.leverages.len(), fit.coefficients().ncols());
        let penalties = self.penalties.into_array().to_vec();
        penalties.iter().try_for_each(|&penalty| positive("penalty", penalty))?;
        require(OP, penalties.contains(&fit.penalty()), || {
            format!("the best penalty, {}, is none of those tried", fit.penalty())
        })?;
        require(OP, self.scores.dim() == (count, t), || {
            format!("{count} penalties and {t} targets, scores of {:?}", self.scores.dim())
        })?;
        require(OP, self.residuals.dim() == (n, t), || {
            format!("{n} leverages and {t} targets, residuals of {:?}", self.residuals.dim())
        })?;
        Ok(FittedRidgeCv {
            penalties,
            // What a penalty leaves need not be finite: such a score is never the best.
            scores: self.scores.into_array(),
            fit,
            residuals: self.residuals.into_array(),
            leverages: self.leverages.into_array(),
            effective: self.effective.checked(OP, "effective parameters", count)?,
        })
    }
}
