//! The nearest centre and how much nearer it is than the next, in f32.
//!
//! Of the centres c and a row x, both relative to the mean of the centres, `|x - c|^2 = |x|^2 + 2 s` with the score
//! `s = |c|^2 / 2 - x.c`. A tile is 6 centres times two vectors of rows; a row is a lane, so that its least score so far,
//! the second least and the index of the least are kept without looking across lanes, and scores are never stored.

use ndarray::ArrayView2;
use pulp::Simd;

/// Rows searched together.
pub(super) const BATCH: usize = 64;
/// Centres in a tile: with two vectors of rows twelve sums, which hide the latency of a fused product.
const SIDE: usize = 6;

/// Centres in the order in which tiles read them.
pub(super) struct Panels {
    /// For each six centres their `|c|^2 / 2`, then their entries with the sign changed.
    lines: Vec<[f32; SIDE]>,
    d: usize,
    /// How much scores err, relative to `|c|^2 / 2 + |x| |c|`.
    ///
    /// Both factors of a term are rounded once (and as f64 before that), the product at most once, the d sums and the
    /// norm once each: less than d + 8 roundings by `u = 2^-24`, which is `(d + 8) u / (1 - (d + 8) u)` at most.
    error: f64,
}

impl Panels {
    /// Of centres that are at most 1 long.
    pub fn new(c: ArrayView2<f64>) -> Self {
        let (m, d) = c.dim();
        // What fills up the last panel is infinitely far away.
        let mut lines = vec![[0.0; SIDE]; m.div_ceil(SIDE) * (d + 1)];
        for panel in lines.chunks_exact_mut(d + 1) {
            panel[0] = [f32::INFINITY; SIDE];
        }
        for (j, c) in c.rows().into_iter().enumerate() {
            let panel = &mut lines[j / SIDE * (d + 1)..][..=d];
            panel[0][j % SIDE] = (0.5 * c.dot(&c)) as f32;
            for (line, c) in panel[1..].iter_mut().zip(c) {
                line[j % SIDE] = -c as f32;
            }
        }
        let roundings = (d as f64 + 8.0) * 0.5 * f64::from(f32::EPSILON);
        Panels { lines, d, error: roundings / (1.0 - roundings).max(0.0) }
    }
}

/// Some rows, and what is known about them.
pub(super) struct Batch<'a> {
    /// Two vectors of rows after the other, each entry by entry.
    packed: &'a mut [f32],
    /// Index of the least score.
    pub first: [u32; BATCH],
    least: [f32; BATCH],
    second: [f32; BATCH],
    rows: usize,
}

impl<'a> Batch<'a> {
    pub fn new(packed: &'a mut [f32]) -> Self {
        let none = [f32::INFINITY; BATCH];
        Batch { packed, first: [0; BATCH], least: none, second: none, rows: 0 }
    }

    /// Takes the rows of x: `scale (x - mean)`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    pub fn pack<S: Simd>(&mut self, x: &[f64], mean: &[f64], scale: f64) {
        let (d, wide) = (mean.len(), 2 * S::F32_LANES);
        self.rows = x.len() / d;
        for (x, packed) in x.chunks(wide * d).zip(self.packed.chunks_exact_mut(wide * d)) {
            for (r, x) in x.chunks_exact(d).enumerate() {
                for ((to, x), m) in packed.chunks_exact_mut(wide).zip(x).zip(mean) {
                    to[r] = ((x - m) * scale) as f32;
                }
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    pub fn search<S: Simd>(&mut self, simd: S, panels: &Panels) {
        let (d, wide) = (panels.d, 2 * S::F32_LANES);
        let none = simd.splat_f32s(f32::INFINITY);
        for (at, panel) in panels.lines.chunks_exact(d + 1).enumerate() {
            for group in 0..self.rows.div_ceil(wide) {
                let lanes = group * wide..(group + 1) * wide;
                let x = S::as_simd_f32s(&self.packed[lanes.start * d..lanes.end * d]).0;
                let least = S::as_mut_simd_f32s(&mut self.least[lanes.clone()]).0;
                let second = S::as_mut_simd_f32s(&mut self.second[lanes.clone()]).0;
                let first = S::as_mut_simd_u32s(&mut self.first[lanes]).0;
                let mut sums = [[none; 2]; SIDE];
                for (sum, &norm) in sums.iter_mut().zip(&panel[0]) {
                    *sum = [simd.splat_f32s(norm); 2];
                }
                for (c, x) in panel[1..].iter().zip(x.chunks_exact(2)) {
                    for q in 0..SIDE {
                        let c = simd.splat_f32s(c[q]);
                        sums[q][0] = simd.mul_add_e_f32s(c, x[0], sums[q][0]);
                        sums[q][1] = simd.mul_add_e_f32s(c, x[1], sums[q][1]);
                    }
                }
                for v in 0..2 {
                    let (mut low, mut next, mut index) = (least[v], second[v], first[v]);
                    for (q, sum) in sums.iter().enumerate() {
                        let score = sum[v];
                        let better = simd.less_than_f32s(score, low);
                        index = simd.select_u32s(better, simd.splat_u32s((at * SIDE + q) as u32), index);
                        next = simd.min_f32s(next, simd.max_f32s(low, score));
                        low = simd.min_f32s(low, score);
                    }
                    (least[v], second[v], first[v]) = (low, next, index);
                }
            }
        }
    }

    /// Whether the centre found for row i is also the nearest by sums of squares in f64, given its own.
    ///
    /// With `|c| <= 1` and `|x| <= |x - c| + 1` a score errs by no more than `error (3/2 + |x - c|)`, and the difference of
    /// two by no more than twice that. Scores that are farther apart are in the order of the distances, whose own rounding
    /// in f64, as that of scores that underflow, is smaller than the slack by orders of magnitude. Of rows so far away that
    /// a score may overflow nothing is sure.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    pub fn is_sure(&self, i: usize, panels: &Panels, squared_distance: f64) -> bool {
        let apart = f64::from(self.second[i] - self.least[i]);
        apart > panels.error * (3.0 + 2.0 * squared_distance.sqrt()) && squared_distance < 1e60
    }
}
