//! Topic models: the corpus of the notes, scikit-learn, enumeration, sampling.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]
#![allow(clippy::needless_range_loop, reason = "an index is the name of a variable, a state or a word")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "as users write it")]

mod devices;
mod gibbs;
mod process;
#[path = "../support/mod.rs"]
mod support;
mod variational;

use mercer::models::topics::{TopicModel, word_counts};
use ndarray::Array2;

/// Off by no more than this.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}");
}

/// The five documents of the notes, over four words.
fn documents() -> Vec<Vec<usize>> {
    vec![vec![0, 0, 1, 0], vec![0, 1, 1], vec![2, 3, 3], vec![3, 2, 2, 3], vec![0, 3]]
}

fn counts() -> Array2<f64> {
    word_counts(&documents(), 4).unwrap()
}

fn notes() -> TopicModel {
    TopicModel::new(2).alpha(0.5).eta(0.1)
}
