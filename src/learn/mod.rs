//! The vocabulary of every model: what it takes, what can be asked of it, how it went.
//!
//! | to do | look at |
//! |---|---|
//! | know what `fit` takes | [`Inputs`], [`Targets`], [`Weights`], [`Labels`] |
//! | write something for every model | [`Fit`], [`Predict`], [`PredictProba`], [`PredictDistribution`], [`Transform`], [`Sample`], [`Score`] |
//! | know how a fit went | [`Report`] |
//! | know what it would cost | [`plan`] |

pub(crate) use crate::configure;
mod data;
pub(crate) mod inherent;
mod labels;
pub mod plan;
mod report;
pub(crate) mod score;
mod traits;

pub use data::{Inputs, Real, Rows, Target, TargetDim, Targets, Weights};
pub use labels::Labels;
pub use report::{Report, Stop};
pub use traits::{
    Classes, Decision, Fit, FitWeighted, InverseTransform, Predict, PredictDistribution, PredictProba,
    Reported, Sample, Score, Transform,
};
