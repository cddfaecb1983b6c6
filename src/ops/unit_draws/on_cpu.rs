//! Units that are drawn on the host: logistic functions and decisions in vector registers, rows on every core.

use ndarray::Array2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::UnitDraw;
use crate::kernel::vector::exp;
use crate::ops::random::{block, normals};
use crate::random::Philox;

/// Entries of one task.
const TASK: usize = 1 << 12;

/// Every entry becomes `1 / (1 + e^-v)`.
pub(crate) fn sigmoids(part: &mut [f64]) {
    Arch::new().dispatch(Sigmoids(part));
}

/// Every probability becomes 1 if its word is below `round(2³² p)`, else 0.
pub(crate) fn decide(part: &mut [f64], words: &[u32]) {
    Arch::new().dispatch(Decide { part, words });
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

/// Draws and means, each with a column of ones.
pub(super) fn cpu(a: &Array2<f64>, draw: UnitDraw, seed: u64, stream: u64) -> (Array2<f64>, Array2<f64>) {
    let (n, m) = a.dim();
    let (mut drawn, mut means) = (Array2::<f64>::ones((n, m + 1)), Array2::<f64>::ones((n, m + 1)));
    let (blocks, rows) = (m.div_ceil(4), (TASK / m).max(1));
    let input = a.as_standard_layout();
    let from = input.as_slice().unwrap_or_default().par_chunks(rows * m);
    let width = rows * (m + 1);
    let to = drawn.as_slice_mut().unwrap_or_default().par_chunks_mut(width);
    let mean = means.as_slice_mut().unwrap_or_default().par_chunks_mut(width);
    from.zip(to).zip(mean).enumerate().for_each(|(task, ((from, to), mean))| {
        let mut words = vec![0; if draw == UnitDraw::Bernoulli { 4 * blocks } else { 0 }];
        let each = from.chunks(m).zip(to.chunks_mut(m + 1)).zip(mean.chunks_mut(m + 1));
        for (i, ((from, to), mean)) in each.enumerate() {
            let (to, mean, first) = (&mut to[..m], &mut mean[..m], (task * rows + i) * blocks);
            mean.copy_from_slice(from);
            match draw {
                UnitDraw::Bernoulli => {
                    sigmoids(mean);
                    to.copy_from_slice(mean);
                    Philox::new(seed, stream).at(first as u64).fill(&mut words);
                    decide(to, &words);
                }
                UnitDraw::Normal => {
                    for (q, (to, mean)) in to.chunks_mut(4).zip(mean.chunks(4)).enumerate() {
                        let w = block((first + q) as u64, seed, stream);
                        let ([a, b], [c, d]) = (normals(w[0], w[1]), normals(w[2], w[3]));
                        to.iter_mut().zip(mean).zip([a, b, c, d]).for_each(|((t, m), v)| *t = m + v);
                    }
                }
            }
        }
    });
    (drawn, means)
}
