//! The kernel perceptron is the perceptron, and makes no more mistakes than its bound allows.

use mercer::prelude::*;
use ndarray::{Array1, array};

use crate::support::random;
use crate::{all_near, cpu};

#[test]
fn the_linear_kernel_is_the_perceptron() {
    let x = random(60, 3, 4);
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] - 0.6 * r[1] + 0.2 * r[2] > 0.0).collect();
    let mut w = Array1::<f64>::zeros(3);
    for _ in 0..7 {
        for (row, y) in x.rows().into_iter().zip(&y) {
            let sign = if *y { 1.0 } else { -1.0 };
            if sign * w.dot(&row) <= 0.0 {
                w.scaled_add(sign, &row);
            }
        }
    }
    let fitted = KernelPerceptron::new(Kernel::linear()).max_passes(7).fit(&cpu(), &x, &y).unwrap();
    all_near(&fitted.coefficients().unwrap(), w.as_slice().unwrap(), 1e-12, "weights");
}

#[test]
fn mistakes_are_bounded_by_radius_and_margin() {
    let x = random(80, 2, 5);
    let apart = |r: &ndarray::ArrayView1<f64>| r[0] * r[1];
    let rows: Vec<usize> = (0..80).filter(|&i| apart(&x.row(i)).abs() > 0.02).collect();
    let x = x.select(ndarray::Axis(0), &rows);
    let y: Vec<bool> = x.rows().into_iter().map(|r| apart(&r) > 0.0).collect();
    let kernel = Kernel::rbf(0.4);
    let fitted = KernelPerceptron::new(kernel.clone()).max_passes(100_000).fit(&cpu(), &x, &y).unwrap();
    assert!(fitted.report().converged());
    assert_eq!(fitted.predict(&x).unwrap(), y);
    let mistakes: f64 = fitted.report().trace.iter().sum();
    assert_eq!(mistakes, fitted.dual_coefficients().iter().map(|a| a.abs()).sum::<f64>());
    // The widest margin of a function of norm one is 1 / ‖w‖, and k(x, x) = 1: the bound is ‖w‖².
    let widest =
        SvmClassifier::hard_margin(kernel).offset(false).tolerance(1e-8).fit(&cpu(), &x, &y).unwrap();
    let bound = 2.0 * widest.certificates()[0].primal;
    assert!(mistakes <= bound, "{mistakes} mistakes, at most {bound}");
}

#[test]
fn three_classes_and_one_pass_too_few() {
    let x = array![[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]];
    let y = ["a", "a", "b", "b", "c", "c"];
    let model = KernelPerceptron::new(Kernel::rbf(0.3));
    let fitted = model.fit(&cpu(), &x, y).unwrap();
    assert_eq!(fitted.predict(&x).unwrap(), y);
    // A mistake moves two functions against each other.
    assert!(fitted.dual_coefficients().rows().into_iter().all(|r| r.sum() == 0.0));
    assert!(!model.max_passes(1).fit(&cpu(), &x, y).unwrap().report().converged());
}
