//! Bayesian optimisation: the minimum of an expensive function from few evaluations.
//!
//! | to do | use |
//! |---|---|
//! | find a minimum, a point or a batch at a time | [`BayesOptimiser`] |
//! | choose what "promising" means | [`Acquisition`], [`Reference`], [`BayesOptimiser::thompson_sampling`] |
//! | the formulas alone | [`expected_improvement`], [`log_expected_improvement`], [`probability_of_improvement`], [`lower_confidence_bound`] |

mod acquisition;
mod design;
mod model;
mod optimiser;
mod posterior;
mod propose;
mod search;
mod surrogate;

pub use acquisition::{
    Acquisition, Direction, Reference, expected_improvement, log_expected_improvement,
    lower_confidence_bound, probability_of_improvement,
};
pub use optimiser::BayesOptimiser;
pub use posterior::Recommendation;

#[cfg(test)]
mod tests;
