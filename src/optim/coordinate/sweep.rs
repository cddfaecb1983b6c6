//! One pass over coefficients, and correlations with a residual, by vectors.

#![allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]

use ndarray::{Array1, Array2};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::super::penalty::soft_threshold;

/// Features that a thread takes at a time.
const TASK: usize = 128;

/// `w_j ← S(x_jᵀ(r + x_j w_j), a) / (‖x_j‖² + b)` for one feature after the other; the most that a prediction moved by.
pub(super) fn sweep(
    x: &Array2<f64>,
    squares: &[f64],
    (a, b): (f64, f64),
    these: &[usize],
    left: &mut Array1<f64>,
    w: &mut Array1<f64>,
) -> f64 {
    let whole = "made whole";
    let (left, w) = (left.as_slice_mut().expect(whole), w.as_slice_mut().expect(whole));
    Arch::new().dispatch(Sweep { x: x.as_slice().expect(whole), squares, a, b, these, left, w })
}

/// `x_jᵀr` of these features.
pub(super) fn correlations(x: &Array2<f64>, these: &[usize], left: &Array1<f64>) -> Vec<f64> {
    let whole = "made whole";
    let (x, left) = (x.as_slice().expect(whole), left.as_slice().expect(whole));
    let mut out = vec![0.0; these.len()];
    let tasks = out.par_chunks_mut(TASK).zip(these.par_chunks(TASK));
    tasks.for_each(|(out, these)| Arch::new().dispatch(Correlations { x, these, left, out }));
    out
}

struct Sweep<'a> {
    x: &'a [f64],
    squares: &'a [f64],
    a: f64,
    b: f64,
    these: &'a [usize],
    left: &'a mut [f64],
    w: &'a mut [f64],
}

impl WithSimd for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let n = self.left.len();
        let mut moved = 0f64;
        for &j in self.these {
            let (column, old) = (&self.x[j * n..(j + 1) * n], self.w[j]);
            let curvature = self.squares[j] + self.b;
            let new = if curvature > 0.0 {
                soft_threshold(dot(simd, column, self.left) + self.squares[j] * old, self.a) / curvature
            } else {
                0.0
            };
            if new != old {
                add(simd, old - new, column, self.left);
                self.w[j] = new;
                moved = moved.max((new - old).abs() * self.squares[j].sqrt());
            }
        }
        moved
    }
}

struct Correlations<'a> {
    x: &'a [f64],
    these: &'a [usize],
    left: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Correlations<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let n = self.left.len();
        for (out, &j) in self.out.iter_mut().zip(self.these) {
            *out = dot(simd, &self.x[j * n..(j + 1) * n], self.left);
        }
    }
}

#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f64s(a), S::as_simd_f64s(b));
    let mut sums = [simd.splat_f64s(0.0); 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    for (a, b) in a4.remainder().iter().zip(b4.remainder()) {
        sums[0] = simd.mul_add_e_f64s(*a, *b, sums[0]);
    }
    for (a, b) in a4.zip(b4) {
        for q in 0..4 {
            sums[q] = simd.mul_add_e_f64s(a[q], b[q], sums[q]);
        }
    }
    let all = simd.add_f64s(simd.add_f64s(sums[0], sums[1]), simd.add_f64s(sums[2], sums[3]));
    simd.reduce_sum_f64s(all) + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// `b += by a`.
#[inline(always)]
fn add<S: Simd>(simd: S, by: f64, a: &[f64], b: &mut [f64]) {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f64s(a), S::as_mut_simd_f64s(b));
    let all = simd.splat_f64s(by);
    for (a, b) in a.iter().zip(b) {
        *b = simd.mul_add_e_f64s(all, *a, *b);
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        *b += by * a;
    }
}
