//! Quantile regression: statsmodels, scikit-learn, order statistics, no crossing.

use mercer::Device;
use mercer::learn::loss::Loss;
use mercer::models::linear::{QuantileRegression, Quantiles};
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::{matrix, near, oracle, vector};

fn risk(tau: f64, y: &Array1<f64>, said: &Array1<f64>) -> f64 {
    y.iter().zip(said).map(|(y, f)| 0.5 * Loss::Pinball(tau).value(*y, *f)).sum::<f64>()
}

#[test]
fn as_statsmodels_and_scikit_learn() {
    let all = oracle();
    let (x, y) = (matrix(&all["x"]), vector(&all["y"]));
    for case in all["quantile"].as_array().unwrap() {
        let tau = case["q"].as_f64().unwrap();
        let fit = QuantileRegression::new(tau).fit(&Device::cpu(), &x, &y).unwrap();
        let want = vector(&case["params"]);
        let theirs = x.dot(&want.slice(ndarray::s![1..])) + want[0];
        let (ours, theirs) = (risk(tau, &y, &fit.predict(&x).unwrap()), risk(tau, &y, &theirs));
        assert!(ours <= theirs + 1e-8, "{tau}: {ours} after {theirs}");
        near(fit.coefficients(), want.slice(ndarray::s![1..]), 1e-3, "coefficients");
        assert!(fit.report().converged());
        // As many below as the quantile says: at most one for each coefficient lies on the line.
        let below = fit.predict(&x).unwrap().iter().zip(&y).filter(|(f, y)| *y < &(*f - 1e-7)).count() as f64;
        assert!(below <= tau * 40.0 + 1e-9 && below + 5.0 >= tau * 40.0 - 1e-9);
    }
    let want = &all["quantile_penalised"];
    let fit = QuantileRegression::new(0.3).penalty(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    near(fit.coefficients(), &vector(&want["coef"]), 1e-7, "penalised");
    assert!((fit.intercept()[0] - want["intercept"].as_f64().unwrap()).abs() < 1e-7);
}

/// A constant is fitted by the order statistic: LS-06's table.
#[test]
fn a_constant_is_the_order_statistic() {
    let (x, y) = (Array2::<f64>::zeros((5, 1)), array![1.0, 2.0, 4.0, 7.0, 11.0]);
    for (tau, at, least) in
        [(0.1, 1.0, 0.8), (0.3, 2.0, 2.2), (0.5, 4.0, 3.0), (0.7, 7.0, 2.8), (0.9, 11.0, 1.2)]
    {
        let fit = QuantileRegression::new(tau).penalty(1.0).fit(&Device::cpu(), &x, &y).unwrap();
        assert!((fit.intercept()[0] - at).abs() < 1e-7, "{tau}: {}", fit.intercept());
        let loss = y.iter().map(|y| Loss::Pinball(tau).value(*y, fit.intercept()[0])).sum::<f64>() / 5.0;
        assert!((loss - least).abs() < 1e-7);
    }
    // Many more rows than a person would count.
    let y = random(501, 1, 3).column(0).to_owned();
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let fit = QuantileRegression::new(0.25)
        .penalty(1.0)
        .fit(&Device::cpu(), &Array2::<f64>::zeros((501, 1)), &y)
        .unwrap();
    assert!((fit.intercept()[0] - sorted[125]).abs() < 1e-7);
}

#[test]
fn quantiles_do_not_cross_if_asked() {
    let x = random(40, 1, 4);
    let noise = random(40, 1, 5);
    let y = Array1::from_shape_fn(40, |i| (0.2 + x[[i, 0]].abs()) * noise[[i, 0]]);
    let taus = [0.05, 0.25, 0.5, 0.75, 0.95];
    let wide = Array2::from_shape_fn((50, 1), |(i, _)| f64::from(u8::try_from(i).unwrap()) - 25.0);
    let plain = Quantiles::new(&taus).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(plain.crossings(&wide).unwrap() > 0);
    let together = Quantiles::new(&taus).non_crossing(true).fit(&Device::cpu(), &x, &y).unwrap();
    let said = together.predict(&wide).unwrap();
    assert!(said.rows().into_iter().all(|r| r.windows(2).into_iter().all(|p| p[0] <= p[1])));
    let alone = QuantileRegression::new(0.5).fit(&Device::cpu(), &x, &y).unwrap();
    near(plain.fits()[2].coefficients(), alone.coefficients(), 1e-15, "each by itself");
    assert!(Quantiles::new(&[0.5, 0.5]).fit(&Device::cpu(), &x, &y).is_err());
    assert!(Quantiles::new(&[]).fit(&Device::cpu(), &x, &y).is_err());
}

/// Where separate fits cross at rows of their own, those that are fitted together do not, nor between these rows; they cost
/// more than separate fits and less than parallel ones.
#[test]
fn fitted_together_they_do_not_cross() {
    let (x, y) = (random(24, 3, 14), random(24, 1, 15).column(0).to_owned());
    let taus = [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9];
    let plain = Quantiles::new(&taus).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(plain.crossings(&x).unwrap() > 0);
    let joint = Quantiles::new(&taus).non_crossing(true).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(joint.crossings(&x).unwrap(), 0);
    let between = Array2::from_shape_fn((24 * 24, 3), |(i, j)| 0.3 * x[[i / 24, j]] + 0.7 * x[[i % 24, j]]);
    assert_eq!(joint.crossings(&between).unwrap(), 0);
    let cost = |said: &Array2<f64>| -> f64 {
        taus.iter().zip(said.columns()).map(|(tau, s)| risk(*tau, &y, &s.to_owned())).sum()
    };
    let (apart, together) = (cost(&plain.predict(&x).unwrap()), cost(&joint.predict(&x).unwrap()));
    let constants =
        Quantiles::new(&taus).penalty(100.0).non_crossing(true).fit(&Device::cpu(), &x, &y).unwrap();
    let flat = cost(&constants.predict(&x).unwrap());
    assert!(apart < together && together < flat, "{apart} {together} {flat}");
    // The minimum of the linear program, by another solver.
    let all = oracle();
    let (x, y, want) = (matrix(&all["x"]), vector(&all["y"]), &all["quantile_joint"]);
    let levels = vector(&want["levels"]).to_vec();
    let found = Quantiles::new(&levels).non_crossing(true).fit(&Device::cpu(), &x, &y).unwrap();
    let said = found.predict(&x).unwrap();
    let cost: f64 = levels.iter().zip(said.columns()).map(|(tau, s)| risk(*tau, &y, &s.to_owned())).sum();
    let least = want["objective"].as_f64().unwrap();
    assert!(
        (cost - least).abs() < 1e-7 * least && want["apart"].as_f64().unwrap() < 0.999 * least,
        "{cost} {least}"
    );
    assert_eq!(found.crossings(&x).unwrap(), 0);
    let (x, y) = (random(24, 3, 14), random(24, 1, 15).column(0).to_owned());
    // Lines that do not cross by themselves are left as they are.
    let far = Array1::from_shape_fn(24, |i| x[[i, 0]] + if i % 2 == 0 { 5.0 } else { -5.0 } + 0.01 * y[i]);
    let pair = [0.25, 0.75];
    let apart = Quantiles::new(&pair).fit(&Device::cpu(), &x, &far).unwrap();
    assert_eq!(apart.crossings(&x).unwrap(), 0);
    let both = Quantiles::new(&pair).non_crossing(true).fit(&Device::cpu(), &x, &far).unwrap();
    near(&both.predict(&x).unwrap(), &apart.predict(&x).unwrap(), 1e-6, "left alone");
    // A weight of two is a row twice.
    let weights = Array1::from_shape_fn(24, |i| f64::from(u8::from(i % 3 == 0)) + 1.0);
    let twice: Vec<usize> = (0..24).chain((0..24).filter(|i| i % 3 == 0)).collect();
    let (xx, yy) = (x.select(ndarray::Axis(0), &twice), y.select(ndarray::Axis(0), &twice));
    let weighted =
        Quantiles::new(&pair).non_crossing(true).fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
    let repeated = Quantiles::new(&pair).non_crossing(true).fit(&Device::cpu(), &xx, &yy).unwrap();
    near(&weighted.predict(&x).unwrap(), &repeated.predict(&x).unwrap(), 1e-6, "weights");
}

/// statsmodels' errors; none where it has none; a weight of two is a row twice.
#[test]
fn standard_errors_are_those_of_statsmodels() {
    let all = oracle();
    let (x, y) = (matrix(&all["x"]), vector(&all["y"]));
    for case in all["quantile_errors"].as_array().unwrap() {
        let tau = case["q"].as_f64().unwrap();
        for (name, identical) in [("iid", true), ("robust", false)] {
            let fit = QuantileRegression::new(tau).identical(identical).fit(&Device::cpu(), &x, &y).unwrap();
            let want = vector(&case[name]);
            near(&fit.standard_errors().unwrap(), want.slice(ndarray::s![1..]), 2e-6, name);
            near(&fit.intercept_standard_errors().unwrap(), want.slice(ndarray::s![..1]), 2e-6, name);
        }
    }
    for (tau, penalty) in [(0.1, 0.0), (0.5, 1.0)] {
        let fit = QuantileRegression::new(tau).penalty(penalty).fit(&Device::cpu(), &x, &y).unwrap();
        assert!(fit.standard_errors().is_none() && fit.intercept_standard_errors().is_none());
    }
    let weights = Array1::from_shape_fn(40, |i| f64::from(u8::from(i % 3 == 0)) + 1.0);
    let twice: Vec<usize> = (0..40).chain((0..40).filter(|i| i % 3 == 0)).collect();
    let (xx, yy) = (x.select(ndarray::Axis(0), &twice), y.select(ndarray::Axis(0), &twice));
    let weighted = QuantileRegression::new(0.4).fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
    let repeated = QuantileRegression::new(0.4).fit(&Device::cpu(), &xx, &yy).unwrap();
    near(&weighted.standard_errors().unwrap(), &repeated.standard_errors().unwrap(), 1e-6, "weights");
}
