//! Least squares against statsmodels, the goldens of the notes, and its theorems.

use mercer::learn::loss::Loss;
use mercer::learn::{Pipeline, Polynomial};
use mercer::models::gp::GpRegressor;
use mercer::models::kernel_methods::KernelRidge;
use mercer::models::linear::{BayesianLinearRegression, LeastSquares, Ridge};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::support::random;
use crate::{five, matrix, monomials, near, oracle, sin10, vector};

#[test]
fn as_statsmodels() {
    let all = oracle();
    let (x, y, want) = (matrix(&all["x"]), vector(&all["y"]), &all["ols"]);
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap();
    let beside = |b: &Array1<f64>, w: &Array2<f64>| concatenate![Axis(0), *b, w.column(0)];
    near(&beside(fit.intercept(), fit.coefficients()), &vector(&want["params"]), 1e-12, "coefficients");
    let errors = beside(&fit.intercept_standard_errors().unwrap(), &fit.standard_errors().unwrap());
    near(&errors, &vector(&want["bse"]), 1e-12, "standard errors");
    let tail = |key: &str| vector(&want[key]).slice(ndarray::s![1..]).to_owned();
    near(&fit.t_values().unwrap(), &tail("t"), 1e-12, "t");
    let p = fit.p_values().unwrap();
    for (g, w) in p.iter().zip(&tail("p")) {
        assert!((g / w - 1.0).abs() < 1e-9, "p: {g:e} should be {w:e}");
    }
    let number = |key: &str| want[key].as_f64().unwrap();
    assert!((fit.r_squared()[0] - number("r2")).abs() < 1e-13);
    assert!((fit.log_likelihood().unwrap() - number("llf")).abs() < 1e-10);
    // statsmodels does not count the variance of the noise.
    assert!((fit.aic().unwrap() - 2.0 - number("aic")).abs() < 1e-9);
    assert!((fit.bic().unwrap() - 40f64.ln() - number("bic")).abs() < 1e-9);
    near(&fit.leverage(), &vector(&want["leverage"]), 1e-13, "leverage");
    near(&fit.cooks_distance().unwrap(), &vector(&want["cook"]), 1e-12, "Cook's distance");
    near(&fit.studentised_residuals().unwrap(), &vector(&want["student"]), 1e-12, "studentised residuals");
    let new = matrix(&want["new"]);
    let (low, high) = fit.confidence_interval(&new, 0.9).unwrap();
    near(&low, &vector(&want["mean_low"]), 1e-9, "confidence");
    near(&high, &vector(&want["mean_high"]), 1e-9, "confidence");
    let (low, high) = fit.prediction_interval(&new, 0.9).unwrap();
    near(&low, &vector(&want["low"]), 1e-9, "prediction");
    near(&high, &vector(&want["high"]), 1e-9, "prediction");
}

/// RG-02 with λ = 0.
#[test]
fn five_rows() {
    let (x, y) = five();
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap();
    near(fit.coefficients(), &array![1.021978022, 1.406593407], 1e-9, "w");
    assert!((fit.intercept()[0] + 0.4725274725).abs() < 1e-9 && fit.rank() == 2);
}

/// E(w) of the sine itself at i/9, and the interpolation at M = 9.
#[test]
fn amsterdam_curve_fitting() {
    let x = Array2::from_shape_fn((10, 1), |(i, _)| i as f64 / 9.0);
    let t = x.column(0).mapv(|x| (std::f64::consts::TAU * x).sin());
    let mut last = f64::INFINITY;
    for (order, half) in [(0, 2.25), (1, 1.323576961), (3, 0.0326474941), (5, 7.469948841e-5), (9, 0.0)] {
        let fit =
            LeastSquares::new().intercept(false).fit(&Device::cpu(), &monomials(&x, order), &t).unwrap();
        let e = 0.5 * fit.residual_sum_of_squares()[0];
        assert!((e - half).abs() < 1e-9 && e <= last, "M = {order}: {e}");
        last = e;
        // The gradient is zero: residuals are orthogonal to every feature.
        let phi = monomials(&x, order);
        let left = &t - &fit.predict(&phi).unwrap();
        assert!(phi.t().dot(&left).iter().all(|g| g.abs() < 1e-8));
    }
}

/// B.1 to B.4: SIN10, every order.
#[test]
fn simeone_least_squares() {
    let (x, t) = sin10();
    let losses = [
        0.5791498,
        0.2265764364,
        0.2216503,
        0.0955412044,
        0.0951250331,
        0.0468140403,
        0.0468004039,
        0.0372612105,
        0.0349671546,
        0.0,
    ];
    for (order, want) in losses.into_iter().enumerate() {
        let fit =
            LeastSquares::new().intercept(false).fit(&Device::cpu(), &monomials(&x, order), &t).unwrap();
        let loss = fit.residual_sum_of_squares()[0] / 10.0;
        assert!((loss - want).abs() < if want > 0.1 { 5e-8 } else { 1e-9 }, "M = {order}: {loss}");
        if order == 9 {
            let w = array![
                -41.98748, 1744.7941, -25533.149, 187487.06, -788674.1, 2017695.9, -3191710.1, 3046635.3,
                -1606870.0, 359314.37
            ];
            near(fit.coefficients(), &w, 1e-6, "M = 9");
            assert!(fit.noise_variance().is_err() && fit.standard_errors().is_err());
            continue;
        }
        // 1/β = L_D(w), where ln p has its maximum by β (B.2, E1).
        let beta = fit.noise_precision().unwrap()[0];
        assert!((1.0 / beta - loss).abs() < 1e-14);
        let said = fit.predict(&monomials(&x, order)).unwrap();
        let log = |beta: f64| -> f64 {
            t.iter().zip(&said).map(|(t, f)| Loss::Squared.log_density(*t, *f, 2.0 / beta).unwrap()).sum()
        };
        assert!((log(beta) - fit.log_likelihood().unwrap()).abs() < 1e-11);
        assert!(log(beta * 1.01) < log(beta) && log(beta * 0.99) < log(beta));
        let by_hand = -0.5 * beta * 10.0 * loss + 5.0 * (beta / std::f64::consts::TAU).ln();
        assert!((log(beta) - by_hand).abs() < 1e-11);
    }
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &t).unwrap();
    assert!(
        (fit.intercept()[0] - 1.0486364).abs() < 1e-7
            && (fit.coefficients()[[0, 0]] + 2.0672727).abs() < 1e-7
    );
    // The same by a pipeline of the polynomial map.
    let cubic = Pipeline::new(Polynomial::new(3).bias(false), LeastSquares::new())
        .fit(&Device::cpu(), &x, &t)
        .unwrap();
    let by_hand = LeastSquares::new().intercept(false).fit(&Device::cpu(), &monomials(&x, 3), &t).unwrap();
    near(by_hand.coefficients(), &array![-0.158809, 11.0929, -31.274767, 20.205905], 1e-7, "M = 3");
    near(&cubic.predict(&x).unwrap(), &by_hand.predict(&monomials(&x, 3)).unwrap(), 1e-10, "pipeline");
}

/// orthogonal residuals of mean zero, the same predictions after any invertible change of features.
#[test]
fn theorems_of_least_squares() {
    let (x, y) = (random(30, 4, 1), random(30, 2, 2));
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap();
    let left = &y - &fit.predict(&x).unwrap();
    assert!(
        x.t().dot(&left).iter().all(|v| v.abs() < 1e-13)
            && left.sum_axis(Axis(0)).iter().all(|v| v.abs() < 1e-13)
    );
    let turned = x.dot(&(random(4, 4, 3) + Array2::<f64>::eye(4) * 2.0));
    let other = LeastSquares::new().fit(&Device::cpu(), &turned, &y).unwrap();
    near(&other.predict(&turned).unwrap(), &fit.predict(&x).unwrap(), 1e-12, "another basis");
    assert!((fit.leverage().sum() - 5.0).abs() < 1e-12);
    // A weight of two is two observations, in standard errors too.
    let w = Array1::from_shape_fn(30, |i| 1.0 + f64::from(u8::from(i % 3 == 0)));
    let rows: Vec<usize> = (0..30).flat_map(|i| vec![i; w[i] as usize]).collect();
    let weighted = LeastSquares::new().fit_weighted(&Device::cpu(), &x, &y, &w).unwrap();
    let repeated = LeastSquares::new()
        .fit(&Device::cpu(), &x.select(Axis(0), &rows), &y.select(Axis(0), &rows))
        .unwrap();
    near(&weighted.standard_errors().unwrap(), &repeated.standard_errors().unwrap(), 1e-12, "weights");
    assert!((weighted.aic().unwrap() - repeated.aic().unwrap()).abs() < 1e-9);
}

/// B.3: of all solutions the shortest, and the rank; B.4: the variance is low by (N - M - 1)/N on average.
#[test]
fn dependent_columns_and_the_mean_of_the_variance() {
    let x = random(6, 10, 4);
    let y = random(6, 1, 5).column(0).to_owned();
    let fit = LeastSquares::new().intercept(false).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.rank(), 6);
    near(&fit.predict(&x).unwrap(), &y, 1e-12, "interpolates");
    // w = Xᵀ(XXᵀ)⁻¹y lies in the span of the rows: orthogonal to their null space.
    let w = fit.coefficients().column(0).to_owned();
    let params = mercer::linalg::SpdParams::default();
    let dual = mercer::linalg::solve_spd(
        &Device::cpu(),
        x.dot(&x.t()).view(),
        y.view().insert_axis(Axis(1)),
        &params,
    )
    .unwrap();
    near(&w, &x.t().dot(&dual.x), 1e-10, "minimum norm");
    let constant = concatenate![Axis(1), random(12, 2, 6), Array2::ones((12, 1))];
    let fit = LeastSquares::new().fit(&Device::cpu(), &constant, &random(12, 1, 7).column(0)).unwrap();
    assert!(fit.rank() == 2 && fit.coefficients()[[2, 0]].abs() < 1e-12);
    let (n, sets) = (8, 400);
    let x = Array2::from_shape_fn((n, 1), |(i, _)| i as f64);
    let noise = random(n, sets, 8) * 3f64.sqrt();
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &noise).unwrap();
    let mean = fit.residual_sum_of_squares().mean().unwrap() / n as f64;
    assert!((mean - 6.0 / 8.0).abs() < 0.05, "{mean}");
    assert!((fit.noise_variance().unwrap().mean().unwrap() - 1.0).abs() < 0.06);
}

/// GP-01: four views of regression give one function.
#[test]
fn four_views_of_regression() {
    let (x, y) = (random(20, 2, 9), random(20, 1, 10).column(0).to_owned());
    let (cpu, penalty, new) = (Device::cpu(), 0.3, random(7, 2, 11));
    let ridge = Ridge::new(penalty).intercept(false).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    let kernel =
        KernelRidge::new(Kernel::linear(), penalty).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    let process =
        GpRegressor::new(Kernel::linear()).noise(penalty).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    let bayes = BayesianLinearRegression::new(penalty, 1.0).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    near(&kernel, &ridge, 1e-10, "kernel ridge");
    near(&process, &ridge, 1e-10, "Gaussian process");
    near(&bayes, &ridge, 1e-10, "Bayesian linear regression");
    // Without a penalty plain least squares, the limit of all of them.
    let plain = LeastSquares::new().intercept(false).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    let limit = Ridge::new(1e-12).intercept(false).fit(&cpu, &x, &y).unwrap().predict(&new).unwrap();
    near(&plain, &limit, 1e-9, "least squares");
}

#[test]
fn what_cannot_be_said_is_an_error() {
    let (x, y) = five();
    let fit = LeastSquares::new()
        .fit(&Device::cpu(), x.slice(ndarray::s![..3, ..]), y.slice(ndarray::s![..3]))
        .unwrap();
    assert!(matches!(fit.standard_errors(), Err(Error::Parameter { .. })));
    assert!(matches!(fit.prediction_interval(&x, 0.9), Err(Error::Parameter { .. })));
    let exact = LeastSquares::new().fit(&Device::cpu(), &x, &Array1::<f64>::zeros(5)).unwrap();
    assert!(exact.noise_precision().is_err() && exact.aic().is_err() && exact.cooks_distance().is_err());
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap();
    assert!(
        fit.confidence_interval(&x, 1.0).is_err() && fit.confidence_interval(array![[1.0]], 0.9).is_err()
    );
}

/// Many rows go through Cholesky factors first: what is left is orthogonal to every column, columns of very different units
/// included, and leverages sum to the rank and the intercept.
#[test]
fn many_rows() {
    let (n, d) = (18_000, 32);
    let mut x = random(n, d, 31);
    x.column_mut(3).mapv_inplace(|v| 1e6 + 1e-3 * v);
    let y = x.dot(&Array1::from_elem(d, 0.5)) + random(n, 1, 32).column(0);
    let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.rank(), d);
    assert!((fit.leverage().sum() - (d + 1) as f64).abs() < 1e-9);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    for (j, column) in centred.columns().into_iter().enumerate() {
        let along = column.dot(&fit.residuals().column(0)) / column.dot(&column).sqrt();
        assert!(along.abs() < 1e-8, "column {j}: {along:e}");
    }
    assert!((fit.coefficients()[[7, 0]] - 0.5).abs() < 0.1);
    // One column that is the sum of two others: the decomposition of X itself says so.
    let sum = &x.column(0) + &x.column(1);
    x.column_mut(2).assign(&sum);
    assert_eq!(LeastSquares::new().fit(&Device::cpu(), &x, &y).unwrap().rank(), d - 1);
}
