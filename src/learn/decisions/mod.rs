//! From probabilities to decisions. Checked in `tests/classify/decisions.rs`.
//!
//! | to do | use |
//! |---|---|
//! | decide with the least expected loss, or decline to | [`LossMatrix`], [`most_probable_or_reject`], [`above_threshold`] |
//! | the best prediction for a loss, of known probabilities or draws | [`PredictionLoss`] |
//! | decide between two densities | [`LikelihoodRatio`] |
//! | flag rows that a density finds rare | [`Novelty`] |
//! | put several models' probabilities together | [`combine_independent`], [`average_probabilities`], [`majority`] |
//! | a vote of experts that hides each row | [`PrivateVote`] |

mod combine;
mod likelihood_ratio;
mod loss_matrix;
mod novelty;
mod point;
mod private_vote;

pub use combine::{average_probabilities, combine_independent, majority};
pub use likelihood_ratio::LikelihoodRatio;
pub use loss_matrix::{LossMatrix, above_threshold, most_probable_or_reject};
pub use novelty::{FittedNovelty, Novelty};
pub use point::PredictionLoss;
pub use private_vote::{FittedPrivateVote, PrivateVote};

use ndarray::ArrayView2;

use crate::Result;
use crate::check::{finite, parameter};

/// Rows of probabilities: none negative, each row of sum one.
fn probabilities(op: &'static str, p: ArrayView2<f64>) -> Result<()> {
    finite(op, "the probabilities", p)?;
    for (i, row) in p.rows().into_iter().enumerate() {
        let (sum, least) = (row.sum(), row.fold(f64::INFINITY, |m, v| m.min(*v)));
        let fine = least >= 0.0 && (sum - 1.0).abs() < 1e-6;
        parameter(
            &format!("sum of row {i}"),
            sum,
            fine,
            "probabilities must sum to one, none of them negative",
        )?;
    }
    Ok(())
}
