//! Quadratic forms as linear functions of products of features.
//!
//! `|W (x - m)|^2 = z^T Q z - 2 b^T z + c` with `z = x - centre`, `Q = W^T W`: a linear function of the entries of z and
//! of `z z^T`, so that K forms of n points are one matrix product. The terms cancel, which costs digits: those of
//! `|z|^T |Q| |z|`, which is bounded beforehand.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::Whitening;
use crate::ops::gemm::accumulate_alone;

/// The largest `|z|^T |Q| |z|` for which the expansion is used: it leaves an error of some 1e-10 in a log density.
const AMPLIFIED: f64 = 1e5;
/// With more features than this the products of two of them no longer stay in cache.
pub(in crate::ops) const MOST_FEATURES: usize = 64;

/// Length of [`expand`]'s rows.
pub(in crate::ops) fn width(d: usize, full: bool) -> usize {
    if full { d + d * (d + 1) / 2 } else { 2 * d }
}

/// For each row z = x - centre: its entries, then all `z_i z_j` with `j <= i`, row after row (or the squares alone).
pub(in crate::ops) fn expand(x: &[f64], centre: &[f64], full: bool, out: &mut [f64]) {
    Arch::new().dispatch(Expand { x, centre, full, out });
}

struct Expand<'a> {
    x: &'a [f64],
    centre: &'a [f64],
    full: bool,
    out: &'a mut [f64],
}

impl WithSimd for Expand<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        let d = self.centre.len();
        for (row, out) in self.x.chunks_exact(d).zip(self.out.chunks_exact_mut(width(d, self.full))) {
            let (z, products) = out.split_at_mut(d);
            for ((z, x), c) in z.iter_mut().zip(row).zip(self.centre) {
                *z = x - c;
            }
            if self.full {
                let mut rest = products;
                for i in 0..d {
                    let (own, after) = rest.split_at_mut(i + 1);
                    let zi = z[i];
                    for (p, zj) in own.iter_mut().zip(&z[..=i]) {
                        *p = zi * zj;
                    }
                    rest = after;
                }
            } else {
                for (p, z) in products.iter_mut().zip(&*z) {
                    *p = z * z;
                }
            }
        }
    }
}

/// K quadratic forms as K columns of coefficients.
pub(super) struct Expansion {
    centre: Vec<f64>,
    full: bool,
    /// `width x K`: of what is subtracted.
    coefficients: Array2<f64>,
    constants: Vec<f64>,
}

impl Expansion {
    /// `None` if it would lose digits that matter, or time.
    pub fn of(x: &[f64], means: &Array2<f64>, whitening: Whitening) -> Option<Self> {
        let (k, d) = means.dim();
        let full = matches!(whitening, Whitening::Full(_));
        if full && d > MOST_FEATURES {
            return None;
        }
        let centre = means.mean_axis(Axis(0))?.to_vec();
        let reach = reach(x, &centre);
        let mut coefficients = Array2::zeros((width(d, full), k));
        let mut constants = Vec::with_capacity(k);
        for (k, mean) in means.rows().into_iter().enumerate() {
            let q = match whitening {
                Whitening::Full(w) => {
                    let w = w.cpu().slice(s![k * d..(k + 1) * d, ..]);
                    w.t().dot(&w)
                }
                Whitening::Diagonal(w) => Array2::from_diag(&w.cpu().row(k).mapv(|v| v * v)),
            };
            let m = &mean - &ndarray::ArrayView1::from(&centre);
            let far = ndarray::Array1::from_shape_fn(d, |j| reach[j] + m[j].abs());
            let bound = far.dot(&q.mapv(f64::abs).dot(&far));
            if bound > AMPLIFIED || bound.is_nan() {
                return None;
            }
            let b = q.dot(&m);
            constants.push(0.5 * m.dot(&b));
            let mut column = coefficients.column_mut(k);
            column.slice_mut(s![..d]).assign(&b.mapv(|v| -v));
            if full {
                for i in 0..d {
                    for j in 0..=i {
                        column[d + i * (i + 1) / 2 + j] = if i == j { 0.5 * q[[i, i]] } else { q[[i, j]] };
                    }
                }
            } else {
                column.slice_mut(s![d..]).assign(&(0.5 * &q.diag()));
            }
        }
        Some(Expansion { centre, full, coefficients, constants })
    }

    /// `out -= |W_k (x_i - m_k)|^2 / 2` for some rows of x.
    pub fn subtract(&self, x: &[f64], scratch: &mut Vec<f64>, out: &mut [f64]) {
        let (width, k) = self.coefficients.dim();
        let n = out.len() / k;
        scratch.resize(n * width, 0.0);
        expand(x, &self.centre, self.full, scratch);
        for row in out.chunks_exact_mut(k) {
            for (o, c) in row.iter_mut().zip(&self.constants) {
                *o -= c;
            }
        }
        let fit = "both were made for n rows";
        let features = ArrayView2::from_shape((n, width), scratch).expect(fit);
        let out = ArrayViewMut2::from_shape((n, k), out).expect(fit);
        accumulate_alone(-1.0, features, self.coefficients.view(), out);
    }
}

/// The largest distance of each feature from the centre.
fn reach(x: &[f64], centre: &[f64]) -> Vec<f64> {
    let d = centre.len();
    let far = |rows: &[f64]| {
        let mut far = vec![0f64; d];
        Arch::new().dispatch(Reach { rows, centre, far: &mut far });
        far
    };
    let join = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b));
        a
    };
    x.par_chunks(4096 * d).map(far).reduce(|| vec![0f64; d], join)
}

struct Reach<'a> {
    rows: &'a [f64],
    centre: &'a [f64],
    far: &'a mut [f64],
}

impl WithSimd for Reach<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        for row in self.rows.chunks_exact(self.centre.len()) {
            for ((far, x), c) in self.far.iter_mut().zip(row).zip(self.centre) {
                let away = (x - c).abs();
                *far = if away > *far { away } else { *far };
            }
        }
    }
}
