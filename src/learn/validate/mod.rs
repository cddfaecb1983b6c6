//! How well a model predicts what it has not seen, and which of many does best.
//!
//! | to do | use |
//! |---|---|
//! | judge a model by folds | [`cross_validate`] |
//! | predictions of every row by a model that has not seen it | [`cross_val_predict`] |
//! | the best of candidates, refitted | [`Search`]: a grid, [`random_points`], or guided by an [`Ask`] |
//! | judge such a search | [`cross_validate`] of the [`Search`]: it is a model, and the validation is nested; [`nested_cross_validate`] says what was chosen |
//! | more data, or another setting? | [`learning_curve`], [`validation_curve`] |
//!
//! Any [`Split`](super::Split) will do, and any metric of the form `(&truth, &predicted) -> Result<f64>`. Checked in
//! `tests/learn/validate.rs` and `tests/learn/search.rs` against scikit-learn.

mod across;
mod cross;
mod curves;
mod found;
mod guided;
mod nested;
mod search;

pub use cross::{CrossValidation, Predictions, Scores, cross_val_predict, cross_validate};
pub use curves::{CurvePoint, learning_curve, validation_curve};
pub use found::{Candidate, Found};
pub use guided::{Ask, Guided, random_points};
pub use nested::{Nested, nested_cross_validate};
pub use search::Search;
