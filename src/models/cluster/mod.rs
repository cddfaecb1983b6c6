//! Clusters: k-means and its relatives.
//!
//! | to do | use |
//! |---|---|
//! | K clusters with means as centres | [`KMeans`] |
//! | the same when there are only dissimilarities | [`KMedoids`] |
//! | as many clusters as pay for themselves | [`DpMeans`] |
//!
//! Clusters of other shapes are [`mixture`](super::mixture)s.

mod dp_means;
mod kmeans;
mod kmeans_fitted;
mod kmedoids;
mod lloyd;
mod seeding;

pub use dp_means::{DpMeans, FittedDpMeans};
pub use kmeans::{KMeans, KMeansStart};
pub use kmeans_fitted::FittedKMeans;
pub use kmedoids::{FittedKMedoids, KMedoids};
pub use seeding::plus_plus;

pub(crate) use seeding::random_rows;
