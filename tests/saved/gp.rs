//! Gaussian processes.

use mercer::kernel::Custom;
use mercer::learn::plan::Method;
use mercer::linalg::Jitter;
use mercer::models::gp::{FittedGp, GpRegressor, MatrixFreeParams, Mean, Predictive, Prior, SliceParams};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, s};

use crate::support::{gpus, random};
use crate::{damaged, refused, same, through};

fn data(n: usize) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
    let x = random(n, 2, 1);
    let y = Array2::from_shape_fn((n, 2), |(i, j)| (3.0 * x[[i, j]]).sin() + 0.1 * x[[i, 1 - j]] + 5.0);
    (x, y, random(15, 2, 3))
}

/// Everything that a process says, to the last bit.
fn alike(a: &FittedGp, b: &FittedGp, new: &Array2<f64>) {
    same(&a.predict(new.view()).unwrap(), &b.predict(new.view()).unwrap());
    for what in [Predictive::Latent, Predictive::ObservedWith(0.1)] {
        let (a, b) = (a.predict_with(new.view(), what).unwrap(), b.predict_with(new.view(), what).unwrap());
        same(&a.mean, &b.mean);
        same(&a.variance, &b.variance);
    }
    assert_eq!(a.log_evidence().to_bits(), b.log_evidence().to_bits());
    assert_eq!(a.model().theta(), b.model().theta());
    assert_eq!((a.plan(), a.report().search.as_ref()), (b.plan(), b.report().search.as_ref()));
    same(a.coefficients(), b.coefficients());
    if a.method() == Method::Dense {
        let (a, b) = (a.leave_one_out().unwrap(), b.leave_one_out().unwrap());
        same(&a.mean, &b.mean);
        same(&a.log_density, &b.log_density);
    }
}

#[test]
fn a_process_is_the_same() {
    let (x, y, new) = data(70);
    let kernel = 1.5 * Kernel::rbf([0.5, 0.8]) + Kernel::constant(0.3);
    let each: Vec<f64> = (0..70).map(|i| 0.01 + 0.001 * f64::from(i)).collect();
    let models = [
        GpRegressor::new(kernel.clone()).noise(0.05),
        GpRegressor::new(kernel.clone()).noise(0.05).mean(Mean::Linear).optimise(Minimiser::default()),
        GpRegressor::new(kernel.clone()).noise(each).mean(Mean::Constant),
        // Singular but for the jitter.
        GpRegressor::new(Kernel::rbf(30.0)).noise(0.0).jitter(Jitter::ladder()),
        // An uneven diagonal.
        GpRegressor::new(Kernel::polynomial(4, 0.1) * 1e4).noise(1e-3),
    ];
    for model in models {
        let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for back in through(&fitted) {
            alike(&back, &fitted, &new);
            let joint = |gp: &FittedGp| gp.predict_joint(new.view(), Predictive::Latent).unwrap().covariance;
            same(&joint(&back), &joint(&fitted));
            let drawn = |gp: &FittedGp| gp.sample(new.view(), Predictive::Latent, 2, 7).unwrap().values;
            same(&drawn(&back), &drawn(&fitted));
            assert_eq!(back.jitter(), fitted.jitter());
        }
    }
}

#[test]
fn data_in_any_order_of_memory() {
    let (x, y, new) = data(70);
    let (turned, whole) = (x.t().as_standard_layout().into_owned(), random(70, 4, 9));
    let gp = GpRegressor::new(Kernel::matern52(0.7)).noise(0.01).mean(Mean::Linear);
    for x in [turned.t(), whole.slice(s![.., 1..3]), whole.slice(s![.., ..;3])] {
        let fitted = gp.fit(&Device::cpu(), x, y.view()).unwrap();
        for back in through(&fitted) {
            alike(&back, &fitted, &new);
        }
    }
}

#[test]
fn a_process_that_has_grown_is_the_same_and_grows_on() {
    let (x, y, new) = data(70);
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.05).mean(Mean::Constant);
    let part = |from: usize, to: usize| (x.slice(s![from..to, ..]), y.slice(s![from..to, ..]));
    let (a, b) = part(0, 40);
    let mut fitted = gp.fit(&Device::cpu(), a, b).unwrap();
    let (a, b) = part(40, 55);
    fitted.append(a, b).unwrap();
    let loaded = through(&fitted);
    let (a, b) = part(55, 70);
    for back in &loaded {
        alike(back, &fitted, &new);
    }
    fitted.append(a, b).unwrap();
    for mut back in loaded {
        back.append(a, b).unwrap();
        alike(&back, &fitted, &new);
    }
}

#[test]
fn without_the_factor_means_are_the_same() {
    let (x, y, new) = data(70);
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.05).mean(Mean::Linear);
    let fitted = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let text = serde_json::to_string(&fitted.without_factor()).unwrap();
    let bytes = postcard::to_stdvec(&fitted.without_factor()).unwrap();
    assert!(2 * bytes.len() < postcard::to_stdvec(&fitted).unwrap().len());
    for back in [serde_json::from_str(&text).unwrap(), postcard::from_bytes::<FittedGp>(&bytes).unwrap()] {
        // On one machine the factor is made of the same numbers in the same order.
        alike(&back, &fitted, &new);
    }
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    *file.pointer_mut("/model/budget").unwrap() = 1000.into();
    let error = serde_json::from_value::<FittedGp>(file).unwrap_err().to_string();
    assert!(error.contains("budget"), "{error}");
}

#[test]
fn a_process_without_a_matrix_is_the_same() {
    let (x, y, new) = data(300);
    let gp = GpRegressor::new(Kernel::rbf(0.4)).noise(0.05).mean(Mean::Constant).memory_budget(1 << 19);
    for model in [gp.clone(), gp.matrix_free(MatrixFreeParams::new().rank(30))] {
        let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        assert!(matches!(fitted.method(), Method::MatrixFree { .. }));
        assert!(postcard::to_stdvec(&fitted).unwrap().len() < 30_000);
        for back in through(&fitted) {
            alike(&back, &fitted, &new);
            assert_eq!(back.report().conjugate_gradients, fitted.report().conjugate_gradients);
            assert_eq!(back.report().log_det, fitted.report().log_det);
        }
        assert!(refused(&fitted, "/plan/method", "Dense").contains("plan"));
        for at in ["/x/data/100", "/y/data/100", "/alpha/data/100", "/model/kernel/Leaf/scales/0/value"] {
            let error = refused(&fitted, at, 3.0);
            assert!(error.contains("solve"), "{at}: {error}");
        }
        assert!(refused(&fitted, "/model/noise/Same", 0.0).contains("noise"));
    }
}

#[test]
fn what_a_gpu_has_fitted_predicts_without_one() {
    let (x, y, new) = data(70);
    let stored = GpRegressor::new(1.5 * Kernel::rbf(0.5)).noise(0.05).mean(Mean::Linear);
    let uneven = GpRegressor::new(Kernel::polynomial(4, 0.1) * 1e4).noise(1e-1);
    let large = stored.clone().memory_budget(1 << 15);
    for (device, model) in gpus().iter().flat_map(|d| [&stored, &uneven, &large].map(|m| (d, m))) {
        let fitted = model.fit(device, x.view(), y.view()).unwrap();
        let here = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let before = fitted.predict_with(new.view(), Predictive::Latent).unwrap();
        for back in through(&fitted) {
            same(&back.predict(new.view()).unwrap(), &fitted.predict(new.view()).unwrap());
            let (own, exact) = (
                back.predict_with(new.view(), Predictive::Latent).unwrap(),
                here.predict_with(new.view(), Predictive::Latent).unwrap(),
            );
            for i in 0..new.nrows() {
                // As exact as one that was fitted there: the factor is f64.
                let off = (own.variance[i] - exact.variance[i]).abs() / exact.variance[i];
                let most = if model.budget() == large.budget() { 2e-4 } else { 1e-8 };
                assert!(off <= most, "{device}: {i} is off by {off:e}");
            }
            if let Ok(factor) = back.factor() {
                assert!(!factor.factor().device().is_gpu());
            }
        }
        // To be saved changes nothing.
        same(&fitted.predict_with(new.view(), Predictive::Latent).unwrap().variance, &before.variance);
    }
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let (x, y, _) = data(30);
    let prior = Prior::LogNormal { mean: 0.0, deviation: 1.0 };
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.05).mean(Mean::Linear).prior("noise", prior);
    let fitted = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    damaged(&fitted);
    let cases: [(&str, serde_json::Value, &str); 17] = [
        ("/format", 0.into(), "format 0"),
        ("/x/data/3", 0.7.into(), "rows 1 and 0"),
        ("/x/data/3", "nan".into(), "NaN"),
        ("/x/rows", 29.into(), "numbers"),
        ("/y/data/3", 1e3.into(), "solve"),
        ("/alpha/data/3", 1e3.into(), "solve"),
        ("/alpha/data/3", "inf".into(), "alpha"),
        ("/trend/inner/data/0", 1e3.into(), "solve"),
        ("/model/noise/Same", 0.1.into(), "noise"),
        ("/model/noise/Same", (-0.05).into(), "noise"),
        ("/model/kernel/Leaf/scales/0/value", (-1.0).into(), "lengthscale"),
        ("/model/mean", "Zero".into(), "mean"),
        ("/model/priors/0/0", "noises".into(), "noises"),
        ("/factor/l/lower/0", (-1.0).into(), "pivot 0"),
        ("/factor/l/lower/4", 0.5.into(), "row 2"),
        ("/factor/jitter", (-1.0).into(), "jitter"),
        ("/log_evidence", serde_json::Value::Null, "null"),
    ];
    for (at, value, said) in cases {
        let error = refused(&fitted, at, value);
        assert!(error.contains(said), "{at}: {error}");
    }
    // Without a mean the targets do not know where the points are, and a stationary kernel's diagonal does not either.
    let fitted =
        GpRegressor::new(Kernel::rbf(0.5)).noise(0.05).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(refused(&fitted, "/x/data/3", 0.7).contains("rows 1 and 0"));
    assert!(refused(&fitted, "/model/kernel/Leaf/scales/0/value", 0.6).contains("rows 1 and 0"));
}

#[test]
fn closures_are_refused_when_they_are_written() {
    let (x, y, _) = data(10);
    for kernel in [
        Kernel::rbf(1.0).map("polar", 2, <[f64]>::to_vec),
        Kernel::custom(Custom::new("polar", |x, y, _| (x[0] - y[0]).abs().mul_add(-1.0, 1.0).exp())),
    ] {
        let fitted = GpRegressor::new(kernel).noise(10.0).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for error in [
            serde_json::to_string(&fitted).unwrap_err().to_string(),
            serde_json::to_string(fitted.model()).unwrap_err().to_string(),
        ] {
            assert!(error.contains("polar") && error.contains("closure"), "{error}");
        }
        assert!(postcard::to_stdvec(&fitted).is_err());
    }
}

#[test]
fn an_average_over_hyperparameters_is_the_same() {
    let (x, y, new) = data(12);
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.05);
    let params = SliceParams::new().samples(4).burn_in(2);
    let posterior = gp.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &params).unwrap();
    for back in through(&posterior) {
        let [a, b] = [&back, &posterior].map(|p| p.predict_with(new.view(), Predictive::Latent).unwrap());
        same(&a.mean, &b.mean);
        same(&a.variance, &b.variance);
        assert_eq!((back.names(), back.log_posterior()), (posterior.names(), posterior.log_posterior()));
        assert_eq!(back.thetas(), posterior.thetas());
    }
    damaged(&posterior);
    assert!(refused(&posterior, "/thetas/0", vec![0.5]).contains("sample 0"));
    assert!(refused(&posterior, "/thetas/1/0", 1e9).contains("sample 1"));
    assert!(refused(&posterior, "/names/0", "length").contains("length"));
    assert!(refused(&posterior, "/log_posterior", vec![0.5]).contains("log posterior"));
    refused(&posterior, "/y/data/0", "nan");
}

#[test]
fn what_is_to_be_fitted_fits_the_same() {
    let (x, y, new) = data(20);
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.05).optimise(Minimiser::new().restarts(2));
    let fitted = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for back in through(&gp) {
        alike(&back.fit(&Device::cpu(), x.view(), y.view()).unwrap(), &fitted, &new);
    }
}
