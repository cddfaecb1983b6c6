//! The f64 product for x86-64 with AVX2 or AVX-512.
//!
//! Both operands are copied into panels in the order in which they are read: a few rows of A, some columns of B, 256
//! terms at a time. A tile of sums then stays in registers while A comes from the second cache and B from the first.
//!
//! It is here beside the `gemm` crate for two reasons: it leaves out the tiles above a diagonal, which half the work of
//! the models consists of, and it holds its speed where products are small or narrow, as inside a factorisation.
//! Every sum runs over its terms in one order, whatever the number of threads.

mod avx2;
mod avx512;
mod pack;
mod substitute;
#[cfg(test)]
mod tests;
mod tile;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::Entries;
use avx2::Avx2;
use avx512::Avx512;
use pack::{Line, Operand};
pub(crate) use substitute::{MOST, substitute};
use tile::Tile;

/// Columns of B in the third cache, at most: 4 MiB.
const COLS: usize = 2048;

/// Sums of a tile, at most.
const LARGEST: usize = 8 * 24;

/// Whether this machine is one that this file is for.
pub(crate) fn suits() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

fn is_wide() -> bool {
    is_x86_feature_detected!("avx512f")
}

thread_local! {
    // Taken while in use: a thread that waits for its tasks may begin another product.
    static LEFT: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
    static RIGHT: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// Where the result goes.
#[derive(Clone, Copy)]
struct Target {
    at: *mut f64,
    shape: (usize, usize),
    rows: isize,
    cols: isize,
    entries: Entries,
    alpha: f64,
}

/// Panels of B: its columns from `from` on, some of its terms, and what becomes of the sums that were there before.
struct Right<'a> {
    lines: &'a [Line],
    from: usize,
    terms: Range<usize>,
    beta: f64,
}

// SAFETY: tasks write disjoint tiles of the result.
unsafe impl Send for Target {}
unsafe impl Sync for Target {}

/// `c = alpha a b + beta c`, on every core or on the calling thread; shapes have been checked, and none is zero.
pub(crate) fn product(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    c: ArrayViewMut2<f64>,
    entries: Entries,
    alone: bool,
) {
    if c.strides()[0] == 1 && entries == Entries::All {
        return product(alpha, b.reversed_axes(), a.reversed_axes(), beta, c.reversed_axes(), entries, alone);
    }
    if is_wide() {
        by_tiles::<Avx512>(alpha, a, b, beta, c, entries, alone);
    } else {
        by_tiles::<Avx2>(alpha, a, b, beta, c, entries, alone);
    }
}

fn by_tiles<T: Tile>(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    mut c: ArrayViewMut2<f64>,
    entries: Entries,
    alone: bool,
) {
    let ((m, k), n) = (a.dim(), b.ncols());
    let (left, right) = (Operand::new(&a), Operand::new(&b).t());
    let (rows, cols) = (c.strides()[0], c.strides()[1]);
    let out = Target { at: c.as_mut_ptr(), shape: (m, n), rows, cols, entries, alpha };
    let threads = if alone { 1 } else { rayon::current_num_threads() };
    let mut packed = RIGHT.take();
    let each = Line::count(T::WIDE * T::TERMS);
    let cols = n.div_ceil(n.div_ceil(COLS)).next_multiple_of(T::WIDE);
    for from in (0..n).step_by(cols) {
        let panels = (n - from).min(cols).div_ceil(T::WIDE);
        packed.resize(packed.len().max(panels * each), Line::EMPTY);
        for term in (0..k).step_by(T::TERMS) {
            let terms = T::TERMS.min(k - term);
            let fill = |(panel, to): (usize, &mut [Line])| {
                let col = from + panel * T::WIDE;
                // SAFETY: the columns and terms are within B, and the panel has TERMS rows of WIDE.
                unsafe {
                    right.wide::<T>(col, T::WIDE.min(n - col), term..term + terms, to.as_mut_ptr().cast());
                }
            };
            let lines = &mut packed[..panels * each];
            if threads == 1 {
                lines.chunks_mut(each).enumerate().for_each(fill);
            } else {
                lines.par_chunks_mut(each).enumerate().for_each(fill);
            }
            let beta = if term == 0 { beta } else { 1.0 };
            let b = Right { lines, from, terms: term..term + terms, beta };
            let tasks = tasks::<T>(m, panels, threads);
            share(threads, &tasks, |(row, panels)| out.block::<T>(left, *row, &b, panels.clone()));
        }
    }
    RIGHT.set(packed);
}

/// First row and panels of each task: blocks of rows, cut across where they are few. Blocks that reach far below a
/// diagonal come first, and the last are cut once more, so that threads end together.
fn tasks<T: Tile>(m: usize, panels: usize, threads: usize) -> Vec<(usize, Range<usize>)> {
    let blocks = m.div_ceil(T::ROWS);
    let pieces = (8 * threads).div_ceil(blocks).min(panels.div_ceil(8));
    let along = move |(place, row)| {
        let last = threads > 1 && place + threads >= blocks;
        let wide = panels.div_ceil(if last { 4 * pieces } else { pieces }).max(8);
        (0..panels).step_by(wide).map(move |first| (row, first..panels.min(first + wide)))
    };
    (0..m).step_by(T::ROWS).rev().enumerate().flat_map(along).collect()
}

/// Each thread takes the next task when it is done with one: pieces that are handed out in advance would end when the
/// slowest thread does.
fn share<T: Sync>(threads: usize, tasks: &[T], run: impl Fn(&T) + Sync) {
    if threads == 1 {
        return tasks.iter().for_each(run);
    }
    let taken = AtomicUsize::new(0);
    let work = || {
        while let Some(task) = tasks.get(taken.fetch_add(1, Ordering::Relaxed)) {
            run(task);
        }
    };
    rayon::scope(|scope| {
        (1..threads.min(tasks.len())).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}

impl Target {
    fn entry(self, i: usize, j: usize) -> *mut f64 {
        self.at.wrapping_offset(i.cast_signed() * self.rows + j.cast_signed() * self.cols)
    }

    /// The block of rows from `row` on, against some panels of B.
    fn block<T: Tile>(self, a: Operand, row: usize, b: &Right, panels: Range<usize>) {
        let (m, n) = self.shape;
        let rows = T::ROWS.min(m - row);
        if self.entries == Entries::Lower && b.from + panels.start * T::WIDE >= row + rows {
            return;
        }
        let mut packed = LEFT.take();
        packed.resize(packed.len().max(Line::count(T::ROWS * T::TERMS)), Line::EMPTY);
        let lefts: *mut f64 = packed.as_mut_ptr().cast();
        for i in (0..rows).step_by(T::TALL) {
            // SAFETY: the rows and terms are within A, and the buffer has ROWS rows of TERMS.
            unsafe {
                let to = lefts.add(i * T::TERMS);
                a.tall::<T>(row + i, T::TALL.min(rows - i), b.terms.clone(), to);
            }
        }
        let at = |panel: usize| b.lines[panel * Line::count(T::WIDE * T::TERMS)..].as_ptr().cast::<f64>();
        for panel in panels.clone() {
            let j = b.from + panel * T::WIDE;
            // Each tile fetches its share of the panel after this one, and of the first when a block of rows is done.
            let after = at(if panel + 1 < panels.end { panel + 1 } else { panels.start });
            for i in (0..rows).step_by(T::TALL) {
                if self.entries == Entries::Lower && j >= row + i + T::TALL {
                    continue;
                }
                let shape = (T::TALL.min(rows - i), T::WIDE.min(n - j));
                // SAFETY: the panels are filled, the machine has been asked, and no other task has this tile.
                unsafe {
                    let left = lefts.add(i * T::TERMS);
                    let next = after.wrapping_add(i / T::TALL * 2 * b.terms.len());
                    self.tile::<T>(b, (left, at(panel), next), (row + i, j), shape);
                }
            }
        }
        LEFT.set(packed);
    }

    /// The tile at `(i, j)`, of which as much is there as `shape` says.
    #[inline]
    unsafe fn tile<T: Tile>(
        self,
        b: &Right,
        (left, right, next): (*const f64, *const f64, *const f64),
        (i, j): (usize, usize),
        (tall, wide): (usize, usize),
    ) {
        let (terms, beta) = (b.terms.len(), b.beta);
        unsafe {
            if self.cols == 1 && self.rows > 0 && (tall, wide) == (T::TALL, T::WIDE) {
                let stride = self.rows.unsigned_abs();
                return T::run(terms, left, right, self.entry(i, j), stride, [self.alpha, beta], next);
            }
            const { assert!(T::TALL * T::WIDE <= LARGEST, "a tile fits the room for its sums") };
            let mut sums = [0.0; LARGEST];
            T::run(terms, left, right, sums.as_mut_ptr(), T::WIDE, [self.alpha, 0.0], next);
            for r in 0..tall {
                for (s, sum) in sums[r * T::WIDE..][..wide].iter().enumerate() {
                    let to = self.entry(i + r, j + s);
                    *to = if beta == 0.0 { *sum } else { beta.mul_add(*to, *sum) };
                }
            }
        }
    }
}
