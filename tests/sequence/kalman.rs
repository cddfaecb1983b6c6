//! Filter, prediction, smoother and a step of EM with two outputs: each is the joint normal distribution, conditioned.

use mercer::models::sequence::{LinearGaussian, LinearGaussianEm};
use ndarray::{Array1, Array2, array, s};

use crate::linear_gaussian::{joint, solve};
use crate::near;

fn model() -> LinearGaussian {
    LinearGaussian::new(
        array![0.5, -0.2],
        array![[1.0, 0.3], [0.3, 0.8]],
        array![[0.9, 0.2], [-0.1, 0.7]],
        array![[0.3, 0.05], [0.05, 0.2]],
        array![[1.0, 0.5], [-0.3, 0.8]],
        array![[0.4, -0.1], [-0.1, 0.6]],
    )
    .unwrap()
}

/// Mean and covariance of all states given those of the first `seen` observations that are not missing.
fn given(m: &LinearGaussian, x: &Array2<f64>, seen: usize) -> (Array1<f64>, Array2<f64>) {
    let t = x.nrows();
    let (mean, cov) = joint(m, t);
    let rows: Vec<usize> = (0..seen).filter(|i| x[[*i, 0]].is_finite()).collect();
    let n = 2 * rows.len();
    if n == 0 {
        return (mean, cov);
    }
    let (mut c, mut noise, mut off) = (Array2::zeros((n, 2 * t)), Array2::zeros((n, n)), Array1::zeros(n));
    for (r, i) in rows.iter().enumerate() {
        c.slice_mut(s![2 * r..2 * r + 2, 2 * i..2 * i + 2]).assign(m.emission());
        noise.slice_mut(s![2 * r..2 * r + 2, 2 * r..2 * r + 2]).assign(m.emission_noise());
        off.slice_mut(s![2 * r..2 * r + 2]).assign(&x.row(*i));
    }
    off = off - c.dot(&mean);
    let gain = solve(&(c.dot(&cov).dot(&c.t()) + noise), c.dot(&cov)).t().to_owned();
    (&mean + &gain.dot(&off), &cov - &gain.dot(&c.dot(&cov)))
}

/// With every observation, and with the second and the last missing.
fn sequences() -> [Array2<f64>; 2] {
    let (whole, _) = model().sample(6, 3).unwrap();
    let mut gaps = whole.clone();
    gaps.row_mut(1).fill(f64::NAN);
    gaps.row_mut(5).fill(f64::NAN);
    [whole, gaps]
}

#[test]
fn all_that_is_filtered_and_predicted_conditions_the_joint_normal() {
    let m = model().allow_missing(true);
    for x in sequences() {
        let (f, smooth) = (m.filter(&x).unwrap(), m.smooth(&x).unwrap());
        let (all, spread) = given(&m, &x, 6);
        for t in 0..6 {
            let (before, after) = (given(&m, &x, t), given(&m, &x, t + 1));
            for a in 0..2 {
                near(f.predicted_means[[t, a]], before.0[2 * t + a], 1e-10);
                near(f.means[[t, a]], after.0[2 * t + a], 1e-10);
                near(smooth.means[[t, a]], all[2 * t + a], 1e-10);
                for b in 0..2 {
                    let at = [2 * t + a, 2 * t + b];
                    near(f.predicted_covariances[[t, a, b]], before.1[at], 1e-10);
                    near(f.covariances[[t, a, b]], after.1[at], 1e-10);
                    near(smooth.covariances[[t, a, b]], spread[at], 1e-10);
                }
            }
        }
    }
}

fn inverse(a: &Array2<f64>) -> Array2<f64> {
    let det = a[[0, 0]] * a[[1, 1]] - a[[0, 1]] * a[[1, 0]];
    array![[a[[1, 1]], -a[[0, 1]]], [-a[[1, 0]], a[[0, 0]]]] / det
}

#[test]
fn a_step_of_em_is_two_regressions_on_the_joint_normal() {
    let (m, x) = (model().allow_missing(true), sequences()[1].clone());
    let (mean, cov) = given(&m, &x, 6);
    let second = |i: usize, j: usize| {
        Array2::from_shape_fn((2, 2), |(a, b)| {
            cov[[2 * i + a, 2 * j + b]] + mean[2 * i + a] * mean[2 * j + b]
        })
    };
    let zero = || Array2::<f64>::zeros((2, 2));
    let (mut later, mut earlier, mut lagged) = (zero(), zero(), zero());
    for i in 1..6 {
        (later, earlier, lagged) =
            (later + second(i, i), earlier + second(i - 1, i - 1), lagged + second(i, i - 1));
    }
    let (mut seen, mut cross, mut squares) = (zero(), zero(), zero());
    for i in [0, 2, 3, 4] {
        seen += &second(i, i);
        cross += &Array2::from_shape_fn((2, 2), |(a, b)| x[[i, a]] * mean[2 * i + b]);
        squares += &Array2::from_shape_fn((2, 2), |(a, b)| x[[i, a]] * x[[i, b]]);
    }
    let one = LinearGaussianEm::new(m).floor(0.0).max_iterations(1).tolerance(0.0).learn(&[x]).unwrap();
    let same = |a: &Array2<f64>, b: &Array2<f64>| assert!((a - b).iter().all(|v| v.abs() < 1e-9), "{a} {b}");
    let transition = lagged.dot(&inverse(&earlier));
    same(one.transition(), &transition);
    same(one.transition_noise(), &((later - transition.dot(&lagged.t())) / 5.0));
    let emission = cross.dot(&inverse(&seen));
    same(one.emission(), &emission);
    same(one.emission_noise(), &((squares - emission.dot(&cross.t())) / 4.0));
    (0..2).for_each(|a| near(one.initial_mean()[a], mean[a], 1e-10));
}

#[test]
fn em_with_two_outputs_and_gaps_climbs() {
    let truth = model();
    let mut x: Vec<_> = (0..4).map(|s| truth.sample(80, s).unwrap().0).collect();
    for x in &mut x {
        (3..80).step_by(9).for_each(|t| x.row_mut(t).fill(f64::NAN));
    }
    let start = LinearGaussian::new(
        array![0.0, 0.0],
        Array2::eye(2),
        Array2::eye(2) * 0.5,
        Array2::eye(2) * 0.5,
        Array2::eye(2),
        Array2::eye(2),
    )
    .unwrap();
    assert!(LinearGaussianEm::new(start.clone()).learn(&x).is_err());
    let (truth, start) = (truth.allow_missing(true), start.allow_missing(true));
    let learned = LinearGaussianEm::new(start.clone()).max_iterations(40).tolerance(0.0).learn(&x).unwrap();
    let log = |m: &LinearGaussian| x.iter().map(|x| m.log_likelihood(x).unwrap()).sum::<f64>();
    let trace = &learned.report().trace;
    assert!(trace.len() > 20 && trace.windows(2).all(|w| w[1] >= w[0] - 1e-8), "{trace:?}");
    assert!(log(&learned) > log(&start) && log(&learned) > log(&truth), "{} {}", log(&learned), log(&truth));
}
