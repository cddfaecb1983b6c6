//! Regression with a squared loss and a squared penalty: linear, kernel and Bayesian.
//!
//! | to do | use |
//! |---|---|
//! | fit a linear function with an intercept | [`Ridge`] |
//! | choose its penalty by leave-one-out or GCV | [`RidgeCv`] |
//! | fit a function of a kernel's space, exactly | [`KernelRidge`] |
//! | the same for millions of points, on landmarks | [`Falkon`] |
//! | a posterior over linear functions, its evidence, updates | [`BayesianLinearRegression`] |
//!
//! [`features`](super::features) turn the linear ones into kernel ones.

mod at_penalty;
mod bayesian;
mod centred;
mod cv;
mod expansion;
mod falkon;
mod graded;
mod kernel_ridge;
mod linear;
mod normal;
mod report;
mod spectrum;

pub use bayesian::{
    BayesianLinearRegression, EvidenceFit, EvidenceParams, LinearPosterior, LinearPrediction,
};
pub use cv::{Criterion, FittedRidgeCv, RidgeCv};
pub use falkon::{Falkon, FittedFalkon};
pub use kernel_ridge::{FittedKernelRidge, KernelRidge, Solver};
pub use linear::{FittedRidge, Form, Ridge};
pub use report::SolveReport;
