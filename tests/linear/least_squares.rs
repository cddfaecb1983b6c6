//! A penalty of zero, against numpy and scikit-learn (`tests/oracle/least_squares.py`) and against its definition.

use mercer::linalg::SolveReport;
use mercer::models::linear::{Ridge, RidgeCv};
use mercer::{Device, Error};
use ndarray::{Array2, Axis, s};
use serde_json::Value;

use crate::oracle::matrix;
use crate::{close, problem};

#[test]
fn it_is_the_shortest_solution_of_least_squares() {
    let all: Value = serde_json::from_str(include_str!("../oracle/least_squares.json")).unwrap();
    for case in all.as_array().unwrap() {
        let (x, y, w) = (matrix(&case["x"]), matrix(&case["y"]), matrix(&case["w"]));
        let (intercept, name) = (case["intercept"].as_bool().unwrap(), case["name"].as_str().unwrap());
        let rank = case["rank"].as_u64().unwrap() as usize;
        let fit =
            Ridge::new(0.0).intercept(intercept).fit_weighted(&Device::cpu(), &x, &y, w.column(0)).unwrap();
        let what = format!("{name}, intercept {intercept}: {:?}", fit.report());
        assert_eq!(fit.rank(), Some(rank), "{what}");
        let (want, constant) = (matrix(&case["coefficients"]), matrix(&case["constant"]));
        // Absolute, so that coefficients of zero are zero.
        let off = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().fold(0f64, |m, v| m.max(v.abs()));
        assert!(off(fit.coefficients(), &want) < 1e-9, "{what}: {}", off(fit.coefficients(), &want));
        assert!(off(&fit.intercept().clone().insert_axis(Axis(1)), &constant) < 1e-9, "{what}");
        let full = rank == x.nrows().min(x.ncols());
        assert_eq!(matches!(fit.report(), SolveReport::Direct(_)), full, "{what}");
        // The same from the decomposition, next to a penalty that would be worse or better.
        if !full && name.contains("two columns") {
            let cv = RidgeCv::new(&[0.0]).intercept(intercept);
            let cv = cv.fit_weighted(&Device::cpu(), &x, &y, w.column(0)).unwrap();
            assert_eq!(cv.best().rank(), Some(rank), "{what}");
            assert!(off(cv.best().coefficients(), &want) < 1e-9, "{what}");
        }
    }
}

/// Leave-one-out of least squares is n refits, and the limit of small penalties.
#[test]
fn leave_one_out_without_a_penalty() {
    let (x, y) = problem(15, 3, 81);
    let cpu = Device::cpu();
    let fit = RidgeCv::new(&[0.0]).fit(&cpu, &x, &y).unwrap();
    let nearly = RidgeCv::new(&[1e-13]).fit(&cpu, &x, &y).unwrap();
    close(fit.scores().view(), nearly.scores().view(), 1e-10, "the limit");
    assert!((fit.effective_parameters()[0] - 4.0).abs() < 1e-12);
    for i in 0..15 {
        let rest: Vec<usize> = (0..15).filter(|&j| j != i).collect();
        let without = Ridge::new(0.0).fit(&cpu, x.select(Axis(0), &rest), y.select(Axis(0), &rest)).unwrap();
        let missed = &y.slice(s![i..=i, ..]) - &without.predict(x.slice(s![i..=i, ..])).unwrap();
        close(fit.leave_one_out_residuals().slice(s![i..=i, ..]), missed.view(), 1e-9, "residual");
    }
}

/// As many parameters as observations leave nothing of any target: there is nothing to judge by, and another penalty wins.
#[test]
fn a_saturated_fit_has_no_score() {
    let (x, y) = problem(6, 10, 82);
    let cpu = Device::cpu();
    let e = RidgeCv::new(&[0.0]).fit(&cpu, &x, &y).unwrap_err();
    assert!(matches!(&e, Error::Parameter { .. }), "{e}");
    assert_eq!(RidgeCv::new(&[0.0, 1.0]).fit(&cpu, &x, &y).unwrap().best().penalty(), 1.0);
    let fit = Ridge::new(0.0).fit(&cpu, &x, &y).unwrap();
    assert_eq!(fit.rank(), Some(5));
    close(fit.predict(&x).unwrap().view(), y.view(), 1e-10, "it meets every target");
}
