//! Gaussian process classification by Laplace's approximation.

mod average;
mod binary;
mod classifier;
mod fitted;
mod labels;
mod laplace;
mod likelihood;
mod plan;
#[cfg(feature = "serde")]
mod saved;
mod softmax;

pub use average::Average;
pub use classifier::GpClassifier;
pub use fitted::{FittedGpClassifier, Latent};
pub use likelihood::Likelihood;

#[cfg(test)]
mod tests;
