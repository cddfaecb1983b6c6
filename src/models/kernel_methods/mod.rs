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
mod expansion;
mod falkon;
pub mod features;
mod kernel_ridge;
mod svm;
mod validity;

pub use falkon::{Falkon, FalkonCv, FittedFalkon, FittedFalkonCv};
pub use kernel_ridge::{FittedKernelRidge, FittedKernelRidgeCv, KernelRidge, KernelRidgeCv, KernelSolver};
pub use svm::*;
pub use validity::{
    EmpiricalFeatures, FittedEmpiricalFeatures, PsdCheck, feature_distances, psd_check, psd_check_matrix,
};
