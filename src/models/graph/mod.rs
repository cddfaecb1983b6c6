//! Graphs of observations: neighbourhoods, Laplacians, clusters, embeddings, few labels and many points, ranking.
//!
//! | to do | use |
//! |---|---|
//! | make a graph of points | [`Neighbourhood`]: within a distance, k nearest (either or mutual), everyone |
//! | know its degrees, Laplacians, components, cuts | [`Graph`] |
//! | clusters of any shape | [`SpectralClustering`] |
//! | coordinates that keep neighbours near | [`LaplacianEigenmaps`], [`TSne`] |
//! | put vertices in an order | [`spectral_ranking`], [`PageRank`] |
//! | a function from few labels and many points | [`LaplacianRls`], [`LaplacianSvm`], [`LaplacianLogistic`] |
//! | the labels of those points alone | [`LabelSpreading`], [`LabelPropagation`] |
//! | a kernel between vertices | [`Diffusion`] |
//!
//! Everything here runs on the CPU in f64, whatever the device: graphs are sparse. The verb
//! [`spmm`](crate::ops::spmm()) multiplies by one on any device.

mod cuts;
mod diffusion;
mod eigenmaps;
mod filter;
mod inverse;
mod label_spreading;
mod laplacian;
mod manifold;
mod neighbourhood;
mod page_rank;
mod similarity;
mod spectral_clustering;
mod spectrum;
mod tsne;

pub use diffusion::{Diffusion, DiffusionScale};
pub use eigenmaps::{FittedLaplacianEigenmaps, LaplacianEigenmaps, SpectralRanking, spectral_ranking};
pub use label_spreading::{FittedLabelSpreading, LabelPropagation, LabelSpreading};
pub use laplacian::Laplacian;
pub use manifold::{
    FittedLaplacianLogistic, FittedLaplacianRls, FittedLaplacianSvm, LaplacianLogistic, LaplacianRls,
    LaplacianSvm, MarginCertificate,
};
pub use neighbourhood::Neighbourhood;
pub use page_rank::{Dangling, PageRank, Ranks};
pub use similarity::Graph;
pub use spectral_clustering::{ClusterCount, FittedSpectralClustering, SpectralClustering};
pub use spectrum::{Spectrum, spectrum};
pub use tsne::{FittedTSne, TSne, TSneStart};
