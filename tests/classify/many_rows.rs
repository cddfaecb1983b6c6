//! Logistic regression of many rows, which begins with a sample of them.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, s};

use crate::support::random;

/// Many rows begin with a sample of them; at the end the score equations hold of all, and errors are those of the Hessian
/// there. One column does not vary in the second case, one is far away, and rows come in turns.
#[test]
fn many_rows_have_the_same_optimum() {
    let (n, d) = (24_000, 9);
    for (penalty, still) in [(1.0, false), (0.0, true)] {
        let mut x = random(n, d, 81);
        let score = 1.5 * x.dot(&random(d, 1, 82)).column(0).to_owned();
        let noise = random(n, 1, 83);
        x.column_mut(0).mapv_inplace(|v| 1e5 + v);
        if still {
            x.column_mut(4).fill(3.0);
        }
        let y: Vec<bool> =
            (0..n).map(|i| score[i] + 2.0 * noise[[i, 0]] > if i % 16 == 0 { 1.0 } else { 0.0 }).collect();
        let weights = Array1::from_shape_fn(n, |i| 1.0 + (i % 2) as f64);
        let fit = LogisticRegression::new(penalty).fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
        assert!(fit.report().converged());
        let p = fit.predict_proba(&x).unwrap().column(1).to_owned();
        let residual = Array1::from_shape_fn(n, |i| weights[i] * (p[i] - f64::from(u8::from(y[i]))));
        let centred = &x - &x.mean_axis(Axis(0)).unwrap();
        let slope = centred.t().dot(&residual) + penalty * &fit.coefficients().column(0);
        assert!(
            residual.sum().abs() < 1e-5 && slope.iter().all(|g| g.abs() < 1e-5),
            "{slope} {}",
            residual.sum()
        );
        let mut design = ndarray::concatenate![Axis(1), centred, Array2::ones((n, 1))];
        if still {
            design.column_mut(4).fill(0.0);
        }
        let curve = Array1::from_shape_fn(n, |i| weights[i] * p[i] * (1.0 - p[i])).insert_axis(Axis(1));
        let mut h = design.t().dot(&(&design * &curve));
        (0..d).for_each(|j| h[[j, j]] += penalty);
        if still {
            h[[4, 4]] = 1.0;
        }
        let covariance = fit.covariance().unwrap().slice(s![..d, ..d]).to_owned();
        let mut one = covariance.dot(&h.slice(s![..d, ..d]));
        // The intercept's part of the inverse, by its own row.
        let last = fit.covariance().unwrap().slice(s![..d, d..]).to_owned();
        let mean = x.mean_axis(Axis(0)).unwrap().insert_axis(Axis(1));
        let moved = &last + &covariance.dot(&mean);
        one = one + moved.dot(&h.slice(s![d.., ..d]));
        for ((i, j), v) in one.indexed_iter().filter(|((i, j), _)| !still || (*i != 4 && *j != 4)) {
            assert!((v - f64::from(u8::from(i == j))).abs() < 1e-5, "[{i}, {j}] is {v}");
        }
    }
    // What a plane separates, it separates in a sample too.
    let x = random(n, d, 84);
    let apart: Vec<bool> = x.column(2).iter().map(|v| *v > 0.3).collect();
    let error = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &apart).unwrap_err();
    assert!(matches!(error, Error::Separable { .. }), "{error}");
}
