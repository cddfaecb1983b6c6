//! Linear regression with a squared loss and a squared penalty, and its Bayesian form.
//!
//! | to do | use |
//! |---|---|
//! | fit a linear function with an intercept, with a penalty or by least squares | [`Ridge`] |
//! | choose its penalty by leave-one-out or GCV | [`RidgeCv`] |
//! | a posterior over linear functions, its evidence, updates | [`BayesianLinearRegression`] |
//!
//! [`features`](super::kernel_methods::features) turn linear models into kernel ones.

mod bayesian;
mod centred;
mod ridge;
mod ridge_cv;
mod spectrum;

pub use bayesian::{BayesianLinearRegression, FittedBayesianLinearRegression, LinearPrediction};
pub use ridge::{FittedRidge, Form, Ridge};
pub use ridge_cv::{FittedRidgeCv, PenaltyCriterion, RidgeCv};
