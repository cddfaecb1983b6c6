//! Inference for models with unknowns: expectation-maximisation and Monte Carlo.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own by EM | [`em`] |
//! | draw from a density known up to its constant | [`monte_carlo`] |

pub mod em;
pub mod monte_carlo;
