//! Tiles equal the definition, at every size and offset.

use ndarray::Array2;
use proptest::prelude::*;

use super::zoo;
use crate::kernel::{Kernel, Packed, Scratch};

/// All pairs by the definition; the diagonal is one observation with itself.
fn by_definition(k: &Kernel, x: &Array2<f64>, y: &Array2<f64>, same: bool) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        let (a, b) = (x.row(i).to_vec(), y.row(j).to_vec());
        if same && i == j { k.variance(&a).unwrap() } else { k.value(&a, &b).unwrap() }
    })
}

fn by_tiles(k: &Kernel, x: &Array2<f64>, y: &Array2<f64>, same: bool, step: (usize, usize)) -> Array2<f64> {
    let program = k.program_for("test", x.ncols()).unwrap();
    let (px, py) = (
        k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap(),
        k.program_for("test", y.ncols()).unwrap().points("test", y.view()).unwrap(),
    );
    let packed = Packed::new(&py);
    let mut scratch = Scratch::default();
    let mut out = Array2::from_elem((x.nrows(), y.nrows()), f64::NAN);
    for r in (0..x.nrows()).step_by(step.0) {
        for c in (0..y.nrows()).step_by(step.1) {
            let rows = r..(r + step.0).min(x.nrows());
            let cols = c..(c + step.1).min(y.nrows());
            let mut tile = vec![f64::NAN; rows.len() * cols.len()];
            program.tile(&px, rows.clone(), &packed, cols.clone(), same, &mut tile, &mut scratch);
            let tile = Array2::from_shape_vec((rows.len(), cols.len()), tile).unwrap();
            out.slice_mut(ndarray::s![rows, cols]).assign(&tile);
        }
    }
    out
}

fn assert_same(k: &Kernel, got: &Array2<f64>, want: &Array2<f64>) {
    for ((ij, g), w) in got.indexed_iter().zip(want) {
        assert!((g - w).abs() <= 1e-12 * (1.0 + w.abs()), "{k} at {ij:?}: {g} instead of {w}");
    }
}

#[test]
fn every_kernel_equals_its_definition() {
    let (x, y) = (zoo::points(13, 0.0), zoo::points(21, 0.4));
    for k in zoo::everything() {
        assert_same(&k, &by_tiles(&k, &x, &y, false, (13, 21)), &by_definition(&k, &x, &y, false));
        assert_same(&k, &by_tiles(&k, &x, &x, true, (13, 13)), &by_definition(&k, &x, &x, true));
        let program = k.program_for("test", 3).unwrap();
        let diagonal = program
            .diagonal(&k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap(), true);
        let diagonal = Array2::from_shape_vec((1, 13), diagonal).unwrap();
        let want = by_definition(&k, &x, &x, true).diag().to_owned().insert_axis(ndarray::Axis(0));
        assert_same(&k, &diagonal, &want);
    }
}

#[test]
fn tile_edges_do_not_matter() {
    let kernels = [
        Kernel::rbf([0.8, 1.5, 2.5]) * Kernel::linear() + Kernel::white(0.3),
        Kernel::periodic(1.0, 1.5) + zoo::custom(),
    ];
    for k in kernels {
        for n in [1, 2, 3, 4, 5, 7, 8, 9, 17] {
            for m in [1, 7, 8, 9, 255, 256, 257, 523] {
                let (x, y) = (zoo::points(n, 0.0), zoo::points(m, 0.4));
                let want = by_definition(&k, &x, &y, false);
                assert_same(&k, &by_tiles(&k, &x, &y, false, (n, m)), &want);
                assert_same(&k, &by_tiles(&k, &x, &y, false, (3, 13)), &want);
            }
        }
        let x = zoo::points(37, 0.1);
        for step in [(1, 1), (4, 8), (5, 11), (16, 37)] {
            assert_same(&k, &by_tiles(&k, &x, &x, true, step), &by_definition(&k, &x, &x, true));
        }
    }
}

#[test]
fn equal_statistics_are_computed_once() {
    let k =
        Kernel::rbf(0.7) + Kernel::matern32(0.4) * Kernel::rational_quadratic(2.0, 1.0) + Kernel::linear();
    assert_eq!(k.program_for("test", 3).unwrap().stats.len(), 2, "one squared distance, one dot product");
}

#[test]
fn distances_far_from_the_origin_do_not_cancel() {
    let mut x = zoo::points(6, 0.0);
    let near = by_definition(&Kernel::rbf(0.5), &x, &x, true);
    x += 4096.0;
    for (a, b) in by_tiles(&Kernel::rbf(0.5), &x, &x, true, (6, 6)).iter().zip(&near) {
        assert!((a - b).abs() < 1e-11);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn random_expressions_equal_their_definition(k in zoo::expression(), n in 1_usize..7, m in 1_usize..20) {
        let (x, y) = (zoo::points(n, 0.2), zoo::points(m, 0.7));
        let (got, want) = (by_tiles(&k, &x, &y, false, (3, 11)), by_definition(&k, &x, &y, false));
        for (g, w) in got.iter().zip(&want) {
            prop_assert!((g - w).abs() <= 1e-10 * (1.0 + w.abs()), "{}: {} instead of {}", k, g, w);
        }
    }
}
