//! Quantile regression. Checked in `tests/regression/quantile.rs`.

mod errors;
mod joint;
mod model;
mod several;

pub use model::{FittedQuantileRegression, QuantileRegression};
pub use several::{FittedQuantiles, Quantiles};
