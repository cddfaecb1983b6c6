//! Products on the host, in f64, whatever the strides.

use std::ops::Range;

use gemm::Parallelism;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use rayon::prelude::*;

use super::{Trans, view};
use crate::host::memory::{mirror_lower, room};
use crate::host::product::Entries;
#[cfg(target_arch = "x86_64")]
use crate::host::product::x86;
use crate::matrix::window::windows;

/// Shares that the sums of a small symmetric product are cut into.
const LANES: usize = 8;

/// Runs `f`, a long row of products, on one of rayon's threads. From outside, each product would wait for a thread to wake
/// up: a Cholesky factor at n = 4000, some hundreds of products, is 3 to 9 % faster this way. Where there are few `terms`
/// to add in all, not even one such wait is worth it.
pub(crate) fn on_a_worker<T: Send>(terms: usize, f: impl FnOnce() -> T + Send) -> T {
    if terms < 1 << 23 { f() } else { rayon::scope(|_| f()) }
}

/// `c = alpha a b + beta c` on every core.
pub(crate) fn product(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, beta: f64, c: ArrayViewMut2<f64>) {
    let small = a.nrows() * a.ncols() * b.ncols() < 40_000;
    on_threads(alpha, a, b, beta, c, Entries::All, small);
}

/// `c = alpha a b` on the calling thread, for callers that are parallel themselves.
pub(crate) fn product_alone(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    on_threads(alpha, a, b, 0.0, c, Entries::All, true);
}

/// `c += alpha a b` on the calling thread.
pub(crate) fn accumulate_alone(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    on_threads(alpha, a, b, 1.0, c, Entries::All, true);
}

/// `c = alpha a b + beta c` on and below the diagonal of a square result; what is above it is not to be read.
pub(crate) fn add_lower(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    c: ArrayViewMut2<f64>,
) {
    on_threads(alpha, a, b, beta, c, Entries::Lower, false);
}

/// `c += a b` on and below the diagonal, on the calling thread; what is above it is not to be read.
pub(crate) fn accumulate_lower_alone(a: ArrayView2<f64>, b: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    on_threads(1.0, a, b, 1.0, c, Entries::Lower, true);
}

fn on_threads(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    mut c: ArrayViewMut2<f64>,
    entries: Entries,
    alone: bool,
) {
    let ((m, k), n) = (a.dim(), b.ncols());
    assert_eq!((b.nrows(), c.dim()), (k, (m, n)), "the caller has checked the shapes");
    // Panels that would be padding for the most part are not worth packing.
    #[cfg(target_arch = "x86_64")]
    if m.min(n).min(k) >= 24 && x86::suits() {
        return x86::product(alpha, a, b, beta, c, entries, alone);
    }
    if entries == Entries::Lower && n > 512 {
        for rows in windows(n, 512.max(n.div_ceil(8))) {
            let upto = rows.end;
            let (a, b) = (a.slice(s![rows.clone(), ..]), b.slice(s![.., ..upto]));
            on_threads(alpha, a, b, beta, c.slice_mut(s![rows, ..upto]), Entries::All, alone);
        }
        return;
    }
    let [c_rs, c_cs] = [c.strides()[0], c.strides()[1]];
    // SAFETY: the pointers and strides come from live views of the asserted shapes, and `c` is borrowed mutably.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            c_cs,
            c_rs,
            beta != 0.0,
            a.as_ptr(),
            a.strides()[1],
            a.strides()[0],
            b.as_ptr(),
            b.strides()[1],
            b.strides()[0],
            beta,
            alpha,
            false,
            false,
            false,
            if alone { Parallelism::None } else { Parallelism::Rayon(0) },
        );
    }
}

/// `alpha op(A) op(A)^T` by half of its entries, then a mirror.
pub(super) fn syrk(alpha: f64, a: &Array2<f64>, t: Trans) -> Array2<f64> {
    let a = view(a, t);
    let (n, k) = a.dim();
    let mut c = if n <= 512 && k >= LANES * 64 && n * n * k >= 1 << 22 {
        by_lanes(alpha, a)
    } else {
        let mut c = room(n, n);
        add_lower(alpha, a, a.t(), 0.0, c.view_mut());
        c
    };
    mirror_lower(&mut c);
    c
}

/// A small result of long sums, as covariances are: threads share the terms of the sums, not the entries, which are too
/// few. The shares and their order are fixed, so that the bits do not depend on the number of threads.
fn by_lanes(alpha: f64, a: ArrayView2<f64>) -> Array2<f64> {
    let (n, k) = a.dim();
    let lane = |terms: Range<usize>| {
        let a = a.slice(s![.., terms]);
        let mut c = Array2::zeros((n, n));
        on_threads(alpha, a, a.t(), 0.0, c.view_mut(), Entries::Lower, true);
        c
    };
    let terms: Vec<Range<usize>> = windows(k, k.div_ceil(LANES)).collect();
    let parts: Vec<Array2<f64>> = terms.into_par_iter().map(lane).collect();
    let mut parts = parts.into_iter();
    let mut c = parts.next().unwrap_or_else(|| Array2::zeros((n, n)));
    parts.for_each(|part| c += &part);
    c
}
