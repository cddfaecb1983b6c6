//! The maximum of the evidence.

use std::ops::ControlFlow;

use mercer::models::linear::BayesianLinearRegression;
use mercer::{Device, Error, Progress};
use ndarray::{Array1, Array2, array};

use crate::support::random;

fn evidence(phi: &Array2<f64>, t: &Array1<f64>, alpha: f64, beta: f64) -> f64 {
    BayesianLinearRegression::new(alpha, beta)
        .fit(&Device::cpu(), phi.view(), t.view())
        .unwrap()
        .log_evidence()
}

#[test]
fn the_gradient_vanishes_where_it_stops() {
    for (n, d) in [(60, 6), (25, 40)] {
        let phi = random(n, d, 81);
        let t = phi.dot(&random(d, 1, 86).column(0)) + random(n, 1, 82).column(0);
        let start = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
        let fit = start.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        assert!(fit.report().converged(), "{} iterations", fit.report().iterations);
        let (a, b) = (fit.alpha().unwrap(), fit.beta());
        let best = evidence(&phi, &t, a, b);
        assert!((best - fit.report().trace.last().unwrap()).abs() < 1e-8 * best.abs());
        assert!((fit.log_evidence() - best).abs() < 1e-12 * best.abs());
        assert!(best >= fit.report().trace[0]);
        // Central differences in the logarithms, and a maximum along both.
        let h = 1e-4;
        for (da, db) in [(h, 0.0), (0.0, h)] {
            let up = evidence(&phi, &t, a * f64::exp(da), b * f64::exp(db));
            let down = evidence(&phi, &t, a * f64::exp(-da), b * f64::exp(-db));
            assert!((up - down).abs() / (2.0 * h) < 1e-5, "slope {}", (up - down) / (2.0 * h));
            assert!(up < best && down < best);
        }
        assert!(
            fit.effective_parameters().unwrap() > 0.0
                && fit.effective_parameters().unwrap() < n.min(d) as f64
        );
    }
}

#[test]
fn it_finds_the_noise_that_was_added() {
    let n = 2000;
    let phi = random(n, 5, 83);
    let noise = random(n, 1, 84);
    let t = phi.dot(&array![1.0, -2.0, 0.5, 0.0, 3.0]) + &(noise.column(0).to_owned() * 0.3);
    let start = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
    let fit = start.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
    // Uniform on [-0.3, 0.3): variance 0.03.
    assert!((1.0 / fit.beta() / 0.03 - 1.0).abs() < 0.1, "{}", 1.0 / fit.beta());
    assert!((fit.effective_parameters().unwrap() - 5.0).abs() < 0.1);
}

/// Targets that are orthogonal to every feature: no α is large enough.
#[test]
fn without_a_signal_the_weights_vanish() {
    let phi = array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]];
    let t = array![0.0, 0.0, 1.0, -2.0];
    let start = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
    let fit = start.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
    assert!(
        !fit.report().converged()
            && fit.alpha().unwrap() > 1e20
            && fit.effective_parameters().unwrap() < 1e-20
    );
    assert!((fit.beta() - 4.0 / 5.0).abs() < 1e-12);
}

#[test]
fn where_there_is_no_maximum_it_says_so() {
    let phi = random(20, 3, 85);
    let model = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
    let run = |t: Array1<f64>| model.fit(&Device::cpu(), phi.view(), t.view());
    let e = run(phi.dot(&array![1.0, 2.0, 3.0])).unwrap_err();
    assert!(matches!(&e, Error::Parameter { name, .. } if name == "beta"), "{e}");
    assert!(matches!(run(Array1::zeros(20)), Err(Error::Parameter { .. })));
    let full = BayesianLinearRegression::with_prior(Array1::zeros(3), Array2::eye(3), 1.0).optimise(true);
    let t: Array1<f64> = Array1::ones(20);
    let e = full.fit(&Device::cpu(), phi.view(), t.view()).unwrap_err();
    assert!(matches!(&e, Error::Parameter { name, .. } if name == "prior"), "{e}");
    let stop =
        model.clone().progress(Progress::new(|_| ControlFlow::Break(()))).fit(&Device::cpu(), &phi, &t);
    assert!(matches!(stop, Err(Error::Cancelled { iterations: 1, .. })));
}

/// Features in other units are the same features: α follows their square, whatever α the search starts from. (With as many
/// features as observations α/β = 0 may be a maximum of its own, which a start below all eigenvalues leads to.)
#[test]
fn the_maximum_does_not_depend_on_units() {
    let phi = random(60, 6, 81);
    let t = phi.dot(&random(6, 1, 86).column(0)) + random(60, 1, 82).column(0);
    let run = |phi: &Array2<f64>| {
        let start = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
        start.fit(&Device::cpu(), phi.view(), t.view()).unwrap()
    };
    let want = run(&phi);
    for unit in [1e-140, 1e-100, 1e-20, 1e20, 1e100, 1e140] {
        let fit = run(&(&phi * unit));
        assert!(fit.report().converged(), "{unit:e}");
        assert!(
            (fit.alpha().unwrap() / (unit * unit) / want.alpha().unwrap() - 1.0).abs() < 1e-6,
            "{unit:e}: {}",
            fit.alpha().unwrap()
        );
        assert!((fit.beta() / want.beta() - 1.0).abs() < 1e-6, "{unit:e}: {}", fit.beta());
        let evidence = (fit.log_evidence(), want.log_evidence());
        assert!((evidence.0 - evidence.1).abs() < 1e-6 * evidence.1.abs(), "{unit:e}: {evidence:?}");
    }
}

/// Targets far from zero are not reproduced exactly because their noise is small beside them.
#[test]
fn a_large_constant_is_no_perfect_fit() {
    let n = 200;
    let (x, noise) = (random(n, 1, 87), random(n, 1, 88));
    let phi = Array2::from_shape_fn((n, 2), |(i, j)| if j == 0 { 1.0 } else { x[[i, 0]] });
    for level in [0.0, 1e6, 1e9] {
        let t = Array1::from_shape_fn(n, |i| level + 2.0 * x[[i, 0]] + 0.5 * noise[[i, 0]]);
        let start = BayesianLinearRegression::new(1.0, 1.0).optimise(true);
        let fit = start.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        // Uniform on [-0.5, 0.5): variance 1/12.
        assert!((1.0 / fit.beta() * 12.0 - 1.0).abs() < 0.2, "{level:e}: {}", 1.0 / fit.beta());
    }
}
