//! Inputs far from zero: f32 has seven digits, and a stationary kernel needs those of x - x'.

use mercer::learn::Transform;
use mercer::linalg::SolveReport;
use mercer::models::kernel_methods::features::{Nystrom, RandomFourier};
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::models::linear::Ridge;
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, array};

use crate::support::{adapters, random};
use crate::{close, problem};

/// A multiple of the spacing of f64 there, so that the shifted inputs are the same points.
const FAR: f64 = 49_152.0;

/// Inputs on a grid of 2⁻²⁰, which survives the shift in f64 (and in f32 does not), their targets, and new inputs.
fn data(n: usize, d: usize, seed: u64) -> [Array2<f64>; 3] {
    let (x, y) = problem(n, d, seed);
    let grid = |v: f64| (v * f64::from(1 << 20)).round() / f64::from(1 << 20);
    [x.mapv(grid), y, (random(40, d, seed + 1) * 2.0).mapv(grid)]
}

/// Each feature far in its own way.
fn shift(x: &Array2<f64>) -> Array2<f64> {
    x + &Array1::from_shape_fn(x.ncols(), |j| if j % 2 == 0 { FAR } else { -2.0 * FAR })
}

fn kernels() -> Vec<Kernel> {
    vec![Kernel::rbf(0.9), 1.5 * Kernel::matern52([0.8, 1.5, 1.1]) + Kernel::constant(0.3)]
}

#[test]
fn kernel_ridge() {
    let [x, y, new] = data(560, 3, 121);
    let w = random(560, 1, 122).column(0).mapv(|v| v + 1.2);
    let (far, far_new) = (shift(&x), shift(&new));
    for kernel in kernels() {
        let model = KernelRidge::new(kernel, 0.01);
        let want = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
        let mean = want.predict(new.view()).unwrap();
        for device in adapters() {
            for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
                let what = format!("{model:?} {device} {solver:?}");
                let model = model.clone().solver(solver);
                let got = model.fit_weighted(device, far.view(), y.view(), w.view()).unwrap();
                close(got.predict(far_new.view()).unwrap().view(), mean.view(), 1e-8, &what);
                assert!(got.report().relative_residual() < 1e-9, "{what}");
                // As good in f32 as near zero, see `adapters.rs`.
                let single = got.predict_on(device, far_new.view()).unwrap();
                close(single.view(), mean.view(), 1e-3, &what);
                if let SolveReport::Iterative(info) = got.report() {
                    let near = model.fit_weighted(device, x.view(), y.view(), w.view()).unwrap();
                    let SolveReport::Iterative(near) = near.report() else { panic!("{near:?}") };
                    assert!(
                        info.iterations <= near.iterations + 3,
                        "{what}: {} and {}",
                        info.iterations,
                        near.iterations
                    );
                }
            }
        }
    }
}

#[test]
fn falkon() {
    let [x, y, new] = data(9000, 3, 123);
    let (far, far_new) = (shift(&x), shift(&new));
    let model = Falkon::new(Kernel::matern52(1.0), 0.1, 200).tolerance(1e-9);
    let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict(new.view()).unwrap();
    for device in adapters() {
        let got = model.fit(device, far.view(), y.view()).unwrap();
        close(got.predict(far_new.view()).unwrap().view(), want.view(), 1e-6, &device.to_string());
        let single = got.predict_on(device, far_new.view()).unwrap();
        close(single.view(), want.view(), 1e-3, &format!("{device} f32"));
    }
}

/// Features are f64 on the CPU. Nyström's are those of x; Fourier's have the phase of the shifted x, and only their inner
/// products are what they were.
#[test]
fn features_and_what_is_fitted_on_them() {
    let [x, y, new] = data(900, 2, 125);
    let (far, far_new) = (shift(&x), shift(&new));
    let nystrom = Nystrom::new(Kernel::rbf(0.9), 300).seed(1);
    let near = nystrom.fit(&Device::cpu(), &x).unwrap();
    let away = nystrom.fit(&Device::cpu(), &far).unwrap();
    let fourier = RandomFourier::new(Kernel::rbf(0.9), 150).seed(1).fit(&Device::cpu(), &x).unwrap();
    let maps: [(&dyn Transform, &dyn Transform); 2] = [(&near, &away), (&fourier, &fourier)];
    for (near, away) in maps {
        let (phi, far_phi) = (near.transform(x.view()).unwrap(), away.transform(far.view()).unwrap());
        let at = near.transform(new.view()).unwrap();
        let far_at = away.transform(far_new.view()).unwrap();
        close(far_at.dot(&far_phi.t()).view(), at.dot(&phi.t()).view(), 1e-9, "inner products");
        let model = Ridge::new(0.1).intercept(false);
        let want = model.fit(&Device::cpu(), phi.view(), y.view()).unwrap().predict(at.view()).unwrap();
        for device in adapters() {
            let fit = model.fit(device, far_phi.view(), y.view()).unwrap();
            close(fit.predict(far_at.view()).unwrap().view(), want.view(), 1e-7, &device.to_string());
        }
    }
}

/// A kernel that is not stationary keeps its origin.
#[test]
fn other_kernels_are_not_moved() {
    let [x, y, new] = data(560, 3, 127);
    let x = x + &array![3.0, -1.0, 2.0];
    let model = KernelRidge::new(Kernel::polynomial(2, 1.0), 0.5);
    let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict(new.view()).unwrap();
    for device in adapters() {
        for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
            let got = model.clone().solver(solver).fit(device, x.view(), y.view()).unwrap();
            close(
                got.predict(new.view()).unwrap().view(),
                want.view(),
                1e-6,
                &format!("{device} {solver:?}"),
            );
            let single = got.predict_on(device, new.view()).unwrap();
            close(single.view(), want.view(), 1e-1, &format!("{device} {solver:?} f32"));
        }
    }
}
