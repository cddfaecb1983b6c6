//! Alternating least squares. Checked in `tests/recommend/als.rs` against dense solves and the numbers of the notes.

mod half;
mod model;
mod rows;
mod there;

pub(super) use half::{Half, Partner, solve_rows};
pub use model::{Als, Feedback};
