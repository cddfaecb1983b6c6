//! Energy models: distributions by what they forbid, machines of hidden units, and codes that keep information.
//!
//! | to do | use |
//! |---|---|
//! | any energy over few states, with its exact gradient | [`EnergyModel`] |
//! | a layer of hidden units over data of zeros and ones, or of numbers | [`Rbm`] |
//! | several layers, undirected | [`DeepBoltzmann`] |
//! | layers trained one after the other, then together as an autoencoder | [`DeepAutoencoder`] |
//! | layers directed downwards, with a recognition network | [`Helmholtz`] |
//! | the code of most information under a constraint | [`info_max`], [`bottleneck`] |
//!
//! An [`Rbm`] learns on the device; the rest works on the CPU, whatever the device.

mod autoencoder;
mod block_gibbs;
mod boltzmann;
mod deep_boltzmann;
mod enumerated;
mod exact;
mod helmholtz;
mod information;
mod layer;
mod link;
mod rbm;

pub use autoencoder::{DeepAutoencoder, FittedDeepAutoencoder};
pub use boltzmann::{FittedRbm, Visible};
pub use deep_boltzmann::DeepBoltzmann;
pub use enumerated::EnergyModel;
pub use helmholtz::{FittedHelmholtz, Helmholtz};
pub use information::{Bottleneck, InfoMax, bottleneck, info_max};
pub use rbm::{NegativePhase, Rbm};
