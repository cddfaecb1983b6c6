//! Ridge regressions.

use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::models::linear::{BayesianLinearRegression, Ridge, RidgeCv};
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, s};

use crate::support::{adapters, random};
use crate::{damaged, refused, same, through};

fn data() -> (Array2<f64>, Array2<f64>, Array2<f64>) {
    (random(40, 3, 1), random(40, 2, 2), random(30, 3, 3))
}

#[test]
fn a_linear_function_is_the_same() {
    let (x, y, new) = data();
    // Few observations take the dual form, whose coefficients lie in memory another way.
    for rows in [40, 2] {
        let fit =
            Ridge::new(0.3).fit(&Device::cpu(), x.slice(s![..rows, ..]), y.slice(s![..rows, ..])).unwrap();
        for back in through(&fit) {
            same(&back.predict(new.view()).unwrap(), &fit.predict(new.view()).unwrap());
            assert_eq!(back, fit);
        }
    }
    let fit = Ridge::new(0.3).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    damaged(&fit);
    assert!(refused(&fit, "/format", 2).contains("format 2"));
    assert!(refused(&fit, "/penalty", -1.0).contains("penalty"));
    assert!(refused(&fit, "/solved/intercept", vec![0.5]).contains("intercept"));
    assert!(refused(&fit, "/solved/coefficients/rows", 4).contains("4 x 2"));
    assert!(refused(&fit, "/solved/coefficients/rows", u64::MAX).contains("numbers"));
    assert!(refused(&fit, "/solved/coefficients/data/1", "nan").contains("coefficients"));
    refused(&fit, "/solved/coefficients/data/1", serde_json::Value::Null);
}

#[test]
fn a_choice_of_penalties_is_the_same() {
    let (x, y, new) = data();
    let fit = RidgeCv::new(&[0.01, 0.1, 1.0]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for back in through(&fit) {
        assert_eq!(back, fit);
        same(&back.best().predict(new.view()).unwrap(), &fit.best().predict(new.view()).unwrap());
    }
    damaged(&fit);
    assert!(refused(&fit, "/fit/penalty", 0.5).contains("best penalty"));
    assert!(refused(&fit, "/leverages", vec![0.5]).contains("leverages"));
    assert!(refused(&fit, "/effective", vec![0.5]).contains("effective"));
}

#[test]
fn a_score_without_a_value_is_written_in_words() {
    let (x, _, _) = data();
    let fit = RidgeCv::new(&[0.01, 1.0]).fit(&Device::cpu(), x.view(), random(40, 1, 5).view()).unwrap();
    let mut file = serde_json::to_value(&fit).unwrap();
    *file.pointer_mut("/scores/data/0").unwrap() = "inf".into();
    let back: mercer::models::linear::FittedRidgeCv = serde_json::from_value(file.clone()).unwrap();
    assert_eq!(back.scores()[[0, 0]], f64::INFINITY);
    assert_eq!(serde_json::to_value(&back).unwrap(), file);
}

#[test]
fn functions_of_a_kernel_are_the_same() {
    let (x, y, new) = data();
    let kernel = Kernel::rbf([0.7, 1.0, 2.0]) + 0.1 * Kernel::linear();
    for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
        let model = KernelRidge::new(kernel.clone(), 0.1).solver(solver);
        let fit = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for back in through(&fit) {
            same(&back.predict(new.view()).unwrap(), &fit.predict(new.view()).unwrap());
            assert_eq!((back.method(), back.report()), (fit.method(), fit.report()));
        }
        damaged(&fit);
        assert!(refused(&fit, "/penalty", 0.0).contains("penalty"));
        assert!(refused(&fit, "/expansion/points/cols", 2).contains("numbers"));
        assert!(refused(&fit, "/expansion/coefficients/data/3", "-inf").contains("-inf"));
    }
    let fit = Falkon::new(kernel, 0.01, 12).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for back in through(&fit) {
        same(&back.predict(new.view()).unwrap(), &fit.predict(new.view()).unwrap());
        assert_eq!((back.indices(), back.report()), (fit.indices(), fit.report()));
    }
    assert!(refused(&fit, "/jitter", -0.1).contains("jitter"));
    assert!(refused(&fit, "/which", vec![0]).contains("landmarks"));
}

#[test]
fn what_a_gpu_has_fitted_predicts_without_one() {
    let (x, y, new) = data();
    for device in adapters() {
        let ridge = Ridge::new(0.3).fit(device, x.view(), y.view()).unwrap();
        let kernel = KernelRidge::new(Kernel::matern32(1.0), 0.1).fit(device, x.view(), y.view()).unwrap();
        for back in through(&ridge) {
            same(&back.predict(new.view()).unwrap(), &ridge.predict(new.view()).unwrap());
        }
        for back in through(&kernel) {
            same(&back.predict(new.view()).unwrap(), &kernel.predict(new.view()).unwrap());
        }
    }
}

#[test]
fn a_posterior_is_the_same_and_takes_more_data() {
    let (phi, t, more) = (random(30, 6, 4), random(30, 1, 5), random(4, 6, 6));
    let (t, u) = (t.column(0).to_owned(), random(4, 1, 7).column(0).to_owned());
    let model = BayesianLinearRegression::new(2.0, 25.0);
    let full = BayesianLinearRegression::with_prior(t.slice(s![..6]).to_owned(), Array2::eye(6) * 3.0, 4.0);
    // Before any data, with fewer observations than features, and with more.
    for (model, rows) in [(&model, 0), (&model, 3), (&model, 30), (&full, 30)] {
        let mut posterior = model.prior(6).unwrap();
        if rows > 0 {
            posterior.update(phi.slice(s![..rows, ..]), t.slice(s![..rows])).unwrap();
        }
        for mut back in through(&posterior) {
            let mut own = posterior.clone();
            for _ in 0..2 {
                let (a, b) =
                    (back.predict_distribution(&more).unwrap(), own.predict_distribution(&more).unwrap());
                same(a.mean(), b.mean());
                same(&a.variance(), &b.variance());
                same(&back.sample_weights(3, 1).unwrap(), &own.sample_weights(3, 1).unwrap());
                assert_eq!(back.log_evidence().to_bits(), own.log_evidence().to_bits());
                assert_eq!(back.observations(), own.observations());
                back.update(more.view(), u.view()).unwrap();
                own.update(more.view(), u.view()).unwrap();
            }
        }
        damaged(&posterior);
    }
    let weights = model.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
    assert!(refused(&weights, "/beta", 0.0).contains("beta"));
    assert!(refused(&weights, "/features", 5).contains("precision"));
    assert!(refused(&weights, "/state/Weights/l/lower/0", -1.0).contains("pivot"));
    assert!(refused(&weights, "/state/Weights/l/lower/1", 1e3).contains("row 1"));
    assert!(refused(&weights, "/state/Weights/mean/2", 1e3).contains("solve"));
    let functions = model.fit(&Device::cpu(), phi.slice(s![..3, ..]), t.slice(s![..3])).unwrap();
    assert!(refused(&functions, "/observations", 4).contains("observations"));
    assert!(refused(&functions, "/state/Functions/l", serde_json::Value::Null).contains("factor"));
    assert!(refused(&functions, "/state/Functions/phi/data/0", 1e3).contains("row 0"));

    let evidence = model.optimise(true).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
    let [back, _] = through(&evidence);
    same(&back.predict(more.view()).unwrap(), &evidence.predict(more.view()).unwrap());
    assert_eq!((back.alpha(), back.report()), (evidence.alpha(), evidence.report()));
}

#[test]
fn what_is_to_be_fitted_fits_the_same() {
    let (x, y, _) = data();
    let progress = mercer::Progress::new(|_| std::ops::ControlFlow::Break(()));
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::MatrixFree).progress(progress);
    assert!(model.fit(&Device::cpu(), x.view(), y.view()).is_err());
    for back in through(&model) {
        // A callback is not saved.
        let fit = back.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        assert_eq!(fit.points().len_of(Axis(0)), 40);
    }
    let [ridge, _] = through(&Ridge::new(0.5).intercept(false));
    assert_eq!(ridge, Ridge::new(0.5).intercept(false));
}
