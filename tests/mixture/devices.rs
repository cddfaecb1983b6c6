//! Origin, units and what crosses the bus: the CPU's mixtures, on every adapter.

use mercer::device::DeviceOptions;
use mercer::models::mixture::{
    BayesianGaussianMixture, BernoulliMixture, CategoricalMixture, Covariance, GaussianMixture,
    LinearRegressionMixture, LogisticRegressionMixture, MixtureStart, SoftKMeans,
};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis};

use crate::support::{eager, random};
use crate::{clouds, flat, same};

/// Clouds whose middle is far away, in other units.
fn moved(by: f64, unit: f64) -> Array2<f64> {
    (clouds(600, 2, 4) + by) * unit
}

#[test]
fn far_from_the_origin_a_gaussian_mixture_is_the_cpus() {
    let model = GaussianMixture::new(3).tolerance(1e-9).max_iterations(500);
    let near = model.fit(&Device::cpu(), moved(0.0, 1.0)).unwrap();
    for by in [0.0, 1e6, 1.7e9] {
        let x = moved(by, 1.0);
        let want = model.fit(&Device::cpu(), &x).unwrap();
        same(&[want.log_likelihood()], &[near.log_likelihood()], 1e-5, "the CPU");
        for device in eager() {
            let got = model.fit(device, &x).unwrap();
            let what = format!("{by} on {device}");
            assert!(got.device().is_gpu() && got.report().converged(), "{what}");
            same(&[got.log_likelihood()], &[want.log_likelihood()], 1e-7, &what);
            same(&(got.means() - by), &(want.means() - by), 1e-4, &what);
            same(&flat(got.covariance()), &flat(want.covariance()), 1e-3, &what);
            assert_eq!(got.predict(&x).unwrap(), want.predict(&x).unwrap(), "{what}");
            same(&[got.score(&x).unwrap()], &[want.score(&x).unwrap()], 1e-5, &what);
        }
    }
}

#[test]
fn unusual_units_stay_in_f64() {
    for unit in [1e-25, 1e25] {
        let x = moved(0.0, unit);
        let model = GaussianMixture::new(3).covariance_floor(1e-9 * unit * unit);
        let want = model.fit(&Device::cpu(), &x).unwrap();
        for device in eager() {
            let got = model.fit(device, &x).unwrap();
            assert!(!got.device().is_gpu());
            assert_eq!(got.params(), want.params());
        }
    }
}

/// An f32 objective stops rising long before the bound does.
#[test]
fn a_bayesian_mixture_goes_on_until_f64_says_stop() {
    for by in [0.0, 1e6] {
        let x = moved(by, 1.0).select(Axis(0), &(0..150).collect::<Vec<_>>());
        let model = BayesianGaussianMixture::new(5).tolerance(1e-8).max_iterations(3000);
        let want = model.fit(&Device::cpu(), &x).unwrap();
        for device in eager() {
            let got = model.fit(device, &x).unwrap();
            assert!(got.device().is_gpu() && got.report().converged());
            let gap = (got.elbo() - want.elbo()).abs();
            assert!(gap < 1e-3 * want.elbo().abs(), "{} on {device}, {} on the CPU", got.elbo(), want.elbo());
            // What is said of the bound is the bound, in f64.
            let steps = &got.report().trace[got.report().trace.len() - 2..];
            assert!(steps[1] >= steps[0] && steps[1] - steps[0] <= 1e-8 * steps[1].abs(), "{steps:?}");
        }
    }
}

#[test]
fn regressions_do_not_see_the_origin() {
    let x = random(300, 1, 1) * 3.0;
    let noise = random(300, 1, 2);
    let y: Vec<bool> = (0..300).map(|i| x[[i, 0]] + noise[[i, 0]] > 0.3).collect();
    let model = LogisticRegressionMixture::new(1).tolerance(1e-12);
    let near = model.fit(&Device::cpu(), &x, &y).unwrap();
    let z = Array1::from_shape_fn(300, |i| 2.0 * x[[i, 0]] + 0.1 * noise[[i, 0]]);
    let lines = LinearRegressionMixture::new(1);
    let line = lines.fit(&Device::cpu(), &x, &z).unwrap();
    for by in [5e4, 1.7e9] {
        let far = &x + by;
        for device in eager().iter().chain([&Device::cpu()]) {
            let got = model.fit(device, &far, &y).unwrap();
            same(got.slopes(), near.slopes(), 1e-4, &format!("votes at {by} on {device}"));
            let p = got.predict_proba(&far).unwrap();
            same(&p, &near.predict_proba(&x).unwrap(), 1e-4, &format!("chances at {by} on {device}"));
            let got = lines.fit(device, &far, &(&z + by)).unwrap();
            same(got.slopes(), line.slopes(), 1e-5, &format!("lines at {by} on {device}"));
            same(got.variances(), line.variances(), 1e-4, &format!("lines at {by} on {device}"));
        }
    }
}

/// One iteration: what goes up is the parameters, what comes down the statistics and one number.
#[test]
fn an_iteration_moves_no_data() {
    let (n, d, k) = (2000, 4, 3);
    // Without clusters EM takes its time.
    let x = random(n, d, 6);
    let weights = vec![1.0; n];
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        // A device of its own: others count for all tests at once.
        let device = &DeviceOptions::new().index(adapter.index).threshold(0.0).open().unwrap();
        let spent = |iterations: usize| {
            let model =
                GaussianMixture::new(k).start(MixtureStart::Random).tolerance(0.0).max_iterations(iterations);
            let before = device.counters();
            model.fit_weighted(device, &x, &weights).unwrap();
            let after = device.counters();
            [
                after.dispatches - before.dispatches,
                after.bytes_up - before.bytes_up,
                after.bytes_down - before.bytes_down,
                after.submissions - before.submissions,
            ]
        };
        let (few, many) = (spent(2), spent(7));
        let [dispatches, up, down, submissions] = std::array::from_fn(|i| (many[i] - few[i]) / 5);
        println!("{device}: an iteration is {dispatches} dispatches, {up} bytes up, {down} bytes down");
        assert!((1..=20).contains(&dispatches), "{dispatches} dispatches on {device}");
        // Means, whitening and offsets, padded; never the n weights, nor the n x d data.
        assert!(up <= 512, "{up} bytes up on {device}");
        assert!(down <= 1024, "{down} bytes down on {device}");
        assert_eq!(submissions, 1, "on {device}");
    }
}

#[test]
fn absurd_counts_are_refused() {
    let (cpu, x) = (Device::cpu(), moved(0.0, 1.0));
    let refused = |e: Option<Error>| assert!(matches!(e, Some(Error::Parameter { .. })), "{e:?}");
    for k in [1 << 40, usize::MAX] {
        refused(SoftKMeans::new(k, 1.0).fit(&cpu, &x).err());
        refused(GaussianMixture::new(k).fit(&cpu, &x).err());
        refused(BayesianGaussianMixture::new(k).fit(&cpu, &x).err());
        refused(BernoulliMixture::new(k).fit(&cpu, x.mapv(|v| f64::from(u8::from(v > 0.0)))).err());
    }
    refused(GaussianMixture::new(2).restarts(usize::MAX).fit(&cpu, &x).err());
    let fit = GaussianMixture::new(2).fit(&cpu, &x).unwrap();
    let bayesian = BayesianGaussianMixture::new(2).fit(&cpu, &x).unwrap();
    let words = CategoricalMixture::new(2).fit(&cpu, x.mapv(f64::abs)).unwrap();
    for count in [1 << 40, usize::MAX] {
        refused(fit.sample(count, 1).err());
        refused(bayesian.sample(count, 1).err());
        refused(words.sample(count, 3, 1).err());
        refused(words.sample(3, count, 1).err());
    }
    refused(fit.covariance().matrix(9, 2).err());
    assert!(matches!(fit.covariance().matrix(0, 3), Err(Error::Shape { .. })));
    refused(Covariance::Spherical(Array1::ones(2)).matrix(1, 1 << 40).err());
}

/// Draws from the predictive density have its density: the share of those that fall below zero is that of its integral.
#[test]
fn a_bayesian_mixture_draws_from_its_predictive_density() {
    let x = clouds(200, 1, 9);
    let fit = BayesianGaussianMixture::new(2).fit(&Device::cpu(), &x).unwrap();
    let drawn = fit.sample(40_000, 3).unwrap();
    assert_eq!(drawn, fit.sample(40_000, 3).unwrap());
    let (low, step, steps) = (-200.0, 0.01, 40_000);
    let grid = Array2::from_shape_fn((steps, 1), |(i, _)| low + step * (i as f64 + 0.5));
    let density = fit.score_samples(&grid).unwrap().mapv(f64::exp);
    for bound in [-0.5, 0.0, 1.0, 2.0, 4.0] {
        let want: f64 = (0..steps).filter(|&i| grid[[i, 0]] < bound).map(|i| density[i] * step).sum();
        let got = drawn.iter().filter(|v| **v < bound).count() as f64 / 40_000.0;
        assert!((got - want).abs() < 0.012, "{got} of the draws below {bound}, {want} of the density");
    }
}
