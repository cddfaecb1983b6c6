//! Bilinear forms with columns of two values, which is what relabelled samples are.
//!
//! Six entries of such a column have 64 patterns. For 16 rows of A the 64 sums over six of its columns are made once, and
//! every column of V then looks its six products up: one addition where a matrix product has six multiplications and
//! additions. Twice as fast as the product, whose flops are what the reading of tables costs. On the CPU only.

use ndarray::ArrayView2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Entries of a column that are looked up together, and their patterns.
const GROUP: usize = 6;
const PATTERNS: usize = 1 << GROUP;
/// Groups whose tables are held together: 256 KiB, in the second cache.
const GROUPS: usize = 32;
/// Entries of a column in these groups.
const SPAN: usize = GROUP * GROUPS;
/// Rows of A in a strip.
const TALL: usize = 16;

/// The sums of 16 rows over a group of columns, for each pattern of values.
type Table = [[f64; TALL]; PATTERNS];

/// A matrix whose entries have one of two values.
#[derive(Debug, Clone)]
pub(crate) struct TwoValued {
    rows: usize,
    cols: usize,
    /// The values of 0 and of 1.
    values: [f64; 2],
    /// For each span of rows, for each column: the patterns of its groups.
    patterns: Vec<[u8; GROUPS]>,
    /// For each strip of rows, for each column: the labels, a bit each.
    strips: Vec<u16>,
}

impl TwoValued {
    /// `cols` columns, the entries of column b being `values[label(b)[i]]`; labels are 0 or 1.
    pub fn new<'a>(
        rows: usize,
        cols: usize,
        values: [f64; 2],
        label: impl Fn(usize) -> &'a [u8] + Sync,
    ) -> Self {
        let bits = |labels: &[u8]| labels.iter().rev().fold(0u16, |word, label| 2 * word + u16::from(*label));
        let mut patterns = vec![[0; GROUPS]; rows.div_ceil(SPAN) * cols];
        patterns.par_chunks_mut(cols.max(1)).enumerate().for_each(|(span, own)| {
            for (b, own) in own.iter_mut().enumerate() {
                let labels = &label(b)[span * SPAN..rows.min((span + 1) * SPAN)];
                own.iter_mut().zip(labels.chunks(GROUP)).for_each(|(p, labels)| *p = bits(labels) as u8);
            }
        });
        let mut strips = vec![0; rows.div_ceil(TALL) * cols];
        strips.par_chunks_mut(cols.max(1)).enumerate().for_each(|(strip, own)| {
            for (b, own) in own.iter_mut().enumerate() {
                *own = bits(&label(b)[strip * TALL..rows.min((strip + 1) * TALL)]);
            }
        });
        TwoValued { rows, cols, values, patterns, strips }
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    /// `u_b^T A v_b` for every column b; `a` has as many rows as `self`, and as many columns as `v` has rows.
    pub fn forms(&self, a: ArrayView2<f64>, v: &TwoValued) -> Vec<f64> {
        assert_eq!((a.dim(), self.cols), ((self.rows, v.rows), v.cols), "the caller has checked the shapes");
        let scratch = || vec![[[0.0; TALL]; PATTERNS]; GROUPS];
        let share = |tables: &mut Vec<Table>, at| Arch::new().dispatch(Strip { u: self, a, v, at, tables });
        let strips = (0..self.rows.div_ceil(TALL)).into_par_iter();
        let parts: Vec<Vec<f64>> = strips.map_init(scratch, share).collect();
        // In one order, whoever was ready first.
        let mut sums = vec![0.0; self.cols];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
        sums
    }
}

/// The share of 16 rows of A in every form.
struct Strip<'a> {
    u: &'a TwoValued,
    a: ArrayView2<'a, f64>,
    v: &'a TwoValued,
    /// Which 16.
    at: usize,
    tables: &'a mut [Table],
}

impl WithSimd for Strip<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let Strip { u, a, v, at, tables } = self;
        let mut fours = [[0.0; 4]; 16];
        for (pattern, four) in fours.iter_mut().enumerate() {
            *four = [0, 1, 2, 3].map(|i| u.values[pattern >> i & 1]);
        }
        let labels = &u.strips[at * u.cols..(at + 1) * u.cols];
        let mut out = vec![0.0; u.cols];
        for (span, patterns) in v.patterns.chunks_exact(v.cols).enumerate() {
            let groups = (a.ncols() - span * SPAN).div_ceil(GROUP).min(GROUPS);
            for (g, table) in tables.iter_mut().enumerate().take(groups) {
                fill(table, a, at * TALL, span * SPAN + g * GROUP, v.values);
            }
            for ((patterns, labels), out) in patterns.iter().zip(labels).zip(&mut out) {
                let mut sums = [simd.splat_f64s(0.0); TALL];
                for (table, pattern) in tables.iter().zip(&patterns[..groups]) {
                    let looked_up = S::as_simd_f64s(&table[usize::from(*pattern) % PATTERNS]).0;
                    for q in 0..TALL / S::F64_LANES {
                        sums[q] = simd.add_f64s(sums[q], looked_up[q]);
                    }
                }
                // Rows that are not there have no sums.
                let weights: [[f64; 4]; 4] = [0, 4, 8, 12].map(|bit| fours[usize::from(labels >> bit & 15)]);
                let weights = S::as_simd_f64s(weights.as_flattened()).0;
                let mut form = simd.mul_f64s(weights[0], sums[0]);
                for q in 1..TALL / S::F64_LANES {
                    form = simd.mul_add_f64s(weights[q], sums[q], form);
                }
                *out += simd.reduce_sum_f64s(form);
            }
        }
        out
    }
}

/// `Σ_c value_c a[row + r, col + c]` for every pattern of values; what is not there is zero.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn fill(table: &mut Table, a: ArrayView2<f64>, row: usize, col: usize, [low, high]: [f64; 2]) {
    table[0] = [0.0; TALL];
    for c in 0..GROUP {
        let mut entries = [0.0; TALL];
        if col + c < a.ncols() {
            for (r, entry) in entries.iter_mut().enumerate().take(a.nrows() - row) {
                *entry = a[[row + r, col + c]];
            }
        }
        // Patterns without this bit are there: with it, they follow.
        let (without, with) = table.split_at_mut(1 << c);
        for (without, with) in without.iter_mut().zip(with) {
            for r in 0..TALL {
                with[r] = without[r] + high * entries[r];
                without[r] += low * entries[r];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrayView2, TwoValued};

    #[test]
    fn agrees_with_the_sums_of_the_definition() {
        let (count, values) = (5, [-2.0, 3.0]);
        for (n, m) in [(1, 1), (15, 5), (16, 6), (17, 7), (33, 191), (6, 192), (31, 193), (48, 400)] {
            let draw = |i: usize| u8::from(i * i % 7 + i % 3 > 4);
            let labels = |n: usize| (0..n * count).map(draw).collect::<Vec<u8>>();
            let (of_u, of_v) = (labels(n), labels(m));
            let u = TwoValued::new(n, count, values, |b| &of_u[b * n..(b + 1) * n]);
            let v = TwoValued::new(m, count, values, |b| &of_v[b * m..(b + 1) * m]);
            let a: Vec<f64> = (0..n * m).map(|i| (0.37 * i as f64).sin()).collect();
            let found = u.forms(ArrayView2::from_shape((n, m), &a).unwrap(), &v);
            for (b, found) in found.into_iter().enumerate() {
                let of = |labels: &[u8], i: usize| values[usize::from(labels[i])];
                let row = |i: usize| (0..m).map(|j| a[i * m + j] * of(&of_v, b * m + j)).sum::<f64>();
                let want: f64 = (0..n).map(|i| of(&of_u, b * n + i) * row(i)).sum();
                assert!((found - want).abs() < 1e-11, "{n} x {m}, column {b}: {found}, not {want}");
            }
        }
    }
}
