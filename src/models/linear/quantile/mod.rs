//! Quantile regression. Checked in `tests/regression/quantile.rs`.

mod model;
mod several;

pub use model::{FittedQuantileRegression, QuantileRegression};
pub use several::{FittedQuantiles, Quantiles};
