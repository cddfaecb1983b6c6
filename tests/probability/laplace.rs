//! Laplace's approximation of any posterior: ref:M of the notes.

use mercer::inference::LaplaceApproximation;
use mercer::optim::Minimiser;
use mercer::probability::bayes::GridPosterior;
use mercer::probability::special::{sigmoid, softplus};
use ndarray::{Array2, array};

use crate::near;

/// BL-08.
#[test]
fn a_coin_in_two_parametrisations() {
    let coin = LaplaceApproximation::scalar((1e-3, 0.999), 0.5, |p| {
        (
            7.0 * p.ln() + 3.0 * (1.0 - p).ln(),
            7.0 / p - 3.0 / (1.0 - p),
            -7.0 / (p * p) - 3.0 / (1.0 - p).powi(2),
        )
    })
    .unwrap();
    near(coin.mode()[0], 0.7, 1e-12);
    near(1.0 / coin.covariance()[[0, 0]], 47.61904762, 1e-8);
    near(coin.covariance()[[0, 0]], 0.021, 1e-13);
    near(coin.log_evidence(), -7.121320908, 1e-9);
    near(coin.marginal(0).unwrap().location(), 0.7, 1e-12);
    // The uniform prior of p has density p(1-p) in the logit.
    let logit = LaplaceApproximation::scalar((-20.0, 20.0), 0.0, |t| {
        let p = sigmoid(t);
        (-8.0 * softplus(-t) - 4.0 * softplus(t), 8.0 - 12.0 * p, -12.0 * p * (1.0 - p))
    })
    .unwrap();
    near(sigmoid(logit.mode()[0]), 2.0 / 3.0, 1e-12);
    near(1.0 / logit.covariance()[[0, 0]], 2.666666667, 1e-8);
    near(logit.log_evidence(), -7.209646113, 1e-9);
}

/// BL-09: logistic regression of six points.
#[test]
fn logistic_regression() {
    let y = [-1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
    let fitted = LaplaceApproximation::new(&Minimiser::new(), &[0.0, 0.0], &[(-50.0, 50.0); 2], |t| {
        let mut log = -0.5 * (t[0] * t[0] + t[1] * t[1]) - std::f64::consts::TAU.ln();
        let mut g = vec![-t[0], -t[1]];
        let mut h = -Array2::<f64>::eye(2);
        for (i, y) in y.iter().enumerate() {
            let x = i as f64;
            let z = y * (t[0] + t[1] * x);
            let (p, q) = (sigmoid(z), sigmoid(-z));
            log -= softplus(-z);
            g[0] += y * q;
            g[1] += y * q * x;
            h = h - array![[1.0, x], [x, x * x]] * (p * q);
        }
        Ok((log, g, h))
    })
    .unwrap();
    near(fitted.mode()[0], -0.5869746091, 1e-9);
    near(fitted.mode()[1], 0.4123753392, 1e-9);
    near(fitted.covariance()[[0, 0]], 0.6602776628, 1e-9);
    near(fitted.covariance()[[0, 1]], -0.1747123171, 1e-9);
    near(fitted.covariance()[[1, 1]], 0.1362854648, 1e-9);
    near(fitted.log_evidence(), -4.874612447, 1e-8);
    // The exact evidence by quadrature is above Laplace's.
    let joint = |t: &[f64]| {
        let prior = -0.5 * (t[0] * t[0] + t[1] * t[1]) - std::f64::consts::TAU.ln();
        y.iter().enumerate().fold(prior, |sum, (i, y)| sum - softplus(-y * (t[0] + t[1] * i as f64)))
    };
    let exact = GridPosterior::new(&[(-7.0, 7.0, 400), (-7.0, 7.0, 400)], joint).unwrap().log_evidence();
    near(exact, -4.8034606, 1e-6);
    assert!(fitted.log_evidence() < exact);
    // In other coordinates, t = Cu: the mode and the covariance are mapped, and the evidence is the same but for ln|C|.
    let c = array![[2.0, 0.5], [0.0, 0.25]];
    let mapped = LaplaceApproximation::new(&Minimiser::new(), &[0.0, 0.0], &[(-90.0, 90.0); 2], |u| {
        let t = c.dot(&array![u[0], u[1]]);
        let (mut g, mut h) = (-t.clone(), -Array2::<f64>::eye(2));
        for (i, y) in y.iter().enumerate() {
            let x = i as f64;
            let z = y * (t[0] + t[1] * x);
            let (p, q) = (sigmoid(z), sigmoid(-z));
            g = g + array![1.0, x] * (y * q);
            h = h - array![[1.0, x], [x, x * x]] * (p * q);
        }
        Ok((joint(&t.to_vec()), c.t().dot(&g).to_vec(), c.t().dot(&h).dot(&c)))
    })
    .unwrap();
    let back = c.dot(&mapped.covariance().dot(&c.t()));
    near((&back - fitted.covariance()).iter().fold(0f64, |m, v| m.max(v.abs())), 0.0, 1e-7);
    near(mapped.log_evidence(), fitted.log_evidence() - 0.5f64.ln(), 1e-7);
}

/// BL-08: the error of the log evidence falls as 1/n.
#[test]
fn the_error_falls_with_the_number_of_observations() {
    let error = |n: f64| {
        let (yes, no) = (0.7 * n, 0.3 * n);
        let found = LaplaceApproximation::scalar((1e-3, 0.999), 0.5, |p| {
            (
                yes * p.ln() + no * (1.0 - p).ln(),
                yes / p - no / (1.0 - p),
                -yes / (p * p) - no / (1.0 - p).powi(2),
            )
        });
        found.unwrap().log_evidence() - mercer::probability::special::log_beta(yes + 1.0, no + 1.0)
    };
    for n in [100.0, 1000.0, 10_000.0] {
        near(error(n) / error(10.0 * n), 10.0, 0.3);
    }
}

/// Exact for a normal posterior, whatever the units; refused at a bound.
#[test]
fn normal_posteriors_are_exact() {
    let normal = LaplaceApproximation::new(&Minimiser::new(), &[0.0], &[(-1e6, 1e6)], |t| {
        let r = t[0] - 300.0;
        Ok((-0.5 * r * r / 25.0, vec![-r / 25.0], array![[-1.0 / 25.0]]))
    })
    .unwrap();
    near(normal.mode()[0], 300.0, 1e-9);
    near(normal.log_evidence(), 0.5 * (std::f64::consts::TAU * 25.0).ln(), 1e-11);
    assert!(LaplaceApproximation::scalar((0.0, 1.0), 0.5, |t| (t, 1.0, 0.0)).is_err());
}
