//! A kernel, points and coefficients as they are saved.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Expansion;
use crate::check::require;
use crate::ops::gram_diagonal;
use crate::saved::Grid;
use crate::{Kernel, Matrix, Result};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Expansion")]
pub(in crate::models) struct SavedExpansion<'a> {
    kernel: Cow<'a, Kernel>,
    points: Grid<'a>,
    coefficients: Grid<'a>,
}

impl<'a> SavedExpansion<'a> {
    pub fn of(own: &'a Expansion) -> Self {
        SavedExpansion {
            kernel: Cow::Borrowed(&own.kernel),
            points: Grid::new(&own.points),
            coefficients: Grid::new(&own.coefficients),
        }
    }

    pub fn restored(self, op: &'static str) -> Result<Expansion> {
        let ((n, d), (_, t)) = (self.points.dim(), self.coefficients.dim());
        require(op, n.min(d).min(t) > 0, || format!("{n} points of {d} features, {t} targets"))?;
        let points = self.points.checked(op, "the points", (n, d))?;
        let coefficients = self.coefficients.checked(op, "the coefficients", (n, t))?;
        let kernel = self.kernel.into_owned();
        // What the kernel has to say against the points it says now.
        gram_diagonal(&kernel, &Matrix::from_host(points.clone()))?;
        Ok(Expansion { kernel, points, coefficients })
    }
}
