//! DP-means: k-means with a price for each cluster. Checked in `tests/cluster/dp_means.rs`.

mod fitted;
mod model;
mod pass;

pub use fitted::FittedDpMeans;
pub use model::DpMeans;
