//! Probability: distributions, their algebra, and what is computed of them.
//!
//! | to do | look in |
//! |---|---|
//! | have a distribution: density, quantiles, moments, draws, fits | [`distributions`] |
//! | condition, add, map, multiply normal distributions | [`gaussian`] |
//! | natural and mean parameters, Fisher information, moment matching | [`exponential`] |
//! | posterior, predictive and evidence in closed form | [`conjugate`] |
//! | grids, summaries, Bayes factors, empirical Bayes, searches | [`bayes`] |
//! | joint tables, Bayes' rule, moments, bias | [`tables`] |
//! | entropies, divergences, capacity, code lengths, transport | [`information`] |
//! | special functions with their digits in the tails | [`special`] |

pub mod bayes;
pub mod conjugate;
pub mod distributions;
pub mod exponential;
pub mod gaussian;
mod incomplete;
pub mod information;
pub(crate) mod normal;
pub(crate) mod posterior_variance;
pub(crate) mod quadrature;
#[cfg(feature = "serde")]
mod saved;
pub mod special;
mod stirling;
pub mod tables;
