//! Sampling from densities that are known up to a constant, and averages over what was sampled.
//!
//! | to do | use |
//! |---|---|
//! | the evidence by draws from the prior | [`marginal_likelihood`] |
//! | averages and the evidence by draws from a proposal | [`importance_sample`] |
//! | independent draws under an envelope | [`rejection_sample`] |
//! | chains of a density without gradients | [`metropolis`], [`metropolis_hastings`], [`slice_sample`], [`slice_chains`]; [`slice_chains_across`] ranks |
//! | chains of a density with gradients | [`hamiltonian`] |
//! | chains from complete conditionals | [`gibbs`] |
//! | chains of a density with several modes | [`parallel_tempering`] |
//! | whether chains have mixed: R-hat, effective size, autocorrelation | [`Chains`] |
//! | predictions averaged over a posterior | [`predictive_average`] |
//! | answers averaged over fitted models | [`average_distributions`], [`average_probabilities`], [`average_log_density`] |
//! | EM whose E-step is sampled | [`MonteCarloEm`] |

mod chains;
mod diagnostics;
mod em;
mod hamiltonian;
mod importance;
mod metropolis;
mod nuts;
mod predictive;
mod rejection;
mod slice;
mod tempering;

pub use chains::{Chains, McmcParams, gibbs, slice_chains, slice_chains_across};
pub use em::{CompleteData, MonteCarloEm};
pub use hamiltonian::{HmcParams, Path, hamiltonian};
pub use importance::{WeightedSample, importance_sample, marginal_likelihood};
pub use metropolis::{metropolis, metropolis_hastings};
pub use predictive::{
    Averaged, average_distributions, average_log_density, average_probabilities, predictive_average,
};
pub use rejection::{Accepted, rejection_sample};
pub use slice::{SliceParams, SliceSamples, slice_sample};
pub use tempering::{Tempered, parallel_tempering};
