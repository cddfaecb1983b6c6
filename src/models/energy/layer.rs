//! Layers of many units at once: products on every core, sigmoids and decisions in vector registers.

use ndarray::{Array1, Array2, ArrayView2};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::kernel::vector::exp;
use crate::ops::product;
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

fn entries(a: &mut Array2<f64>) -> &mut [f64] {
    a.as_slice_memory_order_mut().expect("a new array has no gaps")
}

/// Every entry becomes `1 / (1 + e^-v)`.
pub(super) fn sigmoids(a: &mut Array2<f64>) {
    entries(a).par_chunks_mut(TASK).for_each(|part| Arch::new().dispatch(Sigmoids(part)));
}

struct Sigmoids<'a>(&'a mut [f64]);

impl WithSimd for Sigmoids<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        // Only x86 has machines without a fused multiply-add among those that matter.
        let fused = !(S::IS_SCALAR && cfg!(any(target_arch = "x86", target_arch = "x86_64")));
        for v in self.0.iter_mut() {
            // The exponential of a negative number: small values keep their digits, large ones do not overflow.
            let e = if fused { exp::<true>(-v.abs()) } else { exp::<false>(-v.abs()) };
            *v = if *v >= 0.0 { 1.0 } else { e } / (1.0 + e);
        }
    }
}

/// Every probability becomes 1 or 0 by the next word of the stream, row after row: as `rng.bernoulli` of each.
pub(super) fn decide(a: &mut Array2<f64>, rng: &mut Philox) {
    let mut words = [0; TASK];
    let mut a =
        if a.is_standard_layout() { a.view_mut() } else { return a.mapv_inplace(|p| one(rng.bernoulli(p))) };
    let all = a.as_slice_mut().unwrap_or_default();
    for part in all.chunks_mut(TASK) {
        let words = &mut words[..part.len()];
        rng.fill(words);
        Arch::new().dispatch(Decide { part, words });
    }
}

fn one(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

struct Decide<'a> {
    part: &'a mut [f64],
    words: &'a [u32],
}

impl WithSimd for Decide<'_> {
    type Output = ();

    /// A word below `round(2³² p)` is one whose middle, half a word above it, is at most `2³² p`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        for (p, word) in self.part.iter_mut().zip(self.words) {
            *p = if f64::from(*word) + 0.5 <= *p * 4_294_967_296.0 { 1.0 } else { 0.0 };
        }
    }
}
