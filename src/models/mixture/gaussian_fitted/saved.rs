//! A mixture of Gaussians as it is saved. Checked in `tests/saved/cluster.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{CovarianceKind, Device, FittedGaussianMixture, GaussianParams, Result};
use crate::check::{finite, positive, require, weights, parameter};
use crate::models::mixture::factors::Factors;
use crate::saved::{Column, Format, Record, saved_as};

const OP: &str = "a saved FittedGaussianMixture";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedGaussianMixture")]
struct Saved<'a> {
    format: Format,
    params: Cow<'a, GaussianParams>,
    log_likelihood: f64,
    trace: Column<'a>,
    objectives: Column<'a>,
    iterations: usize,
    converged: bool,
    mass: f64,
    floored: Cow<'a, [usize]>,
    dead: Cow<'a, [usize]>,
    kind: Cow<'a, CovarianceKind>,
    missing: bool,
}

saved_as!(FittedGaussianMixture, Saved);

impl<'a> Record<'a, FittedGaussianMixture> for Saved<'a> {
    fn of(own: &'a FittedGaussianMixture) -> Result<Self> {
        Ok(Saved {
            format: Format,
            params: Cow::Borrowed(&own.params),
            log_likelihood: own.log_likelihood,
            trace: Column::list(&own.trace),
            objectives: Column::list(&own.objectives),
            iterations: own.iterations,
            converged: own.converged,
            mass: own.mass,
            floored: Cow::Borrowed(&own.floored),
            dead: Cow::Borrowed(&own.dead),
            kind: Cow::Borrowed(&own.kind),
            missing: own.missing,
        })
    }

    fn restored(self) -> Result<FittedGaussianMixture> {
        let Saved { log_likelihood, iterations, converged, mass, missing, .. } = self;
        let params = self.params.into_owned();
        finite(OP, "the means", params.means.view())?;
        let (k, d) = params.means.dim();
        weights(OP, params.weights.view(), k)?;
        params.covariance.check(OP, k, d)?;
        // Positive on the diagonal is not yet positive definite.
        Factors::new(&Device::cpu(), &params.covariance, k, d)?;
        positive("mass", mass)?;
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")?;
        let (floored, dead) = (self.floored.into_owned(), self.dead.into_owned());
        require(OP, floored.iter().chain(&dead).all(|own| *own < k), || {
            format!("a component that is none of {k}")
        })?;
        Ok(FittedGaussianMixture {
            params,
            log_likelihood,
            trace: self.trace.into_vec(),
            objectives: self.objectives.into_vec(),
            iterations,
            converged,
            mass,
            floored,
            dead,
            kind: self.kind.into_owned(),
            missing,
            device: Device::cpu(),
        })
    }
}
