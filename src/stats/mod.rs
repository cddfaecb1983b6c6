//! Statistics and tests on distributions: embeddings, discrepancies, dependence, and p-values.
//!
//! | to do | use |
//! |---|---|
//! | measure how far two distributions are apart, and where | [`Mmd`] |
//! | test whether two samples come from one distribution | [`TwoSampleTest`] |
//! | the same by a classifier that tries to tell them apart | [`c2st`] |
//! | measure how much two variables depend on each other | [`Hsic`] |
//! | test whether they do | [`IndependenceTest`] |
//! | the same for several variables jointly | [`JointHsic`] |
//! | keep a distribution as a point of a function space, and pick points that stand for it | [`KernelMeanEmbedding`] |
//! | do either by distances instead of kernels | [`energy_distance`], [`DistanceCovariance`] |
//! | do either in a time linear in n, and see where the difference is | [`FiniteSetTest`], [`FiniteSetIndependence`] |
//! | test whether a sample comes from a density known up to its constant | [`KernelStein`] |
//! | choose a bandwidth, or a collection of them | [`median_distance`], [`Collection`] |
//! | see how far a test is, and stop it | [`Progress`](crate::Progress) |
//! | the embedding of a normal distribution in closed form | [`gaussian_embedding`], [`gaussian_embedding_product`] |
//! | learning theory: sample complexities, VC dimensions, bounds | [`theory`] |
//! | make a test of your own | [`permutation`], [`signs`], [`p_value`], [`TestOutcome`] |
//!
//! Every test is a closed configuration with setters and one verb, `run(&device, x, y)`, and answers with a [`TestOutcome`];
//! how it resamples is a [`Resampling`], the same for all. Samples are two-dimensional arrays, one observation a row. Every
//! random decision (permutations, signs, subsamples, splits) is drawn on the host by `ChaCha8` from a `u64` seed, so that
//! every device makes the same ones. A statistic that is not a number is an error.

mod across;
mod bandwidth;
mod dependence;
mod embedding;
mod finite_set;
mod outcome;
mod resample;
mod stein;
pub mod theory;
mod two_sample;

pub use bandwidth::{Among, Collection, KernelFamily, Metric, Spacing, median_distance};
pub use dependence::{
    DistanceCovariance, DistanceDependence, FiniteSetIndependence, Hsic, HsicTerms, IndependenceTest,
    JointHsic, PairChoice, distance_induced_kernel, distance_kernel, energy_distance,
};
pub use embedding::{Herded, KernelMeanEmbedding};
pub use embedding::{gaussian_embedding, gaussian_embedding_product, gaussian_squared_mmd};
pub use finite_set::{FiniteSetOutcome, Placement, SetFeatures};
pub use outcome::{KernelOutcome, Run, TestOutcome};
pub use resample::{Combine, Null, Resampling, p_value, permutation, signs};
pub use stein::{KernelStein, SteinBase, SteinDiscrepancy};
pub use two_sample::{C2st, c2st};
pub use two_sample::{Estimator, FiniteSetTest, KernelChoice, MeanEstimate, Mmd, TwoSampleTest};
