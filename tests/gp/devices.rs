//! What only a device in f32 can get wrong.

use mercer::Device;
use mercer::Kernel;
use mercer::linalg::Fallback;
use mercer::models::gp::{FittedGp, GpRegressor, Predictive};
use ndarray::Array2;

use crate::{close, data, matrix_free, oracle, support};

/// Conditions from easy to hopeless for f32: the standard deviation is right at all of them, the mean too.
#[test]
fn standard_deviations_survive_f32() {
    let (x, y) = data(70, 1, 90);
    let new = Array2::from_shape_fn((40, 1), |(i, _)| -4.0 + 0.2 * i as f64);
    for noise in [0.1, 1e-3, 1e-5, 1e-7] {
        for kernel in [Kernel::rbf(1.0), 5.0 * Kernel::matern52(2.0)] {
            let model = GpRegressor::new(kernel.clone()).noise(noise);
            let predict = |device: &Device| {
                let fitted = model.fit(device, x.view(), y.view()).unwrap();
                fitted.predict_with(new.view(), Predictive::Latent).unwrap()
            };
            let want = predict(&Device::cpu());
            for device in support::gpus() {
                let got = predict(device);
                let scale = want.mean.iter().fold(0f64, |m, v| m.max(v.abs()));
                for i in 0..40 {
                    let off = (got.mean[[i, 0]] - want.mean[[i, 0]]).abs() / scale;
                    assert!(off <= 1e-6, "{kernel}, noise {noise}, {device}: mean {i} off by {off:e}");
                    let (g, w) = (got.variance[i].sqrt(), want.variance[i].sqrt());
                    let off = (g - w).abs() / w;
                    assert!(off <= 1e-4, "{kernel}, noise {noise}, {device}: std {i} is {g}, should be {w}");
                }
            }
        }
    }
}

/// Data far from the origin, where f32 cannot tell them apart: the answers are those of the CPU all the same.
fn agrees(device: &Device, name: &str, model: &GpRegressor, [x, y, new]: [&Array2<f64>; 3]) {
    let on = |device: &Device| model.fit(device, x.view(), y.view()).unwrap();
    let (got, want) = (on(device), on(&Device::cpu()));
    let predict = |f: &FittedGp| f.predict_with(new.view(), Predictive::Latent).unwrap();
    let (g, w) = (predict(&got), predict(&want));
    let name = format!("{name} on {device}");
    close(g.mean.iter().copied(), w.mean.iter().copied(), 1e-6, &format!("{name}: mean"));
    for (i, (got, want)) in g.std().iter().zip(&w.std()).enumerate() {
        let off = (got - want).abs() / want;
        assert!(off <= 1e-4, "{name}: std[{i}] is {got}, should be {want} ({off:e})");
    }
    let evidence = [got.log_evidence(), want.log_evidence()];
    close(evidence[..1].to_vec(), evidence[1..].to_vec(), 1e-4, &format!("{name}: evidence"));
    let gradient = |f: &FittedGp| f.log_evidence_gradient().unwrap();
    close(gradient(&got), gradient(&want), 1e-5, &format!("{name}: gradient"));
}

#[test]
fn far_from_the_origin() {
    for device in support::adapters() {
        for case in oracle::cases().iter().filter(|c| c.model.kernel().is_stationary()) {
            let (x, new) = (&case.x + 5e4, &case.new + 5e4);
            agrees(device, &case.name, &case.model, [&x, &case.y, &new]);
            // And it is the device that gives them, wherever it did nearer by.
            let fallback = |x: &Array2<f64>| {
                case.model.fit(device, x.view(), case.y.view()).unwrap().report().certificate.fallback
            };
            assert_eq!(fallback(&x), fallback(&case.x), "{} on {device}", case.name);
        }
    }
}

/// The same without a stored matrix: with the same probes, the same estimates.
#[test]
fn far_from_the_origin_without_a_matrix() {
    let (x, y) = data(90, 2, 93);
    let (x, new) = (x + 5e4, data(12, 2, 94).0 + 5e4);
    let plain = 1.3 * Kernel::matern52([1.1, 1.6]);
    let cases = [(plain.clone(), None), (plain.warp("one", |_| 1.0), Some(Fallback::Inputs))];
    for (kernel, fallback) in cases {
        let gp = matrix_free::frugal(&GpRegressor::new(kernel).noise(0.05));
        let fit = |device: &Device| gp.fit(device, x.view(), y.view()).unwrap();
        let slope = |device: &Device| {
            gp.stochastic_evidence(device, x.view(), y.view(), &matrix_free::ranked()).unwrap().gradient
        };
        let (want, wanted_slope) = (fit(&Device::cpu()), slope(&Device::cpu()));
        let at = |f: &FittedGp| f.predict_with(new.view(), Predictive::Latent).unwrap();
        for device in support::adapters() {
            let (got, name) = (fit(device), format!("{} on {device}", gp.kernel()));
            assert_eq!(got.report().certificate.fallback, fallback, "{name}");
            close(at(&got).mean, at(&want).mean, 1e-6, &name);
            close(at(&got).std(), at(&want).std(), 1e-4, &name);
            close([got.log_evidence()], [want.log_evidence()], 1e-4, &name);
            close(slope(device), wanted_slope.iter().copied(), 2e-3, &name);
        }
    }
}

/// Where nothing can be subtracted: a kernel that is not known to be stationary, and data that are spread widely.
#[test]
fn inputs_that_f32_rounds() {
    let (x, y) = data(60, 2, 91);
    let (new, _) = data(20, 2, 92);
    let warped = GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6]).warp("one", |_| 1.0)).noise(0.05);
    let plain = GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05);
    // Two clouds.
    let apart = |x: &Array2<f64>| {
        Array2::from_shape_fn(x.dim(), |(i, j)| if i % 2 == 0 { x[[i, j]] } else { x[[i, j]] + 2e5 })
    };
    for device in support::adapters() {
        for shift in [0.0, 300.0, 5e4] {
            agrees(device, &format!("{shift}, warped"), &warped, [&(&x + shift), &y, &(&new + shift)]);
        }
        agrees(device, "two clouds", &plain, [&apart(&x), &y, &apart(&new)]);
        // The data are near, the new points are not: a kernel of the circle.
        let round = Kernel::rbf(0.7).map("circle", 2, |x| vec![x[0].cos(), x[0].sin()]);
        let turn = (5e4 / std::f64::consts::TAU).round() * std::f64::consts::TAU;
        let model = GpRegressor::new(round).noise(0.01);
        let column = |a: &Array2<f64>| a.slice(ndarray::s![.., ..1]).to_owned();
        agrees(device, "circle", &model, [&column(&x), &y, &(column(&new) + turn)]);
    }
}
