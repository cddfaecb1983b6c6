//! The closed forms of cross-validation against what they stand for.

use mercer::Device;
use mercer::models::ridge::{Criterion, Ridge, RidgeCv};
use ndarray::{Array1, Array2, Axis};

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
            let fit = cv.fit_weighted(x.view(), y.view(), w.view()).unwrap();
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
    let fit = RidgeCv::new(&GRID).criterion(Criterion::Gcv).fit(x.view(), y.view()).unwrap();
    for (g, &penalty) in GRID.iter().enumerate() {
        // The smoother, column by column, from fits to unit targets.
        let hat = Ridge::new(penalty).fit(&Device::cpu(), x.view(), Array2::eye(n).view()).unwrap();
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
    let many = RidgeCv::new(&[1e-9, 1.0, 1e9]).fit(x.view(), y.view()).unwrap();
    let p = many.effective_parameters();
    assert!((p[0] - 6.0).abs() < 1e-6 && p[0] > p[1] && p[1] > p[2] && (p[2] - 1.0).abs() < 1e-6);
}
