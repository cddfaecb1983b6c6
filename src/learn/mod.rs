//! The vocabulary of every model: what it takes, what can be asked of it, how it went.
//!
//! | to do | look at |
//! |---|---|
//! | know what `fit` takes | [`Inputs`], [`Targets`], [`Weights`], [`Labels`] |
//! | write something for every model | [`Fit`], [`Predict`], [`PredictProba`], [`PredictDistribution`], [`Transform`], [`Sample`], [`Score`] |
//! | know how a fit went | [`Report`] |
//! | know what it would cost | [`plan`] |
//! | put one after another | [`Pipeline`], [`preprocess`] |
//! | judge | [`metrics`], [`split`], [`cross_validate`], [`learning_curve`] |
//! | choose | [`Search`], [`Guided`], [`validation_curve`] |
//! | more classes than two | [`OneVsRest`], [`OneVsOne`] |

pub(crate) use crate::configure;
mod data;
pub(crate) mod inherent;
pub(crate) mod labels;
pub mod metrics;
mod moved_images;
mod multiclass;
mod pipeline;
pub mod plan;
pub mod preprocess;
mod report;
pub mod split;
mod traits;
pub mod validate;

pub use data::{Inputs, Real, Rows, Target, TargetDim, Targets, Weights};
pub use labels::{Label, Labels};
pub use metrics::*;
pub use moved_images::moved_images;
pub use multiclass::{ByDecision, ByProba, Confidence, FittedOneVsOne, FittedOneVsRest, OneVsOne, OneVsRest};
pub use pipeline::{FittedPipeline, Pipeline};
pub use preprocess::*;
pub use report::{Report, Stop};
pub use split::{Fold, Holdout, KFold, LeaveOneOut, Split, TimeSeries};
pub use traits::{
    Classes, Decision, Fit, FitWeighted, InverseTransform, Predict, PredictDistribution, PredictProba,
    Reported, Sample, Score, Transform,
};
pub use validate::*;
