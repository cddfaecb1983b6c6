//! Every adapter against the f64 answer: 1e-9 of the coefficients, and what was done is reported.

use mercer::Device;
use mercer::linalg::{Certificate, SolveReport};
use mercer::models::linear::{Form, Ridge};

use crate::support::{adapters, as_opened, random};
use crate::{close, problem};

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
            let SolveReport::Iterative(info) = got.report() else { panic!("{device}: {:?}", got.report()) };
            assert!(info.iterations < 15, "{device}: {} iterations", info.iterations);
            assert!(got.device() == device && !want.device().is_gpu());
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
                SolveReport::Direct(Certificate { fallback: Some(_), .. }) => !decomposed,
                SolveReport::Decomposed { .. } => decomposed,
                _ => false,
            };
            assert!(said, "{penalty:e}, {device}: {:?}", got.report());
            close(got.coefficients().view(), want.coefficients().view(), 1e-12, &device.to_string());
        }
    }
}

/// A problem that is not worth the trip stays on the CPU and gives its bits.
#[test]
fn small_problems_stay_at_home() {
    let (x, y) = problem(40, 3, 90);
    let want = Ridge::new(0.1).fit(&Device::cpu(), &x, y.column(0)).unwrap();
    for device in &as_opened() {
        assert_eq!(Ridge::new(0.1).fit(device, &x, y.column(0)).unwrap(), want);
    }
}

/// Without a penalty the answer is the CPU's, whatever the device: rank and shortest solution are not for f32 to judge.
#[test]
fn least_squares_is_the_same_everywhere() {
    let (mut x, y) = problem(900, 300, 95);
    let first = x.column(0).to_owned();
    x.column_mut(1).assign(&first);
    let want = Ridge::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(want.rank(), Some(299));
    for device in adapters() {
        assert_eq!(Ridge::new(0.0).fit(device, &x, &y).unwrap(), want, "{device}");
    }
}
