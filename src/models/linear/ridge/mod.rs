//! Ridge regression. Checked in `tests/linear` against the augmented system, scikit-learn, numpy and every adapter.

mod fitted;
mod model;
mod normal_equations;

pub(super) use fitted::Solved;
pub use fitted::{FittedRidge, Form};
pub use model::Ridge;
pub(super) use normal_equations::residual;
