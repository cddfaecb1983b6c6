//! Inference for models with unknowns: expectation-maximisation and Monte Carlo.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own by EM | [`em`] |
//! | a normal approximation of any posterior, with its evidence | [`LaplaceApproximation`] |
//! | the variational free energy for any q | [`FreeEnergy`] |
//! | draw from a density known up to its constant | [`monte_carlo`] |

pub mod em;
mod free_energy;
mod laplace;
pub mod monte_carlo;

pub use free_energy::FreeEnergy;
pub use laplace::LaplaceApproximation;
