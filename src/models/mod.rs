//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | regression with error bars, hyper-parameters from the evidence | [`gp`] |
//! | classification with honest probabilities | [`gp::GpClassifier`] |
//! | the minimum of an expensive function | [`bayes_opt`] |

pub mod bayes_opt;
pub mod gp;
mod normal;
