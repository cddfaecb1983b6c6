use mercer::Error;
use mercer::linalg::{EigenParams, Operator, SparseOperator, eigh, leading_eigenpairs};
use mercer::matrix::SparseMatrix;
use ndarray::{Array2, array};

use crate::close;
use crate::support::random;

/// A third of the entries of a random matrix.
fn thinned(rows: usize, cols: usize, seed: u64) -> Array2<f64> {
    random(rows, cols, seed).mapv(|v| if v > 0.3 { v } else { 0.0 })
}

#[test]
fn a_sparse_matrix_is_the_dense_one() {
    for (n, m, r) in [(1, 1, 1), (7, 5, 3), (600, 40, 2)] {
        let (dense, v) = (thinned(n, m, 1), random(m, r, 2));
        let a = SparseMatrix::from_dense(dense.view()).unwrap();
        assert_eq!(a.to_dense().unwrap(), dense);
        assert_eq!(a.transpose().to_dense().unwrap(), dense.t());
        assert_eq!(a.transpose().transpose(), a);
        close(&a.times(v.view()).unwrap(), &dense.dot(&v), 1e-12, "the product");
        close(&a.row_sums(), &dense.sum_axis(ndarray::Axis(1)), 1e-12, "the row sums");
        assert_eq!(a.at(n - 1, m - 1), dense[[n - 1, m - 1]]);
        assert_eq!(a.stored(), dense.iter().filter(|v| **v != 0.0).count());
    }
}

#[test]
fn smallest_eigenpairs_of_a_sparse_matrix_are_those_of_the_dense_one() {
    let n = 200;
    let part = thinned(n, n, 3);
    let dense = &part + &part.t();
    let op = SparseOperator::new(&SparseMatrix::from_dense(dense.view()).unwrap()).unwrap();
    let (v, all) = (random(n, 3, 4), eigh(dense.view()).unwrap());
    close(&op.apply(v.view()).unwrap(), &dense.dot(&v), 1e-11, "the product");
    close(&op.diagonal().unwrap(), dense.diag(), 0.0, "the diagonal");
    close(&op.columns(&[3, 7]).unwrap(), &dense.select(ndarray::Axis(1), &[3, 7]), 0.0, "columns");
    let flipped = op.scaled(-1.0).unwrap().shifted(all.values[0]).unwrap();
    let found = leading_eigenpairs(&flipped, 3, &EigenParams::default()).unwrap();
    let smallest = all.values.slice(ndarray::s![..;-1]).slice(ndarray::s![..3]).to_owned();
    close(&(all.values[0] - &found.values), &smallest, 1e-8, "the smallest eigenvalues");
}

#[test]
fn bad_matrices_are_errors() {
    let shape = |r: mercer::Result<SparseMatrix>| assert!(matches!(r, Err(Error::Shape { .. })), "{r:?}");
    shape(SparseMatrix::from_triplets(2, 2, &[(0, 2, 1.0)]));
    shape(SparseMatrix::from_rows(2, 2, vec![0, 1], vec![0], vec![1.0]));
    shape(SparseMatrix::from_rows(2, 2, vec![0, 2, 2], vec![1, 0], vec![1.0, 1.0]));
    shape(SparseMatrix::from_rows(2, 2, vec![0, 1, 0], vec![0], vec![1.0]));
    assert!(SparseMatrix::from_triplets(usize::MAX, 2, &[]).is_err());
    let nan = SparseMatrix::from_triplets(2, 2, &[(0, 1, f64::NAN)]);
    assert!(matches!(nan, Err(Error::NotFinite { .. })));
    let one_way = SparseMatrix::from_triplets(2, 2, &[(0, 1, 1.0)]).unwrap();
    assert!(matches!(SparseOperator::new(&one_way), Err(Error::Parameter { .. })));
    assert!(one_way.times(array![[1.0]].view()).is_err());
    let huge = SparseMatrix::from_triplets(1, usize::MAX, &[]).unwrap();
    assert!(huge.to_dense().is_err());
}
