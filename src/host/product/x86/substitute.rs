//! Substitution with a small triangle, a panel of right-hand sides at a time.
//!
//! A strip of rows after the other: the tile of the product takes off what the rows above contribute, then the triangle
//! on the diagonal is solved in registers. The packed triangle stays in the second cache, the right-hand sides in the
//! first.

use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::is_wide;
use super::pack::{Line, Operand};
use super::tile::Tile;

/// Rows up to which a triangle and a panel of right-hand sides fit their caches.
pub(crate) const MOST: usize = 256;

/// Entries before strip `s` of a packed triangle: strip q has `TALL (q + 1)` terms of `TALL` rows.
const fn before<T: Tile>(s: usize) -> usize {
    T::TALL * T::TALL * s * (s + 1) / 2
}

/// `x = t⁻¹ x` with at most [`MOST`] rows; the other triangle is read, but not used.
///
/// The caller has asked [`suits`](super::suits).
pub(crate) fn substitute(t: ArrayView2<f64>, lower: bool, x: ArrayViewMut2<f64>) {
    if is_wide() { by_panels::<Avx512>(t, lower, x) } else { by_panels::<Avx2>(t, lower, x) }
}

pub(super) fn by_panels<T: Tile>(t: ArrayView2<f64>, lower: bool, mut x: ArrayViewMut2<f64>) {
    let (n, cols) = x.dim();
    assert!(t.dim() == (n, n) && n <= MOST, "the caller has checked the shapes");
    let (strides, at) = ([x.strides()[0], x.strides()[1]], x.as_mut_ptr());
    let (mut left, mut right) =
        (Operand::new(&t), Operand { at: at.cast_const(), rows: strides[0], cols: strides[1] });
    if !lower && n > 0 {
        // Read from its last entry backwards, an upper triangle is a lower one.
        left = Operand { at: left.entry(n - 1, n - 1), rows: -left.rows, cols: -left.cols };
        right = Operand { at: right.entry(n - 1, 0), rows: -right.rows, ..right };
    }
    let strips = n.div_ceil(T::TALL);
    let mut packed = vec![0.0; before::<T>(strips)];
    for s in 0..strips {
        let (row, upto) = (s * T::TALL, n.min((s + 1) * T::TALL));
        let strip = &mut packed[before::<T>(s)..before::<T>(s + 1)];
        // SAFETY: the rows and columns are within t, and strip s has room for `upto` terms.
        unsafe { left.tall::<T>(row, upto - row, 0..upto, strip.as_mut_ptr()) };
        for r in 0..upto - row {
            let diagonal = &mut strip[(row + r) * T::TALL + r];
            *diagonal = diagonal.recip();
        }
    }
    let panel = |lines: &mut Vec<Line>, panel: usize| {
        let (col, right) = (panel * T::WIDE, right.t());
        let wide = T::WIDE.min(cols - col);
        let own: *mut f64 = lines.as_mut_ptr().cast();
        // SAFETY: the machine has been asked, the columns are within x, and no other task has them.
        unsafe {
            right.wide::<T>(col, wide, 0..n, own);
            for s in 0..strips {
                let (row, strip) = (s * T::TALL, packed.as_ptr().add(before::<T>(s)));
                let rest = own.add(row * T::WIDE);
                T::run(row, strip, own, rest, T::WIDE, [-1.0, 1.0], strip);
                T::substitute(strip.add(row * T::TALL), rest);
            }
            right.put_back::<T>(col, wide, n, own);
        }
    };
    // The last strip may have rows that are not there: they stay zero.
    let room = || vec![Line::EMPTY; Line::count(strips * T::TALL * T::WIDE)];
    (0..cols.div_ceil(T::WIDE)).into_par_iter().with_min_len(4).for_each_init(room, panel);
}
