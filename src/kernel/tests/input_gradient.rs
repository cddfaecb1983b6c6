//! Derivatives by the points, against central differences of the definition.

use ndarray::{Array1, Array2, ArrayView1, array};
use proptest::prelude::*;

use super::zoo;
use crate::Error;
use crate::kernel::Kernel;

fn weights(n: usize, m: usize) -> Array2<f64> {
    Array2::from_shape_fn(
        (n, m),
        |(i, j)| if (i + j) % 7 == 3 { 0.0 } else { ((i * 31 + j) as f64 * 0.77).cos() },
    )
}

/// Σⱼ wⱼ k(x, yⱼ), of the definition.
fn row_sum(k: &Kernel, x: &[f64], y: &Array2<f64>, w: ArrayView1<f64>) -> f64 {
    y.rows().into_iter().zip(w).map(|(y, w)| w * k.value(x, &y.to_vec()).unwrap()).sum()
}

/// Central differences with one step of Richardson's extrapolation.
fn difference(k: &Kernel, x: &[f64], f: usize, y: &Array2<f64>, w: ArrayView1<f64>) -> f64 {
    let slope = |h: f64| {
        let (mut up, mut down) = (x.to_vec(), x.to_vec());
        up[f] += h;
        down[f] -= h;
        (row_sum(k, &up, y, w) - row_sum(k, &down, y, w)) / (up[f] - down[f])
    };
    let h = 1e-4;
    (4.0 * slope(h / 2.0) - slope(h)) / 3.0
}

#[test]
fn every_kernel_by_every_coordinate() {
    let (mut x, y) = (zoo::points(11, 0.23), zoo::points(40, 0.9));
    // No coordinate is shared with the origin of y: at a kink there is nothing to compare with.
    x.row_mut(2).fill(0.37);
    let w = weights(11, 40);
    for k in zoo::everything() {
        let g = k.input_gradient(x.view(), y.view(), w.view()).unwrap();
        assert_eq!(g.dim(), (11, 3));
        for ((i, f), got) in g.indexed_iter() {
            let want = difference(&k, &x.row(i).to_vec(), f, &y, w.row(i));
            let size = 1.0 + row_sum(&k, &x.row(i).to_vec(), &y, w.row(i).mapv(f64::abs).view()).abs();
            assert!(
                (got - want).abs() < 1e-8 * (size + want.abs()),
                "{k} at [{i}, {f}]: {got} instead of {want}"
            );
        }
    }
}

#[test]
fn tile_edges_do_not_matter() {
    let k = Kernel::periodic([1.0, 0.6, 2.0], 1.5) + zoo::custom().on([1, 2]) * Kernel::matern32(0.8);
    for n in [1, 3, 4, 5, 7, 8, 9, 17] {
        for m in [1, 7, 9, 255, 256, 257, 523] {
            let (x, y, w) = (zoo::points(n, 0.23), zoo::points(m, 0.9), weights(n, m));
            let whole = k.input_gradient(x.view(), y.view(), w.view()).unwrap();
            let mut parts = Array2::<f64>::zeros((n, 3));
            for i in 0..n {
                for first in (0..m).step_by(100) {
                    let cols = first..m.min(first + 100);
                    let one = |a: &Array2<f64>, c| a.slice(ndarray::s![i..=i, c]).to_owned();
                    let y = y.slice(ndarray::s![cols.clone(), ..]);
                    let g = k.input_gradient(one(&x, 0..3).view(), y, one(&w, cols).view()).unwrap();
                    parts.row_mut(i).zip_mut_with(&g.row(0), |p, g| *p += g);
                }
            }
            for (a, b) in whole.iter().zip(&parts) {
                assert!((a - b).abs() < 1e-11 * (m as f64), "{n} x {m}: {a} and {b}");
            }
        }
    }
}

/// What the sum over one data set with symmetric weights changes by, moving both arguments.
#[test]
fn one_data_set_has_twice_the_gradient() {
    let x = zoo::points(9, 0.4);
    let w = weights(9, 9);
    let w = &w + &w.t();
    let smooth = [
        1.3 * Kernel::rbf([0.8, 1.5, 2.5]) + Kernel::white(0.2),
        Kernel::matern52(0.7) * Kernel::linear(),
        Kernel::arcsine(1.2, 0.4),
        Kernel::polynomial(3, 0.5),
    ];
    for k in smooth {
        let g = k.input_gradient(x.view(), x.view(), w.view()).unwrap() * 2.0;
        let total = |x: &Array2<f64>| -> f64 {
            let pair = |i: usize, j: usize| k.value(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
            w.indexed_iter().map(|((i, j), w)| w * pair(i, j)).sum()
        };
        for ((i, f), got) in g.indexed_iter() {
            let moved = |by: f64| {
                let mut x = x.clone();
                x[[i, f]] += by;
                total(&x)
            };
            let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((got - want).abs() < 1e-6 * (1.0 + want.abs()), "{k} at [{i}, {f}]: {got}, {want}");
        }
    }
}

#[test]
fn kinks_and_equal_points_have_the_mean_of_both_sides() {
    let x = array![[1.0, 2.0, 3.0]];
    for k in zoo::everything() {
        let g = k.input_gradient(x.view(), x.view(), array![[1.0]].view()).unwrap();
        assert!(g.iter().all(|v| v.is_finite()), "{k}: {g}");
        if k.is_stationary() {
            assert!(g.iter().all(|v| v.abs() < 1e-9), "{k} is flat, or has its kink, at distance 0: {g}");
        }
    }
}

#[test]
fn the_diagonal_by_every_parameter() {
    let x = zoo::points(21, 0.3);
    let w = Array1::from_shape_fn(21, |i| (i as f64 * 1.3).sin());
    for k in zoo::everything() {
        let values: Vec<f64> = k.params().iter().map(|p| p.value).collect();
        let got = k.variance_gradient(x.view(), w.view()).unwrap();
        let total = |k: &Kernel| -> f64 {
            x.rows().into_iter().zip(&w).map(|(x, w)| w * k.variance(&x.to_vec()).unwrap()).sum()
        };
        for (p, param) in k.params().iter().enumerate() {
            let h = 1e-5 * values[p].abs().max(1e-2);
            let at = |by: f64| {
                let mut v = values.clone();
                v[p] += by;
                total(&k.with_values(&v).unwrap())
            };
            // One-sided, of second order, so that a parameter may stand at the edge of its domain.
            let want = (-3.0 * at(0.0) + 4.0 * at(h) - at(2.0 * h)) / (2.0 * h);
            let size = 1.0 + total(&k).abs() + want.abs();
            assert!(
                (got[p] - want).abs() < 1e-6 * size,
                "{k} by {}: {} instead of {want}",
                param.name,
                got[p]
            );
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (x, y) = (zoo::points(3, 0.0), zoo::points(4, 0.0));
    let rbf = Kernel::rbf(1.0);
    let e = rbf.input_gradient(x.view(), y.view(), weights(4, 3).view());
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    let mut holed = weights(3, 4);
    holed[[2, 1]] = f64::NAN;
    let e = rbf.input_gradient(x.view(), y.view(), holed.view());
    assert!(matches!(e, Err(Error::NotFinite { row: 2, col: 1, .. })), "{e:?}");
    let e = rbf.input_gradient(x.view(), array![[1.0]].view(), weights(3, 1).view());
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    let e = rbf.input_gradient(Array2::zeros((0, 3)).view(), y.view(), Array2::zeros((0, 4)).view());
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    let table = Kernel::precomputed(Array2::eye(2));
    let e = table.input_gradient(array![[0.0]].view(), array![[1.0]].view(), array![[1.0]].view());
    assert!(matches!(e, Err(Error::Unsupported { .. })), "{e:?}");
    let e = rbf.variance_gradient(x.view(), array![1.0].view());
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn random_expressions_have_the_right_slopes(k in zoo::expression()) {
        let (x, y) = (zoo::points(2, 0.23), zoo::points(5, 0.9));
        let w = weights(2, 5);
        // Differences of huge values are too coarse to judge by.
        let size: f64 = x.rows().into_iter().chain(y.rows()).map(|p| k.variance(&p.to_vec()).unwrap().abs()).sum();
        prop_assume!(size < 1e6);
        let g = k.input_gradient(x.view(), y.view(), w.view()).unwrap();
        for ((i, f), got) in g.indexed_iter() {
            let want = difference(&k, &x.row(i).to_vec(), f, &y, w.row(i));
            prop_assert!((got - want).abs() < 1e-6 * (1.0 + size + want.abs()), "{}: {} instead of {}", k, got, want);
        }
    }
}
