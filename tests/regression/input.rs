//! Settings out of their domain, data that have no answer, cancellation.

use std::ops::ControlFlow;

use mercer::learn::loss::Loss;
use mercer::models::linear::RiskMinimiser;
use mercer::models::linear::{
    ElasticNet, Family, GeneralisedLinear, HuberRegression, Lasso, LassoCv, Link, QuantileRegression,
};
use mercer::optim::Penalty;
use mercer::{Device, Error, Progress};
use ndarray::{Array1, Array2, array};

use crate::five;
use crate::support::random;

#[test]
fn settings_out_of_their_domain() {
    let (x, y) = five();
    let cpu = Device::cpu();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Lasso::new(bad).fit(&cpu, &x, &y).is_err());
        assert!(ElasticNet::new(1.0, bad).fit(&cpu, &x, &y).is_err());
        assert!(QuantileRegression::new(bad).fit(&cpu, &x, &y).is_err());
        assert!(QuantileRegression::new(0.5).penalty(bad).fit(&cpu, &x, &y).is_err());
        assert!(HuberRegression::new().penalty(bad).fit(&cpu, &x, &y).is_err());
        assert!(GeneralisedLinear::new(Family::Gaussian).penalty(bad).fit(&cpu, &x, &y).is_err());
    }
    assert!(HuberRegression::new().epsilon(1.0).fit(&cpu, &x, &y).is_err());
    assert!(ElasticNet::new(1.0, 0.0).path(&x, &y, 5, 0.1).is_err());
    assert!(Lasso::new(1.0).path(&x, &y, 0, 0.1).is_err() && Lasso::new(1.0).path(&x, &y, 5, 2.0).is_err());
    assert!(Lasso::new(1.0).path(&x, &y, usize::MAX, 0.1).is_err());
    assert!(LassoCv::new().folds(9).fit(&cpu, &x, &y).is_err());
    assert!(matches!(
        GeneralisedLinear::new(Family::Poisson).link(Link::Probit).fit(&cpu, &x, &y),
        Err(Error::Unsupported { .. })
    ));
    assert!(GeneralisedLinear::new(Family::Bernoulli).fit(&cpu, &x, &y).is_err());
    assert!(GeneralisedLinear::new(Family::Poisson).fit(&cpu, &x, &-&y).is_err());
    assert!(GeneralisedLinear::new(Family::Gamma).fit(&cpu, &x, &Array1::<f64>::zeros(5)).is_err());
    assert!(GeneralisedLinear::new(Family::Binomial { trials: 0 }).fit(&cpu, &x, &y).is_err());
    assert!(GeneralisedLinear::new(Family::Gaussian).offset(2).fit(&cpu, &x, &y).is_err());
}

#[test]
fn collinear_and_constant_columns_do_no_harm() {
    let one = random(20, 1, 1);
    let x = Array2::from_shape_fn((20, 3), |(i, j)| if j == 2 { 1.0 } else { one[[i, 0]] });
    let y = one.column(0).mapv(|v| 2.0 * v + 0.1 * (9.0 * v).sin());
    let cpu = Device::cpu();
    let said = Lasso::new(0.001).fit(&cpu, &x, &y).unwrap().predict(&x).unwrap();
    assert!((&said - &y).iter().all(|e| e.abs() < 0.3));
    let more = Lasso::new(0.01).fit(&cpu, &random(5, 30, 2), &random(5, 1, 3).column(0)).unwrap();
    assert!(more.nonzero() <= 5);
    // As with the one column that there is.
    let one = one.view();
    for (all, reduced) in [
        (
            QuantileRegression::new(0.3).fit(&cpu, &x, &y).unwrap().predict(&x).unwrap(),
            QuantileRegression::new(0.3).fit(&cpu, one, &y).unwrap().predict(one).unwrap(),
        ),
        (
            HuberRegression::new().fit(&cpu, &x, &y).unwrap().predict(&x).unwrap(),
            HuberRegression::new().fit(&cpu, one, &y).unwrap().predict(one).unwrap(),
        ),
    ] {
        assert!((&all - &reduced).iter().all(|e| e.abs() < 1e-6), "{all} {reduced}");
    }
}

/// More features than rows: likelihoods without a maximum are refused, or have it by a penalty; quantiles and Huber meet all rows.
#[test]
fn more_features_than_rows() {
    let (x, y, cpu) = (random(6, 15, 51), random(6, 1, 52).column(0).to_owned(), Device::cpu());
    let counts = y.mapv(|v| (3.0 + 2.0 * v).round());
    let events = y.mapv(|v| f64::from(u8::from(v > 0.0)));
    for (family, y) in [
        (Family::Gaussian, &y),
        (Family::Poisson, &counts),
        (Family::Gamma, &counts.mapv(|v| v + 0.5)),
        (Family::Bernoulli, &events),
    ] {
        let refused = GeneralisedLinear::new(family).fit(&cpu, &x, y);
        assert!(matches!(refused, Err(Error::NotPositiveDefinite { .. })), "{family:?}: {refused:?}");
        let link = if family == Family::Gamma { Link::Log } else { family.canonical() };
        let fit = GeneralisedLinear::new(family).link(link).penalty(0.5).fit(&cpu, &x, y).unwrap();
        assert!(fit.report().converged() && fit.predict(&x).unwrap().iter().all(|v| v.is_finite()));
    }
    for said in [
        QuantileRegression::new(0.5).fit(&cpu, &x, &y).unwrap().predict(&x).unwrap(),
        HuberRegression::new().fit(&cpu, &x, &y).unwrap().predict(&x).unwrap(),
    ] {
        assert!((&said - &y).iter().all(|e| e.abs() < 1e-5), "{said} {y}");
    }
    let labels: Vec<bool> = events.iter().map(|v| *v > 0.5).collect();
    let probit = |penalty| mercer::models::linear::ProbitRegression::new(penalty).fit(&cpu, &x, &labels);
    assert!(matches!(probit(0.0), Err(Error::Separable { .. })));
    assert!(probit(0.5).unwrap().report().converged());
}

/// Through the origin: rows and their negatives, targets and theirs, have no intercept to find.
#[test]
fn without_an_intercept() {
    use mercer::models::linear::Quantiles;
    use ndarray::{Axis, concatenate};
    let (x, noise, cpu) = (random(25, 2, 61) + 0.4, random(25, 1, 62), Device::cpu());
    let y = Array1::from_shape_fn(25, |i| x[[i, 0]] - 2.0 * x[[i, 1]] + 0.5 * noise[[i, 0]].powi(3));
    let (both, targets) = (concatenate![Axis(0), x, -&x], concatenate![Axis(0), y, -&y]);
    let near = |a: &Array2<f64>, b: &Array2<f64>, what: &str| {
        assert!((a - b).iter().all(|e| e.abs() < 1e-5), "{what}: {a} {b}");
    };
    let (with, without) = (
        HuberRegression::new().fit(&cpu, &both, &targets).unwrap(),
        HuberRegression::new().intercept(false).fit(&cpu, &x, &y).unwrap(),
    );
    near(without.coefficients(), with.coefficients(), "Huber");
    assert!(without.intercept()[0] == 0.0 && with.intercept()[0].abs() < 1e-6);
    // A median through the origin: Σ sign(r) x = 0 up to the rows it meets.
    let median = QuantileRegression::new(0.5).intercept(false).fit(&cpu, &x, &y).unwrap();
    assert_eq!(median.intercept()[0], 0.0);
    let risk =
        |w: &[f64]| -> f64 { (0..25).map(|i| (y[i] - x[[i, 0]] * w[0] - x[[i, 1]] * w[1]).abs()).sum() };
    let w = [median.coefficients()[[0, 0]], median.coefficients()[[1, 0]]];
    for (a, b) in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01), (0.01, 0.01), (0.01, -0.01)] {
        assert!(risk(&[w[0] + a, w[1] + b]) > risk(&w));
    }
    let several = Quantiles::new(&[0.5]).intercept(false).fit(&cpu, &x, &y).unwrap();
    assert!(
        (several.predict(&x).unwrap().column(0).to_owned() - median.predict(&x).unwrap())
            .iter()
            .all(|e| e.abs() < 1e-6)
    );
    let model = |penalty| RiskMinimiser::new(Loss::Squared, penalty);
    let (with, without) = (
        model(Penalty::L2(0.1)).fit(&cpu, &both, &targets).unwrap(),
        model(Penalty::L2(0.1)).intercept(false).fit(&cpu, &x, &y).unwrap(),
    );
    near(without.coefficients(), with.coefficients(), "risk");
    assert_eq!(without.intercept()[0], 0.0);
}

#[test]
fn every_fit_can_be_cancelled() {
    let (x, y) = (random(30, 3, 4), random(30, 1, 5).column(0).to_owned());
    let stop = || Progress::new(|_| ControlFlow::Break(()));
    let cpu = Device::cpu();
    let stopped = |e: Error| matches!(e, Error::Cancelled { .. });
    assert!(stopped(Lasso::new(0.01).progress(stop()).fit(&cpu, &x, &y).unwrap_err()));
    assert!(stopped(QuantileRegression::new(0.5).progress(stop()).fit(&cpu, &x, &y).unwrap_err()));
    assert!(stopped(HuberRegression::new().progress(stop()).fit(&cpu, &x, &y).unwrap_err()));
    assert!(stopped(
        GeneralisedLinear::new(Family::Gaussian).progress(stop()).fit(&cpu, &x, &y).unwrap_err()
    ));
    assert!(QuantileRegression::new(0.5).fit(&cpu, array![[f64::NAN]], &array![1.0]).is_err());
}

/// Losses that fall forever have no minimum where a plane separates the labels.
#[test]
fn separable_labels_are_refused_without_a_penalty() {
    let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    let y = array![-1.0_f64, -1.0, 1.0, 1.0];
    let fit = |loss, penalty, y: &Array1<f64>| RiskMinimiser::new(loss, penalty).fit(&Device::cpu(), &x, y);
    for loss in [Loss::Logistic, Loss::Exponential, Loss::Probit] {
        let refused = fit(loss, Penalty::None, &y);
        assert!(matches!(refused, Err(Error::Separable { .. })), "{loss:?} {refused:?}");
        assert!(fit(loss, Penalty::L2(0.1), &y).unwrap().report().converged());
        let one = Array1::ones(4);
        assert!(matches!(fit(loss, Penalty::L2(0.1), &one), Err(Error::Separable { .. })), "{loss:?}");
    }
    assert!(fit(Loss::SquaredHinge, Penalty::None, &y).unwrap().report().converged());
}
