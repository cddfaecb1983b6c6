//! The representer theorem, logistic regression, discriminants.

use std::sync::Arc;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{all_near, cpu, near};

#[test]
fn the_representer_theorem() {
    let (x, y) = (array![[0.0], [1.0], [2.5]], array![1.0_f64, -1.0, 0.5]);
    let fitted = KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Squared, 0.3).fit(&cpu(), &x, &y).unwrap();
    let a = fitted.dual_coefficients().column(0).to_owned();
    all_near(&a, &[1.52124977, -1.666108478, 0.7492824446], 1e-8, "alpha");
    near(fitted.objective(), 1.068599841, 1e-9, "objective");
    // What is orthogonal to the data changes no value there and adds to the norm: k(·, 1.7) less its projection.
    let kernel = Kernel::rbf(1.0);
    let four = array![[0.0], [1.0], [2.5], [1.7]];
    let m = |x: &Array2<f64>| mercer::Matrix::from_array(&cpu(), x.view()).unwrap();
    let k = mercer::ops::gram(&kernel, &m(&four), None).unwrap().to_array().unwrap();
    let small = k.slice(ndarray::s![..3, ..3]).to_owned();
    let right = k.slice(ndarray::s![..3, 3..]).to_owned();
    let c =
        mercer::linalg::solve_spd(&cpu(), small.view(), right.view(), &mercer::linalg::SpdParams::default())
            .unwrap()
            .x;
    let beside = array![-c[[0, 0]], -c[[1, 0]], -c[[2, 0]], 1.0];
    near(squared_norm(&kernel, &four, beside.view()).unwrap(), 0.09695919887, 1e-9, "the norm of the rest");
    assert!(k.dot(&beside).slice(ndarray::s![..3]).iter().all(|v| v.abs() < 1e-12));
    let more = array![a[0], a[1], a[2], 0.0] + 0.5 * beside;
    let f = k.dot(&more);
    let objective = (0..3).map(|i| (y[i] - f[i]).powi(2)).sum::<f64>()
        + 0.3 * squared_norm(&kernel, &four, more.view()).unwrap();
    near(objective, 1.075871781, 1e-8, "the objective beside the span");
}

#[test]
fn every_loss_is_stationary_and_equals_explicit_features() {
    let x = random(25, 2, 1) * 1.5;
    let signs = x.column(0).mapv(|v: f64| if v > 0.1 { 1.0 } else { -1.0 });
    let counts = x.column(0).mapv(|v: f64| (v.exp() * 2.0).round());
    let own = SmoothLoss::Custom(Arc::new(|y: f64, f: f64| ((f - y).cosh().ln(), (f - y).tanh())));
    let cases = [
        (SmoothLoss::Squared, &signs),
        (SmoothLoss::Logistic, &signs),
        (SmoothLoss::SquaredHinge, &signs),
        (SmoothLoss::Exponential, &signs),
        (SmoothLoss::Huber(0.3), &signs),
        (SmoothLoss::Poisson, &counts),
        (own, &signs),
    ];
    for (loss, y) in cases {
        let fitted =
            KernelRisk::new(Kernel::polynomial(2, 1.0), loss.clone(), 0.5).fit(&cpu(), &x, y).unwrap();
        let f = fitted.predict(&x).unwrap();
        for i in 0..25 {
            near(
                fitted.dual_coefficients()[[i, 0]],
                -loss.at(y[i], f[i]).1,
                1e-6,
                &format!("{loss:?}: -L'/2λ"),
            );
        }
        // (1 + x'y)² on explicit features, with the linear kernel.
        let r = 2f64.sqrt();
        let phi = Array2::from_shape_fn((25, 6), |(i, j)| {
            let (a, b) = (x[[i, 0]], x[[i, 1]]);
            [1.0, r * a, r * b, a * a, b * b, r * a * b][j]
        });
        let explicit = KernelRisk::new(Kernel::linear(), loss.clone(), 0.5).fit(&cpu(), &phi, y).unwrap();
        near(explicit.objective(), fitted.objective(), 1e-7, &format!("{loss:?}"));
    }
    let ridge = KernelRidge::new(Kernel::rbf(1.0), 0.5).fit(&cpu(), &x, &signs).unwrap().predict(&x).unwrap();
    let risk = KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Squared, 0.5)
        .fit(&cpu(), &x, &signs)
        .unwrap()
        .predict(&x)
        .unwrap();
    all_near(&risk, ridge.as_slice().unwrap(), 1e-7, "kernel ridge regression");
    assert!(KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Squared, 0.0).fit(&cpu(), &x, &signs).is_err());
}

#[test]
fn kernel_logistic_regression() {
    // The five points of the notes: the linear kernel is logistic regression with a quadratic penalty.
    let x = array![[1.0, 0.5, -1.2], [1.0, 1.5, 0.3], [1.0, -0.7, 0.8], [1.0, 2.0, -0.4], [1.0, -1.1, -1.0]];
    let y = [1, 1, 0, 1, 0];
    let fitted = KernelLogistic::new(Kernel::linear(), 0.7).fit(&cpu(), &x, y).unwrap();
    let w = fitted.coefficients().unwrap();
    all_near(w.row(0), &[-0.0211828968, 1.2917496903, -0.3372914541], 1e-8, "w");
    let p = fitted.predict_proba(&x).unwrap();
    for i in 0..5 {
        near(0.7 * fitted.dual_coefficients()[[i, 0]], f64::from(y[i]) - p[[i, 1]], 1e-7, "λα = y - π");
    }
    // Two functions f/2 and -f/2 of a softmax with twice the penalty of one: λ‖f‖² = 2λ(‖f/2‖² + ‖-f/2‖²).
    let x = random(40, 2, 3) * 2.0;
    let two: Vec<f64> =
        (0..40).map(|i| if x[[i, 0]] + 0.4 * (5.0 * x[[i, 1]]).sin() > 0.0 { 1.0 } else { 0.0 }).collect();
    let names: Vec<usize> = two.iter().map(|y| *y as usize).collect();
    let fitted = KernelLogistic::new(Kernel::rbf(1.0), 0.3).fit(&cpu(), &x, &names).unwrap();
    let f = fitted.decision(&x).unwrap();
    for i in 0..40 {
        let halves = [(-0.5 * f[[i, 0]]).exp(), (0.5 * f[[i, 0]]).exp()];
        let second = halves[1] / (halves[0] + halves[1]);
        // Stationary for the half: 2λ (a/2) = y - softmax.
        near(
            0.6 * 0.5 * fitted.dual_coefficients()[[i, 0]],
            two[i] - second,
            1e-7,
            "the softmax of two halves",
        );
    }
    let three: Vec<usize> = (0..40)
        .map(|i| {
            if x[[i, 0]] > 0.5 {
                0
            } else if x[[i, 1]] > 0.0 {
                1
            } else {
                2
            }
        })
        .collect();
    let fitted = KernelLogistic::new(Kernel::rbf(1.0), 0.1).fit(&cpu(), &x, &three).unwrap();
    let p = fitted.predict_proba(&x).unwrap();
    for i in 0..40 {
        near(p.row(i).sum(), 1.0, 1e-12, "sum");
        for c in 0..3 {
            let own = f64::from(u8::from(three[i] == c));
            near(0.1 * fitted.dual_coefficients()[[i, c]], own - p[[i, c]], 1e-7, "λα = y - π");
        }
    }
    // At the minimum the functions of all classes sum to zero.
    assert!(fitted.dual_coefficients().sum_axis(Axis(1)).iter().all(|v| v.abs() < 1e-6));
    assert!(fitted.score(&x, &three).unwrap() > 0.9);
}

#[test]
fn kernel_discriminant() {
    let (a, b) = (random(20, 2, 5), random(30, 2, 6) + 1.0);
    let x = ndarray::concatenate![Axis(0), a, b];
    let y: Vec<bool> = (0..50).map(|i| i >= 20).collect();
    let fitted = KernelDiscriminant::new(Kernel::linear(), 1e-9).fit(&cpu(), &x, &y).unwrap();
    // Fisher's direction S_W⁻¹(m₁ - m₀), by hand.
    let (m0, m1) = (a.mean_axis(Axis(0)).unwrap(), b.mean_axis(Axis(0)).unwrap());
    let (da, db) = (&a - &m0, &b - &m1);
    let s = (da.t().dot(&da) + db.t().dot(&db)) / 50.0;
    let det = s[[0, 0]] * s[[1, 1]] - s[[0, 1]] * s[[1, 0]];
    let inverse = array![[s[[1, 1]], -s[[0, 1]]], [-s[[1, 0]], s[[0, 0]]]] / det;
    let d = &m1 - &m0;
    let w: Array1<f64> = inverse.dot(&d);
    let z = fitted.transform(&x).unwrap();
    let own = x.dot(&w);
    let mean = own.mean().unwrap();
    let size = w.dot(&s.dot(&w)).sqrt();
    let sign = if z[[49, 0]] * (own[49] - mean) > 0.0 { 1.0 } else { -1.0 };
    all_near(&(sign * &z.column(0)), ((own - mean) / size).as_slice().unwrap(), 1e-5, "Fisher's coordinate");
    // Its decision is that of linear discriminant analysis.
    let f = fitted.decision(&x).unwrap();
    let middle = 0.5 * w.dot(&(&m0 + &m1));
    for i in 0..50 {
        near(f[[i, 0]], x.row(i).dot(&w) - middle + (30f64 / 20.0).ln(), 1e-5, "log-odds");
    }
    let xor: Vec<u8> = (0..50).map(|i| u8::from(x[[i, 0]] * x[[i, 1]] > 0.0)).collect();
    let curved = KernelDiscriminant::new(Kernel::rbf(0.7), 1e-2).fit(&cpu(), &x, &xor).unwrap();
    assert!(curved.score(&x, &xor).unwrap() > 0.9);
}

/// Three classes: with the linear kernel the coordinates and log-odds of linear discriminant analysis.
#[test]
fn kernel_discriminant_of_three_classes() {
    let y: Vec<usize> = (0..60).map(|i| i % 3).collect();
    let mut x = random(60, 3, 15);
    x.rows_mut().into_iter().zip(&y).for_each(|(mut r, y)| {
        r[0] += [0.0, 1.0, 0.3][*y];
        r[2] += [0.0, 0.2, 1.4][*y];
    });
    let fitted = KernelDiscriminant::new(Kernel::linear(), 1e-9).fit(&cpu(), &x, &y).unwrap();
    let linear = LinearDiscriminant::new().fit(&cpu(), &x, &y).unwrap();
    let (ours, want) = (fitted.transform(&x).unwrap(), linear.transform(&x).unwrap());
    assert_eq!(ours.dim(), (60, 2));
    for (a, b) in ours.columns().into_iter().zip(want.columns()) {
        let (a, b) = (&a - a.mean().unwrap(), &b - b.mean().unwrap());
        let cosine = a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt();
        near(cosine.abs(), 1.0, 1e-8, "a direction");
    }
    let (f, g) = (fitted.decision(&x).unwrap(), linear.decision(&x).unwrap());
    for i in 0..60 {
        for c in 1..3 {
            near(f[[i, c]] - f[[i, 0]], g[[i, c]] - g[[i, 0]], 1e-4, "log-odds");
        }
    }
    assert_eq!(fitted.predict(&x).unwrap(), linear.predict(&x).unwrap());
}
