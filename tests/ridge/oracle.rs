//! Against scikit-learn, by numbers that `tests/oracle/ridge_sklearn.py` made.

use mercer::linalg::SolveReport;
use mercer::models::kernel_methods::{KernelRidge, Solver};
use mercer::models::linear::{BayesianLinearRegression, EvidenceParams, Ridge, RidgeCv};
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, Axis, s};
use serde_json::Value;

use crate::close;
use crate::support::adapters;

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/ridge_sklearn.json")).unwrap()
}

pub fn matrix(v: &Value) -> Array2<f64> {
    let rows = v.as_array().unwrap();
    let at = |v: &Value| v.as_f64().unwrap();
    if rows[0].is_array() {
        let cols = rows[0].as_array().unwrap().len();
        Array2::from_shape_fn((rows.len(), cols), |(i, j)| at(&rows[i][j]))
    } else {
        Array2::from_shape_fn((rows.len(), 1), |(i, _)| at(&rows[i]))
    }
}

struct Data {
    x: Array2<f64>,
    y: Array2<f64>,
    weights: Array1<f64>,
    train: usize,
}

fn data(all: &Value, x: &Value) -> Data {
    let train = all["train"].as_u64().unwrap() as usize;
    Data { x: matrix(x), y: matrix(&all["y"]), weights: matrix(&all["weights"]).column(0).to_owned(), train }
}

#[test]
fn ridge() {
    let all = numbers();
    let Data { x, y, weights, train } = data(&all, &all["x"]);
    let (fit_x, fit_y) = (x.slice(s![..train, ..]), y.slice(s![..train, ..]));
    for case in all["ridge"].as_array().unwrap() {
        let model =
            Ridge::new(case["penalty"].as_f64().unwrap()).intercept(case["intercept"].as_bool().unwrap());
        let fit = if case["weighted"].as_bool().unwrap() {
            model.fit_weighted(&Device::cpu(), fit_x, fit_y, weights.slice(s![..train])).unwrap()
        } else {
            model.fit(&Device::cpu(), fit_x, fit_y).unwrap()
        };
        close(fit.coefficients().view(), matrix(&case["coefficients"]).view(), 1e-9, "coefficients");
        close(
            fit.intercept().view().insert_axis(Axis(1)),
            matrix(&case["constant"]).view(),
            1e-9,
            "intercept",
        );
        let at = fit.predict(x.slice(s![train.., ..])).unwrap();
        close(at.view(), matrix(&case["predictions"]).view(), 1e-10, "predictions");
    }
    let wide = &all["wide"];
    let x = matrix(&wide["x"]);
    let fit = Ridge::new(2.0).fit(&Device::cpu(), x.slice(s![..12, ..]), y.slice(s![..12, ..])).unwrap();
    close(fit.coefficients().view(), matrix(&wide["coefficients"]).view(), 1e-9, "dual");
    close(
        fit.predict(x.view()).unwrap().view(),
        matrix(&wide["predictions"]).view(),
        1e-10,
        "dual predictions",
    );
}

#[test]
fn ridge_cv() {
    let all = numbers();
    let case = &all["cv"];
    let Data { x, y, train, .. } = data(&all, &case["z"]);
    let penalties = matrix(&case["penalties"]).column(0).to_vec();
    let fit = RidgeCv::new(&penalties).fit(x.slice(s![..train, ..]), y.slice(s![..train, ..])).unwrap();
    close(fit.scores().view(), matrix(&case["scores"]).view(), 1e-9, "scores");
    assert_eq!(fit.best().penalty(), case["best"].as_f64().unwrap());
    close(fit.best().coefficients().view(), matrix(&case["coefficients"]).view(), 1e-9, "coefficients");
}

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
            for solver in [Solver::Dense, Solver::MatrixFree] {
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

#[test]
fn bayesian_ridge() {
    let all = numbers();
    let case = &all["bayesian"];
    let Data { x, train, .. } = data(&all, &all["cv"]["z"]);
    let t = matrix(&case["t"]).column(0).to_owned();
    let start = BayesianLinearRegression::new(1.0, 1.0);
    let params = EvidenceParams { tolerance: 1e-13, ..EvidenceParams::default() };
    let fit = start.fit_evidence(x.slice(s![..train, ..]), t.slice(s![..train]), &params).unwrap();
    let near = |got: f64, key: &str| {
        let want = case[key].as_f64().unwrap();
        assert!((got - want).abs() < 1e-8 * want.abs(), "{key}: {got} and {want}");
    };
    near(fit.alpha, "alpha");
    near(fit.beta, "beta");
    near(fit.posterior.log_evidence(), "log_evidence");
    let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
    close(column(fit.posterior.mean()).view(), matrix(&case["coefficients"]).view(), 1e-8, "coefficients");
    close(fit.posterior.covariance().unwrap().view(), matrix(&case["covariance"]).view(), 1e-8, "covariance");
    let at = fit.posterior.predict(x.slice(s![train.., ..])).unwrap();
    close(column(&at.mean).view(), matrix(&case["mean"]).view(), 1e-8, "mean");
    close(
        column(&at.observation_variance().mapv(f64::sqrt)).view(),
        matrix(&case["std"]).view(),
        1e-8,
        "std",
    );
}
