//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | regression with error bars, hyper-parameters from the evidence | [`gp`] |

pub mod gp;
