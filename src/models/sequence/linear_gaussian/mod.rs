//! Linear state spaces with normal noise.

mod kalman;
mod learn;
mod model;

pub use kalman::{Filtered, SmoothedStates};
pub use learn::LinearGaussianEm;
pub use model::LinearGaussian;
