//! Bayesian learning in general: posteriors on grids, summaries, evidence, predictive averages, empirical Bayes, and maximum
//! likelihood or posterior by a search. Checked in `tests/probability/bayes.rs`.
//!
//! | to do | use |
//! |---|---|
//! | a posterior of one or two parameters on a grid | [`GridPosterior`] |
//! | mean, quantiles and the shortest interval of draws | [`Summary`], [`shortest_interval`], [`highest_density`] |
//! | compare models | [`log_bayes_factor`], [`model_posterior`], [`bic`], [`aic`] |
//! | average a prediction over draws | [`log_predictive`] |
//! | learn a prior from groups | [`EmpiricalBayes`] |
//! | maximise any likelihood, or posterior | [`maximum_likelihood`], [`maximum_posterior`] |

mod evidence;
mod grid;
mod groups;
mod search;
mod summary;

pub use evidence::{aic, bic, log_bayes_factor, log_predictive, model_posterior};
pub use grid::GridPosterior;
pub use groups::EmpiricalBayes;
pub use search::{maximum_likelihood, maximum_posterior};
pub use summary::{Summary, highest_density, shortest_interval};
