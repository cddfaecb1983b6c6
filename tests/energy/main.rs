//! Energy models: exact sums against enumeration, gradients against differences, learning that raises the likelihood.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]
#![allow(clippy::needless_range_loop, reason = "an index is the name of a variable, a state or a word")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "as users write it")]

mod deep;
mod devices;
mod enumerated;
mod helmholtz;
mod information;
mod oracle;
mod rbm;
#[path = "../support/mod.rs"]
mod support;

use ndarray::Array2;

/// Off by no more than this.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}");
}

/// Every vector of d zeros and ones, one a row.
fn all_states(d: usize) -> Array2<f64> {
    Array2::from_shape_fn((1 << d, d), |(s, i)| (s >> i & 1) as f64)
}

/// Forty rows of two patterns with a little noise.
fn patterns() -> Array2<f64> {
    let mut rng = mercer::random::Philox::new(4, 0);
    Array2::from_shape_fn((40, 6), |(i, j)| {
        let on = (i % 2 == 0) == (j < 3);
        f64::from(u8::from(on != rng.bernoulli(0.05)))
    })
}
