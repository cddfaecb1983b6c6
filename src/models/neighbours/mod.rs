//! Predictions by the nearest rows of the data.
//!
//! | to do | use |
//! |---|---|
//! | classes, by the vote of the nearest rows | [`KNearest`] |
//! | numbers, by the mean of the nearest rows | [`KNearestRegressor`] |

mod classifier;
mod regressor;
mod search;

pub use classifier::{FittedKNearest, KNearest};
pub use regressor::{FittedKNearestRegressor, KNearestRegressor};
pub use search::Vote;
