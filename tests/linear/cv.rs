//! The closed forms of cross-validation against what they stand for.

use mercer::linalg::SolveReport;
use mercer::models::linear::{PenaltyCriterion, Ridge, RidgeCv};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, s};

use crate::oracle::matrix;
use crate::support::random;
use crate::{close, problem};

const GRID: [f64; 4] = [0.01, 0.3, 2.0, 50.0];

/// The residuals of n refits, each without one observation.
fn refits(x: &Array2<f64>, y: &Array2<f64>, w: &Array1<f64>, penalty: f64, intercept: bool) -> Array2<f64> {
    let mut out = y.clone();
    for i in 0..x.nrows() {
        let rest: Vec<usize> = (0..x.nrows()).filter(|&j| j != i).collect();
        let (xs, ys, ws) = (x.select(Axis(0), &rest), y.select(Axis(0), &rest), w.select(Axis(0), &rest));
        let model = Ridge::new(penalty).intercept(intercept);
        let fit = model.fit_weighted(&Device::cpu(), xs.view(), ys.view(), ws.view()).unwrap();
        let at = fit.predict(x.select(Axis(0), &[i]).view()).unwrap();
        out.row_mut(i).scaled_add(-1.0, &at.row(0));
    }
    out
}

#[test]
fn leave_one_out_is_n_refits() {
    for (n, d) in [(25, 4), (9, 20)] {
        let (x, y) = problem(n, d, 11);
        let heavy = random(n, 1, 12).column(0).mapv(|v| v + 1.2);
        for (w, intercept) in [(Array1::ones(n), true), (Array1::ones(n), false), (heavy, true)] {
            let cv = RidgeCv::new(&GRID).intercept(intercept);
            let fit = cv.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
            for (g, &penalty) in GRID.iter().enumerate() {
                let left = refits(&x, &y, &w, penalty, intercept);
                let squares = left.mapv(|r| r * r) * w.view().insert_axis(Axis(1));
                let want = squares.sum_axis(Axis(0)) / w.sum();
                close(
                    fit.scores().row(g).insert_axis(Axis(0)),
                    want.insert_axis(Axis(0)).view(),
                    1e-9,
                    "score",
                );
                if penalty == fit.best().penalty() {
                    close(fit.leave_one_out_residuals().view(), left.view(), 1e-9, "residuals");
                }
            }
            let direct = Ridge::new(fit.best().penalty()).intercept(intercept);
            let direct = direct.fit_weighted(&Device::cpu(), x.view(), y.view(), w.view()).unwrap();
            close(fit.best().coefficients().view(), direct.coefficients().view(), 1e-9, "coefficients");
            let sums = fit.scores().sum_axis(Axis(1));
            let best = GRID.iter().position(|p| *p == fit.best().penalty()).unwrap();
            assert!(sums.iter().all(|s| *s >= sums[best]));
        }
    }
}

#[test]
fn gcv_is_its_formula_with_the_hat_matrix_written_out() {
    let (n, d) = (18, 5);
    let (x, y) = problem(n, d, 13);
    let fit =
        RidgeCv::new(&GRID).criterion(PenaltyCriterion::Gcv).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for (g, &penalty) in GRID.iter().enumerate() {
        // The smoother, column by column, from fits to unit targets.
        let hat = Ridge::new(penalty).fit(&Device::cpu(), &x, Array2::<f64>::eye(n)).unwrap();
        let hat = hat.predict(x.view()).unwrap();
        let left = &y - &hat.dot(&y);
        let trace = hat.diag().sum();
        let want = left.mapv(|r| r * r).mean_axis(Axis(0)).unwrap() / (1.0 - trace / n as f64).powi(2);
        close(fit.scores().row(g).insert_axis(Axis(0)), want.insert_axis(Axis(0)).view(), 1e-10, "GCV");
        assert!((fit.effective_parameters()[g] - trace).abs() < 1e-10);
        if penalty == fit.best().penalty() {
            let diagonal = hat.diag().to_owned();
            close(
                fit.leverages().view().insert_axis(Axis(0)),
                diagonal.insert_axis(Axis(0)).view(),
                1e-10,
                "h",
            );
        }
    }
    // The parameters in effect fall with the penalty, from d + 1 to the intercept's one.
    let many = RidgeCv::new(&[1e-9, 1.0, 1e9]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let p = many.effective_parameters();
    assert!((p[0] - 6.0).abs() < 1e-6 && p[0] > p[1] && p[1] > p[2] && (p[2] - 1.0).abs() < 1e-6);
}

/// Against refits in 120 digits, by `tests/oracle/ridge_loo.py`: at 1e-12 the fit leaves fourteen digits less than there
/// were, and what it leaves must have its own digits.
#[test]
fn small_penalties_are_n_refits_too() {
    let all: serde_json::Value = serde_json::from_str(include_str!("../oracle/ridge_loo.json")).unwrap();
    let penalties = matrix(&all["penalties"]).column(0).to_vec();
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let (x, y, w) = (matrix(&case["x"]), matrix(&case["y"]), matrix(&case["w"]));
        let model = RidgeCv::new(&penalties).intercept(case["intercept"].as_bool().unwrap());
        // Of twins one more rounding makes two points, whose difference a penalty λ lets count by ε/λ.
        let tolerance = |penalty: f64| if name == "twins" { 1e-9f64.max(1e-14 / penalty) } else { 1e-9 };
        for (criterion, key) in [(PenaltyCriterion::LeaveOneOut, "loo"), (PenaltyCriterion::Gcv, "gcv")] {
            let model = model.clone().criterion(criterion);
            let fit = model.fit_weighted(&Device::cpu(), x.view(), y.view(), w.column(0)).unwrap();
            let want = matrix(&case[key]);
            for (g, &penalty) in penalties.iter().enumerate() {
                let what = format!("{name}, {criterion:?}, {penalty:e}");
                close(
                    fit.scores().slice(s![g..=g, ..]),
                    want.slice(s![g..=g, ..]),
                    tolerance(penalty),
                    &what,
                );
            }
        }
        // Each as the only one, so that its residuals are seen.
        for (g, &penalty) in penalties.iter().enumerate() {
            let one = RidgeCv::new(&[penalty]).intercept(case["intercept"].as_bool().unwrap());
            let fit = one.fit_weighted(&Device::cpu(), x.view(), y.view(), w.column(0)).unwrap();
            let what = format!("{name}, residuals at {penalty:e}");
            let want = matrix(&case["residuals"][g]);
            close(fit.leave_one_out_residuals().view(), want.view(), tolerance(penalty), &what);
        }
    }
}

/// Against refits in 120 digits: values of up to 1e15 among others near one, units 1e16 apart, weights over twenty orders of
/// magnitude. Each observation by itself is right, or the report has a condition that says why not.
#[test]
fn what_strays_is_right_or_said() {
    let all: serde_json::Value = serde_json::from_str(include_str!("../oracle/ridge_loo.json")).unwrap();
    let penalties = matrix(&all["few"]).column(0).to_vec();
    let (mut wrong, mut right_ones) = (Vec::new(), 0);
    for case in all["strays"].as_array().unwrap() {
        let (x, y, w) = (matrix(&case["x"]), matrix(&case["y"]), matrix(&case["w"]));
        let intercept = case["intercept"].as_bool().unwrap();
        for (g, &penalty) in penalties.iter().enumerate() {
            let fit = RidgeCv::new(&[penalty]).intercept(intercept);
            let fit = fit.fit_weighted(&Device::cpu(), x.view(), y.view(), w.column(0)).unwrap();
            let (got, want) = (fit.leave_one_out_residuals(), matrix(&case["residuals"][g]));
            let off = |i: usize| (got[[i, 0]] - want[[i, 0]]).abs() / (want[[i, 0]].abs() + y[[i, 0]].abs());
            let worst = (0..x.nrows()).map(off).fold(0.0, |m, v| {
                if v >= m {
                    v
                } else if v < m {
                    m
                } else {
                    f64::NAN
                }
            });
            let score = fit.scores()[[0, 0]] / matrix(&case["loo"])[[g, 0]] - 1.0;
            let gcv = RidgeCv::new(&[penalty]).intercept(intercept).criterion(PenaltyCriterion::Gcv);
            let gcv = gcv.fit_weighted(&Device::cpu(), x.view(), y.view(), w.column(0)).unwrap();
            let gcv = gcv.scores()[[0, 0]] / matrix(&case["gcv"])[[g, 0]] - 1.0;
            // Written so that a NaN fails.
            let off = [worst, score.abs(), gcv.abs()];
            let right = off.iter().all(|off| *off <= 1e-9);
            right_ones += usize::from(right);
            let SolveReport::Decomposed { condition, .. } = fit.best().report() else { panic!("{fit:?}") };
            if !right && *condition < 1e10 {
                wrong.push(format!(
                    "{}, intercept {intercept}, {penalty:e}: off by {worst:e}, scores {score:e} {gcv:e}",
                    case["name"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(right_ones > 40, "{right_ones}");
}

/// The least of all numbers leaves nothing, by which nothing can be divided.
#[test]
fn what_is_not_finite_does_not_win() {
    let (x, y) = problem(9, 20, 14);
    for criterion in [PenaltyCriterion::LeaveOneOut, PenaltyCriterion::Gcv] {
        let model = |penalties: &[f64]| RidgeCv::new(penalties).criterion(criterion);
        let fit = model(&[f64::from_bits(1), 1.0]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        assert_eq!(fit.best().penalty(), 1.0, "{}", fit.scores());
        let e = model(&[1.0, 2.0]).fit(&Device::cpu(), x.view(), (&y * 1e170).view()).unwrap_err();
        assert!(matches!(&e, Error::Parameter { value, .. } if value.is_infinite()), "{e}");
    }
    // A penalty need not be of any size.
    let small = RidgeCv::new(&[1e-300]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let more = RidgeCv::new(&[1e-20]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    close(small.scores().view(), more.scores().view(), 1e-12, "the limit");
}

/// Features without spread, or none left by the centring: the mean is all there is.
#[test]
fn features_that_say_nothing() {
    for (n, d) in [(7, 2), (3, 5)] {
        let (_, y) = problem(n, d, 15);
        let fit = RidgeCv::new(&[0.1, 1.0])
            .fit(&Device::cpu(), Array2::from_elem((n, d), 4.0).view(), y.view())
            .unwrap();
        assert!(fit.best().coefficients().iter().all(|w| *w == 0.0));
        let mean = y.mean_axis(Axis(0)).unwrap();
        let want = (&y - &mean) * (n as f64 / (n as f64 - 1.0));
        close(fit.leave_one_out_residuals().view(), want.view(), 1e-12, "residuals");
        assert_eq!(fit.effective_parameters().to_vec(), [1.0, 1.0]);
    }
}

#[test]
fn features_in_units_far_apart_are_all_seen() {
    // A time stamp beside ordinary numbers: the square of their ratio is beyond the digits of f64.
    let wave = |i: usize, f: f64| (f * i as f64).sin();
    let x = Array2::from_shape_fn((60, 2), |(i, j)| if j == 0 { 1e8 * wave(i, 1.3) } else { wave(i, 2.7) });
    let y = Array2::from_shape_fn((60, 1), |(i, _)| wave(i, 1.3) + 2.0 * wave(i, 2.7) + 0.1 * wave(i, 9.1));
    let few = x.slice(s![..3, ..]);
    for (x, y) in [(x.view(), y.view()), (few, y.slice(s![..3, ..]))] {
        let cv = RidgeCv::new(&[1e-3]).fit(&Device::cpu(), x, y).unwrap();
        let want = Ridge::new(1e-3).fit(&Device::cpu(), x, y).unwrap();
        for (got, want) in cv.best().coefficients().iter().zip(want.coefficients()) {
            assert!((got - want).abs() <= 1e-7 * want.abs(), "{got} {want}");
        }
    }
}

/// A stray 1e9 among numbers near one: the fit follows it, and without it would miss it by far.
#[test]
fn an_observation_far_from_all_others_is_left_out_too() {
    for (far, d) in [(1e5, 1), (1e7, 1), (1e9, 1), (1e7, 4)] {
        let (mut x, y) = problem(12, d, 16);
        x[[3, 0]] = far;
        for penalty in [1e-6, 1.0] {
            let fit = RidgeCv::new(&[penalty]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
            let want = refits(&x, &y, &Array1::ones(12), penalty, true);
            let got = fit.leave_one_out_residuals();
            for (got, want) in got.row(3).iter().zip(want.row(3)) {
                assert!(
                    (got - want).abs() <= 1e-5 * want.abs(),
                    "{far:e}, {d}, {penalty}: {got}, by refit {want}"
                );
            }
        }
    }
}
