//! Logistic, multinomial and probit regression.

mod columns;
mod fitted;
mod model;
mod newton;
mod on_device;
mod passes;
mod problem;
mod proximal;
mod rows;
mod sampled;

pub use fitted::{FittedLogisticRegression, FittedProbitRegression};
pub use model::{LogisticRegression, ProbitRegression};
pub(in crate::models::linear) use newton::{solve, well_conditioned};
