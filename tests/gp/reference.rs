//! The numbers of the lecture notes' examples.

use mercer::models::gp::{GpRegressor, Predictive};
use mercer::{Device, Kernel};
use ndarray::{Array2, array};

use crate::close;

fn gp4() -> (Array2<f64>, Array2<f64>) {
    (array![[-2.0], [-1.0], [0.5], [2.0]], array![[0.5], [1.0], [-0.3], [-1.0]])
}

/// Four points, a Gaussian kernel of scale one, noise 0.1 (Oxford 9.2).
#[test]
fn four_points() {
    let (x, y) = gp4();
    let fitted =
        GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let at = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
    close(at.mean, [0.513_494_464_9, 0.890_514_653_7, -0.265_065_824_1, -0.918_299_746_3], 1e-9, "mean at x");
    close(
        at.variance,
        [0.086_594_984_48, 0.085_236_391_98, 0.088_726_568_75, 0.089_951_380_01],
        1e-9,
        "variance",
    );
    close(
        fitted.alpha().iter().copied(),
        [-0.134_944_648_7, 1.094_853_463, -0.349_341_758_7, -0.817_002_536_8],
        1e-9,
        "alpha",
    );
    let new = array![[-1.5], [1.0], [4.0]];
    let joint = fitted.predict_joint(new.view(), Predictive::Latent).unwrap();
    close(joint.mean, [0.798_051_103_5, -0.657_156_903_8, -0.111_329_373_6], 1e-9, "mean");
    close(
        joint.covariance.diag().to_vec(),
        [0.083_947_372_74, 0.161_645_357_2, 0.981_784_227_4],
        1e-9,
        "variance",
    );
    close([joint.covariance[[0, 1]]], [0.010_282_763_44], 1e-8, "covariance");
}

/// Two features with their own scales (Oxford 9.3): `τ² exp(-Σ Δ²/η²)`, so that the length scales are η/√2.
#[test]
fn relevance_determination() {
    let x = array![[0.0, 0.0], [1.0, 0.5], [-0.5, 1.0], [0.3, -1.0]];
    let y = array![[0.5], [1.0], [-0.3], [-1.0]];
    let model =
        GpRegressor::new(Kernel::rbf([0.8, 1.5].map(|eta: f64| eta / 2f64.sqrt())).scaled(1.44)).noise(0.1);
    let e = model.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
    close([e.value], [-5.617_258_237], 1e-9, "evidence");
    // From logarithms to (τ, η₁, η₂, σ²); d log scale = 2 d log τ.
    let natural = [2.0 * e.gradient[0] / 1.2, e.gradient[1] / 0.8, e.gradient[2] / 1.5, e.gradient[3] / 0.1];
    close(natural, [-1.080_247_997, 0.094_510_800_98, -0.649_729_310_8, 0.135_344_148_1], 1e-9, "gradient");
    let off =
        GpRegressor::new(Kernel::rbf([0.8, 1e6].map(|eta: f64| eta / 2f64.sqrt())).scaled(1.44)).noise(0.1);
    let e = off.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap();
    close([e.value], [-8.621_097_076], 1e-9, "evidence without the second feature");
}

fn sinc() -> (Array2<f64>, Array2<f64>) {
    let x = Array2::from_shape_fn((11, 1), |(i, _)| 2.0 * i as f64 - 10.0);
    let y = x.mapv(|v| if v == 0.0 { 1.0 } else { v.sin() / v });
    (x, y)
}

/// sin(x)/x at eleven points (Basel 8).
#[test]
fn sinc_predictions_and_evidence() {
    let (x, y) = sinc();
    let with = |l: f64, noise: f64| GpRegressor::new(Kernel::rbf(l)).noise(noise);
    let fitted = with(2.0, 0.01).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let p =
        fitted.predict_with(array![[-9.0], [0.0], [1.0], [3.0], [5.0]].view(), Predictive::Latent).unwrap();
    close(
        p.mean,
        [0.047_504_516_4, 0.990_707_580_5, 0.834_427_615_8, 0.050_470_457_4, -0.188_832_416_9],
        1e-9,
        "mean",
    );
    close(
        p.variance,
        [0.021_850_000_0, 0.009_544_340_7, 0.013_939_539_3, 0.014_020_570_5, 0.014_325_075_1],
        1e-8,
        "var",
    );
    let gradient = fitted.log_evidence_gradient().unwrap();
    close([gradient[0] / 2.0, gradient[1] / 0.01], [4.511_484_090_4, -20.020_850_944_7], 1e-10, "gradient");
    let evidence =
        |l: f64, noise: f64| with(l, noise).log_evidence(&Device::cpu(), x.view(), y.view()).unwrap().value;
    let got = [-0.5, 0.0, 0.5, 1.0].map(|e| evidence(10f64.powf(e), 0.01));
    close(got, [-10.918_421_80, -10.748_193_79, -4.109_541_07, -38.163_112_46], 1e-9, "by length scale");
    // G-07: the parts, what fits the data and what is simple.
    let parts = |e: f64| {
        let fitted = with(10f64.powf(e), 0.01).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        fitted.evidence_parts().unwrap()
    };
    close([parts(-0.5).0, parts(-0.5).1], [-0.755_371_12, -0.054_726_82], 1e-8, "fit and complexity");
    close([parts(1.0).0], [-44.550_413_02], 1e-9, "too smooth to fit");
    let got = [1e-4, 0.01, 0.1, 1.0].map(|v| evidence(0.5, v));
    close(got, [-10.871_477_15, -10.918_181_36, -11.325_895_16, -14.302_034_44], 1e-9, "by noise");
    let best = (-10..=15).max_by(|a, b| {
        let at = |e: &i32| evidence(10f64.powf(f64::from(*e) / 10.0), 0.01);
        at(a).total_cmp(&at(b))
    });
    assert_eq!(best, Some(5));
}

/// Bayesian linear regression on (1, x, x²) with prior precision 2 is a process with k = φᵀφ'/2 (Imperial).
#[test]
fn bayesian_linear_regression_is_a_process() {
    let x = array![[-1.0], [0.0], [0.5], [2.0]];
    let y = array![[1.0], [0.2], [0.0], [3.0]];
    let features = |x: &[f64]| vec![1.0, x[0], x[0] * x[0]];
    let kernel = Kernel::linear().scaled(0.5).map("quadratic", 3, features);
    let fitted = GpRegressor::new(kernel).noise(0.25).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let p = fitted.predict_with(array![[1.0], [3.0]].view(), Predictive::Latent).unwrap();
    close(p.mean, [0.758_809_762_6, 6.557_806_754], 1e-9, "mean");
    close(p.variance, [0.107_099_075, 1.491_251_532], 1e-9, "variance");
    close([fitted.log_evidence()], [-5.150_319_976], 1e-9, "evidence");
}
