//! Gaussian processes as priors: given means, consistency, length scales, grids of evidences.

use mercer::models::gp::*;
use mercer::{Device, Kernel};
use ndarray::{Array2, array};

use crate::{all_near, near};

fn line(n: usize, step: f64) -> Array2<f64> {
    Array2::from_shape_fn((n, 1), |(i, _)| step * i as f64)
}

/// GP-02, G-01: a given mean shifts draws and predictions, and nothing else.
#[test]
fn a_given_mean_is_a_shift() {
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let m = |x: ndarray::ArrayView1<f64>| 3.0 - 2.0 * x[0];
    let x = line(5, 0.7);
    let plain = gp.sample_prior(&x, 3, 5).unwrap().values;
    let about = gp.sample_prior_about(&x, m, 3, 5).unwrap().values;
    for (i, row) in x.rows().into_iter().enumerate() {
        near(about[[1, i, 0]] - plain[[1, i, 0]], m(row), 1e-12);
    }
    let y = array![1.0_f64, 0.4, -0.2, 0.9, 0.0];
    let shifted = &y + &x.rows().into_iter().map(m).collect::<ndarray::Array1<f64>>();
    let base = gp.fit(&Device::cpu(), &x, &y).unwrap();
    let fitted = gp.fit_about(&Device::cpu(), &x, &shifted, m).unwrap();
    let new = array![[0.3], [9.0]];
    let (a, b) = (base.predict_latent(&new).unwrap(), fitted.predict_latent(&new).unwrap());
    all_near(&(&b.mean - &a.mean).to_vec(), &[3.0 - 0.6, 3.0 - 18.0], 1e-10);
    all_near(&b.variance.to_vec(), &a.variance.to_vec(), 1e-12);
    near(fitted.residual().log_evidence(), base.log_evidence(), 1e-10);
    assert!(gp.sample_prior_about(&x, |_| f64::NAN, 1, 1).is_err());
    // A large constant and linear part of the kernel do the same without being told.
    let wide = Kernel::rbf(1.0) + Kernel::constant(1e4) + Kernel::linear().scaled(1e4);
    let learned = GpRegressor::new(wide).noise(0.1).fit(&Device::cpu(), &x, &shifted).unwrap();
    let inside = array![[1.0]];
    near(
        learned.predict_latent(&inside).unwrap().mean[0],
        fitted.predict_latent(&inside).unwrap().mean[0],
        0.3,
    );
}

/// G-01: the joint on a subset is the marginal of the joint.
#[test]
fn processes_are_consistent() {
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let fitted = gp.fit(&Device::cpu(), line(4, 1.0), array![0.1_f64, 0.5, -0.2, 0.3]).unwrap();
    let all = fitted.predict_joint(array![[0.2], [1.7], [5.0]], Predictive::Latent).unwrap();
    let some = fitted.predict_joint(array![[0.2], [5.0]], Predictive::Latent).unwrap();
    near(all.covariance[[0, 2]], some.covariance[[0, 1]], 1e-13);
    near(all.mean[2], some.mean[1], 1e-13);
}

/// G-02, G-10: `E|f(x+h) - f(x)|² = 2(1 - e^(-h²/2l²))`, falling in l; one seed is one z for every l.
#[test]
fn length_scales_smooth() {
    let mut before = f64::INFINITY;
    let h = 0.4;
    for e in [-0.5, 0.0, 0.5, 1.0] {
        let l = 10f64.powf(e);
        let gp = GpRegressor::new(Kernel::rbf(l));
        let f = gp.sample_prior(line(2, h), 20_000, 9).unwrap().values;
        let rise = f.outer_iter().map(|f| (f[[1, 0]] - f[[0, 0]]).powi(2)).sum::<f64>() / 20_000.0;
        let want = -2.0 * (-h * h / (2.0 * l * l)).exp_m1();
        near(rise / want, 1.0, 0.06);
        assert!(rise < before);
        before = rise;
        // The first value is z itself, whatever l.
        let first =
            GpRegressor::new(Kernel::rbf(1.0)).sample_prior(line(2, h), 1, 9).unwrap().values[[0, 0, 0]];
        near(f[[0, 0, 0]], first, 1e-12);
    }
}

/// G-18: prior functions of a classifier lie in (0, 1) and are one half on average.
#[test]
fn prior_probabilities() {
    let gp = GpRegressor::new(Kernel::rbf(1.0).scaled(4.0));
    let p = gp.sample_prior_probabilities(line(6, 0.5), |_| 0.0, 4000, 2).unwrap().values;
    assert!(p.iter().all(|p| *p > 0.0 && *p < 1.0));
    near(p.mean().unwrap(), 0.5, 0.02);
}

/// G-08: the best of the grid is that of single evidences, and the surface has both axes.
#[test]
fn evidences_on_a_grid() {
    // sin(x)/x at eleven points.
    let x = Array2::from_shape_fn((11, 1), |(i, _)| 2.0 * i as f64 - 10.0);
    let y = x.column(0).mapv(|v| if v == 0.0 { 1.0 } else { v.sin() / v });
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01);
    let scales: Vec<f64> = (-10..=15).map(|e| f64::from(e) / 10.0 * 10f64.ln()).collect();
    let noises: Vec<f64> = [1e-4, 0.01, 0.1, 1.0].iter().map(|v: &f64| v.ln()).collect();
    let grid = gp.evidence_grid(&Device::cpu(), &x, &y, (0, &scales), (1, &noises)).unwrap();
    assert_eq!(grid.dim(), (26, 4));
    // The best length scale at a noise of 0.01 is 10^0.5.
    let best = (0..26).max_by(|a, b| grid[[*a, 1]].total_cmp(&grid[[*b, 1]]));
    assert_eq!(best, Some(15));
    near(grid[[15, 1]], -4.10954107, 1e-7);
    for (i, j) in [(0, 0), (10, 1), (25, 3)] {
        let alone = GpRegressor::new(Kernel::rbf(scales[i].exp())).noise(noises[j].exp());
        near(grid[[i, j]], alone.log_evidence(&Device::cpu(), &x, &y).unwrap().value, 1e-10);
    }
    assert!(gp.evidence_grid(&Device::cpu(), &x, &y, (0, &[0.0]), (7, &[0.0])).is_err());
}

/// G-16: hits and misses from distances: near the basket it hits.
#[test]
fn basket_balls() {
    // Deterministic stand-in for the figure: nearer shots hit more often.
    let mut x = Vec::new();
    let mut hits = Vec::new();
    for i in 0..60usize {
        let distance = 0.5 + 0.15 * i as f64;
        x.push(distance);
        let often = 1.0 / (1.0 + (distance - 5.0).exp());
        hits.push(((i * 37 % 61) as f64 / 61.0) < often);
    }
    let x = Array2::from_shape_vec((60, 1), x).unwrap();
    let fitted = GpClassifier::new(Kernel::rbf(2.0).scaled(4.0)).fit(&Device::cpu(), &x, &hits).unwrap();
    let p = fitted.predict_proba(array![[1.0], [5.0], [9.0]]).unwrap();
    assert!(p[[0, 1]] > 0.75 && p[[2, 1]] < 0.25 && p[[1, 1]] > p[[2, 1]]);
}

/// GP-09: functions of the user's with coefficients: generalised least squares, and the same as a linear mean where h is linear.
#[test]
fn a_mean_on_a_basis() {
    let x = line(9, 0.7);
    let y = x.column(0).mapv(|v| (1.3 * v).sin() + 0.4 * v - 1.0);
    let gp = GpRegressor::new(Kernel::rbf(0.8)).noise(0.05);
    let linear = gp.clone().mean(Mean::Linear).fit(&Device::cpu(), &x, &y).unwrap();
    let basis = gp.fit_on_basis(&Device::cpu(), &x, &y, |x| vec![1.0, x[0]]).unwrap();
    all_near(&basis.coefficients().column(0).to_vec(), &linear.coefficients().column(0).to_vec(), 1e-9);
    let new = array![[0.3], [20.0]];
    let (a, b) = (linear.predict_latent(&new).unwrap(), basis.predict_latent(&new).unwrap());
    all_near(&a.mean.to_vec(), &b.mean.to_vec(), 1e-8);
    near(basis.residual().log_evidence(), linear.log_evidence(), 1e-9);
    let twice = gp.fit_on_basis(&Device::cpu(), &x, &y, |x| vec![x[0], 2.0 * x[0]]);
    assert!(matches!(twice, Err(mercer::Error::Singular { .. })));
    assert!(gp.fit_on_basis(&Device::cpu(), &x, &y, |_| vec![f64::NAN]).is_err());
    assert!(gp.fit_on_basis(&Device::cpu(), &x, &y, |_| vec![]).is_err());
}

/// A given mean in a sparse process: moved data move the predictions, and nothing else.
#[test]
fn a_given_mean_in_a_sparse_process() {
    let x = line(12, 0.5);
    let y = x.column(0).mapv(|v| (1.3 * v).sin());
    let m = |x: ndarray::ArrayView1<f64>| 3.0 - 2.0 * x[0];
    let gp = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(5)).noise(0.1);
    let base = gp.fit(&Device::cpu(), &x, &y).unwrap();
    let moved = &y + &x.column(0).mapv(|v| 3.0 - 2.0 * v);
    let about = gp.fit_about(&Device::cpu(), &x, &moved, m).unwrap();
    let new = array![[0.3], [9.0]];
    let (a, b) = (base.predict_latent(&new).unwrap(), about.predict_latent(&new).unwrap());
    all_near(&(&b.mean - &a.mean).to_vec(), &[3.0 - 0.6, 3.0 - 18.0], 1e-10);
    all_near(&b.variance.to_vec(), &a.variance.to_vec(), 1e-12);
    assert!(gp.fit_about(&Device::cpu(), &x, &moved, |_| f64::NAN).is_err());
}

/// The verbs of processes about means: every one is that of the residual, raised.
#[test]
fn processes_about_means_predict_and_draw() {
    let x = line(12, 0.5);
    let y = x.column(0).mapv(|v| (1.3 * v).sin() + 3.0 - 2.0 * v);
    let m = |x: ndarray::ArrayView1<f64>| 3.0 - 2.0 * x[0];
    let new = array![[0.3], [9.0]];
    let lift = array![3.0 - 0.6, 3.0 - 18.0];
    macro_rules! check {
        ($fitted:expr, $lift:expr) => {{
            let (fitted, lift) = (&$fitted, &$lift);
            let residual = fitted.residual();
            let raised = |a: &ndarray::Array1<f64>| (a + lift).to_vec();
            all_near(
                &fitted.predict(&new).unwrap().to_vec(),
                &raised(&residual.predict(&new).unwrap()),
                1e-12,
            );
            let (a, b) = (
                fitted.predict_with(&new, Predictive::Observed).unwrap(),
                residual.predict_with(&new, Predictive::Observed).unwrap(),
            );
            all_near(&a.mean.to_vec(), &raised(&b.mean), 1e-12);
            assert_eq!(a.variance, b.variance);
            assert!(a.variance[0] > fitted.predict_latent(&new).unwrap().variance[0] + 0.09);
            let joint = fitted.predict_joint(&new, Predictive::Latent).unwrap();
            all_near(&joint.mean.to_vec(), &raised(&residual.predict(&new).unwrap()), 1e-12);
            let (a, b) = (
                fitted.sample(&new, Predictive::Latent, 3, 7).unwrap().values,
                residual.sample(&new, Predictive::Latent, 3, 7).unwrap().values,
            );
            for (i, l) in lift.iter().enumerate() {
                near(a[[2, i, 0]] - b[[2, i, 0]], *l, 1e-12);
            }
        }};
    }
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let sparse = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(5)).noise(0.1);
    let device = Device::cpu();
    check!(gp.fit_about(&device, &x, &y, m).unwrap(), lift);
    check!(sparse.fit_about(&device, &x, &y, m).unwrap(), lift);
    let basis = |x: ndarray::ArrayView1<f64>| vec![1.0, x[0]];
    let at = |b: &Array2<f64>| array![b[[0, 0]] + 0.3 * b[[1, 0]], b[[0, 0]] + 9.0 * b[[1, 0]]];
    let fitted = gp.fit_on_basis(&device, &x, &y, basis).unwrap();
    let lift = at(fitted.coefficients());
    check!(fitted, lift);
    let fitted = sparse.fit_on_basis(&device, &x, &y, basis).unwrap();
    let lift = at(fitted.coefficients());
    check!(fitted, lift);
    // A budget is kept by draws about a mean, as by draws about none.
    let poor = gp.memory_budget(1000);
    assert!(matches!(poor.sample_prior_about(&x, m, 3, 1), Err(mercer::Error::OverBudget { .. })));
    let poor = GpClassifier::new(Kernel::rbf(1.0)).memory_budget(1000);
    assert!(matches!(poor.sample_prior(&x, 2, 3, 1), Err(mercer::Error::OverBudget { .. })));
}

/// With an inducing point at every observation a sparse process is the whole, and so are its coefficients, by every method.
#[test]
fn a_sparse_mean_on_a_basis() {
    let x = line(10, 0.7);
    let y = x.column(0).mapv(|v| (1.3 * v).sin() + 0.4 * v - 1.0);
    let basis = |x: ndarray::ArrayView1<f64>| vec![1.0, x[0]];
    let exact = GpRegressor::new(Kernel::matern32(0.8)).noise(0.05);
    let exact = exact.fit_on_basis(&Device::cpu(), &x, &y, basis).unwrap();
    for method in [SparseMethod::Variational, SparseMethod::Dtc, SparseMethod::Fitc] {
        let gp = SparseGpRegressor::new(Kernel::matern32(0.8), Inducing::Given(x.clone()));
        let gp = gp.noise(0.05).jitter(1e-12).method(method);
        let fitted = gp.fit_on_basis(&Device::cpu(), &x, &y, basis).unwrap();
        all_near(&fitted.coefficients().column(0).to_vec(), &exact.coefficients().column(0).to_vec(), 1e-7);
        // With few inducing points they are where the residual's own evidence is largest.
        if method != SparseMethod::Variational {
            let few = SparseGpRegressor::new(Kernel::matern32(0.8), Inducing::Given(line(4, 2.0)));
            let few = few.noise(0.05).method(method);
            let fitted = few.fit_on_basis(&Device::cpu(), &x, &y, basis).unwrap();
            let best = fitted.residual().log_evidence();
            let beta = fitted.coefficients();
            for (a, b) in [(0.02, 0.0), (-0.02, 0.0), (0.0, 0.02), (0.0, -0.02)] {
                let mean = |x: ndarray::ArrayView1<f64>| beta[[0, 0]] + a + (beta[[1, 0]] + b) * x[0];
                let other = few.fit_about(&Device::cpu(), &x, &y, mean).unwrap();
                assert!(other.residual().log_evidence() < best, "{method:?}");
            }
        }
    }
    let gp = SparseGpRegressor::new(Kernel::rbf(0.8), Inducing::greedy(4));
    assert!(gp.fit_on_basis(&Device::cpu(), &x, &y, |x| vec![x[0], 2.0 * x[0]]).is_err());
}
