//! Layers of many units at once: products on every core, logistic functions and decisions in vector registers.

use ndarray::{Array1, Array2, ArrayView2};
use rayon::prelude::*;

use crate::ops::{decide as decide_by, product, sigmoids as sigmoids_of};
use crate::random::Philox;

/// Entries of one task.
const TASK: usize = 1 << 12;

/// `x W + b`.
pub(super) fn with_bias(x: ArrayView2<f64>, weights: ArrayView2<f64>, bias: &Array1<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((x.nrows(), weights.ncols()));
    product(1.0, x, weights, 0.0, out.view_mut());
    out += bias;
    out
}

/// Every entry becomes `1 / (1 + e^-v)`.
pub(super) fn sigmoids(a: &mut Array2<f64>) {
    let all = a.as_slice_memory_order_mut().expect("a new array has no gaps");
    all.par_chunks_mut(TASK).for_each(sigmoids_of);
}

/// Every probability becomes 1 or 0 by the next word of the stream, row after row: as `rng.bernoulli` of each.
pub(super) fn decide(a: &mut Array2<f64>, rng: &mut Philox) {
    let mut words = [0; TASK];
    let one = |yes: bool| f64::from(u8::from(yes));
    let mut a =
        if a.is_standard_layout() { a.view_mut() } else { return a.mapv_inplace(|p| one(rng.bernoulli(p))) };
    for part in a.as_slice_mut().unwrap_or_default().chunks_mut(TASK) {
        let words = &mut words[..part.len()];
        rng.fill(words);
        decide_by(part, words);
    }
}
