//! Three classes by the book: W and K of all latent values at once, 3n x 3n, and Gaussian elimination.

use ndarray::{Array2, ArrayView2, s};

use crate::matrix::Points;
use crate::models::gp::classification::laplace::{Laplace, Problem};
use crate::models::gp::classification::softmax::{Classes, ManyFactors};
use crate::ops::gram;
use crate::{Device, Kernel, Matrix};

const CLASSES: usize = 3;

/// `a⁻¹ b` and `ln |det a|`, by elimination with pivoting.
fn eliminate(mut a: Array2<f64>, mut b: Array2<f64>) -> (Array2<f64>, f64) {
    let n = a.nrows();
    let mut log_det = 0.0;
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[[i, c]].abs().total_cmp(&a[[j, c]].abs())).unwrap();
        for j in 0..n {
            a.swap([c, j], [pivot, j]);
        }
        for j in 0..b.ncols() {
            b.swap([c, j], [pivot, j]);
        }
        log_det += a[[c, c]].abs().ln();
        for i in (0..n).filter(|&i| i != c) {
            let by = a[[i, c]] / a[[c, c]];
            let (own, right) = (a.row(c).to_owned(), b.row(c).to_owned());
            a.row_mut(i).scaled_add(-by, &own);
            b.row_mut(i).scaled_add(-by, &right);
        }
    }
    let diagonal = a.diag().to_owned();
    b.rows_mut().into_iter().zip(diagonal).for_each(|(mut row, d)| row /= d);
    (b, log_det)
}

/// The same matrix for each class, stacked along the diagonal.
fn blocks(a: ArrayView2<f64>) -> Array2<f64> {
    let (n, m) = a.dim();
    let mut all = Array2::zeros((CLASSES * n, CLASSES * m));
    for c in 0..CLASSES {
        all.slice_mut(s![c * n..(c + 1) * n, c * m..(c + 1) * m]).assign(&a);
    }
    all
}

/// `diag(π) - Π Πᵀ`.
fn curvature(pi: &Array2<f64>) -> Array2<f64> {
    let n = pi.nrows();
    Array2::from_shape_fn((CLASSES * n, CLASSES * n), |(r, q)| {
        let ((c, i), (c2, j)) = ((r / n, r % n), (q / n, q % n));
        let own = if r == q { pi[[i, c]] } else { 0.0 };
        if i == j { own - pi[[i, c]] * pi[[i, c2]] } else { 0.0 }
    })
}

#[test]
fn mode_evidence_and_covariances_of_three_classes() {
    let n = 25;
    let x = Array2::from_shape_fn((n, 2), |(i, j)| ((5 * i + 11 * j + 2 * i * j) % 17) as f64 / 5.0);
    let labels: Vec<usize> =
        (0..n).map(|i| if i % 7 == 3 { i % 3 } else { (x[[i, 0]] + x[[i, 1]]) as usize % 3 }).collect();
    let new = Array2::from_shape_fn((6, 2), |(i, j)| 0.8 * i as f64 - 0.5 * j as f64);
    let on = |a: &Array2<f64>| Matrix::from_host(a.clone());
    for amplitude in [0.5, 4.0, 60.0] {
        let kernel = amplitude * Kernel::rbf([0.9, 1.3]);
        let points = Points::new("test", &Device::cpu(), x.view(), kernel.origin(), 0.0).unwrap();
        let problem = Problem::new(&kernel, &points).unwrap();
        let classes = Classes { y: labels.clone(), classes: CLASSES };
        let laplace: Laplace<ManyFactors> = Laplace::new(&problem, &classes).unwrap();
        let small = &problem.k;

        let f = &laplace.f;
        let pi = {
            let e = f.mapv(f64::exp);
            &e / &e.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1))
        };
        let y = Array2::from_shape_fn((n, CLASSES), |(i, c)| f64::from(u8::from(labels[i] == c)));
        let (small, k) = (small.to_array().unwrap(), blocks(small.to_array().unwrap().view()));
        let off = (f - &small.dot(&(&y - &pi))).iter().fold(0f64, |m, v| m.max(v.abs()));
        assert!(off < 1e-8 * amplitude.max(1.0), "f - K(y - π) is {off:e}");

        let w = curvature(&pi);
        let (middle, log_det) = eliminate(Array2::eye(CLASSES * n) + w.dot(&k), w);
        let log_p: f64 = (0..n).map(|i| pi[[i, labels[i]]].ln()).sum();
        let want = log_p - 0.5 * (f * &(&y - &pi)).sum() - 0.5 * log_det;
        let got = laplace.log_evidence;
        assert!((got - want).abs() < 1e-9 * want.abs(), "ln Z is {got} and should be {want}");

        let cross = gram(&kernel, &on(&x), Some(&on(&new))).unwrap();
        let prior = vec![amplitude; new.nrows()];
        let found = laplace.curvature.covariances(&cross, &prior).unwrap();
        for (at, found) in found.iter().enumerate() {
            let q = blocks(cross.to_array().unwrap().slice(s![.., at..=at]));
            let want = Array2::<f64>::eye(CLASSES) * amplitude - q.t().dot(&middle).dot(&q);
            for ((c, c2), w) in want.indexed_iter() {
                let g = found[[c, c2]];
                assert!(
                    (g - w).abs() < 1e-9 * amplitude,
                    "{amplitude}, [{c}, {c2}] is {g} and should be {w}"
                );
            }
        }
        assert!(found[0][[0, 1]].abs() > 1e-3, "classes that have to do with each other");
    }
}
