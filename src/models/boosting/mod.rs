//! Many weak rules as one strong one: boosted stumps.
//!
//! | to do | use |
//! |---|---|
//! | two classes, by the exponential loss | [`AdaBoost`] |
//! | numbers, by the squared loss; two classes, by the logistic loss | [`GradientBoosting`], [`GradientBoostingClassifier`] |
//! | a single threshold of a single feature | [`Stump`] |

mod adaboost;
mod gradient;
mod gradient_classifier;
mod stump;

pub use adaboost::{AdaBoost, FittedAdaBoost};
pub use gradient::{FittedGradientBoosting, GradientBoosting};
pub use gradient_classifier::{FittedGradientBoostingClassifier, GradientBoostingClassifier};
pub use stump::Stump;
