//! Gaussian process regression, with a stored covariance or without. Checked in `tests/gp`.

mod append;
mod covariance;
mod dense;
mod evidence;
mod f32_bound;
mod fit;
mod fitted;
mod gradient;
mod hyper_posterior;
mod leave_one_out;
mod matrix_free;
mod model;
mod path;
mod plan;
mod predict;
#[cfg(feature = "serde")]
mod saved;
mod theta;

pub use covariance::CovarianceWith;
pub use evidence::Evidence;
pub use fitted::{FittedGp, GpReport};
pub use gradient::PredictionGradient;
pub use hyper_posterior::{FittedHyperPosterior, MixturePrediction};
pub use leave_one_out::LeaveOneOut;
pub use matrix_free::{MatrixFreeParams, StochasticEvidence};
pub use model::GpRegressor;
pub use path::Path;
#[cfg(feature = "serde")]
pub use saved::WithoutFactor;
