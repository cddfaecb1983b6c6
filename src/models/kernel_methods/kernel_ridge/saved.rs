//! A function of a kernel's space as it is saved. Checked in `tests/saved/ridge.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{FittedKernelRidge, SolveReport};
use crate::Result;
use crate::check::positive;
use crate::learn::plan::Plan;
use crate::models::kernel_methods::expansion::SavedExpansion;
use crate::saved::{Format, Record, saved_as};

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedKernelRidge")]
struct Saved<'a> {
    format: Format,
    expansion: SavedExpansion<'a>,
    penalty: f64,
    plan: Plan,
    report: Cow<'a, SolveReport>,
}

saved_as!(FittedKernelRidge, Saved);

impl<'a> Record<'a, FittedKernelRidge> for Saved<'a> {
    fn of(own: &'a FittedKernelRidge) -> Result<Self> {
        Ok(Saved {
            format: Format,
            expansion: SavedExpansion::of(&own.expansion),
            penalty: own.penalty,
            plan: own.plan,
            report: Cow::Borrowed(&own.report),
        })
    }

    fn restored(self) -> Result<FittedKernelRidge> {
        positive("penalty", self.penalty)?;
        Ok(FittedKernelRidge {
            expansion: self.expansion.restored("a saved FittedKernelRidge")?,
            penalty: self.penalty,
            plan: self.plan,
            report: self.report.into_owned(),
        })
    }
}
