//! Gaussian processes: a prior over functions `f ~ GP(m, k)`, conditioned on what was observed.
//!
//! | to do | use |
//! |---|---|
//! | regression | [`GpRegressor`] -> [`FittedGp`] |
//! | classification | [`GpClassifier`] -> [`FittedGpClassifier`] |
//! | counts, heavy tails, any likelihood of your own | [`LatentGp`], [`PointLikelihood`] |
//! | a mean function that is given | [`GpRegressor::fit_about`], [`GpRegressor::sample_prior_about`], [`SparseGpRegressor::fit_about`], [`GpClassifier::fit_about`] |
//! | a mean on functions of yours, with coefficients | [`GpRegressor::fit_on_basis`], [`SparseGpRegressor::fit_on_basis`], [`GpClassifier::fit_on_basis`] |
//! | choose hyper-parameters | [`GpRegressor::optimise`], [`Prior`] |
//! | average over them instead | [`GpRegressor::sample_hyperparameters`] -> [`FittedHyperPosterior`] |
//! | know whether the n x n matrix fits, and say what to do if not | [`GpRegressor::plan`], [`GpRegressor::matrix_free`] |
//! | the same for many observations, through inducing points | [`SparseGpRegressor`] -> [`FittedSparseGp`] |
//! | draw functions that can be asked anywhere, and climbed | [`FittedGp::path`] -> [`Path`] |
//! | climb a prediction | [`FittedGp::predict_gradient`], [`FittedGp::covariance_with`] |
//! | judge a model | [`FittedGp::log_evidence`], [`FittedGp::leave_one_out`] |

mod basis_mean;
mod classification;
mod given_mean;
mod hyper_space;
mod latent;
mod mean;
mod prediction;
mod prior;
mod raised;
mod regression;
mod sparse;

pub use crate::inference::monte_carlo::SliceParams;
pub use basis_mean::{FittedOnBasis, SparseOnBasis};
pub use classification::{
    Average, BasisMean, FittedClassifierAbout, FittedGpClassifier, GpClassifier, JointLatent, Latent,
    Likelihood,
};
pub use given_mean::{FittedAbout, SparseAbout};
pub use latent::{
    GaussianLikelihood, LatentAbout, LatentGp, Local, LogisticLikelihood, PointLikelihood, PoissonLikelihood,
    ProbitLikelihood, StudentTLikelihood,
};
pub use mean::Mean;
pub use prediction::{JointPrediction, Prediction, Predictive, Samples};
pub use prior::Prior;
#[cfg(feature = "serde")]
pub use regression::WithoutFactor;
pub use regression::{
    CovarianceWith, Evidence, FittedGp, FittedHyperPosterior, GpRegressor, GpReport, LeaveOneOut,
    MatrixFreeParams, MixturePrediction, Path, PredictionGradient, StochasticEvidence,
};
pub use sparse::{FittedSparseGp, Inducing, SparseEvidence, SparseGpRegressor, SparseMethod};
