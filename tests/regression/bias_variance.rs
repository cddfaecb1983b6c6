//! S-05: a hundred data sets of the sine, ridge on 24 Gaussian features.

use mercer::Device;
use mercer::learn::loss::bias_variance;
use mercer::models::linear::{LeastSquares, Ridge};
use ndarray::{Array1, Array2, array};

use crate::monomials;
use crate::support::random;

fn features(x: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.len(), 24), |(i, j)| {
        let z = (x[i] - j as f64 / 23.0) / 0.1;
        (-0.5 * z * z).exp()
    })
}

#[test]
fn bias_rises_and_variance_falls_with_the_penalty() {
    let noise = 0.3f64;
    let x = Array1::from_shape_fn(50, |i| i as f64 / 49.0);
    let (phi, h) = (features(&x), x.mapv(|x| (std::f64::consts::TAU * x).sin()));
    // One column a data set: one factorisation for all of them. Uniform noise of standard deviation 0.3.
    let draws = random(50, 100, 3) * (noise * 3f64.sqrt());
    let y = &draws + &h.view().insert_axis(ndarray::Axis(1));
    let parts = [-2.4f64, -0.31, 2.6].map(|log| {
        let fit = Ridge::new(log.exp()).fit(&Device::cpu(), &phi, &y).unwrap();
        let said = fit.predict(&phi).unwrap().reversed_axes();
        let parts = bias_variance(said.view(), h.view(), noise * noise).unwrap();
        // The identity about h is exact.
        let about: f64 =
            said.rows().into_iter().map(|r| (&r - &h).mapv(|v| v * v).sum()).sum::<f64>() / 5000.0;
        assert!((about - parts.bias_squared - parts.variance).abs() < 1e-14);
        // And with fresh noise the mean loss is the sum of all three.
        let fresh = random(100, 50, 77) * (noise * 3f64.sqrt()) + &h;
        let loss = (&said - &fresh).mapv(|v| v * v).sum() / 5000.0;
        assert!((loss - parts.total()).abs() < 0.006, "{loss} {}", parts.total());
        parts
    });
    assert!(parts.windows(2).all(|p| p[0].bias_squared < p[1].bias_squared && p[0].variance > p[1].variance));
    assert!(bias_variance(array![[1.0, 2.0]].view(), array![1.0].view(), 0.1).is_err());
}

/// B.7: training loss falls with the order, the expected loss is U-shaped.
#[test]
fn over_and_underfitting() {
    let noise = 0.1f64.sqrt() * 3f64.sqrt();
    let grid = Array2::from_shape_fn((200, 1), |(i, _)| (i as f64 + 0.5) / 200.0);
    let truth = grid.column(0).mapv(|x| (std::f64::consts::TAU * x).sin());
    let (mut train, mut expected) = (vec![0.0; 10], vec![0.0; 10]);
    for set in 0..30 {
        let x = Array2::from_shape_fn((10, 1), |(i, _)| 0.05 + 0.1 * i as f64);
        let e = random(10, 1, 900 + set);
        let t = Array1::from_shape_fn(10, |i| (std::f64::consts::TAU * x[[i, 0]]).sin() + noise * e[[i, 0]]);
        let mut last = f64::INFINITY;
        for order in 0..10 {
            let fit =
                LeastSquares::new().intercept(false).fit(&Device::cpu(), &monomials(&x, order), &t).unwrap();
            let own = fit.residual_sum_of_squares()[0] / 10.0;
            assert!(own <= last + 1e-9, "set {set}, M = {order}: {own} after {last}");
            last = own;
            train[order] += own / 30.0;
            let said = fit.predict(&monomials(&grid, order)).unwrap();
            // The median would hide what the mean of a few wild fits shows.
            expected[order] += (0.1 + (&said - &truth).mapv(|v| v * v).mean().unwrap()).min(50.0) / 30.0;
        }
    }
    let best = (0..10).min_by(|a, b| expected[*a].total_cmp(&expected[*b])).unwrap();
    assert!((2..=7).contains(&best), "{expected:?}");
    assert!(expected[0] > expected[best] && expected[9] > 5.0 * expected[best] && train[9] < 1e-3 * train[0]);
}

/// B.7: with more rows the training loss rises and the generalisation loss falls to what the order leaves.
#[test]
fn losses_meet_as_rows_are_added() {
    let n = 900;
    let x = random(n, 1, 70).mapv(|v| 0.5 + 0.5 * v);
    let e = random(n, 1, 71) * (0.1f64.sqrt() * 3f64.sqrt());
    let t = Array1::from_shape_fn(n, |i| (std::f64::consts::TAU * x[[i, 0]]).sin() + e[[i, 0]]);
    let model = LeastSquares::new().intercept(false);
    let (sizes, folds) = ([8, 20, 60, 600], mercer::learn::KFold::new(3).shuffled(1));
    let curve = mercer::learn::learning_curve(
        &model,
        &Device::cpu(),
        monomials(&x, 3),
        &t,
        &sizes,
        &folds,
        mercer::learn::mse,
        &mercer::Progress::none(),
    )
    .unwrap();
    let gaps: Vec<f64> = curve.iter().map(|p| p.test.mean() - p.train.mean()).collect();
    assert!(gaps[0] > 4.0 * gaps[2] && gaps[3].abs() < 0.01, "{gaps:?}");
    assert!(curve[0].train.mean() < curve[3].train.mean() && curve[0].test.mean() > curve[3].test.mean());
    // The noise is 0.1, and a cubic leaves little of a sine.
    assert!((curve[3].test.mean() - 0.1).abs() < 0.015, "{}", curve[3].test.mean());
    // Over orders: training never rises, validation has its least inside.
    let orders = mercer::learn::validation_curve(
        |order: &usize| {
            mercer::learn::Pipeline::new(mercer::learn::Polynomial::new(*order), Ridge::new(1e-9))
        },
        &[1, 3, 9],
        &Device::cpu(),
        x.slice(ndarray::s![..24, ..]),
        t.slice(ndarray::s![..24]).to_owned(),
        &folds,
        mercer::learn::mse,
        &mercer::Progress::none(),
    )
    .unwrap();
    let at = |i: usize| (orders[i].train.mean(), orders[i].test.mean());
    assert!(at(1).0 <= at(0).0 && at(2).0 <= at(1).0 && at(1).1 < at(0).1 && at(1).1 < at(2).1);
}
