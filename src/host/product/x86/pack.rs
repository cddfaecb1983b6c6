//! Operands in the order in which a tile reads them.

use std::arch::x86_64::{
    _MM_HINT_T0, _mm_prefetch, _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd,
    _mm256_unpacklo_pd,
};
use std::ops::Range;

use ndarray::ArrayView2;

use super::tile::Tile;

/// Columns that are fetched before they are copied.
const AHEAD: usize = 16;

/// Eight entries in one line of the cache, so that no load of a vector crosses into another that it need not touch.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([f64; 8]);

impl Line {
    pub const EMPTY: Line = Line([0.0; 8]);

    /// Lines that hold so many entries.
    pub const fn count(entries: usize) -> usize {
        entries.div_ceil(8)
    }
}

/// An operand whose shape has been checked.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub at: *const f64,
    pub rows: isize,
    pub cols: isize,
}

// SAFETY: tasks read what nobody writes, and write disjoint parts: tiles of the result, or columns of what is solved for.
unsafe impl Send for Operand {}
unsafe impl Sync for Operand {}

impl Operand {
    pub fn new(a: &ArrayView2<f64>) -> Self {
        Self { at: a.as_ptr(), rows: a.strides()[0], cols: a.strides()[1] }
    }

    pub fn t(self) -> Self {
        Self { rows: self.cols, cols: self.rows, ..self }
    }

    pub fn entry(self, i: usize, j: usize) -> *const f64 {
        self.at.wrapping_offset(i.cast_signed() * self.rows + j.cast_signed() * self.cols)
    }

    /// Rows `row..row + lines` and the given columns, `T::TALL` rows side by side; rows that are not there are zeros.
    ///
    /// # Safety
    /// The operand has these entries, `to` holds `T::TALL` times as many as there are columns, and the machine has
    /// AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn tall<T: Tile>(self, row: usize, lines: usize, cols: Range<usize>, to: *mut f64) {
        unsafe { self.pack(T::TALL, row, lines, cols, to) }
    }

    /// The same with `T::WIDE` rows side by side.
    ///
    /// # Safety
    /// As [`tall`](Operand::tall).
    #[target_feature(enable = "avx2")]
    pub unsafe fn wide<T: Tile>(self, row: usize, lines: usize, cols: Range<usize>, to: *mut f64) {
        unsafe { self.pack(T::WIDE, row, lines, cols, to) }
    }

    /// The way back of [`wide`](Operand::wide), from the first column on.
    ///
    /// # Safety
    /// As [`tall`](Operand::tall), and nobody else has these entries.
    #[target_feature(enable = "avx2")]
    pub unsafe fn put_back<T: Tile>(self, row: usize, lines: usize, cols: usize, from: *const f64) {
        unsafe {
            let whole = self.whole(lines, cols);
            for i in (0..whole.0).step_by(4) {
                let to = [0, 1, 2, 3].map(|r| self.entry(row + i + r, 0).cast_mut());
                for p in (0..whole.1).step_by(4) {
                    turn([0, 1, 2, 3].map(|q| from.add((p + q) * T::WIDE + i)), to.map(|t| t.add(p)));
                }
            }
            for p in 0..cols {
                for i in if p < whole.1 { whole.0 } else { 0 }..lines {
                    *self.entry(row + i, p).cast_mut() = *from.add(p * T::WIDE + i);
                }
            }
        }
    }

    /// How many rows and columns are whole blocks that [`turn`] can take.
    fn whole(self, lines: usize, cols: usize) -> (usize, usize) {
        if self.cols == 1 { (lines - lines % 4, cols - cols % 4) } else { (0, 0) }
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "the width is a constant, and the instruction set that of the caller"
    )]
    unsafe fn pack(self, width: usize, row: usize, lines: usize, cols: Range<usize>, to: *mut f64) {
        unsafe {
            let (col, cols) = (cols.start, cols.len());
            if self.rows == 1 && lines == width {
                // Each column may be in a page of its own, where no hardware looks ahead.
                for p in 0..cols {
                    let ahead = self.entry(row, col + p + AHEAD).cast::<i8>();
                    for line in 0..width.div_ceil(8) {
                        _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(64 * line));
                    }
                    std::ptr::copy_nonoverlapping(self.entry(row, col + p), to.add(p * width), width);
                }
                return;
            }
            if lines < width {
                to.write_bytes(0, width * cols);
            }
            let whole = self.whole(lines, cols);
            for i in (0..whole.0).step_by(4) {
                let from = [0, 1, 2, 3].map(|r| self.entry(row + i + r, col));
                for p in (0..whole.1).step_by(4) {
                    turn(from.map(|f| f.add(p)), [0, 1, 2, 3].map(|q| to.add((p + q) * width + i)));
                }
            }
            for i in 0..lines {
                for p in if i < whole.0 { whole.1 } else { 0 }..cols {
                    *to.add(p * width + i) = *self.entry(row + i, col + p);
                }
            }
        }
    }
}

/// The transpose of a 4 x 4 block, row by row.
///
/// # Safety
/// Four entries can be read and written at each pointer, and the machine has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turn(from: [*const f64; 4], to: [*mut f64; 4]) {
    unsafe {
        let [a, b, c, d] = from.map(|f| _mm256_loadu_pd(f));
        let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (even2, odd2) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        _mm256_storeu_pd(to[0], _mm256_permute2f128_pd::<0x20>(even, even2));
        _mm256_storeu_pd(to[1], _mm256_permute2f128_pd::<0x20>(odd, odd2));
        _mm256_storeu_pd(to[2], _mm256_permute2f128_pd::<0x31>(even, even2));
        _mm256_storeu_pd(to[3], _mm256_permute2f128_pd::<0x31>(odd, odd2));
    }
}
