//! Regression in a tube, least squares, relevance vectors.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{all_near, cpu, near};

#[test]
fn a_narrow_tube_and_a_large_price_interpolate() {
    let x = Array2::from_shape_fn((8, 1), |(i, _)| i as f64);
    let y = x.column(0).mapv(|v| (1.3 * v).sin());
    let fitted = SvmRegressor::new(Kernel::rbf(0.8), 1e6, 0.0).tolerance(1e-9).fit(&cpu(), &x, &y).unwrap();
    all_near(&fitted.predict(&x).unwrap(), y.as_slice().unwrap(), 1e-6, "interpolation");
    // A tube wider than the targets needs no support at all.
    let flat = SvmRegressor::new(Kernel::rbf(0.8), 1.0, 5.0).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(flat.certificates()[0].support, 0);
    let p = flat.predict(&x).unwrap();
    assert!(p.iter().all(|v| (v - p[0]).abs() < 1e-12));
    // Without offset, and several targets at once.
    let both = ndarray::stack![Axis(1), y, 2.0 * &y];
    let model = SvmRegressor::new(Kernel::rbf(0.8), 10.0, 0.01).offset(false).tolerance(1e-9);
    let many = model.fit(&cpu(), &x, &both).unwrap();
    let one = model.fit(&cpu(), &x, &y).unwrap();
    all_near(
        many.predict(&x).unwrap().column(0),
        one.predict(&x).unwrap().as_slice().unwrap(),
        1e-7,
        "first target",
    );
    assert_eq!(one.intercept()[0], 0.0);
    near(one.certificates()[0].gap(), 0.0, 1e-6, "gap without offset");
    let nu = SvmRegressor::nu(Kernel::rbf(0.8), 10.0, 0.4)
        .offset(false)
        .tolerance(1e-9)
        .fit(&cpu(), &x, &y)
        .unwrap();
    near(nu.certificates()[0].gap(), 0.0, 1e-6, "gap of nu without offset");
}

#[test]
fn least_squares_is_one_linear_system() {
    let x = random(30, 2, 1) * 2.0;
    let y: Vec<bool> = (0..30).map(|i| x[[i, 0]] * x[[i, 1]] > 0.0).collect();
    let (gamma, kernel) = (5.0, Kernel::rbf(1.0));
    let fitted = LeastSquaresSvm::new(kernel.clone(), gamma).fit(&cpu(), &x, &y).unwrap();
    let (a, b) = (fitted.dual_coefficients().column(0), fitted.intercept()[0]);
    near(a.sum(), 0.0, 1e-10, "the constraint");
    let f = fitted.decision(&x).unwrap();
    for i in 0..30 {
        // γ e_i = a_i with e_i = y_i - f(x_i).
        let t = if y[i] { 1.0 } else { -1.0 };
        near(gamma * (t - f[[i, 0]]), a[i], 1e-9, "the optimality condition");
    }
    assert!(fitted.score(&x, &y).unwrap() > 0.9 && b.is_finite());
    let three: Vec<i32> = (0..30).map(|i| i32::from(x[[i, 0]] > -0.5) + i32::from(x[[i, 0]] > 0.5)).collect();
    let many = LeastSquaresSvm::new(kernel, 50.0).fit(&cpu(), &x, &three).unwrap();
    assert_eq!(many.intercept().len(), 3);
    assert!(many.score(&x, &three).unwrap() > 0.9);
}

#[test]
fn relevance_vectors() {
    let x = Array2::from_shape_fn((100, 1), |(i, _)| i as f64 / 5.0 - 10.0);
    let sinc = |v: f64| if v == 0.0 { 1.0 } else { v.sin() / v };
    let noise = random(100, 1, 3);
    let y: Array1<f64> = (0..100).map(|i| sinc(x[[i, 0]]) + 0.1 * noise[[i, 0]]).collect();
    let fitted = RelevanceVectorMachine::new(Kernel::rbf(2.0)).fit(&cpu(), &x, &y).unwrap();
    assert!(fitted.relevance().len() <= 15, "{:?}", fitted.relevance());
    // Uniform noise in [-0.1, 0.1) has variance 1/300.
    assert!((fitted.noise() * 300.0 - 1.0).abs() < 0.4, "{}", fitted.noise());
    let off = fitted.predict(&x).unwrap() - x.column(0).mapv(sinc);
    assert!(off.iter().all(|e| e.abs() < 0.1));
    assert!(fitted.report().converged());
    // At the optimum α_i m_i² = 1 - α_i Σ_ii.
    for i in 0..fitted.coefficients().len() {
        let (a, m, s) = (fitted.precisions()[i], fitted.coefficients()[i], fitted.covariance()[[i, i]]);
        near(a * m * m, 1.0 - a * s, 1e-3, "the fixed point");
    }
    let fixed = RelevanceVectorMachine::new(Kernel::rbf(2.0)).noise(0.01).fit(&cpu(), &x, &y).unwrap();
    let trace = &fixed.report().trace;
    assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-9), "the evidence never falls");
    let (_, variance) = fixed.predict_with_variance(array![[0.0], [50.0]]).unwrap();
    assert!(variance[0] > 0.01 && variance[1] >= 0.01);
}

#[test]
fn a_process_for_classes_says_what_a_machine_says() {
    // The mode of the process minimises ½‖f‖² + Σ ln(1 + exp(-y f)), the machine ½‖f‖² + C Σ max(0, 1 - y f): two convex
    // losses of one margin over one function space.
    let x = crate::support::random(150, 2, 77) * 2.0;
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[1] > (2.0 * r[0]).sin() * 0.6).collect();
    let kernel = Kernel::rbf(0.6).scaled(4.0);
    let machine = SvmClassifier::new(kernel.clone(), 1.0).offset(false).fit(&crate::cpu(), &x, &y).unwrap();
    let process = GpClassifier::new(kernel).fit(&crate::cpu(), &x, &y).unwrap();
    let new = crate::support::random(400, 2, 78) * 2.0;
    let (f, p) = (machine.decision(&new).unwrap(), process.predict_proba(&new).unwrap());
    let same = (0..400).filter(|&i| (f[[i, 0]] >= 0.0) == (p[[i, 1]] >= 0.5)).count();
    assert!(same >= 380, "{same} of 400");
    // Where the machine is sure, so is the process; and only the machine is sparse.
    assert!((0..400).all(|i| f[[i, 0]].abs() < 1.0 || (f[[i, 0]] > 0.0) == (p[[i, 1]] > 0.5)));
    assert!(machine.support().len() < 100, "{} support vectors", machine.support().len());
}
