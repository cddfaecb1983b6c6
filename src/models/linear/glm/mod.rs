//! Generalised linear models. Checked in `tests/regression/glm.rs` against statsmodels.

mod family;
mod fitted;
mod model;
mod on_device;
mod scoring;

pub use family::{Family, Link};
pub use fitted::FittedGeneralisedLinear;
pub use model::GeneralisedLinear;
