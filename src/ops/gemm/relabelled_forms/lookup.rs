//! Sums for every pattern of four values, and their look-up.

use pulp::Simd;

use super::lanes::Lanes;
use super::tables::{GROUP, PATTERNS, SPAN};
use crate::host::product::Entries;

/// What a thread needs; a lane for each matrix.
pub(super) struct Scratch<L: Lanes> {
    /// Four rows of a span of columns.
    pub rows: [[L; SPAN * GROUP]; GROUP],
    /// These rows, combined by one pattern.
    pub combined: [L; SPAN * GROUP],
    /// Sums of the combined row over each group, for each pattern.
    pub tables: [[L; PATTERNS]; SPAN],
    /// The patterns of the columns, and the sums of what they looked up, in the order of the pattern in the four rows.
    pub patterns: Vec<[u8; SPAN]>,
    pub sums: Vec<L>,
}

impl<L: Lanes> Default for Scratch<L> {
    fn default() -> Self {
        Scratch {
            rows: [[L::ZERO; SPAN * GROUP]; GROUP],
            combined: [L::ZERO; SPAN * GROUP],
            tables: [[L::ZERO; PATTERNS]; SPAN],
            patterns: Vec::new(),
            sums: Vec::new(),
        }
    }
}

impl<L: Lanes> Scratch<L> {
    /// Combines the four rows, and tabulates some groups of the combined one.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    pub fn tabulate<S: Simd>(&mut self, simd: S, groups: usize, weights: [f64; GROUP], values: [f64; 2]) {
        for j in 0..groups * GROUP {
            let mut sum = L::ZERO;
            for (weight, row) in weights.iter().zip(&self.rows) {
                sum = row[j].times_and(simd, *weight, sum);
            }
            self.combined[j] = sum;
        }
        for (table, terms) in self.tables[..groups].iter_mut().zip(self.combined.chunks_exact(GROUP)) {
            subset_sums(simd, table, terms, values);
        }
    }
}

/// The entries of a group of rows, from a group of columns on; what is not there is zero, and what stands for its mirror
/// image as well is doubled.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
pub(super) fn gather<L: Lanes>(
    to: &mut [[L; SPAN * GROUP]; GROUP],
    a: &[&[f64]],
    [rows, cols]: [usize; 2],
    [group, other]: [usize; 2],
    entries: Entries,
) {
    let (row, col) = (group * GROUP, other * GROUP);
    let end = if entries == Entries::Lower { cols.min(row + GROUP) } else { cols };
    let twice = if entries == Entries::Lower { row } else { 0 };
    for (i, to) in to.iter_mut().enumerate() {
        *to = [L::ZERO; SPAN * GROUP];
        if row + i >= rows {
            continue;
        }
        for (lane, a) in a.iter().enumerate() {
            let from = &a[(row + i) * cols..][col..end.min(col + SPAN * GROUP)];
            for (j, (to, entry)) in to.iter_mut().zip(from).enumerate() {
                to.lanes_mut()[lane] = if col + j < twice { 2.0 * entry } else { *entry };
            }
        }
    }
}

/// `Σ_i value_i term_i` for every pattern of values.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn subset_sums<S: Simd, L: Lanes>(simd: S, sums: &mut [L; PATTERNS], terms: &[L], [low, high]: [f64; 2]) {
    let mut all = L::ZERO;
    for term in &terms[..GROUP] {
        all = term.times_and(simd, low, all);
    }
    sums[0] = all;
    for i in 0..GROUP {
        let more = terms[i].times_and(simd, high - low, L::ZERO);
        // Patterns without this bit are there: with it, they follow.
        for p in 0..1 << i {
            sums[p | 1 << i] = sums[p].add(simd, more);
        }
    }
}

/// Adds what a column looks up in some tables.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
pub(super) fn look_up<S: Simd, L: Lanes>(
    simd: S,
    out: &mut L,
    tables: &[[L; PATTERNS]],
    patterns: &[u8; SPAN],
) {
    // Four chains of additions, or each would wait for the one before.
    let mut sums = [L::ZERO; 4];
    for (tables, patterns) in tables.chunks_exact(4).zip(patterns.chunks_exact(4)) {
        for chain in 0..4 {
            sums[chain] = sums[chain].add(simd, tables[chain][usize::from(patterns[chain]) % PATTERNS]);
        }
    }
    let sum = sums[0].add(simd, sums[1]).add(simd, sums[2].add(simd, sums[3]));
    *out = out.add(simd, sum);
}
