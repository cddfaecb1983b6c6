//! Linear latent variable models: principal components, probabilistic PCA, factor analysis, independent components.
//!
//! | to do | use |
//! |---|---|
//! | directions of largest variance, reconstruction, whitening | [`Pca`] |
//! | the same from a stream, or from several machines | [`StreamedMoments`] |
//! | a density, missing values, the number of components | [`Ppca`] |
//! | several such densities, each with its own subspace | [`PpcaMixture`] |
//! | noise that differs from column to column | [`FactorAnalysis`] |
//! | sources that are independent and not Gaussian | [`Ica`] |
//! | sparse sums of atoms | [`DictionaryLearning`], [`sparse_code`] |
//! | sums of parts that are not negative | [`Nmf`] |
//!
//! Everything that is fitted to a covariance is fitted to its [`StreamedMoments`], which add up: data may come in chunks.

mod axes;
mod centred;
mod dictionary;
mod factor_analysis;
mod gaussian;
mod ica;
mod nmf;
mod pca;
mod ppca;
mod ppca_mixture;
mod rotation;
mod streamed_moments;

pub use dictionary::{
    DictionaryLearning, FittedDictionary, SparseCoder, Sparsity, sparse_code, sparse_code_on,
};
pub use factor_analysis::{FactorAnalysis, FittedFactorAnalysis};
pub use ica::{Algorithm, Contrast, Density, FittedIca, Ica};
pub use nmf::{FittedNmf, Nmf};
pub use pca::{Components, FittedPca, Pca, Route};
pub use ppca::{FittedPpca, Ppca, PpcaSolver};
pub use ppca_mixture::{FittedPpcaMixture, PpcaMixture};
pub use rotation::Rotation;
pub use streamed_moments::StreamedMoments;
