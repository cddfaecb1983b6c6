//! Clusters: k-means and its relatives.
//!
//! | to do | use |
//! |---|---|
//! | K clusters with means as centres | [`KMeans`] |
//! | centres that are observations, or when there are only dissimilarities | [`KMedoids`] |
//! | as many clusters as pay for themselves | [`DpMeans`] |
//!
//! Clusters of other shapes are [`mixture`](super::mixture)s.

mod dp_means;
mod kmeans;
mod kmedoids;
mod seeding;

pub use dp_means::{DpMeans, FittedDpMeans};
pub use kmeans::{FittedKMeans, KMeans, KMeansStart};
pub use kmedoids::{FittedKMedoids, KMedoids};
pub use seeding::plus_plus;

pub(crate) use seeding::{far_apart, random_rows};
