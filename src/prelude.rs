//! One import for models, kernels, devices and the words that they share: `use mercer::prelude::*`.

pub use crate::kernel::Kernel;
pub use crate::learn::*;
// The split; what a Gaussian process says of each observation without it is `models::gp::LeaveOneOut`.
pub use crate::learn::LeaveOneOut;
pub use crate::models::bayes_opt::*;
pub use crate::models::boosting::*;
pub use crate::models::cluster::*;
pub use crate::models::energy::{DeepAutoencoder, DeepBoltzmann, FittedRbm, Helmholtz, Rbm};
pub use crate::models::generative::*;
pub use crate::models::gp::*;
pub use crate::models::graph::*;
pub use crate::models::graphical::{BayesNet, BeliefPropagation, Dag, Ising, JunctionTree, MarkovField};
pub use crate::models::kernel_methods::features::*;
pub use crate::models::kernel_methods::*;
pub use crate::models::latent::*;
pub use crate::models::linear::*;
pub use crate::models::mixture::*;
pub use crate::models::neighbours::*;
pub use crate::models::neural::*;
pub use crate::models::recommend::*;
pub use crate::models::sequence::*;
pub use crate::models::sequence::{
    Emission, Emissions, FittedHiddenMarkov, HiddenMarkov, LinearGaussian, LinearGaussianEm,
};
pub use crate::models::topics::*;
pub use crate::optim::Minimiser;
pub use crate::stats::*;
pub use crate::{Device, Error, Matrix, Progress, Result, Step};
