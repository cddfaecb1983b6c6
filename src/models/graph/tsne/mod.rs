//! t-SNE. Checked in `tests/graph/tsne.rs`.

mod affinity;
mod descent;
mod fitted;
mod model;
mod start;

pub use fitted::FittedTSne;
pub use model::{TSne, TSneStart};
