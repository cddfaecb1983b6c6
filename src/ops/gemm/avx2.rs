//! The f64 product for x86-64 with AVX2 and without AVX-512.
//!
//! Both operands are copied into panels in the order in which they are read: 4 rows of A, 12 columns of B, 256 terms at a
//! time. A tile of 4 x 12 sums then stays in registers while A comes from the second cache and B from the first. The
//! tile is written in assembly because the compiler moves one of its twelve sums to memory, which halves its speed.
//!
//! It is here beside the `gemm` crate for two reasons: it leaves out the tiles above a diagonal, which half the work of
//! the models consists of, and it holds its speed (85 GFLOP/s on two cores of Zen 3 at n = 2048 and at n = 4000) where
//! the crate falls behind (84 and 70).
//! Every sum runs over its terms in one order, whatever the number of threads.

mod substitute;
mod tile;

use std::arch::x86_64::{
    __m256d, _MM_HINT_T0, _mm_prefetch, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_mul_pd, _mm256_set1_pd,
    _mm256_storeu_pd,
};
use std::cell::Cell;
use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::on_cpu::Entries;
pub(crate) use substitute::{MOST, substitute};
use tile::tile;

const TALL: usize = 4;
const WIDE: usize = 12;
const TERMS: usize = 256;
const ROWS: usize = 32; // of A in the second cache: 64 KiB
const COLS: usize = 171 * WIDE; // of B in the third, at most: 4 MiB

/// Whether this machine is the one that this file is for.
pub(crate) fn suits() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && !is_x86_feature_detected!("avx512f")
}

/// One row of a panel of B: aligned, so that no load crosses a line of the cache that it need not cross.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Lane([f64; WIDE]);

thread_local! {
    // Taken while in use: a thread that waits for its tasks may begin another product.
    static LEFT: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
    static RIGHT: Cell<Vec<Lane>> = const { Cell::new(Vec::new()) };
}

/// An operand whose shape has been checked.
#[derive(Clone, Copy)]
struct Operand {
    at: *const f64,
    rows: isize,
    cols: isize,
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
    lanes: &'a [Lane],
    from: usize,
    terms: Range<usize>,
    beta: f64,
}

// SAFETY: tasks read what nobody writes, and write disjoint parts: tiles of the result, or columns of what is solved for.
unsafe impl Send for Operand {}
unsafe impl Sync for Operand {}
unsafe impl Send for Target {}
unsafe impl Sync for Target {}

impl Operand {
    fn new(a: &ArrayView2<f64>) -> Self {
        Self { at: a.as_ptr(), rows: a.strides()[0], cols: a.strides()[1] }
    }

    fn t(self) -> Self {
        Self { rows: self.cols, cols: self.rows, ..self }
    }

    fn entry(self, i: usize, j: usize) -> *const f64 {
        self.at.wrapping_offset(i.cast_signed() * self.rows + j.cast_signed() * self.cols)
    }

    /// Rows `row..row + lines` and the given columns, `W` rows side by side; rows that are not there are zeros.
    ///
    /// # Safety
    /// The operand has these entries, and `to` holds `W` times as many as there are columns.
    unsafe fn pack<const W: usize>(self, row: usize, lines: usize, col: usize, cols: usize, to: *mut f64) {
        unsafe {
            if self.rows == 1 && lines == W {
                for p in 0..cols {
                    std::ptr::copy_nonoverlapping(self.entry(row, col + p), to.add(p * W), W);
                }
                return;
            }
            if lines < W {
                to.write_bytes(0, W * cols);
            }
            let mut w = 0;
            while w + 4 <= lines {
                let from = [0, 1, 2, 3].map(|i| self.entry(row + w + i, col));
                for p in 0..cols {
                    let next = self.cols * p.cast_signed();
                    for (i, from) in from.iter().enumerate() {
                        *to.add(p * W + w + i) = *from.offset(next);
                    }
                }
                w += 4;
            }
            for w in w..lines {
                for p in 0..cols {
                    *to.add(p * W + w) = *self.entry(row + w, col + p);
                }
            }
        }
    }
}

/// `c = alpha a b + beta c`, on every core or on the calling thread; shapes have been checked, and none is zero.
pub(super) fn product(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    mut c: ArrayViewMut2<f64>,
    entries: Entries,
    alone: bool,
) {
    if c.strides()[0] == 1 && entries == Entries::All {
        return product(alpha, b.reversed_axes(), a.reversed_axes(), beta, c.reversed_axes(), entries, alone);
    }
    let ((m, k), n) = (a.dim(), b.ncols());
    let (left, right) = (Operand::new(&a), Operand::new(&b).t());
    let (rows, cols) = (c.strides()[0], c.strides()[1]);
    let out = Target { at: c.as_mut_ptr(), shape: (m, n), rows, cols, entries, alpha };
    let threads = if alone { 1 } else { rayon::current_num_threads() };
    let mut packed = RIGHT.take();
    let cols = n.div_ceil(n.div_ceil(COLS)).next_multiple_of(WIDE);
    for from in (0..n).step_by(cols) {
        let panels = (n - from).min(cols).div_ceil(WIDE);
        for term in (0..k).step_by(TERMS) {
            let terms = TERMS.min(k - term);
            packed.resize(packed.len().max(panels * TERMS), Lane([0.0; WIDE]));
            let fill = |(panel, to): (usize, &mut [Lane])| {
                let col = from + panel * WIDE;
                // SAFETY: the columns and terms are within B, and the panel has TERMS rows of WIDE.
                unsafe { right.pack::<WIDE>(col, WIDE.min(n - col), term, terms, to.as_mut_ptr().cast()) }
            };
            let lanes = &mut packed[..panels * TERMS];
            if threads == 1 {
                lanes.chunks_mut(TERMS).enumerate().for_each(fill);
            } else {
                lanes.par_chunks_mut(TERMS).enumerate().for_each(fill);
            }
            let beta = if term == 0 { beta } else { 1.0 };
            let b = Right { lanes, from, terms: term..term + terms, beta };
            if threads == 1 {
                (0..m).step_by(ROWS).for_each(|row| out.block(left, row, &b, 0..panels));
            } else {
                let tasks = tasks(m, panels, threads).into_par_iter();
                tasks.for_each(|(row, panels)| out.block(left, row, &b, panels));
            }
        }
    }
    RIGHT.set(packed);
}

/// First row and panels of each task: blocks of rows, cut across where they are few.
fn tasks(m: usize, panels: usize, threads: usize) -> Vec<(usize, Range<usize>)> {
    let pieces = (8 * threads).div_ceil(m.div_ceil(ROWS)).min(panels.div_ceil(8));
    let wide = panels.div_ceil(pieces);
    let along = move |row| (0..panels).step_by(wide).map(move |first| (row, first..panels.min(first + wide)));
    (0..m).step_by(ROWS).flat_map(along).collect()
}

impl Target {
    fn entry(self, i: usize, j: usize) -> *mut f64 {
        self.at.wrapping_offset(i.cast_signed() * self.rows + j.cast_signed() * self.cols)
    }

    /// The block of rows from `row` on, against some panels of B.
    fn block(self, a: Operand, row: usize, b: &Right, panels: Range<usize>) {
        let (m, n) = self.shape;
        let rows = ROWS.min(m - row);
        if self.entries == Entries::Lower && b.from + panels.start * WIDE >= row + rows {
            return;
        }
        let mut packed = LEFT.take();
        packed.resize(ROWS * TERMS, 0.0);
        for i in (0..rows).step_by(TALL) {
            // SAFETY: the rows and terms are within A, and the buffer has ROWS rows of TERMS.
            unsafe {
                let to = packed.as_mut_ptr().add(i * TERMS);
                a.pack::<TALL>(row + i, TALL.min(rows - i), b.terms.start, b.terms.len(), to);
            }
        }
        for panel in panels {
            let j = b.from + panel * WIDE;
            for i in (0..rows).step_by(TALL) {
                if self.entries == Entries::Lower && j >= row + i + TALL {
                    continue;
                }
                // SAFETY: the panels are filled, the machine has been asked, and no other task has this tile.
                unsafe {
                    self.expect(row + i, j);
                    let left = packed.as_ptr().add(i * TERMS);
                    let tile = tile(b.terms.len(), left, b.lanes.as_ptr().add(panel * TERMS).cast());
                    self.put(&tile, row + i, j, (TALL.min(rows - i), WIDE.min(n - j)), b.beta);
                }
            }
        }
        LEFT.set(packed);
    }

    /// Asks for the tile at `(i, j)`, which is needed once its sums are done.
    #[inline]
    fn expect(self, i: usize, j: usize) {
        for r in 0..TALL {
            // SAFETY: a prefetch of an address that is not there does nothing.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(self.entry(i + r, j).cast());
                _mm_prefetch::<_MM_HINT_T0>(self.entry(i + r, j + WIDE - 1).cast());
            }
        }
    }

    /// `c = alpha tile + beta c` where the tile lies.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn put(self, tile: &[__m256d; 12], i: usize, j: usize, (tall, wide): (usize, usize), beta: f64) {
        unsafe {
            if self.cols == 1 && (tall, wide) == (TALL, WIDE) {
                let (alpha, scale) = (_mm256_set1_pd(self.alpha), _mm256_set1_pd(beta));
                for (q, &sum) in tile.iter().enumerate() {
                    let to = self.entry(i + q / 3, j + 4 * (q % 3));
                    let sum = if beta == 0.0 {
                        _mm256_mul_pd(alpha, sum)
                    } else {
                        _mm256_fmadd_pd(alpha, sum, _mm256_mul_pd(scale, _mm256_loadu_pd(to)))
                    };
                    _mm256_storeu_pd(to, sum);
                }
                return;
            }
            let tile: &[[f64; WIDE]; TALL] = &*std::ptr::from_ref(tile).cast();
            for (r, sums) in tile.iter().enumerate().take(tall) {
                for (s, sum) in sums.iter().enumerate().take(wide) {
                    let to = self.entry(i + r, j + s);
                    let old = if beta == 0.0 { 0.0 } else { beta * *to };
                    *to = self.alpha.mul_add(*sum, old);
                }
            }
        }
    }
}
