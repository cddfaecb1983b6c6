//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | find clusters | [`cluster`]: k-means, k-medoids, DP-means |
//! | fit a density that is a sum of parts | [`mixture`]: Gaussians, counts, regressions, with priors |
//! | find principal, probabilistic or independent components, or factors | [`latent`] |
//! | fit a latent-variable model of your own | [`em`] |

pub mod cluster;
pub mod em;
pub mod latent;
pub mod mixture;
