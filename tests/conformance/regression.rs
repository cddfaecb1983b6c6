//! Regressions that are linear in their features: sparse, robust, generalised.

use mercer::learn::Loss;
use mercer::models::linear::*;
use mercer::optim::Penalty;
use ndarray::{Array1, Array2};

use crate::checks::{column, enough};
use crate::data;

/// Counts whose logarithms the features shift.
fn counts() -> (Array2<f64>, Array1<f64>) {
    let (x, y) = data::curve();
    (x, y.mapv(|v| (2.0 * v.exp()).round()))
}

/// Labels -1 and 1 that overlap.
fn signs() -> (Array2<f64>, Array1<f64>) {
    let (x, y) = data::curve();
    let labels =
        y.iter().enumerate().map(|(i, v)| if v + 0.8 * (9.0 * i as f64).sin() > 0.0 { 1.0 } else { -1.0 });
    let labels = labels.collect();
    (x, labels)
}

conforms!(least_squares, data::curve(), LeastSquares::new(), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(least_squares_of_several, data::curves(), LeastSquares::new(), |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(lasso, data::curve(), Lasso::new(0.05), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(Lasso::new(0.05).progress(enough())));
conforms!(elastic_net, data::curves(), ElasticNet::new(0.05, 0.5), |f, x| f.predict(x); 1e-6, weights, unordered, saved,
    cancel(ElasticNet::new(0.05, 0.5).progress(enough())));
conforms!(lasso_cv, data::curve(), LassoCv::new().count(10), |f, x| Ok(column(f.predict(x)?)); 1e-6, saved,
    cancel(LassoCv::new().count(10).progress(enough())));
conforms!(elastic_net_cv, data::curve(), ElasticNetCv::new(&[0.5, 1.0]).count(10), |f, x| Ok(column(f.predict(x)?)); 1e-6, saved,
    cancel(ElasticNetCv::new(&[0.5, 1.0]).count(10).progress(enough())));
conforms!(quantile_regression, data::curve(), QuantileRegression::new(0.53), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(QuantileRegression::new(0.53).progress(enough())));
conforms!(quantiles, data::curve(), Quantiles::new(&[0.23, 0.77]).non_crossing(true), |f, x| f.predict(x); 1e-6, weights, unordered, saved,
    cancel(Quantiles::new(&[0.23, 0.77]).progress(enough())));
conforms!(huber_regression, data::curve(), HuberRegression::new(), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(HuberRegression::new().progress(enough())));
conforms!(generalised_linear, counts(), GeneralisedLinear::new(Family::Poisson), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(GeneralisedLinear::new(Family::Poisson).progress(enough())));
conforms!(generalised_linear_of_several, data::curves(), GeneralisedLinear::new(Family::Gaussian), |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(risk_minimiser, signs(), RiskMinimiser::new(Loss::Logistic, Penalty::L2(0.01)), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(RiskMinimiser::new(Loss::Logistic, Penalty::L2(0.01)).progress(enough())));
conforms!(risk_minimiser_of_absolute_values, data::curve(), RiskMinimiser::new(Loss::Huber(0.1), Penalty::L1(0.001)), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(risk_minimiser_of_tubes, data::curve(), RiskMinimiser::new(Loss::EpsilonInsensitive(0.05), Penalty::L2(0.01)), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
