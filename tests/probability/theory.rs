//! Learning theory: golden numbers, VC dimensions by brute force, bounds watched by simulation.

use mercer::probability::distributions::{Bernoulli, Univariate};
use mercer::stats::theory::*;
use ndarray::{Array2, array};

use crate::near;

/// Q.1 to Q.4.
#[test]
fn sample_complexities() {
    assert_eq!(pac_samples(1000f64.ln(), 0.1, 0.05).unwrap(), 2120.0);
    assert_eq!(pac_samples(100f64.ln(), 0.1, 0.05).unwrap(), 1659.0);
    assert_eq!(pac_samples(20.0 * 2f64.ln(), 0.05, 0.01).unwrap(), 15330.0);
    near(pac_error(1000f64.ln(), 2120.0, 0.05).unwrap(), 0.0999841, 1e-7);
    assert_eq!(realisable_pac_samples(1000f64.ln(), 0.1, 0.05).unwrap(), 100.0);
    assert_eq!(realisable_pac_samples(100f64.ln(), 0.1, 0.05).unwrap(), 77.0);
    assert_eq!(quantised_pac_samples(32, 2, 0.1, 0.05).unwrap(), 14047.0);
    assert_eq!(quantised_pac_samples(8, 10, 0.1, 0.05).unwrap(), 12938.0);
    assert!(pac_samples(1.0, 0.0, 0.5).is_err() && pac_samples(1.0, 0.1, 1.0).is_err());
    assert!(pac_samples(5.0, 0.1, 0.05).unwrap() > pac_samples(4.0, 0.1, 0.05).unwrap());
    assert!(pac_samples(5.0, 0.05, 0.05).unwrap() > pac_samples(5.0, 0.1, 0.05).unwrap());
}

/// Q.5: the empirical tail of Bernoulli means, and of all thresholds at once, is below the bound.
#[test]
fn hoeffding_and_uniform_convergence() {
    near(hoeffding(100.0, 0.1, (0.0, 1.0)).unwrap(), 2.0 * (-2f64).exp(), 1e-15);
    for (m, epsilon) in [(50usize, 0.15), (200, 0.1)] {
        let x = Bernoulli::new(0.4).unwrap().sample(m * 2000, 3).unwrap().to_vec();
        let far =
            x.chunks_exact(m).filter(|c| (c.iter().sum::<f64>() / m as f64 - 0.4).abs() >= epsilon).count();
        assert!(far as f64 / 2000.0 <= hoeffding(m as f64, epsilon, (0.0, 1.0)).unwrap());
    }
    let (n, size, epsilon) = (400usize, 21, 0.25);
    let far = (0..400)
        .filter(|&seed| {
            let seen = ThresholdExperiment::draw(n, seed).unwrap();
            let gap = (0..size)
                .map(|i| -0.5 + f64::from(i) / 20.0)
                .map(|t| (seen.training_loss(t) - ThresholdExperiment::risk(t)).abs());
            gap.fold(0.0, f64::max) > 0.5 * epsilon
        })
        .count();
    assert!(far as f64 / 400.0 <= uniform_convergence(f64::from(size).ln(), n as f64, epsilon).unwrap());
}

/// Q.6.
#[test]
fn structural_risk_minimisation() {
    near(srm_penalty(1000f64.ln(), 500.0, 0.05).unwrap(), 0.10293996, 1e-8);
    assert!(
        srm_penalty(2000f64.ln(), 500.0, 0.05).unwrap() > srm_penalty(1000f64.ln(), 500.0, 0.05).unwrap()
    );
    let classes = [(0.3, 2f64.ln()), (0.2, 1e3f64.ln()), (0.19, 1e12f64.ln())];
    assert_eq!(structural_risk(&classes, 500.0, 0.05).unwrap().0, 1);
    assert_eq!(structural_risk(&classes, 1e9, 0.05).unwrap().0, 2);
    assert_eq!(structural_risk(&classes, 20.0, 0.05).unwrap().0, 0);
}

/// Q.7.
#[test]
fn the_threshold_experiment() {
    let mean = |n: usize| {
        (0..50).map(|s| ThresholdExperiment::draw(n, s).unwrap().largest_deviation()).sum::<f64>() / 50.0
    };
    let (few, many) = (mean(20), mean(2000));
    near(few / many, 10.0, 3.0);
    for seed in 0..20 {
        let seen = ThresholdExperiment::draw(30, seed).unwrap();
        assert_eq!(seen.training_loss(seen.erm()), 0.0);
        assert!(seen.training_loss(-0.5) > 0.0);
        // The supremum is not below any grid's.
        let grid = (0..=1000)
            .map(|i| -0.5 + f64::from(i) / 1000.0)
            .map(|t| (seen.training_loss(t) - ThresholdExperiment::risk(t)).abs());
        let top = grid.fold(0.0, f64::max);
        assert!(seen.largest_deviation() >= top - 1e-12 && seen.largest_deviation() <= top + 0.01);
    }
}

/// Q.8.
#[test]
fn shattering_by_brute_force() {
    let line = array![[0.0], [1.0], [2.0], [3.5]];
    assert_eq!(vc_dimension(&Thresholds, line.view()).unwrap(), 1);
    assert!(!Thresholds.realises(array![[0.0], [1.0]].view(), &[true, false]).unwrap());
    assert_eq!(vc_dimension(&Intervals, line.view()).unwrap(), 2);
    assert!(!Intervals.realises(line.slice(ndarray::s![..3, ..]), &[true, false, true]).unwrap());
    let cross = array![[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    assert!(shatters(&Rectangles, cross.view()).unwrap());
    let five = array![[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.1, 0.2]];
    assert!(!shatters(&Rectangles, five.view()).unwrap());
    assert_eq!(vc_dimension(&Rectangles, five.view()).unwrap(), 4);
    let square = array![[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    assert!(shatters(&Halfplanes, square.slice(ndarray::s![..3, ..])).unwrap());
    assert!(!Halfplanes.realises(square.view(), &[true, true, false, false]).unwrap());
    assert_eq!(vc_dimension(&Halfplanes, square.view()).unwrap(), 3);
    let sines = Array2::from_shape_fn((5, 1), |(i, _)| 1.0 / 10f64.powf(i as f64 + 1.0));
    assert!(shatters(&Sines, sines.view()).unwrap());
    let few = FiniteClass::new(vec![
        Box::new(|_| true),
        Box::new(|_| false),
        Box::new(|x: ndarray::ArrayView1<f64>| x[0] > 0.5),
        Box::new(|x: ndarray::ArrayView1<f64>| x[0] < 0.5),
    ]);
    assert_eq!(vc_dimension(&few, line.view()).unwrap(), 2); // log₂ 4
}

/// Q.9, and Sauer's lemma.
#[test]
fn scaling_and_growth() {
    let n = |d: f64, e: f64, x: f64| fundamental_scaling(d, e, x).unwrap();
    near(n(3.0, 0.05, 0.1) / n(3.0, 0.1, 0.1), 4.0, 1e-12);
    near(n(7.0, 0.1, 0.1) - n(5.0, 0.1, 0.1), 200.0, 1e-9);
    near(n(5.0, 0.1, 0.01) - n(5.0, 0.1, 0.1), 100.0 * 10f64.ln(), 1e-9);
    near(sauer(5, 5), 32f64.ln(), 1e-12);
    near(sauer(10, 1), 11f64.ln(), 1e-12);
    assert!(vc_bound(1, 10_000, 0.05).unwrap() < vc_bound(5, 10_000, 0.05).unwrap());
    assert!(vc_bound(3, 100_000, 0.05).unwrap() < 0.2);
    // √(8/100 (ln(1 + 200) + ln 80)), by hand.
    near(vc_bound(1, 100, 0.05).unwrap(), (0.08 * (201f64.ln() + 80f64.ln())).sqrt(), 1e-12);
    // 2 · 10 exp(-200 · 0.04/2).
    near(uniform_convergence(10f64.ln(), 200.0, 0.2).unwrap(), 20.0 * (-4f64).exp(), 1e-13);
    assert_eq!(uniform_convergence(10f64.ln(), 2.0, 0.2).unwrap(), 1.0);
}

/// Fewer labels than rows are refused, by every class, and a seating may number its tables as it likes.
#[test]
fn labels_and_tables_that_do_not_fit() {
    let line = array![[0.0], [1.0], [2.0]];
    let classes: [&dyn Hypotheses; 5] = [&Thresholds, &Intervals, &Rectangles, &Halfplanes, &Sines];
    for class in classes {
        assert!(class.realises(line.view(), &[true]).is_err());
        assert!(class.realises(line.view(), &[true; 4]).is_err());
    }
    assert!(FiniteClass::new(vec![Box::new(|_| true)]).realises(line.view(), &[true]).is_err());
    let process = mercer::inference::ChineseRestaurant::new(1.5).unwrap();
    let far = process.log_probability(&[usize::MAX - 1, 3, usize::MAX, 3]);
    near(far, process.log_probability(&[0, 1, 2, 1]), 1e-14);
}

/// Q.10 with an estimator of the library: logistic regression learns a line, more surely from more examples.
#[test]
fn logistic_regression_is_pac() {
    use mercer::prelude::*;
    let rows = |n: usize, seed: u64| {
        let x =
            mercer::probability::distributions::Normal::new(0.0, 1.0).unwrap().sample(2 * n, seed).unwrap();
        let x = Array2::from_shape_vec((n, 2), x.to_vec()).unwrap();
        let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] - 0.5 * r[1] > 0.3).collect();
        (x, y)
    };
    let (far, truth) = rows(4000, 999);
    let risk = |n: usize| {
        let (far, truth) = (&far, &truth);
        move |seed: u64| {
            let (x, y) = rows(n, seed);
            let fitted = LogisticRegression::new(1e-3).fit(&Device::cpu(), &x, &y)?;
            let wrong = fitted.predict(far)?.iter().zip(truth).filter(|(a, b)| a != b).count();
            Ok(wrong as f64 / truth.len() as f64)
        }
    };
    let many = pac_check(20, 1, 0.0, 0.08, risk(200)).unwrap();
    let few = pac_check(20, 1, 0.0, 0.08, risk(12)).unwrap();
    assert!(many.holds(0.1, 0.0).unwrap(), "{many:?}");
    assert!(few.estimation_error > many.estimation_error && few.probability < many.probability);
}

/// Q.10: at the N of Q.1 a threshold from a grid is within ε with probability `1 - δ`.
#[test]
fn empirical_risk_minimisation_is_pac() {
    let grid: Vec<f64> = (0..21).map(|i| -0.5 + f64::from(i) / 20.0).collect();
    let (epsilon, delta) = (0.2, 0.1);
    let n = pac_samples(21f64.ln(), epsilon, delta).unwrap() as usize;
    let risk = |n: usize| {
        let grid = grid.clone();
        move |seed: u64| {
            let seen = ThresholdExperiment::draw(n, seed)?;
            let loss = |t: &f64| seen.training_loss(*t);
            let best = grid.iter().copied().min_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap();
            Ok(ThresholdExperiment::risk(best))
        }
    };
    let check = pac_check(200, 1, 0.0, epsilon, risk(n)).unwrap();
    assert!(check.holds(delta, 0.0).unwrap() && check.probability >= 1.0 - delta);
    let few = pac_check(200, 1, 0.0, 0.02, risk(3)).unwrap();
    assert!(few.estimation_error > check.estimation_error && !few.holds(0.01, 3.0).unwrap());
}

/// NaN has no distance, no trials teach nothing, and a large entropy does not take forever.
#[test]
fn numbers_that_are_none_are_refused() {
    use mercer::probability::distributions::{Binomial, Categorical, Normal, Poisson};
    use mercer::probability::information::divergence;
    let normal = Normal::new(0.0, 1.0).unwrap();
    let corner = mercer::probability::distributions::Dirichlet::new(&[0.5, 2.0, 1.0]).unwrap();
    assert!(corner.log_density(&[0.0, 0.0, 1.0]).is_err());
    assert_eq!(corner.log_density(&[0.0, 0.5, 0.5]), Ok(f64::INFINITY));
    assert!(mercer::probability::tables::kolmogorov_distance(&[f64::NAN], &normal).is_err());
    assert!(Binomial::fit_weighted(0, &[0.0], &[1.0]).is_err());
    let v = 0.25 * 2f64.powi(50);
    let entropy = Binomial::new(1 << 50, 0.5).unwrap().entropy();
    near(entropy, 0.5 * (std::f64::consts::TAU * std::f64::consts::E * v).ln(), 1e-9);
    // The same of Poisson, however large; the sum and the series meet at 1e4.
    let poisson = |rate: f64| Poisson::new(rate).unwrap().entropy();
    for rate in [1e14, 1e18, 1e20, 1e300] {
        near(
            poisson(rate),
            0.5 * (std::f64::consts::TAU * std::f64::consts::E).ln() + 0.5 * rate.ln(),
            1e-10,
        );
    }
    near(poisson(10_000.0 * (1.0 + 1e-15)), poisson(10_000.0), 1e-11);
    let rare = Binomial::new(1 << 40, 2f64.powi(-40)).unwrap().entropy();
    near(rare, 1.304_842_242_256_2, 1e-10); // Poisson(1)
    assert_eq!(Categorical::new(&[0.25, 0.75]).unwrap().cdf(usize::MAX), 1.0);
    // p/q is beyond f64, its logarithm is not.
    near(divergence(&[1.0, 0.0], &[1e-310, 1.0]).unwrap(), -(1e-310f64.ln()), 1e-9);
}
