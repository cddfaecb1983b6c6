//! Generalised linear models against statsmodels, and K.1's theorems.

use mercer::models::linear::{Family, GeneralisedLinear, LeastSquares, Link};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};
use serde_json::Value;

use crate::support::random;
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
    if name == "gaussian" {
        let mle = fit.deviance()[0] / y.len() as f64;
        let llf = -0.5 * y.len() as f64 * ((std::f64::consts::TAU * mle).ln() + 1.0);
        assert!((llf - number("llf")).abs() < 1e-7 * llf.abs(), "{name}: {llf}");
    } else {
        assert!(
            (fit.log_likelihood().unwrap() - number("llf")).abs() < 1e-7 * number("llf").abs(),
            "{name}: {}",
            fit.log_likelihood().unwrap()
        );
    }
    let p = &fit.p_values().slice(s![..4, 0]).to_owned();
    let want_p = vector(&want["p"]);
    near(p, want_p.slice(s![1..]), 1e-7, name);
    near(&fit.linear_predictor(&x).unwrap(), &vector(&want["eta"]), 1e-8, name);
    // A dispersion is one number more here: 2 of AIC, ln n of BIC. Least squares has the noise of maximum likelihood there.
    if name != "gaussian" {
        let more = f64::from(u8::from(fit.family() == Family::Gamma || fit.family() == Family::Gaussian));
        let n = y.len() as f64;
        near(&[fit.aic().unwrap()], &[number("aic") + 2.0 * more], 1e-8, name);
        near(&[fit.bic().unwrap()], &[number("bic") + more * n.ln()], 1e-8, name);
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
    let probit = GeneralisedLinear::new(Family::Binomial { trials: 6 }).link(Link::Probit);
    compare(&all, "binomial_probit", "of_six", probit);
    compare(&all, "gamma_inverse", "slow", GeneralisedLinear::new(Family::Gamma));
    compare(&all, "gaussian_log", "curved", GeneralisedLinear::new(Family::Gaussian).link(Link::Log));
    compare(&all, "poisson_identity", "even", GeneralisedLinear::new(Family::Poisson).link(Link::Identity));
}

/// Two groups are met by their means, whatever the family and the link.
#[test]
fn two_groups_have_their_means_under_every_link() {
    use Link::{ComplementaryLogLog, Identity, Inverse, Log, Logit, Probit};
    let x = Array2::from_shape_fn((12, 1), |(i, _)| f64::from(u8::from(i >= 5)));
    let share: Array1<f64> = array![0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    let number = Array1::from_shape_fn(12, |i| 1.0 + (3 * i % 5) as f64);
    let mean = |y: &Array1<f64>| [y.slice(s![..5]).mean().unwrap(), y.slice(s![5..]).mean().unwrap()];
    let bounded = [Logit, Probit, ComplementaryLogLog, Log, Identity];
    let free = [Identity, Log, Inverse];
    let (six, two) = (Family::Binomial { trials: 6 }, array![[0.0], [1.0]]);
    let cases = [
        (Family::Bernoulli, &bounded[..], &share),
        (six, &bounded[..], &number),
        (Family::Gaussian, &free[..], &number),
        (Family::Poisson, &free[..], &number),
        (Family::Gamma, &free[..], &number),
    ];
    for (family, links, y) in cases {
        for link in links {
            let fit = GeneralisedLinear::new(family).link(*link).fit(&Device::cpu(), &x, y).unwrap();
            near(&fit.predict(&two).unwrap(), &mean(y), 1e-7, &format!("{family:?} {link:?}"));
        }
    }
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
    // Apart, touching at a point, of one class, and apart by a column that nothing else depends on.
    let touching = array![[-1.0], [0.0], [0.0], [1.0]];
    let group = array![[0.0, 0.3], [0.0, -0.2], [0.0, 0.4], [0.0, -0.1], [1.0, 0.2], [1.0, -0.3]];
    let cases = [
        (&x, y.clone()),
        (&touching, array![0.0, 0.0, 1.0, 1.0]),
        (&x, Array1::ones(4)),
        (&x, Array1::zeros(4)),
        (&group, array![0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
    ];
    for link in [Link::Logit, Link::Probit, Link::ComplementaryLogLog] {
        let model = GeneralisedLinear::new(Family::Bernoulli).link(link);
        for (case, (x, y)) in cases.iter().enumerate() {
            let fit = model.fit(&Device::cpu(), *x, y).unwrap();
            assert!(fit.separated() && !fit.report().converged(), "{link:?} {case}: {fit:?}");
            let said = fit.predict(*x).unwrap();
            assert!(said.iter().all(|p| (0.0..=1.0).contains(p)), "{link:?} {case}: {said}");
        }
        // A row of the other class in between is enough.
        let mixed = model.fit(&Device::cpu(), &x, &array![0.0_f64, 1.0, 0.0, 1.0]).unwrap();
        assert!(!mixed.separated() && mixed.report().converged(), "{link:?}");
    }
    // Far beyond doubt, but not apart: a row with a mean next to one says nothing.
    let far = array![[0.0], [1.0], [2.0], [3.0], [400.0]];
    let fit = GeneralisedLinear::new(Family::Bernoulli)
        .fit(&Device::cpu(), &far, &array![0.0_f64, 1.0, 0.0, 1.0, 1.0])
        .unwrap();
    assert!(!fit.separated() && fit.report().converged());
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

/// K.1: the categorical family with its canonical link. Expected and observed sums of x are the same in each class; two
/// classes are the Bernoulli family; and counts of classes in cells are Poisson with a constant for each cell.
#[test]
fn the_categorical_family_is_the_softmax() {
    let (x, noise) = (random(60, 2, 7), random(60, 3, 8));
    let scores = x.dot(&random(2, 3, 9)) + 2.0 * noise;
    let best = |r: ndarray::ArrayView1<f64>| (0..3).fold(0, |b, c| if r[c] > r[b] { c } else { b });
    let y: Vec<usize> = scores.rows().into_iter().map(best).collect();
    let fit = GeneralisedLinear::categorical(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    let mut residual = -fit.predict_proba(&x).unwrap();
    y.iter().enumerate().for_each(|(i, &k)| residual[[i, k]] += 1.0);
    assert!(x.t().dot(&residual).iter().chain(&residual.sum_axis(Axis(0))).all(|v| v.abs() < 1e-8));

    let two: Vec<usize> = y.iter().map(|k| usize::from(*k == 2)).collect();
    let numbers: Array1<f64> = two.iter().map(|k| *k as f64).collect();
    for penalty in [0.0, 3.0] {
        let softmax = GeneralisedLinear::categorical(penalty).fit(&Device::cpu(), &x, &two).unwrap();
        let model = GeneralisedLinear::new(Family::Bernoulli).penalty(penalty);
        let bernoulli = model.fit(&Device::cpu(), &x, &numbers).unwrap();
        near(softmax.coefficients(), bernoulli.coefficients(), 1e-8, "coefficients");
        near(softmax.intercept(), bernoulli.intercept(), 1e-8, "intercept");
        let errors = softmax.standard_errors().unwrap();
        near(errors.slice(s![..2, ..]), &bernoulli.standard_errors(), 1e-7, "standard errors");
        if penalty == 0.0 {
            near(&[-2.0 * softmax.log_likelihood()], &bernoulli.deviance(), 1e-9, "deviance");
        }
    }

    // Four cells of x, three classes: log counts are a constant of the cell and a line of the class.
    let cells = Array1::from_shape_fn(60, |i| (i % 4) as f64);
    let fit = GeneralisedLinear::categorical(0.0)
        .fit(&Device::cpu(), cells.view().insert_axis(Axis(1)), &y)
        .unwrap();
    let mut counts = Array1::<f64>::zeros(12);
    cells.iter().zip(&y).for_each(|(c, k)| counts[3 * *c as usize + k] += 1.0);
    // Columns: cells, classes 1 and 2, and these times the cell.
    let design = Array2::from_shape_fn((12, 8), |(row, j)| {
        let (cell, class) = (row / 3, row % 3);
        match j {
            0..4 => f64::from(u8::from(cell == j)),
            4 | 5 => f64::from(u8::from(class == j - 3)),
            _ => cell as f64 * f64::from(u8::from(class == j - 5)),
        }
    });
    let poisson = GeneralisedLinear::new(Family::Poisson)
        .intercept(false)
        .fit(&Device::cpu(), &design, &counts)
        .unwrap();
    let w = poisson.coefficients();
    let slopes = [1, 2].map(|k| fit.coefficients()[[0, k]] - fit.coefficients()[[0, 0]]);
    let levels = [1, 2].map(|k| fit.intercept()[k] - fit.intercept()[0]);
    near(&slopes, &[w[[6, 0]], w[[7, 0]]], 1e-7, "slopes of the surrogate");
    near(&levels, &[w[[4, 0]], w[[5, 0]]], 1e-7, "levels of the surrogate");
}
