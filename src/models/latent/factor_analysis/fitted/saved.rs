//! Factors as they are saved. Checked in `tests/saved/latent.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Device, FittedFactorAnalysis, Report, Result};
use crate::check::{positive, require, parameter};
use crate::saved::{Column, Format, Grid, Record, saved_as};

const OP: &str = "a saved FittedFactorAnalysis";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedFactorAnalysis")]
struct Saved<'a> {
    format: Format,
    mean: Column<'a>,
    loadings: Grid<'a>,
    noise_variances: Column<'a>,
    log_likelihood: f64,
    report: Cow<'a, Report>,
}

saved_as!(FittedFactorAnalysis, Saved);

impl<'a> Record<'a, FittedFactorAnalysis> for Saved<'a> {
    fn of(own: &'a FittedFactorAnalysis) -> Result<Self> {
        Ok(Saved {
            format: Format,
            mean: Column::new(&own.mean),
            loadings: Grid::new(&own.loadings),
            noise_variances: Column::new(&own.noise_variances),
            log_likelihood: own.log_likelihood,
            report: Cow::Borrowed(&own.report),
        })
    }

    fn restored(self) -> Result<FittedFactorAnalysis> {
        let (d, k) = self.loadings.dim();
        require(OP, d > 0 && k > 0, || format!("{k} factors in {d} dimensions"))?;
        let noise_variances = self.noise_variances.checked(OP, "noise variances", d)?;
        noise_variances.iter().try_for_each(|&v| positive("noise_variances", v))?;
        let log_likelihood = self.log_likelihood;
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")?;
        Ok(FittedFactorAnalysis {
            mean: self.mean.checked(OP, "the mean", d)?,
            loadings: self.loadings.checked(OP, "the loadings", (d, k))?,
            noise_variances,
            log_likelihood,
            report: self.report.into_owned(),
            device: Device::cpu(),
        })
    }
}
