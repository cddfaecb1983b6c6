//! Ridge regression is what its definition says.

use mercer::Device;
use mercer::linalg::SolveReport;
use mercer::models::linear::{BayesianLinearRegression, Form, Ridge, RidgeCv};
use ndarray::{Array1, Array2, ArrayView1, Axis, array, concatenate, s};

use crate::support::random;
use crate::{close, problem, solved};

/// The normal equations of `[X 1]` with a penalty on all but the intercept, weights included.
fn definition(x: &Array2<f64>, y: &Array2<f64>, w: &Array1<f64>, penalty: f64) -> Array2<f64> {
    let wide = concatenate![Axis(1), x.view(), Array2::ones((x.nrows(), 1))];
    let weighted = &wide * &w.view().insert_axis(Axis(1));
    let mut a = weighted.t().dot(&wide);
    (0..x.ncols()).for_each(|j| a[[j, j]] += penalty);
    solved(&a, &weighted.t().dot(y))
}

#[test]
fn primal_and_dual_are_the_penalised_normal_equations() {
    let cpu = Device::cpu();
    for (n, d) in [(40, 5), (40, 40), (12, 30), (600, 450), (3000, 7)] {
        let (x, y) = problem(n, d, 1);
        let w = random(n, 1, 2).column(0).mapv(|v| v + 1.5);
        for weights in [Array1::ones(n), w] {
            let fit = Ridge::new(0.7).fit_weighted(&cpu, x.view(), y.view(), weights.view()).unwrap();
            assert_eq!(fit.form(), if d <= n { Form::Primal } else { Form::Dual });
            let want = definition(&x, &y, &weights, 0.7);
            close(fit.coefficients().view(), want.slice(s![..d, ..]), 1e-9, "coefficients");
            close(fit.intercept().view().insert_axis(Axis(0)), want.slice(s![d.., ..]), 1e-9, "intercept");
            assert!(matches!(fit.report(), SolveReport::Direct(c) if c.backward_error < 1e-14));
        }
        let plain = Ridge::new(0.7).fit(&cpu, x.view(), y.view()).unwrap();
        let ones = Ridge::new(0.7).fit_weighted(&cpu, x.view(), y.view(), Array1::<f64>::ones(n)).unwrap();
        close(plain.coefficients().view(), ones.coefficients().view(), 1e-12, "unit weights");
    }
}

#[test]
fn a_whole_weight_is_a_repeated_observation() {
    let (x, y) = problem(9, 3, 3);
    let rows: Vec<usize> = (0..9).flat_map(|i| vec![i; i % 3]).collect();
    let w = Array1::from_shape_fn(9, |i| (i % 3) as f64);
    let cpu = Device::cpu();
    let weighted = Ridge::new(0.2).fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
    let (xs, ys) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
    let repeated = Ridge::new(0.2).fit(&cpu, xs.view(), ys.view()).unwrap();
    close(weighted.coefficients().view(), repeated.coefficients().view(), 1e-12, "coefficients");
    close(
        weighted.predict(x.view()).unwrap().view(),
        repeated.predict(x.view()).unwrap().view(),
        1e-12,
        "values",
    );
}

#[test]
fn the_intercept_is_free_and_the_rest_shrinks() {
    let (x, y) = problem(50, 4, 4);
    let cpu = Device::cpu();
    let fit = |y: &Array2<f64>, penalty| Ridge::new(penalty).fit(&cpu, x.view(), y.view()).unwrap();
    let moved = fit(&(&y + 1e4), 3.0).predict(x.view()).unwrap() - 1e4;
    close(moved.view(), fit(&y, 3.0).predict(x.view()).unwrap().view(), 1e-10, "y + c");
    let shifted = Ridge::new(3.0).fit(&cpu, (&x + 1e4).view(), y.view()).unwrap();
    close(shifted.coefficients().view(), fit(&y, 3.0).coefficients().view(), 1e-9, "x + c");
    let norms: Vec<f64> = [1e-3, 1e-1, 1e1, 1e3, 1e9]
        .iter()
        .map(|&p| fit(&y, p).coefficients().iter().map(|v| v * v).sum::<f64>().sqrt())
        .collect();
    assert!(norms.windows(2).all(|w| w[1] < w[0]), "{norms:?}");
    assert!(norms[4] < 1e-6 * norms[0]);
    let flat = fit(&y, 1e12);
    close(
        flat.intercept().view().insert_axis(Axis(0)),
        y.mean_axis(Axis(0)).unwrap().insert_axis(Axis(0)).view(),
        1e-6,
        "mean",
    );
}

/// Oxford RG-02, as printed in the reference. Amsterdam R-04 is among the polynomials.
#[test]
fn reference_numbers() {
    let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
    let y = array![[3.0], [2.0], [4.0], [8.0], [3.0]];
    for (penalty, w, b) in
        [(1.0, [0.8839285714, 1.241071429], 0.1071428571), (10.0, [0.3913043478, 0.6086956522], 2.217391304)]
    {
        let fit = Ridge::new(penalty).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        close(fit.coefficients().view(), array![[w[0]], [w[1]]].view(), 1e-9, "w");
        assert!((fit.intercept()[0] - b).abs() < 2e-9);
    }
}

/// `1 - Σ(y - f)² / Σ(y - ȳ)²` of every regression, the mean over the targets.
#[test]
fn the_score_is_r_squared() {
    let cpu = Device::cpu();
    let (x, y) = problem(60, 3, 5);
    let (new, seen) = problem(25, 3, 6);
    let by_hand = |f: &Array2<f64>| {
        let columns = f.columns().into_iter().zip(seen.columns());
        let one = |(f, y): (ArrayView1<f64>, ArrayView1<f64>)| {
            let mean = y.mean().unwrap();
            let sum = |v: Array1<f64>| v.dot(&v);
            1.0 - sum(&y - &f) / sum(&y - mean)
        };
        columns.map(one).sum::<f64>() / f.ncols() as f64
    };
    let near = |got: f64, f: &Array2<f64>| {
        let want = by_hand(f);
        assert!((got - want).abs() < 1e-12 && want < 0.9999, "{got} and {want}");
    };
    let linear = Ridge::new(0.1).fit(&cpu, x.view(), y.view()).unwrap();
    near(linear.score(new.view(), seen.view()).unwrap(), &linear.predict(new.view()).unwrap());
    let posterior =
        BayesianLinearRegression::new(1.0, 10.0).fit(&Device::cpu(), x.view(), y.column(0)).unwrap();
    let mean = posterior.predict(new.view()).unwrap().insert_axis(Axis(1));
    near(posterior.score(new.view(), seen.column(0)).unwrap(), &mean);
    assert!(linear.score(new.view(), y.view()).is_err());
    assert!(posterior.score(new.view(), y.column(0)).is_err());
}

/// A row of 1e9 in every feature, or columns that are the same: the products of X have no digits for the rest.
#[test]
fn what_the_normal_equations_lose_is_decomposed() {
    for (size, twin) in [(1e7, false), (1e9, false), (1e12, false), (1.0, true)] {
        for (n, d) in [(40, 6), (8, 20)] {
            let (mut x, y) = problem(n, d, 71);
            x.row_mut(3).mapv_inplace(|v| v * size);
            if twin {
                let first = x.column(0).to_owned();
                x.column_mut(1).assign(&first);
            }
            let penalty = 1e-18;
            let want = RidgeCv::new(&[penalty]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
            let got = Ridge::new(penalty).fit(&Device::cpu(), x.view(), y.view()).unwrap();
            let what = format!("{size:e}, twin {twin}, {n} x {d}: {:?}", got.report());
            close(got.coefficients().view(), want.best().coefficients().view(), 1e-9, &what);
            if size > 1e8 || twin {
                assert!(matches!(got.report(), SolveReport::Decomposed { .. }), "{what}");
            }
        }
    }
}

/// `w = u∘a∘y + u (y₀/s - Σ u a y) / (1/s² + Σ u)`, `u = 1/(a² + λ)`, where column j has the entry `a_j` in row j and s in the
/// stray row: two entries, of which the stray one is not the usual one. As many digits as the report promises.
#[test]
fn a_stray_row_across_columns_of_one_entry() {
    let (n, d, penalty) = (40, 4, 1e-3);
    let a = array![1.0, -0.8, 1.3, 0.6];
    let y = random(n, 1, 72);
    let u = a.mapv(|a: f64| (a * a + penalty).recip());
    for s in [1e6, 1e9, 1e12] {
        let mut x = Array2::zeros((n, d));
        (0..d).for_each(|j| x[[j, j]] = a[j]);
        x.row_mut(n - 1).fill(s);
        let mut y = y.clone();
        y[[n - 1, 0]] = 0.3 * s;
        let own = &u * &a * y.slice(s![..d, 0]);
        let want = &own + &u * ((y[[n - 1, 0]] / s - own.sum()) / (s.powi(-2) + u.sum()));
        let want = want.insert_axis(Axis(1));
        let ridge = Ridge::new(penalty).intercept(false).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let cv = RidgeCv::new(&[penalty]).intercept(false).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        // Singular values are as exact as the largest of them: the square root of the condition says how many digits go.
        let SolveReport::Decomposed { condition, .. } = cv.best().report() else { panic!("{cv:?}") };
        let tolerance = 1e-14 * condition.sqrt();
        assert!(condition.sqrt() >= 0.5 * s && condition.sqrt() < 10.0 * s, "{condition:e}");
        close(cv.best().coefficients().view(), want.view(), tolerance, &format!("{s:e}, by cv"));
        close(ridge.coefficients().view(), want.view(), tolerance, &format!("{s:e}: {:?}", ridge.report()));
        assert!(s < 1e8 || matches!(ridge.report(), SolveReport::Decomposed { .. }), "{:?}", ridge.report());
    }
}
