//! Processes without a stored matrix, against the stored one.

use std::ops::ControlFlow;

use mercer::linalg::{Jitter, LogDetParams};
use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::gp::{FittedGp, GpRegressor, LargeParams, Mean, Predictive, SliceParams};
use mercer::learn::plan::Method;
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array2, ArrayView2};

use crate::support::random;
use crate::{close, data, everywhere};

pub fn ranked() -> LargeParams {
    LargeParams { rank: Some(30), ..LargeParams::default() }
}

fn model() -> GpRegressor {
    GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05)
}

/// The same without a stored matrix.
pub fn frugal(gp: &GpRegressor) -> GpRegressor {
    gp.clone().memory_budget(1).large(ranked())
}

fn free(gp: &GpRegressor, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> FittedGp {
    let fitted = frugal(gp).fit(device, x, y).unwrap();
    assert!(!is_dense(&fitted), "a budget of one byte");
    fitted
}

fn is_dense(gp: &FittedGp) -> bool {
    gp.method() == Method::Dense
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
            let found = got.predict_bounded(new.view(), Predictive::Observed).unwrap();
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
            let log_det = got.log_det().unwrap();
            assert!(log_det.standard_error < 0.03 * log_det.value.abs(), "{what}");
            let (info, certificate) = (got.conjugate_gradients().unwrap(), got.certificate());
            assert!(info.converged && info.relative_residuals.iter().all(|r| *r <= 1e-8), "{what}");
            assert!(certificate.relative_residual <= 1e-8 && certificate.steps == info.iterations, "{what}");
            assert!((1e-20..1e-7).contains(&certificate.backward_error), "{what}: {certificate:?}");
            assert!(certificate.condition.is_nan() && got.jitter() == 0.0 && certificate.fallback.is_none());
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
    let small = gp.plan(&cpu, 1000, 2, 1);
    assert_eq!(small.method, Method::Dense);
    assert!(small.host_bytes >= 8_000_000 && small.device_bytes == 0 && small.flops > 1e9 / 3.0);
    let large = gp.plan(&cpu, 200_000, 8, 1);
    assert!(matches!(large.method, Method::MatrixFree { rank: 200 }), "{large}");
    assert!(large.host_bytes < 2 << 30, "{large}");
    assert!(large.flops_per_iteration > 4e10);
    // A matrix that would overflow every counter.
    assert!(matches!(gp.plan(&cpu, usize::MAX, 8, 1).method, Method::MatrixFree { .. }));
    // One that an adapter does not allocate in one piece, whatever the budget.
    for device in everywhere().filter(Device::is_gpu) {
        let limit = device.adapter().unwrap().limits.buffer_bytes as f64;
        let n = (limit / 4.0).sqrt() as usize;
        let plan = |n: usize| gp.clone().memory_budget(u64::MAX).plan(&device, n, 2, 1).method;
        assert_eq!(plan(n - 8), Method::Dense, "{device}");
        assert!(matches!(plan(n + 8), Method::MatrixFree { .. }), "{device}");
    }
    let (x, y) = data(60, 2, 75);
    let fitted = gp.fit(&cpu, x.view(), y.view()).unwrap();
    assert!(is_dense(&fitted) && fitted.standard_error() == 0.0);
    assert!(fitted.conjugate_gradients().is_none() && fitted.log_det().is_none());
    assert_eq!(fitted.plan(), &gp.plan(&cpu, 60, 2, 1));
    let bounded = fitted.predict_bounded(x.view(), Predictive::Latent).unwrap();
    assert_eq!(bounded.prediction, fitted.predict_variance(x.view(), Predictive::Latent).unwrap());
    assert!(bounded.excess.iter().all(|v| *v == 0.0));
    let fitted = free(&gp, &cpu, x.view(), y.view());
    assert_eq!(fitted.plan(), &frugal(&gp).plan(&cpu, 60, 2, 1));
    assert_eq!((fitted.x(), fitted.y()), (x.view(), y.view()));
    assert!(fitted.standard_error() > 0.0 && fitted.optimisation().is_none());
}

/// The bytes that a dense plan names are the least budget with which it is followed; below it, what must store a matrix
/// says so before it does.
#[test]
fn what_must_store_a_matrix_refuses_beyond_the_budget() {
    let cpu = Device::cpu();
    let (x, y) = data(60, 2, 77);
    let (x, y) = (x.view(), y.view());
    let bytes = model().plan(&cpu, 60, 2, 1).host_bytes;
    let (enough, short) = (model().memory_budget(bytes), model().memory_budget(bytes - 1));
    assert!(is_dense(&enough.fit(&cpu, x, y).unwrap()));
    let mut fitted = short.fit(&cpu, x, y).unwrap();
    assert!(!is_dense(&fitted));
    let refused = [
        fitted.factor().map(|_| ()),
        fitted.condition().map(|_| ()),
        fitted.leave_one_out().map(|_| ()),
        fitted.log_marginal_likelihood_gradient().map(|_| ()),
        fitted.predict_joint(x, Predictive::Latent).map(|_| ()),
        fitted.sample(x, Predictive::Latent, 2, 0).map(|_| ()),
        fitted.add(random(1, 2, 78).view(), random(1, 1, 79).view()),
    ];
    for e in refused.map(Result::unwrap_err) {
        let named =
            matches!(e, Error::OverBudget { need, budget, .. } if need == bytes && budget == bytes - 1);
        assert!(named && e.to_string().contains("raise `memory_budget`"), "{e}");
    }
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
        GpRegressor::new(Kernel::rbf(1.0)).log_marginal_likelihood(&cpu, x.view(), y.view()),
        Err(Error::OverBudget { .. })
    ));
}

/// What proposes points takes the factor too.
#[test]
fn bayesian_optimisation_says_what_it_needs() {
    let mut search =
        BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap().model(frugal(&model_of_one()));
    for x in [0.1, 0.4, 0.7, 0.9] {
        search.tell(&[x], (5.0 * x).sin()).unwrap();
    }
    let e = search.ask().unwrap_err();
    assert!(matches!(e, Error::OverBudget { .. }), "{e}");
    assert!(search.recommend().unwrap().deviation > 0.0); // which does not
}

fn model_of_one() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(0.3)).noise(0.01)
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let (x, y) = data(30, 2, 76);
    let frugal = frugal(&model());
    let fit = |gp: &GpRegressor, params: &LargeParams| {
        gp.clone().large(params.clone()).fit(&cpu, x.view(), y.view()).map(|_| ())
    };
    for bad in [0.0, -1.0, f64::NAN, 1.0] {
        let params = LargeParams { tolerance: bad, ..ranked() };
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
        let params = LargeParams { variance_tolerance: bad, ..ranked() };
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
    }
    let params = LargeParams { rank: Some(0), ..ranked() };
    assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })));
    // Without noise M is singular, and nobody can tell whether a jitter is needed.
    let quiet = frugal.clone().noise(0.0);
    for gp in [quiet.clone().jitter(Jitter::ladder()), quiet] {
        let e = fit(&gp, &ranked()).unwrap_err();
        assert!(matches!(&e, Error::Parameter { name, .. } if name == "noise"), "{e}");
        assert!(e.to_string().contains("jitter"), "{e}");
    }
    let backwards = Jitter::Ladder { first: 1.0, factor: 10.0, last: 0.1 };
    assert!(matches!(fit(&frugal.clone().jitter(backwards), &ranked()), Err(Error::Parameter { .. })));
    let short = LargeParams { max_iterations: 1, rank: Some(1), ..ranked() };
    assert!(matches!(fit(&frugal, &short), Err(Error::NoConvergence { .. })));
    let stop = LargeParams { progress: Progress::new(|_| ControlFlow::Break(())), ..ranked() };
    assert!(matches!(fit(&frugal, &stop), Err(Error::Cancelled { .. })));
    let e = frugal.fit(&cpu, x.view(), random(29, 1, 1).view());
    assert!(matches!(e, Err(Error::Shape { .. })));
    let gp = free(&model(), &cpu, x.view(), y.view());
    assert!(matches!(gp.predict(random(3, 3, 1).view()), Err(Error::Shape { .. })));
    assert!(matches!(gp.predict(Array2::zeros((0, 2)).view()), Err(Error::Shape { .. })));
    let e = gp.predict_variance(x.view(), Predictive::ObservedWith(f64::NAN));
    assert!(matches!(e, Err(Error::Parameter { .. })));
}
