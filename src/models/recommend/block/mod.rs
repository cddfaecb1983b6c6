//! Biclustering: groups of users and groups of items. Checked in `tests/recommend/block.rs`.

mod em;
mod fitted;
mod model;

pub use fitted::FittedBlockModel;
pub use model::BlockModel;
