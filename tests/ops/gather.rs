use mercer::ops::{gather_rows, permute, permuted_sums};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, cramped, edges, gpus, on, random};

/// A permutation (7 is prime to every size used here), a subset, and repeats.
fn lists(n: usize) -> [Vec<usize>; 3] {
    [
        (0..n).map(|i| (i * 7 + 3) % n).collect(),
        (0..n).rev().step_by(3).collect(),
        (0..=2 * n).map(|i| i * i % n).collect(),
    ]
}

#[test]
fn rows_by_index() {
    for (rows, cols) in [(1, 1), (65, 5), (40, 64), (600, 33)] {
        let a = random(rows, cols, 1);
        for p in lists(rows) {
            let want = Array2::from_shape_fn((p.len(), cols), |(i, j)| a[[p[i], j]]);
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let got = gather_rows(&on(&device, &a), &p).unwrap();
                assert_close(&got, &want, 1e-7, &format!("{} of {rows} x {cols} on {device}", p.len()));
            }
        }
    }
}

#[test]
fn rows_and_columns_by_one_index() {
    for n in edges(64).into_iter().chain([201]) {
        let k = random(n, n, 2);
        for p in lists(n) {
            let want = Array2::from_shape_fn((p.len(), p.len()), |(i, j)| k[[p[i], p[j]]]);
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let got = permute(&on(&device, &k), &p).unwrap();
                assert_close(&got, &want, 1e-7, &format!("{} of {n} on {device}", p.len()));
            }
        }
    }
}

#[test]
fn misfits_are_refused() {
    for device in [Device::cpu(), gpus()[0].clone()] {
        let a = on(&device, &random(3, 2, 1));
        assert!(matches!(gather_rows(&a, &[0, 3]), Err(Error::Shape { op: "gather_rows", .. })));
        assert!(matches!(gather_rows(&a, &[]), Err(Error::Shape { op: "gather_rows", .. })));
        assert!(matches!(permute(&a, &[0]), Err(Error::Shape { op: "permute", .. })));
        let k = on(&device, &random(3, 3, 1));
        assert!(matches!(permute(&k, &[3]), Err(Error::Shape { op: "permute", .. })));
    }
}

/// `Σ_ij k_ij l_{p(i) p(j)}` by loops over the permuted matrix.
#[test]
fn sums_with_permuted_matrices() {
    for n in edges(64).into_iter().chain([201]) {
        let symmetric = |seed| {
            let a = random(n, n, seed);
            &a + &a.t()
        };
        let (k, l) = (symmetric(3), symmetric(4));
        let orders: Vec<Vec<usize>> =
            (0..3).map(|s| (0..n).map(|i| (i * 11 + s) % n).collect()).chain([(0..n).collect()]).collect();
        let want: Vec<f64> =
            orders.iter().map(|p| k.indexed_iter().map(|((i, j), v)| v * l[[p[i], p[j]]]).sum()).collect();
        let scale = k.iter().zip(&l).map(|(k, l)| (k * l).abs()).sum::<f64>();
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let got = permuted_sums(&on(&device, &k), &on(&device, &l), &orders).unwrap();
            let tolerance = if device.is_gpu() { 1e-6 } else { 1e-14 };
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= tolerance * scale, "{got} and not {want}, n = {n} on {device}");
            }
        }
    }
}

#[test]
fn what_is_no_permutation_is_refused() {
    let k = on(&Device::cpu(), &random(3, 3, 1));
    for p in [vec![0, 1], vec![0, 1, 3], vec![0, 1, 1]] {
        assert!(matches!(permuted_sums(&k, &k, &[p]), Err(Error::Shape { op: "permuted_sums", .. })));
    }
    let other = on(&Device::cpu(), &random(2, 2, 1));
    assert!(matches!(permuted_sums(&k, &other, &[]), Err(Error::Shape { .. })));
}
