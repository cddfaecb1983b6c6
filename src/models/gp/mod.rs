//! Gaussian processes: a prior over functions `f ~ GP(m, k)`, conditioned on what was observed.
//!
//! | to do | use |
//! |---|---|
//! | regression | [`GpRegressor`] -> [`FittedGp`] |
//! | classification | [`GpClassifier`] -> [`FittedGpClassifier`] |
//! | choose hyper-parameters | [`GpRegressor::optimise`], [`Prior`] |
//! | average over them instead | [`GpRegressor::sample_hyperparameters`] -> [`BayesianGp`] |
//! | know whether the n x n matrix fits, and say what to do if not | [`GpRegressor::plan`], [`GpRegressor::large`] |
//! | the same for many observations, through inducing points | [`SparseGpRegressor`] -> [`FittedSparseGp`] |
//! | draw functions that can be asked anywhere, and climbed | [`FittedGp::path`] -> [`Path`] |
//! | climb a prediction | [`FittedGp::predict_gradient`] |
//! | judge a model | [`FittedGp::log_marginal_likelihood`], [`FittedGp::leave_one_out`] |

mod append;
mod classify;
mod dense;
mod evidence;
mod f32_bound;
mod fitted;
mod gradient;
mod hyper;
mod hyper_posterior;
mod leave_one_out;
mod matrix_free;
mod mean;
mod path;
mod predict;
mod prior;
mod regressor;
mod sample;
#[cfg(feature = "serde")]
mod saved;
mod space;
mod sparse;

pub use hyper_posterior::{BayesianGp, MixturePrediction, SliceParams};
pub use classify::{Average, FittedGpClassifier, GpClassifier, Latent, Likelihood};
pub use evidence::Evidence;
pub use fitted::FittedGp;
pub use gradient::PredictionGradient;
pub use matrix_free::{LargeParams, StochasticEvidence};
pub use leave_one_out::LeaveOneOut;
pub use mean::Mean;
pub use path::Path;
pub use predict::{BoundedPrediction, JointPrediction, Prediction, Predictive};
pub use prior::Prior;
pub use regressor::GpRegressor;
pub use sample::Samples;
#[cfg(feature = "serde")]
pub(in crate::models) use saved::SavedGp;
#[cfg(feature = "serde")]
pub use saved::WithoutFactor;
pub use sparse::{FittedSparseGp, Inducing, SparseEvidence, SparseGpRegressor, SparseMethod};
