//! K-means. Checked in `tests/cluster/kmeans.rs`.

mod fitted;
mod lloyd;
mod model;

pub use fitted::FittedKMeans;
pub use model::{KMeans, KMeansStart};
