//! Estimators, a folder a family: a value that says what to fit, `fit`, and a fitted value that predicts and says what happened.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own | [`em`] |
//! | find principal, probabilistic or independent components, or factors | [`latent`] |

pub mod em;
pub mod latent;
