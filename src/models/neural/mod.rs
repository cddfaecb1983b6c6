//! Networks: small, with gradients that are exact in f64, beside Gaussian processes and mixtures in one vocabulary.
//! Checked in `tests/neural`.
//!
//! | to do | use |
//! |---|---|
//! | regression and classification | [`NeuralRegressor`], [`NeuralClassifier`] |
//! | say how to train | [`Training`], [`Optimiser`] |
//! | build a network of one's own | [`Network`] of [`Layer`]s, [`Activation`], [`OutputLoss`] |
//! | several tasks with common layers | [`SharedLayers`] |
//! | know how easily it is deceived | [`fgsm`] |
//! | count what it can say | [`log_regions`], [`count_pieces`], [`log_symmetries`] |
//!
//! Everything here runs on the CPU in f64, whatever the device: it is the same to the last bit everywhere.

mod activation;
mod adversarial;
mod classifier;
mod design;
mod expressivity;
mod image;
mod layer;
mod loss;
mod network;
mod pass;
mod regressor;
mod shared;
mod supervised;
mod training;

pub use activation::Activation;
pub use adversarial::fgsm;
pub use classifier::{FittedNeuralClassifier, NeuralClassifier};
pub use expressivity::{approximate_parameters, count_pieces, log_regions, log_symmetries};
pub use layer::{Layer, Picture, Pooling};
pub use loss::OutputLoss;
pub use network::{Gradient, Network};
pub use pass::Tape;
pub use regressor::{FittedNeuralRegressor, NeuralRegressor};
pub use shared::{SharedLayers, Task};
pub use training::{Optimiser, Training};
