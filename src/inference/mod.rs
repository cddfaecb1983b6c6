//! Inference for models with unknowns: expectation-maximisation and Monte Carlo.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own by EM | [`em`] |
//! | a normal approximation of any posterior, with its evidence | [`LaplaceApproximation`] |
//! | the variational free energy for any q | [`FreeEnergy`] |
//! | a mixture of any component, labelled in part or not | [`ComponentMixture`] |
//! | as many clusters as the data ask for | [`ChineseRestaurant`] |
//! | draw from a density known up to its constant | [`monte_carlo`] |

mod component_mixture;
pub mod em;
mod free_energy;
mod laplace;
pub mod monte_carlo;
mod restaurant;

pub use component_mixture::ComponentMixture;
pub use free_energy::FreeEnergy;
pub use laplace::LaplaceApproximation;
pub use restaurant::ChineseRestaurant;
