//! Sequences: hidden Markov models against enumeration and hmmlearn, state spaces against the joint normal distribution.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]
#![allow(clippy::needless_range_loop, reason = "an index is the name of a variable, a state or a word")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "as users write it")]

mod baum_welch;
mod devices;
mod hidden_markov;
mod hidden_markov_limits;
mod kalman;
mod linear_gaussian;
mod oracle;
#[path = "../support/mod.rs"]
mod support;

/// Off by no more than this.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}");
}
