//! Agglomerative clustering. Checked in `tests/graph/hierarchical.rs` against scipy.

mod chain;
mod dendrogram;
mod fitted;
mod model;

pub use dendrogram::{Dendrogram, Merge};
pub use fitted::FittedHierarchical;
pub use model::{DendrogramCut, Hierarchical, Linkage};
