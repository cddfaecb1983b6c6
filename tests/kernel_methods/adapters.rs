//! Every adapter against the f64 answer: 1e-6 relative in the mean, and what was done is reported.

use mercer::linalg::SolveReport;
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::{Device, Kernel};

use ndarray::{Array1, Array2, Axis};

use crate::support::{adapters, as_opened, random};
use crate::{close, info, problem};

/// Large enough that the fit is worth a trip to a GPU.
const N: usize = 560;

#[test]
fn kernel_ridge_dense_and_matrix_free() {
    let (x, y) = problem(N, 3, 94);
    let w = random(N, 1, 95).column(0).mapv(|v| v + 1.2);
    let new = random(40, 3, 96) * 2.0;
    let model = KernelRidge::new(Kernel::rbf(0.9), 0.01);
    let want = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
    let mean = want.predict(new.view()).unwrap();
    for device in adapters() {
        for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
            let model = model.clone().solver(solver);
            let got = model.fit_weighted(device, x.view(), y.view(), w.view()).unwrap();
            close(
                got.predict(new.view()).unwrap().view(),
                mean.view(),
                1e-8,
                &format!("{device} {solver:?}"),
            );
            assert!(got.report().relative_residual() < 1e-9);
            if let SolveReport::Direct(certificate) = got.report() {
                assert_eq!(certificate.fallback, None, "{device}");
            }
            // In f32 the coefficients' cancellation shows: their length is a hundred times the mean's.
            let single = got.predict_on(device, new.view()).unwrap();
            close(single.view(), mean.view(), 1e-3, &format!("{device} f32"));
        }
    }
}

#[test]
fn landmarks_on_a_stream() {
    let (x, y) = problem(9000, 2, 97);
    let w = random(9000, 1, 98).column(0).mapv(|v| v + 1.2);
    let new = random(40, 2, 99) * 2.0;
    let model = Falkon::new(Kernel::matern52(1.0), 0.1, 200).tolerance(1e-9);
    let want = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
    let mean = want.predict(new.view()).unwrap();
    for device in adapters() {
        let got = model.fit_weighted(device, x.view(), y.view(), w.view()).unwrap();
        assert_eq!(got.indices(), want.indices());
        assert!(info(&got).restarts > 1, "{device}: an f32 stream needs an f64 residual");
        close(got.predict(new.view()).unwrap().view(), mean.view(), 1e-6, &device.to_string());
    }
}

/// A problem that is not worth the trip stays on the CPU and gives its bits.
#[test]
fn small_problems_stay_at_home() {
    let (x, y) = problem(40, 3, 90);
    for device in &as_opened() {
        let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
        let (a, b) = (model.fit(&Device::cpu(), x.view(), y.view()), model.fit(device, x.view(), y.view()));
        assert_eq!(a.unwrap().dual_coefficients(), b.unwrap().dual_coefficients());
    }
}

/// 6000 points, 300 landmarks so near each other that `K_zz` amplifies the rounding of f32 beyond all corrections: done
/// in f64 then, and said.
#[test]
fn landmarks_that_f32_cannot_tell_apart() {
    // Sums of twelve uniform numbers are as good as normal.
    let normal = |cols: usize, seed: u64| {
        let all = random(6000, 12 * cols, seed);
        Array2::from_shape_fn((6000, cols), |(i, j)| {
            0.5 * all.row(i).iter().skip(12 * j).take(12).sum::<f64>()
        })
    };
    let x = normal(2, 71) * 3.0;
    let y = Array1::from_shape_fn(6000, |i| x[[i, 0]].sin() + 0.5 * x[[i, 1]].cos())
        + normal(1, 72).column(0).mapv(|v| 0.3 * v);
    for penalty in [0.01, 10.0] {
        let model = Falkon::new(Kernel::rbf(1.0), penalty, 300);
        let want = model.fit(&Device::cpu(), &x, &y).unwrap();
        assert!(want.score(&x, &y).unwrap() > 0.6 && want.fallback().is_none());
        for device in adapters() {
            let got = model.fit(device, &x, &y).unwrap();
            let (got_y, want_y) = (got.predict(&x).unwrap(), want.predict(&x).unwrap());
            close(
                got_y.view().insert_axis(Axis(1)),
                want_y.view().insert_axis(Axis(1)),
                1e-6,
                &device.to_string(),
            );
            assert_eq!(got.device().is_gpu(), got.fallback().is_none(), "{device}, {penalty}");
        }
    }
}

/// Data in units of 1e-20 and 1e20, which f32 does not hold: fits and predictions are those of the CPU.
#[test]
fn units_that_f32_does_not_hold() {
    let (x, y) = problem(N, 2, 73);
    let new = random(20, 2, 74) * 2.0;
    for unit in [1e-25, 1e-20, 1e20, 1e25] {
        let (x, new) = (&x * unit, &new * unit);
        let model = KernelRidge::new(Kernel::rbf(unit), 0.1);
        let falkon = Falkon::new(Kernel::rbf(unit), 0.1, 100);
        let want = model.fit(&Device::cpu(), &x, &y).unwrap().predict(&new).unwrap();
        let want_falkon = falkon.fit(&Device::cpu(), &x, &y).unwrap().predict(&new).unwrap();
        for device in adapters() {
            for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
                let got = model.clone().solver(solver).fit(device, &x, &y).unwrap();
                let what = format!("{device}, {unit:e}, {solver:?}");
                close(got.predict(&new).unwrap().view(), want.view(), 1e-8, &what);
                close(got.predict_on(device, &new).unwrap().view(), want.view(), 1e-4, &what);
            }
            let got = falkon.fit(device, &x, &y).unwrap();
            let what = format!("Falkon, {device}, {unit:e}");
            close(got.predict(&new).unwrap().view(), want_falkon.view(), 1e-6, &what);
            close(got.predict_on(device, &new).unwrap().view(), want_falkon.view(), 1e-4, &what);
        }
    }
}
