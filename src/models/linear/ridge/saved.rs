//! A linear function as it is saved. Checked in `tests/saved/ridge.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{FittedRidge, Form, SolveReport};
use crate::Result;
use crate::check::{positive, require};
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedRidge";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedRidge")]
struct Saved<'a> {
    format: Format,
    coefficients: Grid<'a>,
    intercept: Column<'a>,
    penalty: f64,
    form: Form,
    report: Option<Cow<'a, SolveReport>>,
}

saved_as!(FittedRidge, Saved);

impl<'a> Record<'a, FittedRidge> for Saved<'a> {
    fn of(own: &'a FittedRidge) -> Result<Self> {
        Ok(Saved {
            format: Format,
            coefficients: Grid::new(&own.coefficients),
            intercept: Column::new(&own.intercept),
            penalty: own.penalty,
            form: own.form,
            report: own.report.as_ref().map(Cow::Borrowed),
        })
    }

    fn restored(self) -> Result<FittedRidge> {
        let (d, t) = self.coefficients.dim();
        require(OP, d.min(t) > 0, || format!("{d} features, {t} targets"))?;
        positive("penalty", self.penalty)?;
        Ok(FittedRidge {
            coefficients: self.coefficients.checked(OP, "the coefficients", (d, t))?,
            intercept: self.intercept.checked(OP, "the intercept", t)?,
            penalty: self.penalty,
            form: self.form,
            report: self.report.map(Cow::into_owned),
        })
    }
}
