use mercer::matrix::SparseMatrix;
use mercer::ops::{spmm, to_half};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{alone, assert_close, cost, cramped, edges, gpus, on, random};

/// About one entry in `one_in`, and the last row full.
fn thinned(rows: usize, cols: usize, one_in: usize) -> Array2<f64> {
    let a = random(rows, cols, 1);
    Array2::from_shape_fn((rows, cols), |(i, j)| {
        if (i * 7 + j * 13) % one_in == 0 || i + 1 == rows { a[[i, j]] } else { 0.0 }
    })
}

#[test]
fn sparse_products_are_dense_products() {
    let mut shapes: Vec<(usize, usize, usize)> = edges(8).into_iter().map(|n| (n, n, 5)).collect();
    shapes.extend([(1, 700, 1), (700, 1, 3), (65, 33, 4), (40, 900, 17), (3000, 50, 2)]);
    for (n, m, r) in shapes {
        let (dense, v) = (thinned(n, m, 5), random(m, r, 2));
        let a = SparseMatrix::from_dense(dense.view()).unwrap();
        let want = dense.dot(&v);
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let got = spmm(&a, &on(&device, &v)).unwrap();
            assert_close(&got, &want, 1e-5, &format!("{n} x {m} times {r} on {device}"));
        }
    }
}

/// One row has more entries than a dispatch adds up, and more than a small binding holds.
#[test]
fn long_rows_are_added_up_in_parts() {
    let m = 70_000;
    let entries: Vec<_> =
        (0..m).map(|j| (1, j, if j % 2 == 0 { 1.0 } else { -0.5 })).chain([(0, 3, 2.0)]).collect();
    let a = SparseMatrix::from_triplets(3, m, &entries).unwrap();
    let v = Array2::ones((m, 1));
    let want = ndarray::array![[2.0], [17_500.0], [0.0]];
    for device in gpus().iter().chain(cramped()) {
        assert_close(&spmm(&a, &on(device, &v)).unwrap(), &want, 1e-5, &format!("on {device}"));
    }
}

#[test]
fn empty_rows_half_precision_and_bad_shapes() {
    let a = SparseMatrix::from_triplets(4, 3, &[(2, 1, 2.0)]).unwrap();
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let v = on(&device, &Array2::ones((3, 2)));
        let want = Array2::from_shape_fn((4, 2), |(i, _)| if i == 2 { 2.0 } else { 0.0 });
        assert_close(&spmm(&a, &v).unwrap(), &want, 0.0, "one entry");
        assert_close(&spmm(&a, &to_half(&v).unwrap()).unwrap(), &want, 0.0, "half");
        let none = SparseMatrix::from_triplets(2, 3, &[]).unwrap();
        assert_close(&spmm(&none, &v).unwrap(), &Array2::zeros((2, 2)), 0.0, "nothing");
        let wrong = spmm(&a, &on(&device, &Array2::ones((4, 1))));
        assert!(matches!(wrong, Err(Error::Shape { .. })));
    }
    let huge = SparseMatrix::from_triplets(1, 1, &[(0, 0, 1e300)]).unwrap();
    for device in gpus() {
        let refused = spmm(&huge, &on(device, &Array2::ones((1, 1))));
        assert!(matches!(refused, Err(Error::NotFinite { .. })));
    }
}

/// The entries go up once a product, and the dense factor and the result stay where they are.
#[test]
fn what_a_product_moves() {
    let dense = thinned(500, 300, 7);
    let a = SparseMatrix::from_dense(dense.view()).unwrap();
    let entries = a.values().len() as u64;
    for device in alone() {
        let v = on(&device, &random(300, 4, 2));
        let ([launches, submissions, up, down], got) = cost(&device, || spmm(&a, &v).unwrap());
        // Columns and values of four bytes, offsets of rows, and the zeros that sums are added to.
        let least = 8 * entries + 4 * 501;
        assert!((1..=2).contains(&launches) && submissions <= 2, "{device}: {launches} {submissions}");
        assert!(
            up >= least && up <= least + 4 * 4 * 500 + 1024 && down == 0,
            "{device}: {up} up, {down} down"
        );
        assert_close(&got, &dense.dot(&random(300, 4, 2)), 1e-5, &format!("on {device}"));
    }
}
