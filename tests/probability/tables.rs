//! Tables, Bayes' rule, moments, bias and the central limit theorem.

use mercer::probability::distributions::{Exponential, Normal, Univariate};
use mercer::probability::tables::*;
use ndarray::{Array2, array};

use crate::{all_near, near};

fn three() -> JointTable {
    let counts =
        ndarray::Array3::from_shape_fn((2, 3, 2), |(i, j, k)| (1 + i * 4 + j * 2 + k * 3) as f64 % 7.0 + 1.0);
    JointTable::from_counts(counts.into_dyn().view()).unwrap()
}

/// P-01: sum and product rule.
#[test]
fn marginals_and_conditionals_of_counts() {
    let counts = array![[3.0, 1.0, 0.0], [2.0, 4.0, 10.0]];
    let t = JointTable::from_counts(counts.clone().into_dyn().view()).unwrap();
    near(t.probabilities().sum(), 1.0, 1e-15);
    let x = t.marginal(&[0]).unwrap();
    all_near(
        &[x.probability(&[0]).unwrap(), x.probability(&[1]).unwrap()],
        &[4.0 / 20.0, 16.0 / 20.0],
        1e-15,
    );
    for i in 0..2 {
        let given = t.conditional(&[(0, i)]).unwrap();
        near(given.probabilities().sum(), 1.0, 1e-15);
        for j in 0..3 {
            near(
                given.probability(&[j]).unwrap() * x.probability(&[i]).unwrap(),
                counts[[i, j]] / 20.0,
                1e-15,
            );
        }
    }
    let empty = JointTable::from_counts(array![[0.0, 0.0], [1.0, 2.0]].into_dyn().view()).unwrap();
    assert!(empty.conditional(&[(0, 0)]).is_err()); // a row that never occurred
    let rows = JointTable::from_rows(&[2, 2], &[vec![0, 1], vec![0, 1], vec![1, 0], vec![0, 0]]).unwrap();
    assert_eq!(rows.probability(&[0, 1]).unwrap(), 0.5);
    assert!(JointTable::from_rows(&[2, 2], &[vec![0, 2]]).is_err());
}

/// P-02: the product of conditionals is the table in any order, and ancestral draws have its frequencies.
#[test]
fn chain_rule_in_any_order() {
    let t = three();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        for x in [[0, 0, 0], [1, 2, 1], [0, 1, 1]] {
            let log: f64 = t.chain(&x, &order).unwrap().iter().sum();
            near(log, t.probability(&x).unwrap().ln(), 1e-12);
        }
    }
    let draws = t.sample(20_000, 1).unwrap();
    let share = draws.iter().filter(|x| **x == [1, 2, 1]).count() as f64 / 20_000.0;
    near(share, t.probability(&[1, 2, 1]).unwrap(), 0.01);
}

/// P-03.
#[test]
fn bayes_rule_of_tables() {
    let (posterior, evidence) = bayes_rule(&[0.5, 0.3, 0.2], &[0.9, 0.1, 0.4]).unwrap();
    near(evidence, 0.45 + 0.03 + 0.08, 1e-15);
    near(posterior.iter().sum(), 1.0, 1e-15);
    let (flat, _) = bayes_rule(&[1.0 / 3.0; 3], &[0.9, 0.1, 0.4]).unwrap();
    all_near(&flat, &[0.9 / 1.4, 0.1 / 1.4, 0.4 / 1.4], 1e-15);
    // Two observations one after the other are their product.
    let (twice, _) = bayes_rule(&posterior, &[0.2, 0.7, 0.1]).unwrap();
    let (once, _) = bayes_rule(&[0.5, 0.3, 0.2], &[0.18, 0.07, 0.04]).unwrap();
    all_near(&twice, &once, 1e-15);
    let (far, log) = bayes_rule_log(&[0.5f64.ln(); 2], &[-2000.0, -2001.0]).unwrap();
    near(far[0], 1.0 / (1.0 + (-1f64).exp()), 1e-12);
    assert!(log < -1999.0 && bayes_rule(&[0.5, 0.5], &[0.0, 0.0]).is_err());
    assert!(bayes_rule(&[0.5, 0.6], &[0.2, 0.3]).is_err());
}

/// P-04: independent ⇒ covariance zero; not the other way: y = x².
#[test]
fn independence_and_covariance() {
    let p = array![[0.1, 0.3], [0.15, 0.45]];
    let free = JointTable::new(p.into_dyn().view()).unwrap();
    near(free.dependence(&[0], &[1]).unwrap(), 0.0, 1e-15);
    near(free.covariance((0, &[0.0, 1.0]), (1, &[2.0, 5.0])).unwrap(), 0.0, 1e-15);
    // x in -1, 0, 1; y in 0, 1.
    let square = array![[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let t = JointTable::from_counts(square.into_dyn().view()).unwrap();
    near(t.covariance((0, &[-1.0, 0.0, 1.0]), (1, &[0.0, 1.0])).unwrap(), 0.0, 1e-15);
    assert!(t.dependence(&[0], &[1]).unwrap() > 0.1);
}

/// P-05: linearity, products of independents, conditional expectations, `N^-½`.
#[test]
fn expectations() {
    let t = three();
    let f = |x: &[usize]| x[0] as f64 + 2.0 * x[1] as f64;
    near(t.expectation(f), t.expectation(|x| x[0] as f64) + 2.0 * t.expectation(|x| x[1] as f64), 1e-14);
    let tower: f64 = (0..2)
        .map(|k| {
            let p = t.marginal(&[2]).unwrap().probability(&[k]).unwrap();
            p * t.conditional(&[(2, k)]).unwrap().expectation(|x| x[1] as f64)
        })
        .sum();
    near(tower, t.expectation(|x| x[1] as f64), 1e-14);
    near(expectation(&[0.2, 0.8], &[1.0, 6.0]).unwrap(), 5.0, 1e-15);
    assert!(
        expectation(&[0.2, 0.7], &[1.0, 6.0]).is_err() && expectation(&[-0.2, 1.2], &[1.0, 6.0]).is_err()
    );
    assert!(variance_under(&[0.5, 0.6], &[1.0, 6.0]).is_err());
    // E[XY] = E[X]E[Y] of independents, and of these only.
    let free = JointTable::new(array![[0.1, 0.3], [0.15, 0.45]].into_dyn().view()).unwrap();
    let of = |t: &JointTable, f: &dyn Fn(f64, f64) -> f64| {
        t.expectation(|x| f(x[0] as f64 + 1.0, x[1] as f64 + 2.0))
    };
    near(of(&free, &|x, y| x * y), of(&free, &|x, _| x) * of(&free, &|_, y| y), 1e-14);
    let bound = JointTable::new(array![[0.4, 0.1], [0.1, 0.4]].into_dyn().view()).unwrap();
    assert!((of(&bound, &|x, y| x * y) - of(&bound, &|x, _| x) * of(&bound, &|_, y| y)).abs() > 0.1);
    near(variance_under(&[0.2, 0.8], &[1.0, 6.0]).unwrap(), 4.0, 1e-14);
    let e = Exponential::new(1.0).unwrap();
    let few = monte_carlo_expectation(&e, |x| x * x, 1000, 1).unwrap();
    let many = monte_carlo_expectation(&e, |x| x * x, 100_000, 1).unwrap();
    assert!((many.mean - 2.0).abs() < 4.0 * many.error);
    near(few.error / many.error, 10.0, 3.0);
}

/// P-06: ref: μ = (1, 2), σ² = (1, 4) ⇒ 12; two passes.
#[test]
fn variance_algebra() {
    near(variance_of_product(&[1.0, 2.0], &[1.0, 4.0]).unwrap(), 12.0, 1e-14);
    near(variance_of_sum(&[3.0, 1.0], &[2.0, 5.0]).unwrap(), 23.0, 1e-14);
    // By draws.
    let draws = |m: f64, v: f64, seed: u64| Normal::new(m, v).unwrap().sample(200_000, seed).unwrap();
    let product = (draws(1.0, 1.0, 1) * draws(2.0, 4.0, 2)).to_vec();
    near(variance(&product, 1).unwrap(), 12.0, 0.3);
    assert!(variance_of_sum(&[1.0], &[-1.0]).is_err() && variance_of_product(&[f64::NAN], &[1.0]).is_err());
    assert!(variance(&[1.0, f64::NAN], 0).is_err());
    let x = [1.0, 4.0, 2.5];
    let square: f64 = x.iter().map(|x| x * x).sum::<f64>() / 3.0 - 2.5 * 2.5;
    near(variance(&x, 0).unwrap(), square, 1e-14);
    near(variance(&x.map(|x| x + 1e9), 0).unwrap(), square, 1e-6);
    near(variance(&x, 1).unwrap(), 1.5 * variance(&x, 0).unwrap(), 1e-14);
    assert!(variance(&[1.0], 1).is_err());
}

/// P-07.
#[test]
fn covariances_and_correlations() {
    let x = array![[1.0, 2.0, 0.3], [2.0, 4.0, -0.2], [4.0, 8.0, 0.9], [3.0, 6.0, 0.0]];
    let s = covariance(x.view(), 0).unwrap();
    assert_eq!(s, s.t());
    near(s[[0, 0]], variance(&x.column(0).to_vec(), 0).unwrap(), 1e-14);
    let r = correlation(x.view()).unwrap();
    near(r[[0, 1]], 1.0, 1e-12);
    near(correlation((&x * &array![1.0, -1.0, 1.0]).view()).unwrap()[[0, 1]], -1.0, 1e-12);
    assert!(r.iter().all(|r| r.abs() <= 1.0));
    let cross = cross_covariance(x.view(), x.slice(ndarray::s![.., 1..]), 0).unwrap();
    near(cross[[0, 0]], s[[0, 1]], 1e-14);
    let values = mercer::linalg::eigh(s.view()).unwrap().values;
    assert!(values.iter().all(|v| *v > -1e-12));
    assert!(correlation(Array2::ones((3, 2)).view()).is_err());
}

/// P-18: `E[σ²_ML] = (N - 1)/N σ²`, the mean is unbiased, `σ²_unb = N/(N-1) σ²_ML` exactly.
#[test]
fn bias_of_the_variance() {
    let of = Normal::new(3.0, 4.0).unwrap();
    for n in [2usize, 5] {
        let b = bias(&of, 4.0, n, 40_000, 7, |x| variance(x, 0)).unwrap();
        near(b.bias, -4.0 / n as f64, 4.0 * b.error);
        let b = bias(&of, 4.0, n, 40_000, 7, |x| variance(x, 1)).unwrap();
        near(b.bias, 0.0, 4.0 * b.error);
        let b = bias(&of, 3.0, n, 40_000, 7, |x| Ok(x.iter().sum::<f64>() / x.len() as f64)).unwrap();
        near(b.bias, 0.0, 4.0 * b.error);
        near(b.variance, 4.0 / n as f64, 0.1);
    }
}

/// P-21: kurtosis to 3 and a Kolmogorov distance that falls.
#[test]
fn means_become_normal() {
    let (of, unit) = (Exponential::new(2.0).unwrap(), Normal::new(0.0, 1.0).unwrap());
    let mut before = f64::INFINITY;
    for (n, kurtosis) in [(1usize, 9.0), (8, 3.75), (64, 3.09)] {
        let z = standardised_means(&of, n, 20_000, 5).unwrap();
        let distance = kolmogorov_distance(&z.to_vec(), &unit).unwrap();
        assert!(distance < 0.6 * before, "{distance} after {before}");
        before = distance;
        near(z.mapv(|z| z.powi(4)).mean().unwrap(), kurtosis, 0.15 * kurtosis);
    }
    assert!(
        standardised_means(
            &mercer::probability::distributions::StudentT::new(1.5, 0.0, 1.0).unwrap(),
            5,
            5,
            0
        )
        .is_err()
    );
}

/// F.2: seeing prefers x = 1, doing x = 0.
#[test]
fn adjustment_for_a_common_cause() {
    // Axes: t (recovers), x (treated), g (severe). The mild take the treatment more often.
    let mut p = ndarray::Array3::zeros((2, 2, 2));
    for (g, pg, treated, [without, with]) in [(0, 0.5, 0.9, [0.9, 0.8]), (1, 0.5, 0.1, [0.4, 0.3])] {
        for (x, px, recovers) in [(0, 1.0 - treated, without), (1, treated, with)] {
            p[[1, x, g]] = pg * px * recovers;
            p[[0, x, g]] = pg * px * (1.0 - recovers);
        }
    }
    let t = JointTable::new(p.into_dyn().view()).unwrap();
    let pair = t.marginal(&[0, 1]).unwrap();
    let seen = |x: usize| pair.conditional(&[(1, x)]).unwrap().probability(&[1]).unwrap();
    let done = |x: usize| t.adjusted(0, (1, x), &[2]).unwrap().probabilities()[1];
    assert!(seen(1) > seen(0) && done(1) < done(0));
    near(done(0), 0.5 * 0.9 + 0.5 * 0.4, 1e-14);
    near(done(1), 0.5 * 0.8 + 0.5 * 0.3, 1e-14);
}
