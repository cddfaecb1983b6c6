//! Centres as they are saved. Checked in `tests/saved/cluster.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Device, FittedKMeans, Result};
use crate::check::{finite, require, parameter};
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedKMeans";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedKMeans")]
struct Saved<'a> {
    format: Format,
    centres: Grid<'a>,
    labels: Cow<'a, [usize]>,
    mass: Column<'a>,
    cost: f64,
    trace: Column<'a>,
    costs: Column<'a>,
    iterations: usize,
    converged: bool,
    empty: Cow<'a, [usize]>,
}

saved_as!(FittedKMeans, Saved);

impl<'a> Record<'a, FittedKMeans> for Saved<'a> {
    fn of(own: &'a FittedKMeans) -> Result<Self> {
        Ok(Saved {
            format: Format,
            centres: Grid::new(&own.centres),
            labels: Cow::Borrowed(&own.labels),
            mass: Column::new(&own.mass),
            cost: own.cost,
            trace: Column::list(&own.trace),
            costs: Column::list(&own.costs),
            iterations: own.iterations,
            converged: own.converged,
            empty: Cow::Borrowed(&own.empty),
        })
    }

    fn restored(self) -> Result<FittedKMeans> {
        let centres = self.centres.into_array();
        finite(OP, "the centres", centres.view())?;
        let k = centres.nrows();
        let mass = self.mass.checked(OP, "the mass", k)?;
        let bad = mass.iter().copied().find(|v| *v < 0.0);
        parameter("mass", bad.unwrap_or(0.0), bad.is_none(), "must not be negative")?;
        parameter(
            "cost",
            self.cost,
            self.cost >= 0.0 && self.cost.is_finite(),
            "must be finite and not negative",
        )?;
        let (labels, empty) = (self.labels.into_owned(), self.empty.into_owned());
        require(OP, labels.iter().chain(&empty).all(|own| *own < k), || {
            format!("a label that is none of {k} centres")
        })?;
        Ok(FittedKMeans {
            centres,
            labels,
            mass,
            cost: self.cost,
            trace: self.trace.into_vec(),
            costs: self.costs.into_vec(),
            iterations: self.iterations,
            converged: self.converged,
            empty,
            device: Device::cpu(),
        })
    }
}
