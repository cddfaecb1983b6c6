//! Generalised linear models against statsmodels, and K.1's theorems.

use mercer::models::linear::{Family, GeneralisedLinear, LeastSquares, Link};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, array, concatenate};
use serde_json::Value;

use crate::{matrix, near, oracle, vector};

fn compare(all: &Value, name: &str, target: &str, model: GeneralisedLinear) {
    let (mut x, y, want) = (matrix(&all["x"]), vector(&all[target]), &all[name]);
    if name.ends_with("offset") {
        x = concatenate![Axis(1), x, vector(&all["exposure"]).insert_axis(Axis(1))];
    }
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let params = concatenate![Axis(0), *fit.intercept(), fit.coefficients().slice(ndarray::s![..4, 0])];
    near(&params, &vector(&want["params"]), 1e-8, name);
    let errors = concatenate![
        Axis(0),
        fit.intercept_standard_errors(),
        fit.standard_errors().slice(ndarray::s![..4, 0])
    ];
    near(&errors, &vector(&want["bse"]), 1e-7, name);
    let number = |key: &str| want[key].as_f64().unwrap();
    near(&fit.deviance(), &[number("deviance")], 1e-9, name);
    near(&fit.null_deviance(), &[number("null")], 1e-8, name);
    near(&fit.dispersion(), &[number("scale")], 1e-8, name);
    near(&fit.pearson(), &[number("pearson")], 1e-7, name);
    // statsmodels' Gaussian likelihood has the variance of maximum likelihood, its gamma one Pearson's.
    if name != "gaussian" {
        assert!(
            (fit.log_likelihood().unwrap() - number("llf")).abs() < 1e-7 * number("llf").abs(),
            "{name}: {}",
            fit.log_likelihood().unwrap()
        );
    }
    assert!(fit.report().converged() && !fit.separated());
}

#[test]
fn as_statsmodels() {
    let all = oracle();
    compare(&all, "logit", "events", GeneralisedLinear::new(Family::Bernoulli));
    compare(&all, "probit", "events", GeneralisedLinear::new(Family::Bernoulli).link(Link::Probit));
    compare(
        &all,
        "cloglog",
        "events",
        GeneralisedLinear::new(Family::Bernoulli).link(Link::ComplementaryLogLog),
    );
    compare(&all, "poisson", "counts", GeneralisedLinear::new(Family::Poisson));
    compare(&all, "poisson_offset", "counts", GeneralisedLinear::new(Family::Poisson).offset(4));
    compare(&all, "gamma_log", "positive", GeneralisedLinear::new(Family::Gamma).link(Link::Log));
    compare(&all, "gaussian", "y", GeneralisedLinear::new(Family::Gaussian));
    compare(&all, "binomial", "of_six", GeneralisedLinear::new(Family::Binomial { trials: 6 }));
}

/// Gaussian = least squares; the score equations hold; the deviance is least.
#[test]
fn theorems_of_the_canonical_link() {
    let all = oracle();
    let x = matrix(&all["x"]);
    let cpu = Device::cpu();
    let y = vector(&all["y"]);
    let (glm, least) = (
        GeneralisedLinear::new(Family::Gaussian).fit(&cpu, &x, &y).unwrap(),
        LeastSquares::new().fit(&cpu, &x, &y).unwrap(),
    );
    near(glm.coefficients(), least.coefficients(), 1e-11, "least squares");
    near(&glm.standard_errors(), &least.standard_errors().unwrap(), 1e-11, "least squares");
    for (family, target) in [
        (Family::Bernoulli, "events"),
        (Family::Poisson, "counts"),
        (Family::Binomial { trials: 6 }, "of_six"),
    ] {
        let y = vector(&all[target]);
        let fit = GeneralisedLinear::new(family).fit(&cpu, &x, &y).unwrap();
        let left = &y - &fit.predict(&x).unwrap();
        assert!(
            left.sum().abs() < 1e-7 && x.t().dot(&left).iter().all(|s| s.abs() < 1e-7),
            "{family:?}: the score"
        );
        // Convex: no other function fits better, and chords lie above.
        let w = concatenate![Axis(0), *fit.intercept(), fit.coefficients().column(0)];
        let nll = |w: &Array1<f64>| -> f64 {
            let eta = x.dot(&w.slice(ndarray::s![1..])) + w[0];
            let mean = |e: f64| match family {
                Family::Poisson => e.exp(),
                Family::Binomial { .. } => 6.0 / (1.0 + (-e).exp()),
                _ => 1.0 / (1.0 + (-e).exp()),
            };
            eta.iter().zip(&y).map(|(e, y)| -family.log_density(*y, mean(*e), 1.0)).sum()
        };
        assert!((nll(&w) + fit.log_likelihood().unwrap()).abs() < 1e-9);
        for k in 0..20 {
            let away = &w + &(crate::support::random(1, 5, 40 + k).row(0).to_owned() * 0.3);
            assert!(
                nll(&away) >= nll(&w) && nll(&(0.5 * (&away + &w))) <= 0.5 * (nll(&away) + nll(&w)) + 1e-12
            );
        }
    }
    // Means of a constant are means.
    let fit = GeneralisedLinear::new(Family::Gamma)
        .fit(&cpu, array![[1.0], [2.0], [1.0], [2.0]], &array![1.0_f64, 5.0, 3.0, 7.0])
        .unwrap();
    near(&fit.predict(array![[1.0], [2.0]]).unwrap(), &[2.0, 6.0], 1e-9, "group means");
}

#[test]
fn separated_classes_are_said_to_be() {
    let x = array![[0.0], [1.0], [2.0], [3.0]];
    let y = array![0.0_f64, 0.0, 1.0, 1.0];
    match GeneralisedLinear::new(Family::Bernoulli).fit(&Device::cpu(), &x, &y) {
        Ok(fit) => assert!(fit.separated(), "{fit:?}"),
        Err(e) => {
            assert!(matches!(e, Error::NoConvergence { .. } | Error::NotPositiveDefinite { .. }), "{e}");
        }
    }
    let fit = GeneralisedLinear::new(Family::Bernoulli).penalty(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(!fit.separated() && fit.coefficients()[[0, 0]] > 0.5);
}

/// Targets met exactly have no likeliest dispersion: the likelihood has no maximum.
#[test]
fn no_likelihood_without_a_dispersion() {
    let cpu = Device::cpu();
    let fit = |x: &Array2<f64>, y: &Array1<f64>| {
        GeneralisedLinear::new(Family::Gaussian).intercept(false).fit(&cpu, x, y).unwrap()
    };
    let exact = fit(&array![[1.0], [2.0], [4.0]], &array![2.0_f64, 4.0, 8.0]);
    assert_eq!(exact.dispersion()[0], 0.0);
    for refused in [exact.log_likelihood(), exact.aic(), exact.bic()] {
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{refused:?}");
    }
    // As many coefficients as observations.
    let full = fit(&array![[1.0, 0.3], [0.2, 2.0]], &array![1.0_f64, 5.0]);
    assert!(full.log_likelihood().is_err() && full.degrees_of_freedom() == 0.0);
}
