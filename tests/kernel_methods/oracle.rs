//! Against scikit-learn, by numbers that `tests/oracle/ridge_sklearn.py` made.

use mercer::linalg::SolveReport;
use mercer::models::kernel_methods::{KernelRidge, KernelSolver};
use mercer::{Device, Kernel};
use ndarray::{Array2, s};
use serde_json::Value;

use crate::close;
use crate::support::adapters;
pub use crate::support::oracle::matrix;
use crate::support::ridge::{Data, data, numbers};

fn kernel_of(case: &Value) -> Kernel {
    match case["kernel"].as_str().unwrap() {
        "rbf" => Kernel::rbf(1.5),
        "laplacian" => Kernel::laplacian(2.0),
        _ => Kernel::polynomial(2, 1.0),
    }
}

#[test]
fn kernel_ridge() {
    let all = numbers();
    let Data { x, y, weights, train } = data(&all, &all["cv"]["z"]);
    let (fit_x, fit_y) = (x.slice(s![..train, ..]), y.slice(s![..train, ..]));
    for case in all["kernel_ridge"].as_array().unwrap() {
        let model = KernelRidge::new(kernel_of(case), case["penalty"].as_f64().unwrap());
        let fit = if case["weighted"].as_bool().unwrap() {
            model.fit_weighted(&Device::cpu(), fit_x, fit_y, weights.slice(s![..train])).unwrap()
        } else {
            model.fit(&Device::cpu(), fit_x, fit_y).unwrap()
        };
        close(fit.dual_coefficients().view(), matrix(&case["dual"]).view(), 1e-9, "dual");
        let at = fit.predict(x.slice(s![train.., ..])).unwrap();
        close(at.view(), matrix(&case["predictions"]).view(), 1e-9, "predictions");
    }
}

/// The same cases on every adapter. A problem of 45 observations would stay at home: as 3,200 copies of its targets it
/// is worth the trip, and each copy must be what one alone is.
#[test]
fn kernel_ridge_on_every_adapter() {
    const COPIES: usize = 3200;
    let all = numbers();
    let Data { x, y, weights, train } = data(&all, &all["cv"]["z"]);
    let fit_x = x.slice(s![..train, ..]);
    let many = Array2::from_shape_fn((train, 2 * COPIES), |(i, t)| y[[i, t % 2]]);
    for device in adapters() {
        for case in all["kernel_ridge"].as_array().unwrap() {
            for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
                let what = format!("{device}, {}, {solver:?}", case["kernel"]);
                let model = KernelRidge::new(kernel_of(case), case["penalty"].as_f64().unwrap());
                let model = model.solver(solver);
                let before = device.counters().dispatches;
                let fit = if case["weighted"].as_bool().unwrap() {
                    model.fit_weighted(device, fit_x, many.view(), weights.slice(s![..train])).unwrap()
                } else {
                    model.fit(device, fit_x, many.view()).unwrap()
                };
                assert!(device.counters().dispatches > before, "{what}: it did not run there");
                if let SolveReport::Direct(certificate) = fit.report() {
                    assert_eq!(certificate.fallback, None, "{what}");
                }
                let at = fit.predict(x.slice(s![train.., ..])).unwrap();
                let (dual, want) = (matrix(&case["dual"]), matrix(&case["predictions"]));
                for copy in [0, 2 * COPIES - 2] {
                    let columns = s![.., copy..copy + 2];
                    close(fit.dual_coefficients().slice(columns), dual.view(), 1e-6, &what);
                    close(at.slice(columns), want.view(), 1e-6, &what);
                }
            }
        }
    }
}
