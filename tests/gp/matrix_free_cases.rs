//! Everything a model may be told, without a stored matrix and with it.

use mercer::linalg::LogDetParams;
use mercer::models::gp::{GpRegressor, MatrixFreeParams, Mean, Predictive, Prior};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, concatenate};

use crate::matrix_free::frugal;
use crate::support::random;
use crate::{close, data, everywhere};

fn model() -> GpRegressor {
    GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05)
}

/// Two targets, so unlike that one cannot pass for the other.
fn two(n: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let (x, y) = data(n, 2, seed);
    let other = x.map_axis(Axis(1), |r| 3.0 * (0.9 * r[1]).cos() - r[0]).insert_axis(Axis(1));
    (x, concatenate(Axis(1), &[y.view(), other.view()]).unwrap())
}

/// A noise for each point, from 0.02 to 0.2.
fn noises(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.02 * (1.0 + (i % 10) as f64)).collect()
}

#[test]
fn several_targets_and_a_noise_for_each_point() {
    let (x, y) = two(120, 171);
    let new = random(15, 2, 172) * 3.5;
    for gp in [model(), model().noise(noises(120)), model().noise(noises(120)).mean(Mean::Linear)] {
        let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let at = want.predict_with(new.view(), Predictive::Latent).unwrap();
        for device in everywhere() {
            let got = frugal(&gp).fit(&device, x.view(), y.view()).unwrap();
            let what = format!("{:?} on {device}", gp.mean_function());
            let found = got.predict_with(new.view(), Predictive::Latent).unwrap();
            for q in 0..2 {
                close(found.mean.column(q).to_vec(), at.mean.column(q).to_vec(), 1e-6, &what);
                close(got.alpha().column(q).to_vec(), want.alpha().column(q).to_vec(), 1e-5, &what);
            }
            close(found.std(), at.std(), 1e-4, &what);
            let off = got.log_evidence() - want.log_evidence();
            assert!(off.abs() < 4.0 * got.report().standard_error, "{what}: off by {off}");
        }
    }
}

/// Under a preconditioner of full rank nothing is left to chance: every derivative is the exact one.
#[test]
fn gradients_of_every_kind_of_model() {
    let (x, y) = two(70, 173);
    let fixed = model().noise(noises(70));
    for gp in
        [model().mean(Mean::Linear), model().mean(Mean::Constant), fixed.clone(), fixed.mean(Mean::Linear)]
    {
        let want = gp.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
        let params = MatrixFreeParams::new().rank(70);
        for device in everywhere() {
            let got = gp.stochastic_evidence(&device, x.view(), y.view(), &params).unwrap();
            // The probes of a device in f32 are not quite those of M = C.
            let tolerance = if device.is_gpu() { 1e-3 } else { 1e-5 };
            close(got.gradient, want.gradient.iter().copied(), tolerance, &format!("{device}"));
            close([got.value], [want.value], tolerance, &format!("{device}"));
        }
    }
}

/// A prior that is sharp enough decides, with a stored matrix and without.
#[test]
fn priors_count() {
    let (x, y) = data(80, 2, 174);
    let search = Minimiser::new().max_iterations(40).tolerance(1e-4);
    let gp = GpRegressor::new(1.0 * Kernel::rbf(0.5)).noise(0.2).optimise(search);
    let length = |gp: &GpRegressor| gp.kernel().params()[1].value;
    let exact = MatrixFreeParams::new().rank(80);
    let learned = |gp: &GpRegressor| {
        let free = gp.clone().memory_budget(1).matrix_free(exact.clone());
        let [stored, free] =
            [gp, &free].map(|gp| gp.fit(&Device::cpu(), x.view(), y.view()).unwrap().model().clone());
        assert!(
            (length(&stored) / length(&free) - 1.0).abs() < 2e-2,
            "{} {}",
            stored.kernel(),
            free.kernel()
        );
        length(&free)
    };
    let flat = learned(&gp);
    let sharp = Prior::LogNormal { mean: (3.0 * flat).ln(), deviation: 0.02 };
    let moved = learned(&gp.prior("rbf.lengthscale", sharp));
    assert!((moved / flat - 3.0).abs() < 0.2, "{flat} became {moved}");
}

/// The spread of the estimated gradient under a linear trend is about the exact one.
#[test]
fn the_gradient_of_a_trend_is_unbiased() {
    let (x, y) = data(80, 2, 175);
    let gp = model().mean(Mean::Linear);
    let exact = gp.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
    let at = |seed: u64| {
        let log_det = LogDetParams::new().seed(seed);
        let params = MatrixFreeParams::new().rank(15).log_det(log_det);
        gp.stochastic_evidence(&Device::cpu(), x.view(), y.view(), &params).unwrap().gradient
    };
    let (count, all) = (16.0, (0..16).map(at).collect::<Vec<_>>());
    for (i, want) in exact.gradient.iter().enumerate() {
        let mean = all.iter().map(|g| g[i]).sum::<f64>() / count;
        let spread = all.iter().map(|g| (g[i] - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let score = (mean - want) / (spread / count).sqrt();
        assert!(score.abs() < 4.0, "theta[{i}]: {mean} for {want}, {score} standard errors");
    }
}

/// `|r|² / noise` may be many times the variance: what a relative residual of 1e-5 leaves of it is not enough.
#[test]
fn variances_under_little_noise() {
    let x = random(300, 2, 191) * 3.0;
    let y = x.map_axis(Axis(1), |r| (1.3 * r[0]).sin() + 0.2 * r[1]).insert_axis(Axis(1));
    let new = random(20, 2, 192) * 3.0;
    for (noise, rank) in [(1e-5, 30), (1e-6, 100)] {
        let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(noise);
        let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let want = want.predict_with(new.view(), Predictive::Latent).unwrap().variance;
        let free = frugal(&gp).matrix_free(MatrixFreeParams::new().rank(rank));
        let got = free.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let got = got.predict_with(new.view(), Predictive::Latent).unwrap();
        for ((got, want), excess) in got.variance.iter().zip(&want).zip(got.excess.as_ref().unwrap()) {
            assert!((got - want).abs() <= 1e-3 * want, "{got:e}, not {want:e}, under a noise of {noise:e}");
            assert!(*excess <= 1e-3 * want, "a bound of {excess:e} for {want:e}");
        }
    }
}
