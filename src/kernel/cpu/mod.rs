//! The program on the CPU: blocks of pairs through all statistics and instructions, in f64.
//!
//! A block is at most [`ROWS`] x [`WIDTH`] pairs, so that its statistics and values stay in the first-level cache.
//! Everything below [`Program::tile`] is inlined into one function for each instruction set, chosen at run time.

#![allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]

mod backward;
mod forward;
mod stats;
pub(crate) mod vector;

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::points::{LANES, Packed, Points};
use super::program::Program;

/// Rows of x in a block.
const ROWS: usize = 4;
/// Points of y in a block.
const WIDTH: usize = 256;
/// Pairs in a block.
const PAIRS: usize = ROWS * WIDTH;

/// Working memory of one thread; make one and use it for many tiles.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    values: Vec<f64>,
    adjoints: Vec<f64>,
    /// Sums for the slots and then for the weights of each learned statistic.
    sums: Vec<f64>,
}

/// A block of pairs: `rows` rows of x from `row` on, `width` points of y from `col` on, both aligned to panels.
struct Block<'a> {
    x: &'a Points,
    y: &'a Packed,
    row: usize,
    rows: usize,
    col: usize,
    width: usize,
    same: bool,
}

impl Block<'_> {
    /// The number of pairs, copies of the last point included.
    fn pairs(&self) -> usize {
        self.rows * self.width
    }

    /// The two points of a pair; of copies, the original.
    fn pair(&self, e: usize) -> (usize, usize) {
        (self.row + e / self.width, (self.col + e % self.width).min(self.y.n - 1))
    }

    /// Row r of the block without its aligned margins: its place in the block and its place in the tile.
    fn crop(&self, r: usize, rows: &Range<usize>, cols: &Range<usize>) -> (Range<usize>, Range<usize>) {
        let (from, to) = (cols.start.max(self.col), cols.end.min(self.col + self.width));
        let inside = r * self.width + from - self.col;
        let outside = (self.row + r - rows.start) * cols.len() + from - cols.start;
        (inside..inside + to - from, outside..outside + to - from)
    }

    /// Where the block meets the diagonal of one data set.
    fn diagonal(&self) -> impl Iterator<Item = usize> {
        let hit = |r: usize| {
            let i = self.row + r;
            (self.same && (self.col..self.col + self.width).contains(&i))
                .then(|| r * self.width + i - self.col)
        };
        (0..self.rows).filter_map(hit)
    }
}

struct Tile<'a, 'b> {
    program: &'a Program,
    x: &'a Points,
    rows: Range<usize>,
    y: &'a Packed,
    cols: Range<usize>,
    same: bool,
    scratch: &'b mut Scratch,
    task: Task<'b>,
}

enum Task<'b> {
    Values(&'b mut [f64]),
    Sum { weights: &'b [f64], value: &'b mut f64, grad: Option<&'b mut [f64]> },
    Inputs { weights: &'b [f64], out: &'b mut [f64] },
}

impl WithSimd for Tile<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Only x86 has machines without a fused multiply-add among those that matter.
        if S::IS_SCALAR && cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            self.run::<false>();
        } else {
            self.run::<true>();
        }
    }
}

impl Tile<'_, '_> {
    // Plain loops and no closures around them: a closure that is not inlined loses the instruction set of its caller.
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Tile { program: p, x, rows, y, cols, same, scratch, mut task } = self;
        let buffers = p.stats.len() + p.code.len();
        let last = (buffers - 1) * PAIRS;
        scratch.values.resize(buffers * PAIRS, 0.0);
        let gradient = matches!(task, Task::Sum { grad: Some(_), .. });
        if !matches!(task, Task::Values(_)) {
            let learned: usize = p.stats.iter().filter(|s| s.learned).map(|s| s.cols.len()).sum();
            scratch.adjoints.resize(buffers * PAIRS, 0.0);
            scratch.sums.clear();
            scratch.sums.resize(p.slots.len() + learned, 0.0);
        }
        // Points of y outermost: a block of them stays in cache while the rows pass.
        for col in (cols.start / LANES * LANES..cols.end).step_by(WIDTH) {
            let width = (cols.end - col).min(WIDTH).next_multiple_of(LANES);
            for row in rows.clone().step_by(ROWS) {
                let b = &Block { x, y, row, rows: (rows.end - row).min(ROWS), col, width, same };
                forward::run::<FMA>(p, b, gradient, &mut scratch.values);
                match &mut task {
                    Task::Values(out) => {
                        let value = &scratch.values[last..];
                        for (inside, outside) in (0..b.rows).map(|r| b.crop(r, &rows, &cols)) {
                            out[outside].copy_from_slice(&value[inside]);
                        }
                    }
                    Task::Sum { weights, value, grad } => {
                        seed(b, &rows, &cols, weights, &mut scratch.adjoints);
                        let Scratch { values, adjoints, sums } = &mut *scratch;
                        let (of_pair, weights) = (&values[last..], &adjoints[last..]);
                        **value += vector::sum(b.pairs(), |e| weights[e] * of_pair[e]);
                        if grad.is_some() {
                            backward::by_parameters::<FMA>(p, b, values, adjoints, sums);
                        }
                    }
                    Task::Inputs { weights, out } => {
                        seed(b, &rows, &cols, weights, &mut scratch.adjoints);
                        let Scratch { values, adjoints, sums } = &mut *scratch;
                        let out = &mut out[(row - rows.start) * p.dz..][..b.rows * p.dz];
                        backward::by_inputs::<FMA>(p, b, values, adjoints, sums, out);
                    }
                }
            }
        }
        if let Task::Sum { grad: Some(grad), .. } = task {
            p.add_links(&scratch.sums, grad);
        }
    }
}

/// Zeros, and in the last buffer the weights of the pairs that belong to the tile.
#[inline(always)]
fn seed(b: &Block, rows: &Range<usize>, cols: &Range<usize>, weights: &[f64], adjoints: &mut [f64]) {
    for a in adjoints.chunks_exact_mut(PAIRS) {
        a[..b.pairs()].fill(0.0);
    }
    let last = adjoints.len() - PAIRS;
    for (inside, outside) in (0..b.rows).map(|r| b.crop(r, rows, cols)) {
        adjoints[last..][inside].copy_from_slice(&weights[outside]);
    }
}

impl Program {
    /// k(xᵢ, yⱼ) for a tile of pairs, row-major `rows` x `cols` in `out`.
    ///
    /// `same` says that x and y are one data set: then white noise is added where the indices are equal.
    #[allow(clippy::too_many_arguments, reason = "a tile is two ranges of two operands")]
    pub(crate) fn tile(
        &self,
        x: &Points,
        rows: Range<usize>,
        y: &Packed,
        cols: Range<usize>,
        same: bool,
        out: &mut [f64],
        scratch: &mut Scratch,
    ) {
        debug_assert_eq!(out.len(), rows.len() * cols.len());
        let task = Task::Values(out);
        Arch::new().dispatch(Tile { program: self, x, rows, y, cols, same, scratch, task });
    }

    /// Σᵢⱼ wᵢⱼ k(xᵢ, yⱼ); adds Σᵢⱼ wᵢⱼ ∂k(xᵢ, yⱼ)/∂p to `grad`, if there is one, with one entry for each of
    /// `Kernel::params`, on the natural scale.
    #[allow(clippy::too_many_arguments, reason = "a tile is two ranges of two operands")]
    pub(crate) fn tile_sum(
        &self,
        x: &Points,
        rows: Range<usize>,
        y: &Packed,
        cols: Range<usize>,
        same: bool,
        weights: &[f64],
        grad: Option<&mut [f64]>,
        scratch: &mut Scratch,
    ) -> f64 {
        debug_assert_eq!(weights.len(), rows.len() * cols.len());
        let mut sum = 0.0;
        let task = Task::Sum { weights, value: &mut sum, grad };
        Arch::new().dispatch(Tile { program: self, x, rows, y, cols, same, scratch, task });
        sum
    }

    /// Adds Σⱼ wᵢⱼ ∂k(xᵢ, yⱼ)/∂zᵢ to row i of `out` (`rows` x `dz`), zᵢ the columns of Z of xᵢ.
    #[allow(clippy::too_many_arguments, reason = "a tile is two ranges of two operands")]
    pub(crate) fn tile_inputs(
        &self,
        x: &Points,
        rows: Range<usize>,
        y: &Packed,
        cols: Range<usize>,
        weights: &[f64],
        out: &mut [f64],
        scratch: &mut Scratch,
    ) {
        debug_assert_eq!(weights.len(), rows.len() * cols.len());
        debug_assert_eq!(out.len(), rows.len() * self.dz);
        let task = Task::Inputs { weights, out };
        Arch::new().dispatch(Tile { program: self, x, rows, y, cols, same: false, scratch, task });
    }

    /// k(xᵢ, xᵢ), with white noise if `same`.
    pub(crate) fn diagonal(&self, x: &Points, same: bool) -> Vec<f64> {
        let mut scratch = Scratch::default();
        let mut out = vec![0.0; x.len()];
        // A panel of eight against its eight rows: 64 pairs for eight values, but on the common path.
        let y = Packed::new(x);
        let mut tile = [0.0; LANES * LANES];
        for (first, out) in (0..x.len()).step_by(LANES).zip(out.chunks_mut(LANES)) {
            let range = first..first + out.len();
            let tile = &mut tile[..out.len() * out.len()];
            self.tile(x, range.clone(), &y, range, same, tile, &mut scratch);
            let n = out.len();
            for (i, o) in out.iter_mut().enumerate() {
                *o = tile[i * n + i];
            }
        }
        out
    }

    /// Carries sums by slot and by weight to the parameters.
    fn add_links(&self, sums: &[f64], grad: &mut [f64]) {
        for l in &self.slot_links {
            grad[l.param] += l.slope * sums[l.slot];
        }
        let mut start = vec![0; self.stats.len()];
        let mut next = self.slots.len();
        for (s, stat) in self.stats.iter().enumerate().filter(|(_, s)| s.learned) {
            start[s] = next;
            next += stat.cols.len();
        }
        for l in &self.weight_links {
            grad[l.param] += l.slope * sums[start[l.stat] + l.at];
        }
    }
}
