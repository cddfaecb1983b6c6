use std::ops::ControlFlow;

use mercer::models::gp::{FittedHyperPosterior, GpRegressor, Predictive, Prior, SliceParams};
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array2, array};

use crate::{close, data};

fn gp4() -> (Array2<f64>, Array2<f64>) {
    (array![[-2.0], [-1.0], [0.5], [2.0]], array![[0.5], [1.0], [-0.3], [-1.0]])
}

fn sampled(model: &GpRegressor, params: &SliceParams) -> FittedHyperPosterior {
    let (x, y) = gp4();
    model.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), params).unwrap()
}

fn log_normal_length() -> GpRegressor {
    let prior = Prior::LogNormal { mean: 0.0, deviation: 1.0 };
    GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fixed_noise().prior("rbf.lengthscale", prior)
}

/// Averaged over the length scale, log-normal before the data, at x = 1 (Oxford 9.3 by quadrature): mean -0.4516 and
/// variance 0.3630; the best single length scale says 0.081.
#[test]
fn the_average_is_that_of_quadrature() {
    let params = SliceParams::new().samples(4000).burn_in(50).thin(1);
    let posterior = sampled(&log_normal_length(), &params);
    let p = posterior.predict_with(array![[1.0]].view(), Predictive::Latent).unwrap();
    // Five standard errors of some 2000 independent samples.
    assert!((p.mean[[0, 0]] + 0.451_598_738_5).abs() < 0.05, "{p:?}");
    assert!((p.variance[[0, 0]] - 0.362_955_167_2).abs() < 0.04, "{p:?}");
}

/// The samples themselves follow the posterior of a grid.
#[test]
fn the_samples_follow_the_posterior() {
    let (x, y) = gp4();
    let model = log_normal_length();
    let (n, low, high) = (400, -6.0, 6.0);
    let grid: Vec<f64> = (0..n).map(|i| low + (high - low) * (f64::from(i) + 0.5) / f64::from(n)).collect();
    let density: Vec<f64> = grid
        .iter()
        .map(|t| {
            let own = model.with_theta(&[*t]).unwrap();
            let e = own.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
            (e.value - 0.5 * t * t).exp()
        })
        .collect();
    let mass: f64 = density.iter().sum();
    // The evidence of the whole model, by the same sum.
    let evidence = (mass * (high - low) / f64::from(n) / std::f64::consts::TAU.sqrt()).ln();
    close([evidence], [-4.752_882_755], 1e-6, "log evidence");
    let want: f64 = grid.iter().zip(&density).map(|(t, d)| t * d).sum::<f64>() / mass;
    let spread = (grid.iter().zip(&density).map(|(t, d)| (t - want).powi(2) * d).sum::<f64>() / mass).sqrt();
    let params = SliceParams::new().samples(4000).burn_in(50).thin(1).seed(9);
    let thetas: Vec<f64> = sampled(&model, &params).thetas().iter().map(|t| t[0]).collect();
    let count = thetas.len() as f64;
    let mean = thetas.iter().sum::<f64>() / count;
    let deviation = (thetas.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / count).sqrt();
    assert!((mean - want).abs() < 0.1 * spread, "{mean}, should be {want}");
    assert!((deviation / spread - 1.0).abs() < 0.1, "{deviation}, should be {spread}");
}

/// Length scale, amplitude and noise together, each with its prior, against a sum over a grid of all three: mean and
/// covariance of the samples, and what is predicted from them, within four Monte-Carlo errors.
#[test]
fn three_hyperparameters_follow_their_joint_posterior() {
    let (x, y) = data(12, 1, 71);
    let new = array![[0.4], [4.0]];
    let kernel = Kernel::rbf(1.0).scaled(1.0);
    // (mean, deviation) of the logarithm of each.
    let priors = [("scale", 0.0, 0.7), ("rbf.lengthscale", 0.0, 0.5), ("noise", -2.5, 0.8)];
    let model = priors.iter().fold(GpRegressor::new(kernel).noise(0.1), |model, (name, mean, deviation)| {
        model.prior(name, Prior::LogNormal { mean: *mean, deviation: *deviation })
    });
    let (x, y, cpu) = (x.view(), y.view(), Device::cpu());

    // The midpoint rule over five deviations of each prior on both sides: for smooth densities better than any power.
    let side = 24;
    let node = |axis: usize, i: usize| {
        let (_, mean, deviation) = priors[axis];
        mean + deviation * 5.0 * (2.0 * (i as f64 + 0.5) / side as f64 - 1.0)
    };
    let (mut nodes, mut logs) = (Vec::new(), Vec::new());
    for at in 0..side * side * side {
        let theta = [node(0, at / side / side), node(1, at / side % side), node(2, at % side)];
        let prior: f64 = theta.iter().zip(priors).map(|(t, (_, m, d))| -0.5 * ((t - m) / d).powi(2)).sum();
        // The likelihood by its definition: nothing of the sampler's own.
        let own = model.with_theta(&theta).unwrap().fit(&cpu, x, y).unwrap();
        logs.push(prior + own.log_evidence());
        nodes.push(theta);
    }
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mass: Vec<f64> = logs.iter().map(|l| (l - top).exp()).collect();
    let total: f64 = mass.iter().sum();
    let expect = |f: &dyn Fn(&[f64; 3]) -> f64| {
        nodes.iter().zip(&mass).filter(|(_, m)| **m > 1e-12).map(|(t, m)| m * f(t)).sum::<f64>() / total
    };
    let centre: [f64; 3] = std::array::from_fn(|i| expect(&|t| t[i]));

    let params = SliceParams::new().samples(6000).burn_in(100).thin(1).seed(5);
    let posterior = model.sample_hyperparameters(&cpu, x, y, &params).unwrap();
    assert_eq!(posterior.names(), priors.map(|(name, ..)| name));
    let thetas = posterior.thetas();
    let within = |what: &str, want: f64, f: &dyn Fn(&[f64]) -> f64| {
        let (got, error) = chain_mean(&thetas.iter().map(|t| f(t)).collect::<Vec<_>>());
        println!(
            "{what}: {got:.4}, {want:.4} by quadrature, {:.2} errors of {error:.4}",
            (got - want) / error
        );
        assert!((got - want).abs() < 4.0 * error, "{what}: {got}, should be {want}, error {error}");
    };
    for i in 0..3 {
        within(&format!("mean of {}", priors[i].0), centre[i], &|t| t[i]);
        for j in 0..=i {
            let product = |t: &[f64]| (t[i] - centre[i]) * (t[j] - centre[j]);
            let want = expect(&|t| product(t));
            within(&format!("covariance of {} and {}", priors[i].0, priors[j].0), want, &product);
        }
    }

    let at = |theta: &[f64]| {
        let fitted = model.with_theta(theta).unwrap().fit(&cpu, x, y).unwrap();
        fitted.predict_with(new.view(), Predictive::Latent).unwrap()
    };
    let averaged = posterior.predict_with(new.view(), Predictive::Latent).unwrap();
    for i in 0..2 {
        let mean = expect(&|t| at(t).mean[[i, 0]]);
        let square = expect(&|t| {
            let p = at(t);
            p.variance[i] + (p.mean[[i, 0]] - mean).powi(2)
        });
        let each: Vec<_> = thetas.iter().map(|t| at(t)).collect();
        let (_, error) = chain_mean(&each.iter().map(|p| p.mean[[i, 0]]).collect::<Vec<_>>());
        assert!((averaged.mean[[i, 0]] - mean).abs() < 4.0 * error, "{averaged:?}, mean {mean} ({error})");
        let parts = each.iter().map(|p| p.variance[i] + (p.mean[[i, 0]] - mean).powi(2));
        let (_, error) = chain_mean(&parts.collect::<Vec<_>>());
        let off = averaged.variance[[i, 0]] - square;
        assert!(off.abs() < 4.0 * error, "{averaged:?}, variance {square} ({error})");
    }
}

/// The mean of a chain and its error, from the means of 40 stretches: long beside what a chain remembers.
fn chain_mean(values: &[f64]) -> (f64, f64) {
    let parts: Vec<f64> =
        values.chunks(values.len() / 40).map(|c| c.iter().sum::<f64>() / c.len() as f64).collect();
    let (count, mean) = (parts.len() as f64, parts.iter().sum::<f64>() / parts.len() as f64);
    let spread = parts.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (spread / count).sqrt())
}

/// Of one point the length scale is not known any better than before: uniform on the scale of the optimiser, over bounds
/// that are much wider than one step of the sampler.
#[test]
fn a_flat_posterior_stays_flat() {
    let (low, high) = (-8f64, 8f64);
    let kernel = Kernel::rbf(1.0).bounded("rbf.lengthscale", low.exp(), high.exp()).unwrap();
    let model = GpRegressor::new(kernel).noise(0.1).fixed_noise();
    let params = SliceParams::new().samples(6000).burn_in(50).thin(1).seed(3);
    let (x, y) = (array![[0.5]], array![[1.0]]);
    let posterior = model.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &params).unwrap();
    let mut all: Vec<f64> = posterior.thetas().iter().map(|t| t[0]).collect();
    assert!(all.iter().all(|t| (low..=high).contains(t)));
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.sort_by(f64::total_cmp);
    let quartiles = [1, 2, 3].map(|k| all[k * all.len() / 4]);
    // Four standard errors of some 600 independent draws.
    assert!(mean.abs() < 0.75, "mean {mean}, quartiles {quartiles:?}");
    for (got, want) in quartiles.iter().zip([-4.0, 0.0, 4.0]) {
        assert!((got - want).abs() < 1.3, "mean {mean}, quartiles {quartiles:?}");
    }
}

/// A prior that leaves no doubt gives the plain process; any other gives no less variance than its parts.
#[test]
fn a_point_prior_is_a_plain_process() {
    let (x, y) = gp4();
    let new = array![[1.0], [-1.5], [4.0]];
    let sure = Prior::LogNormal { mean: 0.0, deviation: 1e-7 };
    let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fixed_noise().prior("rbf.lengthscale", sure);
    let params = SliceParams::new().samples(10).burn_in(2).width(1e-7);
    let p = sampled(&model, &params).predict_with(new.view(), Predictive::Observed).unwrap();
    let plain = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let plain = plain.predict_with(new.view(), Predictive::Observed).unwrap();
    close(p.mean, plain.mean, 1e-5, "mean");
    close(p.variance, plain.variance, 1e-5, "variance");
    let posterior = sampled(&log_normal_length(), &SliceParams::new().samples(30));
    let whole = posterior.predict_with(new.view(), Predictive::Latent).unwrap();
    let each =
        (0..30).map(|s| posterior.at(s).unwrap().predict_with(new.view(), Predictive::Latent).unwrap());
    let within = each.map(|p| p.variance).reduce(|a, b| a + b).unwrap() / 30.0;
    assert!(whole.variance.iter().zip(&within).all(|(w, v)| w >= v));
}

/// Several parameters, the noise among them, within their bounds; the same seed gives the same chain.
#[test]
fn chains() {
    let (x, y) = data(20, 1, 70);
    let kernel = Kernel::rbf(1.0).scaled(1.0).bounded("scale", 0.5, 2.0).unwrap();
    let model = GpRegressor::new(kernel).noise(0.1).prior("noise", Prior::HalfNormal { deviation: 0.3 });
    let params = SliceParams::new().samples(40);
    let run = || model.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &params).unwrap();
    let posterior = run();
    assert_eq!(posterior.names(), ["scale", "rbf.lengthscale", "noise"]);
    assert_eq!((posterior.thetas().len(), posterior.log_posterior().len()), (40, 40));
    assert!(posterior.thetas().iter().all(|t| (0.5f64.ln()..=2f64.ln()).contains(&t[0])));
    assert!(posterior.log_posterior().iter().all(|v| v.is_finite()));
    assert!(posterior.evaluations() > 40 && posterior.failures() < posterior.evaluations());
    assert_eq!(posterior.thetas(), run().thetas());
    assert!(posterior.at(40).is_err());
}

#[test]
fn bad_input() {
    let (x, y) = gp4();
    let run = |m: &GpRegressor, params: SliceParams| {
        m.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &params).unwrap_err()
    };
    let model = log_normal_length();
    let none = SliceParams::new().samples(0);
    assert!(matches!(run(&model, none), Error::Shape { .. }));
    let still = SliceParams::new().thin(0);
    assert!(matches!(run(&model, still), Error::Shape { .. }));
    let narrow = SliceParams::new().width(0.0);
    assert!(matches!(run(&model, narrow), Error::Parameter { .. }));
    let fixed = GpRegressor::new(Kernel::rbf(1.0).fixed("rbf.lengthscale").unwrap()).noise(0.1).fixed_noise();
    assert!(matches!(run(&fixed, SliceParams::default()), Error::Shape { .. }));
    let stop = Progress::new(|_| ControlFlow::Break(()));
    let stopped = SliceParams::new().progress(stop);
    assert!(matches!(run(&model, stopped), Error::Cancelled { iterations: 1, .. }));
}
