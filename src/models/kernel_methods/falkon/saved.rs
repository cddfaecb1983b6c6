//! A function on landmarks as it is saved. Checked in `tests/saved/ridge.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{CgInfo, FittedFalkon, Plan, positive, require, parameter};
use crate::Result;
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Checked;
use crate::saved::{Format, Record, saved_as};

const OP: &str = "a saved FittedFalkon";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedFalkon")]
struct Saved<'a> {
    format: Format,
    expansion: Cow<'a, Expansion>,
    which: Cow<'a, [usize]>,
    penalty: f64,
    jitter: f64,
    plan: Plan,
    info: Cow<'a, CgInfo>,
}

saved_as!(FittedFalkon, Saved);

impl<'a> Record<'a, FittedFalkon> for Saved<'a> {
    fn of(own: &'a FittedFalkon) -> Result<Self> {
        Ok(Saved {
            format: Format,
            expansion: Cow::Borrowed(&own.expansion),
            which: Cow::Borrowed(&own.which),
            penalty: own.penalty,
            jitter: own.jitter,
            plan: own.plan,
            info: Cow::Borrowed(&own.info),
        })
    }

    fn restored(self) -> Result<FittedFalkon> {
        positive("penalty", self.penalty)?;
        let jitter = self.jitter;
        parameter("jitter", jitter, jitter >= 0.0 && jitter.is_finite(), "must be finite and not negative")?;
        self.expansion.check()?;
        let expansion = self.expansion.into_owned();
        let (m, which) = (expansion.points.nrows(), self.which.into_owned());
        require(OP, which.len() == m, || format!("{m} landmarks, {} rows that they are", which.len()))?;
        let (penalty, plan, info) = (self.penalty, self.plan, self.info.into_owned());
        Ok(FittedFalkon { expansion, which, penalty, jitter, plan, info })
    }
}
