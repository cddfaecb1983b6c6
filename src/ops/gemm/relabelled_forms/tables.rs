//! Bilinear forms of several matrices with columns of two values, which is what relabelled samples are.
//!
//! Four entries of such a column have 16 patterns. Between four rows and four columns of A the 256 sums of all pairs of
//! patterns are made once, and every column of V then looks its sixteen products up: one addition where a matrix product
//! has sixteen multiplications and additions. The pattern is the same for every matrix, so one look-up serves eight of
//! them, a lane each. Columns are taken in the order of their patterns in the four rows: what they look up is then in the
//! first cache. On the CPU only.

use ndarray::ArrayView2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::Lanes;
use super::lookup::{Scratch, gather, look_up};
use crate::host::product::Entries;

/// Entries of a column that are looked up together, and their patterns.
pub(super) const GROUP: usize = 4;
pub(super) const PATTERNS: usize = 1 << GROUP;
/// Groups of columns whose tables are held together: 16 KiB for eight matrices.
pub(super) const SPAN: usize = 16;
/// Groups of rows that one task takes.
const STRIP: usize = 8;
/// Most matrices whose forms are made together.
pub(super) const TOGETHER: usize = 8;

/// A matrix whose entries have one of two values.
#[derive(Debug, Clone)]
pub(super) struct TwoValued {
    rows: usize,
    cols: usize,
    /// The values of 0 and of 1.
    values: [f64; 2],
    /// For each span of rows, for each column: the patterns of its groups.
    patterns: Vec<[u8; SPAN]>,
}

impl TwoValued {
    /// `cols` columns, the entries of column b being `values[label(b)[i]]`; labels are 0 or 1.
    pub fn new<'a>(
        rows: usize,
        cols: usize,
        values: [f64; 2],
        label: impl Fn(usize) -> &'a [u8] + Sync,
    ) -> Self {
        let bits = |labels: &[u8]| labels.iter().rev().fold(0, |word, label| 2 * word + label);
        let mut patterns = vec![[0; SPAN]; rows.div_ceil(SPAN * GROUP) * cols];
        patterns.par_chunks_mut(cols.max(1)).enumerate().for_each(|(span, own)| {
            for (b, own) in own.iter_mut().enumerate() {
                let labels = &label(b)[span * SPAN * GROUP..rows.min((span + 1) * SPAN * GROUP)];
                own.iter_mut().zip(labels.chunks(GROUP)).for_each(|(p, labels)| *p = bits(labels));
            }
        });
        TwoValued { rows, cols, values, patterns }
    }

    pub fn bytes(&self) -> u64 {
        (self.patterns.len() * SPAN) as u64
    }

    /// `u_b^T A v_b` for each matrix, for every column b; each has as many rows as `self`, and as many columns as `v` has
    /// rows. With [`Entries::Lower`] it is symmetric, and half of it is read.
    pub fn forms(&self, a: &[ArrayView2<f64>], v: &TwoValued, entries: Entries) -> Vec<Vec<f64>> {
        let fits = |a: &ArrayView2<f64>| a.dim() == (self.rows, v.rows);
        assert!(a.iter().all(fits) && self.cols == v.cols, "the caller has checked the shapes");
        match a.len() {
            1 => self.forms_of::<f64>(a, v, entries),
            _ => a.chunks(TOGETHER).flat_map(|a| self.forms_of::<[f64; TOGETHER]>(a, v, entries)).collect(),
        }
    }

    fn forms_of<L: Lanes>(&self, a: &[ArrayView2<f64>], v: &TwoValued, entries: Entries) -> Vec<Vec<f64>> {
        let a: Vec<&[f64]> = a.iter().map(|a| a.to_slice().expect("a block in row order")).collect();
        let strips = (0..self.rows.div_ceil(STRIP * GROUP)).into_par_iter();
        let share = |scratch: &mut Box<Scratch<L>>, at| {
            Arch::new().dispatch(Strip { u: self, a: &a, v, entries, at, scratch })
        };
        let parts: Vec<Vec<L>> = strips.map_init(Box::<Scratch<L>>::default, share).collect();
        // In one order, whoever was ready first.
        let sum = |lane: usize, b: usize| parts.iter().map(|part| part[b].lanes()[lane]).sum();
        (0..a.len()).map(|lane| (0..self.cols).map(|b| sum(lane, b)).collect()).collect()
    }

    /// The columns sorted by their patterns in a group of rows, and where each pattern begins.
    fn by_pattern(&self, group: usize) -> (Vec<u32>, [usize; PATTERNS + 1]) {
        let patterns = &self.patterns[group / SPAN * self.cols..][..self.cols];
        let pattern = |b: usize| usize::from(patterns[b][group % SPAN]);
        let mut starts = [0; PATTERNS + 1];
        (0..self.cols).for_each(|b| starts[pattern(b) + 1] += 1);
        (0..PATTERNS).for_each(|p| starts[p + 1] += starts[p]);
        let (mut next, mut order) = (starts, vec![0; self.cols]);
        for b in 0..self.cols {
            let at = &mut next[pattern(b)];
            order[*at] = b as u32;
            *at += 1;
        }
        (order, starts)
    }
}

/// The share of some rows of the matrices in every form.
struct Strip<'a, L: Lanes> {
    u: &'a TwoValued,
    a: &'a [&'a [f64]],
    v: &'a TwoValued,
    entries: Entries,
    /// Which rows.
    at: usize,
    scratch: &'a mut Scratch<L>,
}

impl<L: Lanes> WithSimd for Strip<'_, L> {
    type Output = Vec<L>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<L> {
        let Strip { u, a, v, entries, at, scratch } = self;
        let mut out = vec![L::ZERO; u.cols];
        for group in at * STRIP..u.rows.div_ceil(GROUP).min((at + 1) * STRIP) {
            let (order, starts) = u.by_pattern(group);
            let groups = match entries {
                Entries::All => v.rows.div_ceil(GROUP),
                Entries::Lower => group + 1,
            };
            scratch.sums.clear();
            scratch.sums.resize(u.cols, L::ZERO);
            for (span, patterns) in v.patterns.chunks_exact(v.cols).enumerate().take(groups.div_ceil(SPAN)) {
                // Four groups at a time are looked up; in those that are not there the rows are zero.
                let here = (groups - span * SPAN).min(SPAN).next_multiple_of(4);
                scratch.patterns.clear();
                scratch.patterns.extend(order.iter().map(|&b| patterns[b as usize]));
                gather(&mut scratch.rows, a, [u.rows, v.rows], [group, span * SPAN], entries);
                for pattern in 0..PATTERNS {
                    scratch.tabulate(simd, here, [0, 1, 2, 3].map(|i| u.values[pattern >> i & 1]), v.values);
                    let columns = starts[pattern]..starts[pattern + 1];
                    for (patterns, sums) in
                        scratch.patterns[columns.clone()].iter().zip(&mut scratch.sums[columns])
                    {
                        look_up(simd, sums, &scratch.tables[..here], patterns);
                    }
                }
            }
            for (&b, sums) in order.iter().zip(&scratch.sums) {
                out[b as usize] = out[b as usize].add(simd, *sums);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrayView2, Entries, TwoValued};

    const VALUES: [f64; 2] = [-2.0, 3.0];
    const COUNT: usize = 35;

    fn labels(n: usize, salt: usize) -> Vec<u8> {
        (salt..salt + n * COUNT).map(|i| u8::from(i * i % 7 + i % 3 > 4)).collect()
    }

    fn columns(n: usize, labels: &[u8]) -> TwoValued {
        TwoValued::new(n, COUNT, VALUES, |b| &labels[b * n..(b + 1) * n])
    }

    /// The forms of `count` matrices, by the sums of their definition and as found.
    fn check(n: usize, m: usize, count: usize, entries: Entries) {
        let (of_u, of_v) = (labels(n, 0), labels(m, if n == m { 0 } else { 5 }));
        let value = |lane: usize, i: usize, j: usize| match entries {
            Entries::All => (0.37 * (i * m + j) as f64 + lane as f64).sin(),
            Entries::Lower => (0.37 * (i * j) as f64 + (i + j) as f64 + lane as f64).sin(),
        };
        let flat = |lane: usize| (0..n * m).map(|at| value(lane, at / m, at % m)).collect::<Vec<f64>>();
        let a: Vec<Vec<f64>> = (0..count).map(flat).collect();
        let a: Vec<_> = a.iter().map(|a| ArrayView2::from_shape((n, m), a).unwrap()).collect();
        let found = columns(n, &of_u).forms(&a, &columns(m, &of_v), entries);
        assert_eq!(found.len(), count);
        for (a, found) in a.iter().zip(found) {
            assert_eq!(found.len(), COUNT);
            for (b, found) in found.into_iter().enumerate() {
                let of = |labels: &[u8], i: usize| VALUES[usize::from(labels[i])];
                let row = |i: usize| (0..m).map(|j| a[[i, j]] * of(&of_v, b * m + j)).sum::<f64>();
                let want: f64 = (0..n).map(|i| of(&of_u, b * n + i) * row(i)).sum();
                assert!((found - want).abs() < 1e-10, "{n} x {m}, column {b}: {found}, not {want}");
            }
        }
    }

    #[test]
    fn agrees_with_the_sums_of_the_definition() {
        for (n, m) in [(1, 1), (3, 5), (4, 4), (31, 63), (32, 64), (33, 65), (5, 113), (65, 200)] {
            check(n, m, 1, Entries::All);
            check(n, m, 2, Entries::All);
            check(n, m, 9, Entries::All);
        }
    }

    #[test]
    fn a_symmetric_matrix_gives_the_same_by_half_of_it() {
        for n in [1, 2, 4, 5, 16, 33, 65, 130] {
            check(n, n, 3, Entries::Lower);
        }
    }
}
