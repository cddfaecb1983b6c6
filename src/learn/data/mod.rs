//! What models take: inputs, targets and weights in every form that an ndarray has. Checked in `tests/learn/data.rs`.

mod inputs;
mod targets;

pub use inputs::{Inputs, Real, Weights};
pub use targets::{Rows, Target, TargetDim, Targets};
