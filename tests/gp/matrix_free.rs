//! Processes without a stored matrix, against the stored one.

use std::ops::ControlFlow;

use mercer::learn::plan::Method;
use mercer::linalg::{Jitter, LogDetParams};
use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::gp::{FittedGp, GpRegressor, MatrixFreeParams, Mean, Predictive, SliceParams};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array2, ArrayView2};

use crate::support::random;
use crate::{close, data, everywhere};

pub fn ranked() -> MatrixFreeParams {
    MatrixFreeParams::new().rank(30)
}

fn model() -> GpRegressor {
    GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05)
}

/// The same without a stored matrix.
pub fn frugal(gp: &GpRegressor) -> GpRegressor {
    gp.clone().memory_budget(1).matrix_free(ranked())
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
        let at = want.predict_with(new.view(), Predictive::Observed).unwrap();
        for device in everywhere() {
            let got = free(&gp, &device, x.view(), y.view());
            let what = format!("{mean:?} on {device}");
            let found = got.predict_with(new.view(), Predictive::Observed).unwrap();
            close(found.mean.iter().copied(), at.mean.iter().copied(), 1e-6, &what);
            close(got.coefficients().iter().copied(), want.coefficients().iter().copied(), 1e-6, &what);
            let both = found.variance.iter().zip(&at.variance).zip(found.excess.as_ref().unwrap());
            for ((got, want), excess) in both {
                let over = got - want;
                assert!(over >= -1e-9 && over <= excess + 1e-9, "{what}: {over:e} over, bound {excess:e}");
                assert!(*excess < 1e-4 * want, "{what}: a bound of {excess:e} for {want}");
            }
            let off = (got.log_evidence() - want.log_evidence()) / got.report().standard_error;
            println!("{what}: {off:.2} standard errors of {:.3}", got.report().standard_error);
            assert!(off.abs() < 4.0, "{what}: {off}");
            let log_det = got.report().log_det.as_ref().unwrap();
            assert!(log_det.standard_error < 0.03 * log_det.value.abs(), "{what}");
            let (info, certificate) =
                (got.report().conjugate_gradients.as_ref().unwrap(), got.report().certificate);
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
    let exact = gp.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
    let at = |device: &Device, rank: usize, seed: u64| {
        let log_det = LogDetParams::new().seed(seed);
        let params = MatrixFreeParams::new().rank(rank).log_det(log_det);
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
    let search = Minimiser::new().max_iterations(15).tolerance(1e-3);
    let gp = GpRegressor::new(1.0 * Kernel::rbf(0.5)).noise(0.2).optimise(search);
    let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let got = free(&gp, &Device::cpu(), x.view(), y.view());
    let back = GpRegressor::new(got.kernel().clone()).noise(got.noise().clone());
    let reached = back.fit(&Device::cpu(), x.view(), y.view()).unwrap().log_evidence();
    println!("{reached} for {}", want.log_evidence());
    assert!(reached > want.log_evidence() - 1.0, "{reached}");
    assert!(got.report().search.as_ref().is_some());
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
    assert!(is_dense(&fitted) && fitted.report().standard_error == 0.0);
    assert!(fitted.report().conjugate_gradients.is_none() && fitted.report().log_det.is_none());
    assert_eq!(fitted.plan(), &gp.plan(&cpu, 60, 2, 1));
    let bounded = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
    assert_eq!(bounded, fitted.predict_with(x.view(), Predictive::Latent).unwrap());
    assert!(bounded.excess.is_none());
    let fitted = free(&gp, &cpu, x.view(), y.view());
    assert_eq!(fitted.plan(), &frugal(&gp).plan(&cpu, 60, 2, 1));
    assert_eq!((fitted.x(), fitted.y()), (x.view(), y.view()));
    assert!(fitted.report().standard_error > 0.0 && fitted.report().search.as_ref().is_none());
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
        fitted.log_evidence_gradient().map(|_| ()),
        fitted.predict_joint(x, Predictive::Latent).map(|_| ()),
        fitted.sample(x, Predictive::Latent, 2, 0).map(|_| ()),
        fitted.append(random(1, 2, 78).view(), random(1, 1, 79).view()),
    ];
    for e in refused.map(Result::unwrap_err) {
        let named =
            matches!(e, Error::OverBudget { need, budget, .. } if need == bytes && budget == bytes - 1);
        assert!(named && e.to_string().contains("raise `memory_budget`"), "{e}");
    }
    // A gradient takes a matrix more than a fit, a point more a row.
    let e = enough.log_evidence(&cpu, x, y).unwrap_err();
    let more = matches!(e, Error::OverBudget { need, .. } if need > bytes);
    assert!(more && e.to_string().contains("stochastic_evidence"), "{e}");
    let mut fitted = enough.fit(&cpu, x, y).unwrap();
    let e = fitted.append(random(1, 2, 78).view(), random(1, 1, 79).view());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
    let e = short.sample_hyperparameters(&cpu, x, y, &SliceParams::default());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
    // Nothing is allocated for what cannot be: 3.2 TB here.
    let (x, y) = (Array2::from_shape_fn((200_000, 1), |(i, _)| i as f64), Array2::<f64>::zeros((200_000, 1)));
    assert!(matches!(
        GpRegressor::new(Kernel::rbf(1.0)).log_evidence(&cpu, x.view(), y.view()),
        Err(Error::OverBudget { .. })
    ));
}

/// What proposes points takes the factor too.
#[test]
fn bayesian_optimisation_needs_no_factor() {
    let mut search =
        BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap().model(frugal(&model_of_one()));
    for x in [0.1, 0.4, 0.7, 0.9] {
        search.tell(&[x], (5.0 * x).sin()).unwrap();
    }
    let next = search.ask().unwrap(); // without a factor too
    assert!((0.0..=1.0).contains(&next[0]), "{next:?}");
    assert!(search.recommend().unwrap().deviation > 0.0);
}

fn model_of_one() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(0.3)).noise(0.01)
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let (x, y) = data(30, 2, 76);
    let frugal = frugal(&model());
    let fit = |gp: &GpRegressor, params: &MatrixFreeParams| {
        gp.clone().matrix_free(params.clone()).fit(&cpu, x.view(), y.view()).map(|_| ())
    };
    for bad in [0.0, -1.0, f64::NAN, 1.0] {
        let params = ranked().tolerance(bad);
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
        let params = ranked().variance_tolerance(bad);
        assert!(matches!(fit(&frugal, &params), Err(Error::Parameter { .. })), "{bad}");
    }
    let params = ranked().rank(0);
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
    let short = ranked().max_iterations(1).rank(1);
    assert!(matches!(fit(&frugal, &short), Err(Error::NoConvergence { .. })));
    let stop = ranked().progress(Progress::new(|_| ControlFlow::Break(())));
    assert!(matches!(fit(&frugal, &stop), Err(Error::Cancelled { .. })));
    let e = frugal.fit(&cpu, x.view(), random(29, 1, 1).view());
    assert!(matches!(e, Err(Error::Shape { .. })));
    let gp = free(&model(), &cpu, x.view(), y.view());
    assert!(matches!(gp.predict(random(3, 3, 1).view()), Err(Error::Shape { .. })));
    assert!(matches!(gp.predict(Array2::<f64>::zeros((0, 2)).view()), Err(Error::Shape { .. })));
    let e = gp.predict_with(x.view(), Predictive::ObservedWith(f64::NAN));
    assert!(matches!(e, Err(Error::Parameter { .. })));
}
