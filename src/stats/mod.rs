//! Statistics and tests on distributions: embeddings, discrepancies, dependence, and p-values.
//!
//! | to do | use |
//! |---|---|
//! | measure how far two distributions are apart, and where | [`Mmd`] |
//! | test whether two samples come from one distribution | [`TwoSampleTest`] |
//! | measure how much two variables depend on each other | [`Hsic`] |
//! | test whether they do | [`IndependenceTest`] |
//! | the same for several variables jointly | [`JointHsic`] |
//! | keep a distribution as a point of a function space, and pick points that stand for it | [`KernelMeanEmbedding`] |
//! | do either by distances instead of kernels | [`energy_distance`], [`DistanceCovariance`] |
//! | do either in a time linear in n, and see where the difference is | [`FiniteSetTest`], [`FiniteSetIndependence`] |
//! | test whether a sample comes from a density known up to its constant | [`KernelStein`] |
//! | choose a bandwidth, or a collection of them | [`median_distance`], [`Collection`] |
//! | see how far a test is, and stop it | [`Progress`](crate::Progress) |
//! | make a test of your own | [`permutation`], [`signs`], [`p_value`], [`TestOutcome`] |
//!
//! Samples come in as `ArrayView2<f64>`, one observation a row. Every random decision (permutations, signs, subsamples,
//! splits) is drawn on the host by `ChaCha8` from a `u64` seed, so that every device makes the same ones.

mod aggregate;
mod asymptotic;
mod bandwidth;
mod dhsic;
mod distance;
mod embedding;
mod finite_set;
mod forms;
mod herding;
mod hsic;
mod hsic_streamed;
mod independence;
mod labels;
mod mmd;
mod mmd_variance;
mod null;
mod outcome;
mod permutations;
mod quantile;
mod stein;
mod steps;
mod two_sample;

pub use aggregate::Combine;
pub use bandwidth::{Collection, Family, Metric, Points, Spacing, median_distance};
pub use dhsic::JointHsic;
pub use distance::{DistanceCovariance, distance_induced_kernel, distance_kernel, energy_distance};
pub use embedding::KernelMeanEmbedding;
pub use finite_set::{FiniteSetIndependence, FiniteSetOutcome, FiniteSetTest, Placement, SetFeatures};
pub use herding::Herded;
pub use hsic::{Hsic, HsicTerms};
pub use independence::{IndependenceTest, PairChoice};
pub use mmd::{Estimate, Mmd};
pub use null::{Null, p_value};
pub use outcome::{Done, KernelOutcome, TestOutcome};
pub use permutations::{permutation, signs};
pub use stein::{KernelStein, SteinBase, SteinDiscrepancy};
pub use two_sample::{Estimator, KernelChoice, TwoSampleTest};
