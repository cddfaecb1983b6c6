//! Labels that spread along edges. Checked in `tests/graph/label_spreading.rs` against scikit-learn.

mod fitted;
mod model;

pub use fitted::FittedLabelSpreading;
pub(super) use model::together;
pub use model::{LabelPropagation, LabelSpreading};
