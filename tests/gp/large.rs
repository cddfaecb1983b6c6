//! Processes without a stored matrix, against the stored one.

use std::ops::ControlFlow;
use std::sync::Arc;

use mercer::linalg::LogDetParams;
use mercer::models::gp::{GpRegressor, LargeGp, LargeParams, MatrixFreeGp, Mean, Predictive, SliceParams};
use mercer::models::plan::Method;
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, ArrayView2};

use crate::support::random;
use crate::{close, data, everywhere};

fn ranked() -> LargeParams {
    LargeParams { rank: Some(30), ..LargeParams::default() }
}

fn model() -> GpRegressor {
    GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05)
}

fn free(gp: &GpRegressor, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Box<MatrixFreeGp> {
    match gp.clone().memory_budget(1).fit_large(device, x, y, &ranked()).unwrap() {
        LargeGp::MatrixFree(gp) => gp,
        LargeGp::Dense(_) => panic!("a budget of one byte"),
    }
}

#[test]
fn means_variances_and_likelihood_are_those_of_the_stored_matrix() {
    let (x, y) = data(160, 2, 71);
    let new = random(20, 2, 72) * 3.5;
    for mean in [Mean::Zero, Mean::Linear] {
        let gp = model().mean(mean);
        let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let at = want.predict_variance(new.view(), Predictive::Observed).unwrap();
        for device in everywhere() {
            let got = free(&gp, &device, x.view(), y.view());
            let what = format!("{mean:?} on {device}");
            let found = got.predict_variance(new.view(), Predictive::Observed).unwrap();
            close(found.prediction.mean.iter().copied(), at.mean.iter().copied(), 1e-6, &what);
            close(got.coefficients().iter().copied(), want.coefficients().iter().copied(), 1e-6, &what);
            let both = found.prediction.variance.iter().zip(&at.variance).zip(&found.excess);
            for ((got, want), excess) in both {
                let over = got - want;
                assert!(over >= -1e-9 && over <= excess + 1e-9, "{what}: {over:e} over, bound {excess:e}");
                assert!(*excess < 1e-4 * want, "{what}: a bound of {excess:e} for {want}");
            }
            let off = (got.log_marginal_likelihood() - want.log_marginal_likelihood()) / got.standard_error();
            println!("{what}: {off:.2} standard errors of {:.3}", got.standard_error());
            assert!(off.abs() < 4.0, "{what}: {off}");
            assert!(got.log_det().standard_error < 0.03 * got.log_det().value.abs(), "{what}");
            assert!(got.info().converged && got.info().relative_residuals.iter().all(|r| *r <= 1e-8));
        }
    }
}

/// Over seeds the estimated gradient is centred on the exact one, and a full preconditioner makes it exact.
#[test]
fn the_gradient_is_unbiased_and_exact_under_a_perfect_preconditioner() {
    let (x, y) = data(90, 2, 73);
    let gp = model();
    let exact = gp.log_marginal_likelihood(&Device::cpu(), x.view(), y.view()).unwrap();
    let at = |device: &Device, rank: usize, seed: u64| {
        let log_det = LogDetParams { seed, ..LogDetParams::default() };
        let params = LargeParams { rank: Some(rank), log_det, ..LargeParams::default() };
        gp.stochastic_evidence(device, x.view(), y.view(), &params).unwrap()
    };
    let perfect = at(&Device::cpu(), 90, 0);
    close(perfect.gradient, exact.gradient.iter().copied(), 1e-5, "M = C");
    assert!((perfect.value - exact.value).abs() < 1e-6 * exact.value.abs());
    let count = 24;
    let all: Vec<_> = (0..count).map(|seed| at(&Device::cpu(), 15, seed)).collect();
    for (i, want) in exact.gradient.iter().enumerate() {
        let each: Vec<f64> = all.iter().map(|e| e.gradient[i]).collect();
        let mean = each.iter().sum::<f64>() / count as f64;
        let spread = each.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
        let score = (mean - want) / (spread / count as f64).sqrt();
        println!(
            "by theta[{i}]: {mean:.3} for {want:.3}, {score:.2} standard errors, spread {:.3}",
            spread.sqrt()
        );
        assert!(score.abs() < 4.0, "theta[{i}]: {mean} for {want}");
    }
    for device in everywhere() {
        let (here, there) = (at(&device, 15, 3), &all[3]);
        close(here.gradient, there.gradient.iter().copied(), 1e-3, &format!("{device}"));
        assert!((here.value - there.value).abs() < 1e-3 * there.value.abs(), "{device}");
    }
}

#[test]
fn the_search_finds_nearly_what_the_stored_matrix_finds() {
    let (x, y) = data(150, 2, 74);
    let search = Minimiser { max_iterations: 15, tolerance: 1e-3, ..Minimiser::default() };
    let gp = GpRegressor::new(1.0 * Kernel::rbf(0.5)).noise(0.2).optimise(search);
    let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let got = free(&gp, &Device::cpu(), x.view(), y.view());
    let back = GpRegressor::new(got.kernel().clone()).noise(got.noise().clone());
    let reached = back.fit(&Device::cpu(), x.view(), y.view()).unwrap().log_marginal_likelihood();
    println!("{reached} for {}", want.log_marginal_likelihood());
    assert!(reached > want.log_marginal_likelihood() - 1.0, "{reached}");
    assert!(got.optimisation().is_some());
}

#[test]
fn the_plan_is_what_is_done() {
    let cpu = Device::cpu();
    let gp = model();
    let roomy = LargeParams::default();
    let small = gp.plan_large(&cpu, 1000, 2, 1, &roomy);
    assert_eq!(small.method, Method::Dense);
    assert!(small.host_bytes >= 8_000_000 && small.device_bytes == 0 && small.flops > 1e9 / 3.0);
    let large = gp.plan_large(&cpu, 200_000, 8, 1, &roomy);
    assert!(matches!(large.method, Method::MatrixFree { rank: 200 }), "{large}");
    assert!(large.host_bytes < 2 << 30, "{large}");
    assert!(large.flops_per_iteration > 4e10);
    // A matrix that would overflow every counter.
    assert!(matches!(gp.plan_large(&cpu, usize::MAX, 8, 1, &roomy).method, Method::MatrixFree { .. }));
    let (x, y) = data(60, 2, 75);
    let fitted = gp.fit_large(&cpu, x.view(), y.view(), &roomy).unwrap();
    assert!(fitted.is_dense() && fitted.log_marginal_likelihood().1 == 0.0);
    let frugal = gp.clone().memory_budget(1);
    let fitted = frugal.fit_large(&cpu, x.view(), y.view(), &ranked()).unwrap();
    assert!(!fitted.is_dense());
    assert_eq!(free(&gp, &cpu, x.view(), y.view()).plan(), &frugal.plan_large(&cpu, 60, 2, 1, &ranked()));
}

/// The bytes that a dense plan names are the least budget with which it is followed; below it, what must store a matrix
/// says so before it does.
#[test]
fn what_must_store_a_matrix_refuses_beyond_the_budget() {
    let cpu = Device::cpu();
    let (x, y) = data(60, 2, 77);
    let (x, y) = (x.view(), y.view());
    let bytes = model().plan_large(&cpu, 60, 2, 1, &ranked()).host_bytes;
    let (enough, short) = (model().memory_budget(bytes), model().memory_budget(bytes - 1));
    assert!(enough.fit_large(&cpu, x, y, &ranked()).unwrap().is_dense());
    assert!(!short.fit_large(&cpu, x, y, &ranked()).unwrap().is_dense());
    let e = short.fit(&cpu, x, y).unwrap_err();
    let named = matches!(e, Error::OverBudget { need, budget, .. } if need == bytes && budget == bytes - 1);
    assert!(named && e.to_string().contains("fit_large"), "{e}");
    // A gradient takes a matrix more than a fit, a point more a row.
    let e = enough.log_marginal_likelihood(&cpu, x, y).unwrap_err();
    let more = matches!(e, Error::OverBudget { need, .. } if need > bytes);
    assert!(more && e.to_string().contains("stochastic_evidence"), "{e}");
    let mut fitted = enough.fit(&cpu, x, y).unwrap();
    let e = fitted.add(random(1, 2, 78).view(), random(1, 1, 79).view());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
    let e = short.sample_hyperparameters(&cpu, x, y, &SliceParams::default());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
    // Nothing is allocated for what cannot be: 3.2 TB here.
    let (x, y) = (Array2::from_shape_fn((200_000, 1), |(i, _)| i as f64), Array2::zeros((200_000, 1)));
    assert!(matches!(
        GpRegressor::new(Kernel::rbf(1.0)).fit(&cpu, x.view(), y.view()),
        Err(Error::OverBudget { .. })
    ));
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let (x, y) = data(30, 2, 76);
    let frugal = model().memory_budget(1);
    let fit =
        |gp: &GpRegressor, params: &LargeParams| gp.fit_large(&cpu, x.view(), y.view(), params).map(|_| ());
    for bad in [0.0, -1.0, f64::NAN, 1.0] {
        let params = LargeParams { tolerance: bad, ..ranked() };
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
        let params = LargeParams { variance_tolerance: bad, ..ranked() };
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
    }
    let params = LargeParams { rank: Some(0), ..ranked() };
    assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })));
    let e = fit(&frugal.clone().noise(0.0), &ranked());
    assert!(matches!(e, Err(Error::Parameter { .. })), "without noise M is singular: {e:?}");
    let short = LargeParams { max_iterations: 1, rank: Some(1), ..ranked() };
    assert!(matches!(fit(&frugal, &short), Err(Error::NoConvergence { .. })));
    let stop = LargeParams { progress: Some(Arc::new(|_, _| ControlFlow::Break(()))), ..ranked() };
    assert!(matches!(fit(&frugal, &stop), Err(Error::Cancelled { .. })));
    let e = frugal.fit_large(&cpu, x.view(), random(29, 1, 1).view(), &ranked());
    assert!(matches!(e, Err(Error::Shape { .. })));
    let gp = free(&model(), &cpu, x.view(), y.view());
    assert!(matches!(gp.predict(random(3, 3, 1).view()), Err(Error::Shape { .. })));
    assert!(matches!(gp.predict(Array2::zeros((0, 2)).view()), Err(Error::Shape { .. })));
    let e = gp.predict_variance(x.view(), Predictive::ObservedWith(f64::NAN));
    assert!(matches!(e, Err(Error::Parameter { .. })));
}
