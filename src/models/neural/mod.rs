//! Networks: small, with gradients that are exact in f64, beside Gaussian processes and mixtures in one vocabulary.
//! Checked in `tests/neural`.
//!
//! | to do | use |
//! |---|---|
//! | regression and classification | [`NeuralRegressor`], [`NeuralClassifier`] |
//! | say how to train | [`Training`], [`Optimiser`] |
//! | build a network of one's own | [`Network`] of [`Layer`]s, [`Activation`], [`OutputLoss`] |
//! | compress rows to a code and back | [`Autoencoder`] |
//! | the same with a density: generate, bound the likelihood | [`Vae`], [`LinearDecoder`] |
//! | a density that is known and can be drawn from | [`NormalisingFlow`] |
//! | a generator without a density | [`Gan`] |
//! | error bars | [`BayesianNetwork`] |
//! | see networks become Gaussian processes | [`RandomNetwork`] |
//! | several tasks with common layers | [`SharedLayers`] |
//! | know how easily it is deceived | [`fgsm`] |
//! | count what it can say | [`log_regions`], [`count_pieces`], [`log_symmetries`] |
//!
//! [`NeuralRegressor`] and [`NeuralClassifier`] train on a GPU, in f32, where their layers are dense with biases and there is
//! enough to do. All else runs on the CPU in f64, whatever the device, and is the same to the last bit everywhere: dropout,
//! skip connections, sparse masks, layers without biases, convolutions and pools, units of erf, Nesterov's momentum and
//! L-BFGS; and [`Autoencoder`], [`Vae`], [`Gan`], [`NormalisingFlow`], [`BayesianNetwork`] and [`SharedLayers`].

mod activation;
mod adversarial;
mod autoencoder;
mod bayesian;
mod classifier;
mod design;
mod elbo;
mod epochs;
mod expressivity;
mod flow;
mod gan;
mod image;
mod layer;
mod loss;
mod network;
mod objective;
mod optimiser;
mod pair;
mod pass;
mod regressor;
mod resident;
mod shared;
mod supervised;
mod training;
mod vae;
mod wide;

pub use activation::Activation;
pub use adversarial::fgsm;
pub use autoencoder::{Autoencoder, FittedAutoencoder};
pub use bayesian::{BayesianNetwork, FittedBayesianNetwork, WeightPosterior};
pub use classifier::{FittedNeuralClassifier, NeuralClassifier};
pub use elbo::{
    Elbo, LinearDecoder, importance_bound, kl_to_standard, kl_to_standard_full, reparametrise,
    reparametrised_gradient,
};
pub use expressivity::{approximate_parameters, count_pieces, log_regions, log_symmetries};
pub use flow::{FittedFlow, FlowKind, FlowMap, NormalisingFlow};
pub use gan::{FittedGan, Gan, GanLoss, GanRound, Generator, VariationalDivergence};
pub use layer::{Layer, Picture, Pooling};
pub use loss::OutputLoss;
pub use network::{Gradient, Network};
pub use optimiser::Optimiser;
pub use pass::Tape;
pub use regressor::{FittedNeuralRegressor, NeuralRegressor};
pub use shared::{SharedLayers, Task};
pub use training::Training;
pub use vae::{Decoder, FittedVae, Vae};
pub use wide::RandomNetwork;
