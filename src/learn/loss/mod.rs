//! Losses: what a prediction costs, its derivatives, its conjugate, the likelihood behind it, and its mean over data.
//!
//! | to do | use |
//! |---|---|
//! | the loss of one prediction, its derivatives and its conjugate | [`Loss`] |
//! | the density whose negative logarithm is the loss | [`Loss::log_density`] |
//! | the mean loss of a linear function over data, its gradient and its Hessian | [`EmpiricalRisk`] |
//! | the expected squared loss of a known law, and the best predictor | [`expected_squared_loss`], [`PopulationRisk`] |
//! | log-loss from logits | [`log_loss_of_logits`] |
//! | bias and variance of a learner | [`bias_variance`] |
//! | weights for a test set of another distribution | [`importance_weights`], [`effective_sample_size`] |

mod bias_variance;
mod conjugate;
mod expected;
mod family;
mod importance;
mod likelihood;
mod logits;
mod risk;

pub use bias_variance::{BiasVariance, bias_variance};
pub use expected::{Decomposition, ExpectedLoss, PopulationRisk, expected_squared_loss};
pub use family::Loss;
pub use importance::{effective_sample_size, importance_weights};
pub use logits::log_loss_of_logits;
pub use risk::EmpiricalRisk;
