//! Derivatives of predictions by the inputs.

use mercer::models::gp::{FittedGp, GpRegressor, Mean, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, ArrayView2, Axis, array, concatenate};

use crate::matrix_free::frugal;
use crate::support::random;
use crate::{close, data, everywhere};

/// Of means, a matrix for each output, and of variances, by central differences.
fn differences(gp: &FittedGp, x: ArrayView2<f64>, step: f64) -> (Vec<Array2<f64>>, Array2<f64>) {
    let q = gp.y().ncols();
    let (mut mean, mut variance) = (vec![Array2::zeros(x.raw_dim()); q], Array2::zeros(x.raw_dim()));
    for f in 0..x.ncols() {
        let [up, down] = [step, -step].map(|by| {
            let mut moved = x.to_owned();
            moved.column_mut(f).mapv_inplace(|v| v + by);
            gp.predict_with(moved.view(), Predictive::Latent).unwrap()
        });
        for (c, mean) in mean.iter_mut().enumerate() {
            let slope = (&up.mean.column(c) - &down.mean.column(c)) / (2.0 * step);
            mean.column_mut(f).assign(&slope);
        }
        variance.column_mut(f).assign(&((&up.variance - &down.variance) / (2.0 * step)));
    }
    (mean, variance)
}

#[track_caller]
fn agrees(gp: &FittedGp, x: ArrayView2<f64>, tolerance: f64, what: &str) {
    let got = gp.predict_gradient(x).unwrap();
    let (mean, variance) = differences(gp, x, 1e-4);
    for (got, want) in got.mean.outer_iter().zip(mean) {
        close(got.iter().copied(), want, tolerance, &format!("{what}, mean"));
    }
    close(got.variance, variance, tolerance, &format!("{what}, variance"));
}

/// Two outputs, every kind of mean, kernels that vary over the space, more inputs than one block.
#[test]
fn derivatives_are_those_of_differences() {
    let (x, y) = data(40, 2, 311);
    let y =
        concatenate(Axis(1), &[y.view(), x.map_axis(Axis(1), |r| r[0] * r[1]).insert_axis(Axis(1)).view()])
            .unwrap();
    let new = random(70, 2, 312) * 3.0;
    let kernels = [
        1.3 * Kernel::rbf([0.9, 1.7]),
        Kernel::matern52(1.2) + 0.3 * Kernel::linear() + Kernel::white(0.1),
        Kernel::rbf(1.5) * Kernel::periodic(1.0, 2.0),
    ];
    for kernel in kernels {
        for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
            let gp = GpRegressor::new(kernel.clone()).noise(0.05).mean(mean);
            let fitted = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
            agrees(&fitted, new.view(), 1e-6, &format!("{kernel}, {mean:?}"));
            // At the data the variance of a smooth process has its least value nearby, and the kernel its largest.
            agrees(&fitted, x.view(), 1e-6, &format!("{kernel}, {mean:?}, at the data"));
        }
    }
}

/// At a lone point everything is at its top or bottom: no slope but that of the mean.
#[test]
fn nothing_moves_at_a_lone_point() {
    let (x, y) = (array![[0.7, -0.2]], array![[2.0]]);
    for kernel in [Kernel::rbf(1.0), Kernel::matern12(1.0)] {
        let fitted = GpRegressor::new(kernel).noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let by = fitted.predict_gradient(x.view()).unwrap();
        assert!(by.mean.iter().chain(&by.variance).all(|v| v.abs() < 1e-14), "{by:?}");
        assert_eq!((by.mean.dim(), by.variance.dim()), ((1, 1, 2), (1, 2)));
    }
}

/// With a factor in f32 and with none at all.
#[test]
fn everywhere_the_same() {
    let (x, y) = data(60, 2, 313);
    let new = random(10, 2, 314) * 3.0;
    let gp = GpRegressor::new(1.3 * Kernel::matern52([1.1, 1.6])).noise(0.05).mean(Mean::Linear);
    let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict_gradient(new.view()).unwrap();
    for device in everywhere() {
        for gp in [&gp, &frugal(&gp)] {
            let got = gp.fit(&device, x.view(), y.view()).unwrap().predict_gradient(new.view()).unwrap();
            close(got.mean, want.mean.iter().copied(), 1e-6, &format!("mean on {device}"));
            close(got.variance, want.variance.iter().copied(), 1e-6, &format!("variance on {device}"));
        }
    }
}

#[test]
fn bad_input() {
    let (x, y) = data(10, 2, 315);
    let fitted = GpRegressor::new(Kernel::rbf(1.0)).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let of = |x: Array2<f64>| fitted.predict_gradient(x.view()).unwrap_err();
    assert!(matches!(of(Array2::zeros((3, 1))), Error::Shape { .. }));
    assert!(matches!(of(Array2::zeros((0, 2))), Error::Shape { .. }));
    assert!(matches!(of(array![[0.0, f64::NAN]]), Error::NotFinite { .. }));
}
