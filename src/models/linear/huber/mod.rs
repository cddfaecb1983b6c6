//! Huber's robust regression with the scale of the noise. Checked in `tests/regression/huber.rs`.

mod fitted;
mod model;

pub use fitted::FittedHuberRegression;
pub use model::HuberRegression;
