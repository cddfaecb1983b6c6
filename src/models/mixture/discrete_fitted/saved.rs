//! A mixture of discrete distributions as it is saved, with the name of its family. Checked in `tests/saved/cluster.rs`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Device, Family, FittedDiscreteMixture, Result};
use crate::check::{finite, require, weights, parameter};
use crate::saved::{Column, Format, Grid};

const OP: &str = "a saved FittedDiscreteMixture";

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedDiscreteMixture")]
struct Saved<'a> {
    format: Format,
    family: String,
    weights: Column<'a>,
    probabilities: Grid<'a>,
    log_likelihood: f64,
    trace: Column<'a>,
    iterations: usize,
    converged: bool,
}

impl<F: Family> Serialize for FittedDiscreteMixture<F> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let saved = Saved {
            format: Format,
            family: F::NAME.to_owned(),
            weights: Column::new(&self.weights),
            probabilities: Grid::new(&self.probabilities),
            log_likelihood: self.log_likelihood,
            trace: Column::list(&self.trace),
            iterations: self.iterations,
            converged: self.converged,
        };
        saved.serialize(to)
    }
}

impl<'de, F: Family> Deserialize<'de> for FittedDiscreteMixture<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        Saved::deserialize(from)?.restored().map_err(serde::de::Error::custom)
    }
}

impl Saved<'_> {
    fn restored<F: Family>(self) -> Result<FittedDiscreteMixture<F>> {
        require(OP, self.family == F::NAME, || format!("it is a {}, not a {}", self.family, F::NAME))?;
        let probabilities = self.probabilities.into_array();
        finite(OP, "the probabilities", probabilities.view())?;
        let bad = probabilities.iter().copied().find(|p| !(0.0..=1.0).contains(p));
        parameter("a probability", bad.unwrap_or(0.0), bad.is_none(), "must be between 0 and 1")?;
        let own = self.weights.into_array();
        weights(OP, own.view(), probabilities.nrows())?;
        let log_likelihood = self.log_likelihood;
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")?;
        Ok(FittedDiscreteMixture {
            weights: own,
            probabilities,
            log_likelihood,
            trace: self.trace.into_vec(),
            iterations: self.iterations,
            converged: self.converged,
            family: F::default(),
            device: Device::cpu(),
        })
    }
}
