//! Probabilistic principal components as they are saved. Checked in `tests/saved/latent.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{FittedPpca, Report, Result};
use crate::check::{positive, parameter};
use crate::models::latent::gaussian::SavedSubspace;
use crate::saved::{Column, Format, Record, saved_as};

const OP: &str = "a saved FittedPpca";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedPpca")]
struct Saved<'a> {
    format: Format,
    /// Mean, loadings and noise are made of it.
    gaussian: SavedSubspace<'a>,
    log_likelihood: f64,
    relevance: Option<Column<'a>>,
    report: Option<Cow<'a, Report>>,
    missing: bool,
}

saved_as!(FittedPpca, Saved);

impl<'a> Record<'a, FittedPpca> for Saved<'a> {
    fn of(own: &'a FittedPpca) -> Result<Self> {
        Ok(Saved {
            format: Format,
            gaussian: SavedSubspace::of(&own.gaussian),
            log_likelihood: own.log_likelihood,
            relevance: own.relevance.as_ref().map(Column::new),
            report: own.report.as_ref().map(Cow::Borrowed),
            missing: own.missing,
        })
    }

    fn restored(self) -> Result<FittedPpca> {
        let (gaussian, log_likelihood) = (self.gaussian.restored(OP)?, self.log_likelihood);
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")?;
        let k = gaussian.variances.len();
        let relevance = self.relevance.map(|r| r.checked(OP, "the relevance", k)).transpose()?;
        relevance.iter().flatten().try_for_each(|&v| positive("relevance", v))?;
        let fitted = FittedPpca::new(gaussian, log_likelihood, relevance, self.report.map(Cow::into_owned));
        Ok(if self.missing { fitted.with_holes() } else { fitted })
    }
}
