//! Inference for models with unknowns: expectation-maximisation, variational methods and Monte Carlo.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own by EM | [`em`] |
//! | approximate a posterior by a simpler distribution, and bound the evidence | [`variational`] |
//! | draw from a density known up to its constant | [`monte_carlo`] |
//! | learn to act from rewards alone | [`policy`] |

pub mod em;
pub(crate) mod logs;
pub mod monte_carlo;
pub mod policy;
pub mod variational;
