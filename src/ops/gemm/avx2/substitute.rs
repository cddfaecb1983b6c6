//! Substitution with a small triangle, twelve right-hand sides at a time.
//!
//! Row by row of four: the tile of the product takes off what the rows above contribute, then the 4 x 4 triangle on the
//! diagonal is solved in registers. The packed triangle stays in the second cache, the right-hand sides in the first.

use std::arch::x86_64::{
    __m256d, _mm256_div_pd, _mm256_fnmadd_pd, _mm256_load_pd, _mm256_set1_pd, _mm256_store_pd, _mm256_sub_pd,
};

use ndarray::{ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::tile::tile;
use super::{Lane, Operand, TALL, TERMS, WIDE};

/// Rows up to which a triangle and a panel of right-hand sides fit their caches.
pub(crate) const MOST: usize = TERMS;

/// Entries before strip `s` of a packed triangle: strip q has 4 (q + 1) terms of 4 rows.
const fn before(s: usize) -> usize {
    TALL * TALL * s * (s + 1) / 2
}

/// `x = t⁻¹ x` with at most [`MOST`] rows; the other triangle is read, but not used.
///
/// The caller has asked [`suits`](super::suits).
pub(crate) fn substitute(t: ArrayView2<f64>, lower: bool, mut x: ArrayViewMut2<f64>) {
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
    let strips = n.div_ceil(TALL);
    let mut packed = vec![0.0; before(strips)];
    for s in 0..strips {
        let (row, upto) = (s * TALL, n.min((s + 1) * TALL));
        // SAFETY: the rows and columns are within t, and strip s has room for `upto` terms.
        unsafe { left.pack::<TALL>(row, upto - row, 0, upto, packed.as_mut_ptr().add(before(s))) };
    }
    let panel = |lanes: &mut Vec<Lane>, panel: usize| {
        let (col, right) = (panel * WIDE, right.t());
        let wide = WIDE.min(cols - col);
        // SAFETY: the machine has been asked, the columns are within x, and no other task has them.
        unsafe {
            right.pack::<WIDE>(col, wide, 0, n, lanes.as_mut_ptr().cast());
            solve(&packed, lanes);
            for (i, lane) in lanes.iter().enumerate() {
                for (j, v) in lane.0.iter().enumerate().take(wide) {
                    *right.entry(col + j, i).cast_mut() = *v;
                }
            }
        }
    };
    let room = || vec![Lane([0.0; WIDE]); n];
    (0..cols.div_ceil(WIDE)).into_par_iter().with_min_len(4).for_each_init(room, panel);
}

/// Substitutes forwards, in place.
///
/// # Safety
/// The triangle has as many rows as there are lanes, and the machine has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn solve(packed: &[f64], lanes: &mut [Lane]) {
    let n = lanes.len();
    let at: *mut f64 = lanes.as_mut_ptr().cast();
    for s in 0..n.div_ceil(TALL) {
        let row = s * TALL;
        // SAFETY: strip s holds `row` terms and its triangle; lanes are aligned, and rows below n are there.
        unsafe {
            let strip = packed.as_ptr().add(before(s));
            let known = tile(row, strip, at);
            let triangle = strip.add(row * TALL);
            let mut solved: [[__m256d; 3]; TALL] = [[_mm256_set1_pd(0.0); 3]; TALL];
            for r in 0..TALL.min(n - row) {
                let to = at.add((row + r) * WIDE);
                let diagonal = _mm256_set1_pd(*triangle.add(r * TALL + r));
                for c in 0..3 {
                    let mut v = _mm256_sub_pd(_mm256_load_pd(to.add(4 * c)), known[3 * r + c]);
                    for (q, above) in solved.iter().enumerate().take(r) {
                        v = _mm256_fnmadd_pd(_mm256_set1_pd(*triangle.add(q * TALL + r)), above[c], v);
                    }
                    solved[r][c] = _mm256_div_pd(v, diagonal);
                    _mm256_store_pd(to.add(4 * c), solved[r][c]);
                }
            }
        }
    }
}
