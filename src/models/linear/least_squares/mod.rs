//! Least squares with its inference. Checked in `tests/regression/least_squares.rs` against statsmodels.

mod fitted;
mod inference;
mod influence;
mod model;

pub use fitted::FittedLeastSquares;
pub use model::LeastSquares;
