//! Approximate posteriors as optimisation: bounds on the evidence, and the distributions that make them tight.
//!
//! | to do | use |
//! |---|---|
//! | the evidence lower bound and the free energy of a given q | [`elbo`], [`elbo_forms`], [`free_energy`] |
//! | tighter bounds from several samples, and Rényi's | [`multi_sample_bound`], [`sampled_bound`], [`renyi_bound`] |
//! | the gradient of the evidence from the complete data | [`evidence_gradient`] |
//! | mean-field coordinate ascent over factors of your own | [`Cavi`], [`Conditionals`], [`Family`] |
//! | a normal mixture of known variance, a Bayesian matrix factorisation | [`KnownVarianceMixture`], [`BayesianFactors`] |
//! | coordinate ascent on mini-batches | [`StochasticVi`], [`GlobalLocal`] |
//! | a posterior from the log joint alone, with or without its gradient | [`BlackBox`], [`Approximation`] |
//! | score-function, reparametrised and Rao-Blackwellised gradients | [`score_gradient`], [`reparametrised_gradient`], [`local_score_gradient`] |
//! | the closest normal distribution in either direction, or between | [`Grid`] |
//! | factors replaced by normal ones, one after the other | [`ExpectationPropagation`], [`Site`] |
//! | sparse regression by message passing | [`approximate_message_passing`] |

mod amp;
mod approximation;
mod black_box;
mod bound;
mod cavi;
mod ep;
mod factors;
mod family;
mod gradient;
mod mixture;
mod projection;
mod stochastic;

pub use amp::{AmpSolution, approximate_message_passing};
pub use approximation::{Approximation, gumbel_softmax, kl_to_standard};
pub use black_box::{BlackBox, Estimator, FittedBlackBox};
pub use bound::{
    elbo, elbo_forms, evidence_gradient, free_energy, multi_sample_bound, renyi_bound, sampled_bound,
};
pub use cavi::{Cavi, Conditionals, MeanField};
pub use ep::{ExpectationPropagation, FittedEp, NormalSite, ProbitSite, QuadratureSite, Site};
pub use factors::BayesianFactors;
pub use family::Family;
pub use gradient::{Control, Gradient, local_score_gradient, reparametrised_gradient, score_gradient};
pub use mixture::KnownVarianceMixture;
pub use projection::{Grid, NormalFit};
pub use stochastic::{GlobalLocal, Stepwise, StochasticVi};
