//! Inference for models with unknowns: expectation-maximisation, variational methods and Monte Carlo.
//!
//! | to do | look in |
//! |---|---|
//! | fit a latent-variable model of your own by EM | [`em`] |
//! | a normal approximation of any posterior, with its evidence | [`LaplaceApproximation`] |
//! | the variational free energy for any q | [`FreeEnergy`] |
//! | approximate a posterior by a simpler distribution, and bound the evidence | [`variational`] |
//! | a mixture of any component, labelled in part or not | [`ComponentMixture`] |
//! | as many clusters as the data ask for | [`ChineseRestaurant`] |
//! | draw from a density known up to its constant | [`monte_carlo`] |
//! | learn to act from rewards alone | [`policy`] |

mod component_mixture;
pub mod em;
mod free_energy;
mod laplace;
pub mod monte_carlo;
mod restaurant;

pub use component_mixture::ComponentMixture;
pub use free_energy::FreeEnergy;
pub use laplace::LaplaceApproximation;
pub(crate) mod logs;
pub mod policy;
pub mod variational;
pub use restaurant::ChineseRestaurant;
