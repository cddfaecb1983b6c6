//! Every tile against the triple loop, at its own edges: a machine with AVX-512 runs the code for AVX2 here only.

use ndarray::{Array2, ArrayView2, s};

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::substitute::by_panels;
use super::tile::Tile;
use super::{by_tiles, is_wide, suits};
use crate::host::product::Entries;

/// Numbers without a pattern in [-1, 1).
fn numbers(rows: usize, cols: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, cols), |(i, j)| {
        ((i * 7919 + j * 104_729 + seed * 15_485_863) % 2003) as f64 / 1001.5 - 1.0
    })
}

fn close(got: ArrayView2<f64>, want: ArrayView2<f64>, terms: usize, what: &str) {
    let worst = got.iter().zip(want).fold(0f64, |w, (g, v)| w.max((g - v).abs()));
    assert!(worst <= 1e-15 * (terms as f64 + 4.0), "{what}: {worst:e}"); // and so no NaN
}

fn products<T: Tile>() {
    for (m, n, k) in [
        (1, 1, 1),
        (T::TALL, T::WIDE, 4),
        (T::TALL - 1, T::WIDE + 1, 3),
        (T::TALL + 1, T::WIDE - 1, T::TERMS),
        (T::ROWS, 2 * T::WIDE, T::TERMS + 1),
        (T::ROWS + 3, 67, 2 * T::TERMS + 5),
        (131, 131, 37),
    ] {
        let (a, b, c) = (numbers(m, k, 1), numbers(k, n, 2), numbers(m, n, 3));
        let (at, bt) = (a.t().as_standard_layout().into_owned(), b.t().as_standard_layout().into_owned());
        let want = &a.dot(&b) * 0.5 - &c * 2.0;
        for (a, b, alone) in [(a.view(), b.view(), true), (at.t(), bt.t(), false), (a.view(), bt.t(), false)]
        {
            let mut got = c.clone();
            by_tiles::<T>(0.5, a, b, -2.0, got.view_mut(), Entries::All, alone);
            close(got.view(), want.view(), k, "product");
            // Beta zero does not read what is there, and strides of a window are respected.
            let mut wide = Array2::from_elem((m + 2, n + 3), f64::NAN);
            by_tiles::<T>(1.0, a, b, 0.0, wide.slice_mut(s![1..=m, 2..n + 2]), Entries::All, alone);
            close(wide.slice(s![1..=m, 2..n + 2]), a.dot(&b).view(), k, "window");
            assert_eq!(wide.iter().filter(|v| v.is_nan()).count(), (m + 2) * (n + 3) - m * n);
        }
        if m == n {
            let mut got = c.clone();
            by_tiles::<T>(0.5, a.view(), b.view(), -2.0, got.view_mut(), Entries::Lower, false);
            for i in 0..n {
                close(got.slice(s![i..=i, ..=i]), want.slice(s![i..=i, ..=i]), k, "lower");
            }
        }
    }
}

fn substitutions<T: Tile>() {
    for n in [1, T::TALL - 1, T::TALL, T::TALL + 1, 61, 255, 256] {
        for cols in [1, T::WIDE - 1, T::WIDE, 5 * T::WIDE + 2] {
            let mut t = numbers(n, n, 4) / n as f64;
            t.diag_mut().mapv_inplace(|v| 1.5 + v);
            let x = numbers(n, cols, 5);
            for lower in [true, false] {
                let triangle = Array2::from_shape_fn((n, n), |(i, j)| {
                    if if lower { j <= i } else { j >= i } { t[[i, j]] } else { 0.0 }
                });
                let mut rows = x.clone();
                by_panels::<T>(t.view(), lower, rows.view_mut());
                close(triangle.dot(&rows).view(), x.view(), 8 * n, "rows");
                let mut columns = x.t().as_standard_layout().into_owned();
                by_panels::<T>(t.view(), lower, columns.view_mut().reversed_axes());
                close(columns.t(), rows.view(), 8 * n, "columns");
            }
        }
    }
}

#[test]
fn tiles_of_avx2() {
    if suits() {
        products::<Avx2>();
        substitutions::<Avx2>();
    }
}

#[test]
fn tiles_of_avx512() {
    if suits() && is_wide() {
        products::<Avx512>();
        substitutions::<Avx512>();
    }
}
