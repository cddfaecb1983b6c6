//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | regression and classification with error bars, hyper-parameters from the evidence | [`gp`] |
//! | linear, kernel and Bayesian linear regression | [`ridge`] |
//! | features that make a linear model a kernel one | [`features`] |
//! | find the minimum of a costly function | [`bayes_opt`] |
//! | clusters without probabilities: k-means, k-medoids, DP-means | [`cluster`] |
//! | mixtures of Gaussians, Bernoullis, categories and regressions | [`mixture`] |
//! | principal components, factors, independent components | [`latent`] |
//! | run an EM of your own | [`em`] |
//! | know what a fit would cost | [`plan`] |

pub mod bayes_opt;
mod check;
pub mod cluster;
pub mod em;
pub mod features;
pub mod gp;
pub mod latent;
pub mod mixture;
mod normal;
pub mod plan;
pub mod ridge;
mod score;
mod variance;
