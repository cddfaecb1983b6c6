//! Linear regression with a squared loss and a squared penalty, and its Bayesian form.
//!
//! | to do | use |
//! |---|---|
//! | fit a linear function with an intercept | [`Ridge`] |
//! | choose its penalty by leave-one-out or GCV | [`RidgeCv`] |
//! | a posterior over linear functions, its evidence, updates | [`BayesianLinearRegression`] |
//!
//! [`features`](super::kernel_methods::features) turn linear models into kernel ones.

mod at_penalty;
mod bayesian;
mod centred;
mod graded;
mod normal_equations;
mod ridge;
mod ridge_cv;
mod spectrum;

pub use bayesian::{
    BayesianLinearRegression, EvidenceFit, EvidenceParams, LinearPosterior, LinearPrediction,
};
pub use ridge::{FittedRidge, Form, Ridge};
pub use ridge_cv::{Criterion, FittedRidgeCv, RidgeCv};
