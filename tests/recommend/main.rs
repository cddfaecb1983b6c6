//! Recommenders: the table of the notes, dense solves, theorems, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod als;
mod block;
mod content;
mod devices;
mod full;
mod input;
mod neighbours;
mod probabilistic;
mod ranking;
mod ratings;
mod sgd;

use mercer::prelude::*;
use ndarray::{Array2, array};

use support::random;

/// The table of the notes, one row a user (Alice, Bob, Chuck, Dan, Eve), one column a film (Happy Gilmore, Click, Ex
/// Machina, Blade Runner, The Matrix).
fn notes() -> Ratings {
    let no = f64::NAN;
    let films = array![
        [no, 2.0, 5.0, 1.0, 4.0],
        [1.0, no, 4.0, no, no],
        [no, 4.0, no, no, 2.0],
        [5.0, no, 1.0, no, no],
        [5.0, 5.0, no, no, 4.0],
    ];
    Ratings::from_table(films.t()).unwrap()
}

/// A table of rank k with noise; three of ten pairs are missing.
fn planted(users: usize, items: usize, rank: usize, noise: f64) -> Ratings {
    let product = random(users, rank, 1).dot(&random(items, rank, 2).t()) + random(users, items, 3) * noise;
    let hidden = random(users, items, 4).mapv(|v| v > 0.4);
    Ratings::from_table(Array2::from_shape_fn((users, items), |at| {
        if hidden[at] { f64::NAN } else { product[at] }
    }))
    .unwrap()
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} and should be {want}");
}
