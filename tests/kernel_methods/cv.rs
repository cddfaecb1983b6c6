//! Kernels and penalties chosen by leave-one-out and by folds.

use mercer::models::kernel_methods::{Falkon, FalkonCv, KernelRidge, KernelRidgeCv};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value;

use crate::oracle::matrix;
use crate::support::random;
use crate::{close, problem};

const PENALTIES: [f64; 3] = [1e-4, 0.05, 2.0];

fn kernels() -> Vec<Kernel> {
    vec![Kernel::rbf(0.4), 1.5 * Kernel::matern32(1.0) + Kernel::white(0.1), Kernel::polynomial(2, 1.0)]
}

/// The theorem: `y_i - f₋ᵢ(x_i) = a_i / (G⁻¹)_ii`, with weights and without.
#[test]
fn the_formula_is_n_refits() {
    let cpu = Device::cpu();
    let (x, y) = problem(14, 2, 151);
    let uneven = random(14, 1, 152).column(0).mapv(|v| v + 1.2);
    let some = Array1::from_shape_fn(14, |i| (i % 3) as f64);
    for w in [Array1::ones(14), uneven, some] {
        let fit = KernelRidgeCv::new(kernels(), &PENALTIES).fit_weighted(&cpu, &x, &y, &w).unwrap();
        for ((k, g), score) in fit.scores().indexed_iter() {
            let model = KernelRidge::new(kernels()[k].clone(), PENALTIES[g]);
            let mut missed = Array2::zeros(y.raw_dim());
            for i in 0..14 {
                let rest: Vec<usize> = (0..14).filter(|&j| j != i).collect();
                let (xs, ys, ws) =
                    (x.select(Axis(0), &rest), y.select(Axis(0), &rest), w.select(Axis(0), &rest));
                let at =
                    model.fit_weighted(&cpu, &xs, &ys, &ws).unwrap().predict(x.slice(s![i..=i, ..])).unwrap();
                missed.row_mut(i).assign(&(&y.row(i) - &at.row(0)));
            }
            let squares = missed.mapv(|r| r * r) * w.view().insert_axis(Axis(1));
            let want = squares.sum() / (2.0 * w.sum());
            assert!((score / want - 1.0).abs() < 1e-8, "{} {}: {score} {want}", kernels()[k], PENALTIES[g]);
            if (fit.best().kernel(), fit.best().penalty()) == (&kernels()[k], PENALTIES[g]) {
                close(fit.leave_one_out_residuals().view(), missed.view(), 1e-8, "residuals");
                assert!(fit.scores().iter().all(|other| other >= score));
                let direct = model.fit_weighted(&cpu, &x, &y, &w).unwrap();
                assert_eq!(fit.predict(&x).unwrap(), direct.predict(&x).unwrap());
            }
        }
    }
}

/// `GridSearchCV` with n folds, by `tests/oracle/kernel_ridge_cv.py`.
#[test]
fn scikit_learn_finds_the_same() {
    let case: Value = serde_json::from_str(include_str!("../oracle/kernel_ridge_cv.json")).unwrap();
    let column = |key: &str| matrix(&case[key]).column(0).to_owned();
    let (lengths, penalties) = (column("lengths"), column("penalties"));
    let model = KernelRidgeCv::new(lengths.iter().map(|&l| Kernel::rbf(l)), &penalties.to_vec());
    let fit = model.fit(&Device::cpu(), matrix(&case["x"]), column("y")).unwrap();
    close(fit.scores().view(), matrix(&case["scores"]).view(), 1e-9, "scores");
    let best = |at: usize| case["best"][at].as_u64().unwrap() as usize;
    assert_eq!(fit.best().kernel(), &Kernel::rbf(lengths[best(0)]));
    assert_eq!(fit.best().penalty(), penalties[best(1)]);
    let at = fit.predict(matrix(&case["new"])).unwrap();
    close(at.view().insert_axis(Axis(1)), matrix(&case["predictions"]).view(), 1e-9, "predictions");
}

/// Folds of one row each, with every row a landmark, are leave-one-out.
#[test]
fn folds_of_one_row_are_leave_one_out() {
    let cpu = Device::cpu();
    let (x, y) = problem(18, 2, 153);
    let kernels = [0.4, 1.0, 3.0].map(Kernel::matern32);
    let want = KernelRidgeCv::new(kernels.clone(), &PENALTIES).fit(&cpu, &x, &y).unwrap();
    let model = Falkon::new(Kernel::rbf(1.0), 1.0, 18).tolerance(1e-12);
    let fit = FalkonCv::new(model, kernels, &PENALTIES).folds(18).fit(&cpu, &x, &y).unwrap();
    close(fit.scores().view(), want.scores().view(), 1e-7, "scores");
    assert_eq!(fit.best().kernel(), want.best().kernel());
    assert_eq!(fit.best().penalty(), want.best().penalty());
    close(fit.predict(&x).unwrap().view(), want.predict(&x).unwrap().view(), 1e-7, "fit");
}

/// A sine of period 2π under noise: neither the shortest bandwidth nor the longest.
#[test]
fn folds_find_the_scale_of_a_sine() {
    let x = random(900, 1, 154) * 10.0;
    let y = x.column(0).mapv(f64::sin) + random(900, 1, 155).column(0).mapv(|v| 0.5 * v);
    let kernels = [0.05, 1.0, 30.0].map(Kernel::rbf);
    let model = FalkonCv::new(Falkon::new(Kernel::rbf(1.0), 1.0, 60), kernels, &[1e-2, 1.0]).folds(3);
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.best().kernel(), &Kernel::rbf(1.0), "{}", fit.scores());
    assert_eq!(fit.scores(), model.fit(&Device::cpu(), &x, &y).unwrap().scores());
    assert_eq!(fit.best().landmarks().nrows(), 60);
}

#[test]
fn bad_choices() {
    let cpu = Device::cpu();
    let (x, y) = problem(12, 2, 156);
    let exact =
        |kernels: Vec<Kernel>, penalties: &[f64]| KernelRidgeCv::new(kernels, penalties).fit(&cpu, &x, &y);
    let folds = |kernels: Vec<Kernel>, penalties: &[f64], k| {
        FalkonCv::new(Falkon::new(Kernel::rbf(1.0), 1.0, 5), kernels, penalties).folds(k).fit(&cpu, &x, &y)
    };
    let some = || vec![Kernel::rbf(1.0)];
    assert!(matches!(exact(vec![], &[1.0]), Err(Error::Shape { .. })));
    assert!(matches!(exact(some(), &[]), Err(Error::Shape { .. })));
    assert!(matches!(folds(vec![], &[1.0], 3), Err(Error::Shape { .. })));
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(matches!(exact(some(), &[1.0, bad]), Err(Error::Parameter { .. })));
        assert!(matches!(folds(some(), &[1.0, bad], 3), Err(Error::Parameter { .. })));
    }
    for k in [0, 1, 13, usize::MAX] {
        assert!(matches!(folds(some(), &[1.0], k), Err(Error::Parameter { .. })), "{k}");
    }
    let small = KernelRidgeCv::new(some(), &[1.0]).memory_budget(1000).fit(&cpu, &x, &y);
    assert!(matches!(small, Err(Error::OverBudget { .. })));
    let one = KernelRidgeCv::new(some(), &[1.0]).fit(&cpu, x.slice(s![..1, ..]), y.slice(s![..1, ..]));
    assert!(matches!(one, Err(Error::Shape { .. })));
    // A matrix that is not positive definite has no score, and does not win.
    let sigmoid = exact(vec![Kernel::sigmoid(1.0, -2.0), Kernel::rbf(1.0)], &[1e-3]).unwrap();
    assert_eq!(sigmoid.best().kernel(), &Kernel::rbf(1.0), "{}", sigmoid.scores());
}
