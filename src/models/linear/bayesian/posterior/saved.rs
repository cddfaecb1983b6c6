//! What is known of the weights, as it is saved. Checked in `tests/saved/ridge.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{LinearPosterior, Prior, State};
use crate::check::require;
use crate::models::linear::BayesianLinearRegression;
use crate::models::linear::bayesian::function_space::SavedFunctions;
use crate::models::linear::bayesian::weight_space::SavedWeights;
use crate::saved::{Format, Record, saved_as};
use crate::{Error, Result};

const OP: &str = "a saved LinearPosterior";

#[derive(Serialize, Deserialize)]
#[serde(rename = "LinearPosterior")]
struct Saved<'a> {
    format: Format,
    beta: f64,
    features: usize,
    observations: usize,
    prior: Cow<'a, Prior>,
    state: SavedState<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "State")]
enum SavedState<'a> {
    Weights(SavedWeights<'a>),
    Functions(SavedFunctions<'a>),
}

saved_as!(LinearPosterior, Saved);

impl<'a> Record<'a, LinearPosterior> for Saved<'a> {
    fn of(own: &'a LinearPosterior) -> Result<Self> {
        Ok(Saved {
            format: Format,
            beta: own.beta,
            features: own.features,
            observations: own.observations,
            prior: Cow::Borrowed(&own.prior),
            state: match &own.state {
                State::Weights(s) => SavedState::Weights(SavedWeights::of(s)),
                State::Functions(s) => SavedState::Functions(SavedFunctions::of(s)),
            },
        })
    }

    fn restored(self) -> Result<LinearPosterior> {
        let Saved { beta, features, observations, .. } = self;
        let prior = self.prior.into_owned();
        BayesianLinearRegression { prior: prior.clone(), beta }.check(features)?;
        let state = match (self.state, &prior) {
            (SavedState::Weights(s), _) => State::Weights(s.restored(OP, features)?),
            (SavedState::Functions(s), Prior::Isotropic(alpha)) => {
                let own = s.restored(OP, (*alpha, beta), features)?;
                require(OP, own.t.len() == observations, || {
                    format!("{observations} observations were seen, {} are held", own.t.len())
                })?;
                State::Functions(own)
            }
            (SavedState::Functions(_), Prior::Full { .. }) => {
                let what = "a prior that is not isotropic is held by its weights".to_owned();
                return Err(Error::Shape { op: OP, what });
            }
        };
        Ok(LinearPosterior { beta, features, observations, prior, state })
    }
}
