//! Clusters: k-means and its relatives.
//!
//! | to do | use |
//! |---|---|
//! | K clusters with means as centres | [`KMeans`] |
//! | centres that are observations, or when there are only dissimilarities | [`KMedoids`] |
//! | as many clusters as pay for themselves | [`DpMeans`] |
//! | a tree of clusters, cut anywhere | [`Hierarchical`] |
//! | how many clusters | [`choose_by_silhouette`], [`choose_by_gap`], [`choose_by_purity`] |
//! | Kleinberg's axioms | [`scale_invariance`], [`richness`], [`consistency`] |
//!
//! Clusters of other shapes are [`mixture`](super::mixture)s.

mod axioms;
mod choice;
mod dp_means;
mod hierarchical;
mod kmeans;
mod kmedoids;
mod seeding;

pub use axioms::{Axiom, consistency, richness, scale_invariance};
pub use choice::{ClusterChoice, choose_by_gap, choose_by_purity, choose_by_silhouette};
pub use dp_means::{DpMeans, FittedDpMeans};
pub use hierarchical::{Dendrogram, DendrogramCut, FittedHierarchical, Hierarchical, Linkage, Merge};
pub use kmeans::{FittedKMeans, KMeans, KMeansStart};
pub use kmedoids::{FittedKMedoids, KMedoids};
pub use seeding::plus_plus;

pub(crate) use seeding::{far_apart, random_rows};
