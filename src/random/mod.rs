//! Randomness that a seed decides: a counter-based generator, and the orders and points of splits and searches.
//!
//! | to do | use |
//! |---|---|
//! | numbers that are the same for the same seed, stream and counter on every device | [`Philox`] |
//! | decide with a probability by comparing integers, once for all devices | [`Threshold`] |

mod draws;
mod philox;

pub use draws::Threshold;
pub(crate) use philox::{LANES, pair, philox_lanes};
pub use philox::{Philox, philox};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Puts the rows in an order that the seed and the number of the stream decide.
pub(crate) fn shuffle<T>(rows: &mut [T], seed: u64, stream: u64) {
    rows.shuffle(&mut generator(seed, stream));
}

/// Numbers in [0, 1) that the seed and the number of the stream decide.
pub(crate) fn uniforms(seed: u64, stream: u64) -> impl FnMut() -> f64 {
    let mut rng = generator(seed, stream);
    move || rng.random::<f64>()
}

fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Standard normal numbers that the seed and the number of the stream decide.
pub(crate) fn gaussians(seed: u64, stream: u64) -> impl FnMut() -> f64 {
    let mut rng = generator(seed, stream);
    move || rng.sample(rand_distr::StandardNormal)
}
