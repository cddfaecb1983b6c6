//! K-medoids. Checked in `tests/cluster/kmedoids.rs`.

mod alternating;
mod fitted;
mod model;

pub use fitted::FittedKMedoids;
pub use model::KMedoids;
