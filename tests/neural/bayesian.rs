//! Bayesian networks.

use mercer::optim::{Adam, Schedule};
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::near;
use crate::support::random;

fn line() -> (Array2<f64>, Array1<f64>) {
    let x = random(20, 2, 1);
    let y = x
        .rows()
        .into_iter()
        .zip(random(20, 1, 2).column(0))
        .map(|(r, e)| 0.5 + r[0] - r[1] + 0.2 * e)
        .collect();
    (x, y)
}

/// `Sigma = (αI + βXᵀX)⁻¹` with a column of ones, the textbook's posterior.
fn textbook(x: &Array2<f64>, y: &Array1<f64>, alpha: f64, beta: f64) -> (Array2<f64>, Array2<f64>) {
    let wide = concatenate![Axis(1), *x, Array2::ones((x.nrows(), 1))];
    let h = wide.t().dot(&wide) * beta + Array2::<f64>::eye(3) * alpha;
    let b = wide.t().dot(&y.view().insert_axis(Axis(1))) * beta;
    let params = mercer::linalg::SpdParams::default();
    let solve =
        |b: &Array2<f64>| mercer::linalg::solve_spd(&Device::cpu(), h.view(), b.view(), &params).unwrap().x;
    (solve(&b), solve(&Array2::eye(3)))
}

/// One linear layer with Gaussian noise is Bayesian linear regression, evidence included.
#[test]
fn a_linear_network_is_bayesian_linear_regression() {
    let ((x, y), (alpha, beta)) = (line(), (0.7, 12.0));
    let fitted = BayesianNetwork::new(&[], alpha, beta).fit(&Device::cpu(), &x, &y).unwrap();
    let (mean, covariance) = textbook(&x, &y, alpha, beta);
    fitted.parameters().iter().zip(&mean).for_each(|(a, b)| near(*a, *b, 1e-6));
    fitted.covariance().iter().zip(&covariance).for_each(|(a, b)| near(*a, *b, 1e-9));
    let new = random(5, 2, 3) * 3.0;
    let (m, v) = fitted.predict_distribution(&new).unwrap();
    for n in 0..5 {
        let row = array![new[[n, 0]], new[[n, 1]], 1.0];
        near(m[n], row.dot(&mean.column(0)), 1e-6);
        near(v[n], 1.0 / beta + row.dot(&covariance.dot(&row)), 1e-9);
    }
    // ln N(y; 0, XXᵀ/α + I/β), by determinants of the small side.
    let wide = concatenate![Axis(1), x, Array2::ones((20, 1))];
    let c = wide.dot(&wide.t()) / alpha + Array2::<f64>::eye(20) / beta;
    let eigen = mercer::linalg::eigh(c.view()).unwrap();
    let along = eigen.vectors.t().dot(&y);
    let want: f64 = eigen
        .values
        .iter()
        .zip(&along)
        .map(|(l, a)| -0.5 * ((std::f64::consts::TAU * l).ln() + a * a / l))
        .sum();
    near(fitted.log_evidence(), want, 1e-6);
}

/// The best independent Gaussians have the posterior's mean and the inverse of its precision's diagonal.
#[test]
fn mean_field_of_a_linear_network() {
    let ((x, y), (alpha, beta)) = (line(), (0.7, 12.0));
    let training = Training::new(Adam::new(Schedule::Inverse { rate: 0.05, decay: 0.01 })).epochs(4000);
    let model = BayesianNetwork::new(&[], alpha, beta)
        .posterior(WeightPosterior::MeanField { draws: 2000 })
        .training(training);
    let fitted = model.fit(&Device::cpu(), &x, &y).unwrap();
    let (mean, _) = textbook(&x, &y, alpha, beta);
    let wide = concatenate![Axis(1), x, Array2::ones((20, 1))];
    for j in 0..3 {
        near(fitted.parameters()[j], mean[[j, 0]], 0.02);
        let precision = alpha + beta * wide.column(j).dot(&wide.column(j));
        near(fitted.covariance()[[0, j]] * precision, 1.0, 0.2);
    }
    let (m, v) = fitted.predict_distribution(&x).unwrap();
    let exact =
        BayesianNetwork::new(&[], alpha, beta).fit(&Device::cpu(), &x, &y).unwrap().predict(&x).unwrap();
    m.iter().zip(&exact).for_each(|(a, b)| near(*a, *b, 0.03));
    assert!(v.iter().all(|v| *v > 1.0 / beta));
}

#[test]
fn error_bars_widen_away_from_the_data() {
    let x = ndarray::Array::linspace(-1.0, 1.0, 20).insert_axis(Axis(1));
    let y = x.column(0).mapv(|v: f64| (2.0 * v).sin());
    let fitted = BayesianNetwork::new(&[6], 0.5, 100.0).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fitted.score(&x, &y).unwrap() > 0.98);
    let (_, v) = fitted.predict_distribution(array![[0.0], [2.0], [4.0]]).unwrap();
    assert!(v[0] < v[1] && v[1] < v[2], "{v}");
    assert!(BayesianNetwork::new(&[2], 0.0, 1.0).fit(&Device::cpu(), &x, &y).is_err());
    assert!(BayesianNetwork::new(&[2], 1.0, -1.0).fit(&Device::cpu(), &x, &y).is_err());
    let none = WeightPosterior::MeanField { draws: 0 };
    assert!(BayesianNetwork::new(&[2], 1.0, 1.0).posterior(none).fit(&Device::cpu(), &x, &y).is_err());
}
