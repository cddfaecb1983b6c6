//! Huber's regression against scikit-learn, least squares and its own equations.

use mercer::Device;
use mercer::models::linear::{HuberRegression, LeastSquares};
use ndarray::Array1;

use crate::{matrix, near, oracle, vector};

#[test]
fn as_scikit_learn() {
    let all = oracle();
    let (x, y) = (matrix(&all["x"]), vector(&all["spoilt"]));
    for case in all["huber"].as_array().unwrap() {
        let number = |key: &str| case[key].as_f64().unwrap();
        let model = HuberRegression::new().epsilon(number("epsilon")).penalty(number("penalty"));
        let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
        near(fit.coefficients(), &vector(&case["coef"]), 1e-5, "coefficients");
        assert!(
            (fit.intercept()[0] - number("intercept")).abs() < 1e-5
                && (fit.scales()[0] - number("scale")).abs() < 1e-5
        );
        assert!(
            fit.report().converged() && fit.report().trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-12))
        );
        for spoilt in [3, 17, 30] {
            assert!(fit.outliers()[[spoilt, 0]]);
        }
    }
}

#[test]
fn outliers_pull_no_harder_the_farther_they_are() {
    let all = oracle();
    let (x, y) = (matrix(&all["x"]), vector(&all["y"]));
    let slope = |far: f64| {
        let mut y = y.clone();
        y[3] = far;
        HuberRegression::new().fit(&Device::cpu(), &x, &y).unwrap().coefficients().clone()
    };
    near(&slope(1e3), &slope(1e6), 1e-6, "a thousand or a million");
    // With ε beyond all residuals nothing is an outlier: least squares.
    let wide = HuberRegression::new().epsilon(50.0).fit(&Device::cpu(), &x, &y).unwrap();
    near(
        wide.coefficients(),
        LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap().coefficients(),
        1e-9,
        "least squares",
    );
    // Data that are met exactly have no noise.
    let exact = x.dot(&Array1::from(vec![1.0, 2.0, 3.0, 4.0])) + 5.0;
    let fit = HuberRegression::new().fit(&Device::cpu(), &x, &exact).unwrap();
    near(fit.coefficients(), &[1.0, 2.0, 3.0, 4.0], 1e-9, "exact");
    assert!(fit.scales()[0] < 1e-9);
}
