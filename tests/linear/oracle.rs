//! Against scikit-learn, by numbers that `tests/oracle/ridge_sklearn.py` made.

use mercer::Device;
use mercer::models::linear::{BayesianLinearRegression, Ridge, RidgeCv};
use ndarray::{Array1, Axis, s};

use crate::close;
pub use crate::support::oracle::matrix;
use crate::support::ridge::{Data, data, numbers};

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
    let fit = RidgeCv::new(&penalties)
        .fit(&Device::cpu(), x.slice(s![..train, ..]), y.slice(s![..train, ..]))
        .unwrap();
    close(fit.scores().view(), matrix(&case["scores"]).view(), 1e-9, "scores");
    assert_eq!(fit.best().penalty(), case["best"].as_f64().unwrap());
    close(fit.best().coefficients().view(), matrix(&case["coefficients"]).view(), 1e-9, "coefficients");
}

#[test]
fn bayesian_ridge() {
    let all = numbers();
    let case = &all["bayesian"];
    let Data { x, train, .. } = data(&all, &all["cv"]["z"]);
    let t = matrix(&case["t"]).column(0).to_owned();
    let model = BayesianLinearRegression::new(1.0, 1.0).optimise(true).tolerance(1e-13);
    let fit = model.fit(&Device::cpu(), x.slice(s![..train, ..]), t.slice(s![..train])).unwrap();
    let near = |got: f64, key: &str| {
        let want = case[key].as_f64().unwrap();
        assert!((got - want).abs() < 1e-8 * want.abs(), "{key}: {got} and {want}");
    };
    near(fit.alpha().unwrap(), "alpha");
    near(fit.beta(), "beta");
    near(fit.log_evidence(), "log_evidence");
    let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
    close(column(fit.mean()).view(), matrix(&case["coefficients"]).view(), 1e-8, "coefficients");
    close(fit.covariance().unwrap().view(), matrix(&case["covariance"]).view(), 1e-8, "covariance");
    let at = fit.predict_distribution(x.slice(s![train.., ..])).unwrap();
    close(column(at.mean()).view(), matrix(&case["mean"]).view(), 1e-8, "mean");
    close(column(&at.variance().mapv(f64::sqrt)).view(), matrix(&case["std"]).view(), 1e-8, "std");
}
