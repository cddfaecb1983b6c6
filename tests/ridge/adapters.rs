//! Every adapter against the f64 answer: 1e-6 relative in the mean, and what was done is reported.

use mercer::linalg::Certificate;
use mercer::linalg::SolveReport;
use mercer::models::kernel_methods::{Falkon, KernelRidge, Solver};
use mercer::models::linear::{Form, Ridge};
use mercer::{Device, Kernel};
use ndarray::Axis;

use crate::support::{adapters, random};
use crate::{close, problem};

/// Large enough that the fit is worth a trip to a GPU.
const N: usize = 560;

#[test]
fn ridge_in_both_forms() {
    for (n, d, form) in [(900, 300, Form::Primal), (300, 900, Form::Dual)] {
        let (x, y) = problem(n, d, 91);
        let w = random(n, 1, 92).column(0).mapv(|v| v + 1.2);
        let model = Ridge::new(0.5);
        let want = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
        for device in adapters() {
            let got = model.fit_weighted(device, x.view(), y.view(), w.view()).unwrap();
            assert_eq!(got.form(), form);
            close(got.coefficients().view(), want.coefficients().view(), 1e-9, &device.to_string());
            let Some(SolveReport::Iterative(info)) = got.report() else {
                panic!("{device}: {:?}", got.report())
            };
            assert!(info.iterations < 15, "{device}: {} iterations", info.iterations);
        }
    }
}

/// Columns that differ by 1e-5: too much for f32 under a penalty of 1e-6, and for any product of X under one of 1e-9. The fit
/// says that it went to the CPU, and what it did there.
#[test]
fn what_f32_cannot_do_is_done_in_f64() {
    let (mut x, y) = problem(700, 300, 93);
    let first = x.column(0).to_owned();
    for j in 1..10 {
        let own = x.column(j).to_owned();
        x.column_mut(j).assign(&(&first + &(own * 1e-5)));
    }
    for (penalty, decomposed) in [(1e-6, false), (1e-9, true)] {
        let model = Ridge::new(penalty);
        let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for device in adapters() {
            let got = model.fit(device, x.view(), y.view()).unwrap();
            let said = match got.report() {
                Some(SolveReport::Direct(Certificate { fallback: Some(_), .. })) => !decomposed,
                Some(SolveReport::Decomposed { .. }) => decomposed,
                _ => false,
            };
            assert!(said, "{penalty:e}, {device}: {:?}", got.report());
            close(got.coefficients().view(), want.coefficients().view(), 1e-12, &device.to_string());
        }
    }
}

#[test]
fn kernel_ridge_dense_and_matrix_free() {
    let (x, y) = problem(N, 3, 94);
    let w = random(N, 1, 95).column(0).mapv(|v| v + 1.2);
    let new = random(40, 3, 96) * 2.0;
    let model = KernelRidge::new(Kernel::rbf(0.9), 0.01);
    let want = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
    let mean = want.predict(new.view()).unwrap();
    for device in adapters() {
        for solver in [Solver::Dense, Solver::MatrixFree] {
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
        assert!(got.info().restarts > 1, "{device}: an f32 stream needs an f64 residual");
        close(got.predict(new.view()).unwrap().view(), mean.view(), 1e-6, &device.to_string());
    }
}

/// A problem that is not worth the trip stays on the CPU and gives its bits.
#[test]
fn small_problems_stay_at_home() {
    let (x, y) = problem(40, 3, 90);
    for device in adapters() {
        let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
        let (a, b) = (model.fit(&Device::cpu(), x.view(), y.view()), model.fit(device, x.view(), y.view()));
        assert_eq!(a.unwrap().dual_coefficients(), b.unwrap().dual_coefficients());
        let one = y.select(Axis(1), &[0]);
        let (a, b) = (
            Ridge::new(0.1).fit(&Device::cpu(), x.view(), one.view()),
            Ridge::new(0.1).fit(device, x.view(), one.view()),
        );
        assert_eq!(a.unwrap(), b.unwrap());
    }
}
