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
//! | one fit for each group of rows | [`fit_each`], [`Stratified`] |
//! | more rows by transforms | [`augment`](fn@augment) |
//! | losses, risks, bias and variance | [`loss`] |
//! | more classes than two | [`OneVsRest`], [`OneVsOne`] |
//! | decide with probabilities | [`decisions`], [`calibration`] |
//! | average over samples | [`Bagging`] |
//! | texts and categories | [`text`] |
//! | fit over several processes or machines | [`ranks`] |

mod augment;
pub(crate) use crate::configure;
mod ambiguity;
pub(crate) mod answer;
mod bagging;
mod boosting;
pub mod calibration;
mod class_weights;
pub(crate) mod classify;
mod data;
pub mod decisions;
mod densities;
pub(crate) mod inherent;
pub(crate) mod labels;
pub mod links;
pub mod loss;
pub mod metrics;
mod moved_images;
mod multiclass;
mod pipeline;
pub mod plan;
pub mod preprocess;
pub mod ranks;
mod report;
pub mod split;
mod stratified;
pub mod text;
mod traits;
pub mod validate;

pub use answer::Answer;
pub use augment::{RowTransform, augment};
pub use bagging::{Bagging, FittedBaggingClassifier, FittedBaggingRegressor};
pub use boosting::{Boosting, FittedBoosting};
pub use calibration::*;
pub use class_weights::ClassWeights;
pub use data::{Inputs, Real, Rows, Target, TargetDim, Targets, Weights};
pub use decisions::*;
pub use densities::{LogDensity, LogJoint};
pub use labels::{Label, Labels};
pub use loss::Loss;
pub use metrics::*;
pub use moved_images::moved_images;
pub use multiclass::{ByDecision, ByProba, Confidence, FittedOneVsOne, FittedOneVsRest, OneVsOne, OneVsRest};
pub use pipeline::{FittedPipeline, Pipeline};
pub use preprocess::*;
pub use ranks::FitAcross;
pub use report::{Report, Stop};
pub use split::{Fold, Holdout, KFold, LeaveOneOut, Split, TimeSeries};
pub use stratified::{Stratified, fit_each};
pub use text::*;
pub use traits::{
    Classes, Decision, Fit, FitWeighted, InverseTransform, MeanVariance, Predict, PredictDistribution,
    PredictProba, Reported, Sample, Score, Transform,
};
pub use validate::*;
