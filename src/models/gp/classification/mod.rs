//! Gaussian process classification by Laplace's approximation. Checked in `tests/gp_classify`.

mod about;
mod average;
mod basis;
mod binary;
mod fitted;
mod joint;
mod laplace;
mod likelihood;
mod model;
mod plan;
#[cfg(feature = "serde")]
mod saved;
mod softmax;

pub use about::FittedClassifierAbout;
pub use average::Average;
pub use basis::BasisMean;
pub use fitted::{FittedGpClassifier, Latent};
pub use joint::JointLatent;
pub use likelihood::Likelihood;
pub use model::GpClassifier;

#[cfg(test)]
mod tests;
