//! Normalising flows. Checked in `tests/neural/flow.rs`.

mod map;
mod model;

pub use map::FlowMap;
pub use model::{FittedFlow, FlowKind, NormalisingFlow};
