//! Functions of a kernel's space: kernel ridge regression, exactly and on landmarks, and features that stand for a kernel.
//!
//! | to do | use |
//! |---|---|
//! | fit a function of a kernel's space, exactly | [`KernelRidge`] |
//! | the same for millions of points, on landmarks | [`Falkon`] |
//! | choose the kernel and the penalty of either | [`KernelRidgeCv`], [`FalkonCv`] |
//! | make a linear model a kernel one | [`features`] |
//! | classes, numbers and outliers by support vectors | [`SvmClassifier`], [`SvmRegressor`], [`OneClassSvm`] |

mod choice;
mod components;
mod discriminant;
mod expansion;
mod falkon;
pub mod features;
mod kernel_kmeans;
mod kernel_ridge;
mod logistic;
mod penalty;
mod perceptron;
mod risk;
mod smooth_loss;
pub(crate) mod split_kernel;
mod svm;
mod validity;

pub use components::{ClassicalScaling, FittedKernelPca, KernelPca, centred_rows, classical_scaling};
pub use discriminant::{FittedKernelDiscriminant, KernelDiscriminant};
pub use falkon::{Falkon, FalkonCv, FittedFalkon, FittedFalkonCv};
pub use kernel_kmeans::{FittedKernelKMeans, KernelKMeans};
pub use kernel_ridge::{FittedKernelRidge, FittedKernelRidgeCv, KernelRidge, KernelRidgeCv, KernelSolver};
pub use logistic::{FittedKernelLogistic, KernelLogistic};
pub use penalty::{DerivativePenalty, squared_norm};
pub use perceptron::{FittedKernelPerceptron, KernelPerceptron};
pub use risk::{FittedKernelRisk, KernelRisk};
pub use smooth_loss::SmoothLoss;
pub use svm::*;
pub use validity::{
    EmpiricalFeatures, FittedEmpiricalFeatures, PsdCheck, feature_distances, psd_check, psd_check_matrix,
};
