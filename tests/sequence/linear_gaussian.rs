//! Kalman's filter and smoother are conditioning of one large normal distribution; EM climbs.

use mercer::models::sequence::{LinearGaussian, LinearGaussianEm};
use ndarray::{Array1, Array2, array, s};

use crate::near;

fn model() -> LinearGaussian {
    LinearGaussian::new(
        array![0.5, -0.2],
        array![[1.0, 0.3], [0.3, 0.8]],
        array![[0.9, 0.2], [-0.1, 0.7]],
        array![[0.3, 0.05], [0.05, 0.2]],
        array![[1.0, 0.5]],
        array![[0.4]],
    )
    .unwrap()
}

/// Mean and covariance of all states stacked, by unrolling.
pub fn joint(m: &LinearGaussian, t: usize) -> (Array1<f64>, Array2<f64>) {
    let (mut mean, mut cov) = (Array1::zeros(2 * t), Array2::<f64>::zeros((2 * t, 2 * t)));
    let (mut one, mut var) = (m.initial_mean().clone(), m.initial_covariance().clone());
    for i in 0..t {
        if i > 0 {
            one = m.transition().dot(&one);
            var = m.transition().dot(&var).dot(&m.transition().t()) + m.transition_noise();
        }
        mean.slice_mut(s![2 * i..2 * i + 2]).assign(&one);
        let mut block = var.clone();
        for j in i..t {
            cov.slice_mut(s![2 * j..2 * j + 2, 2 * i..2 * i + 2]).assign(&block);
            cov.slice_mut(s![2 * i..2 * i + 2, 2 * j..2 * j + 2]).assign(&block.t());
            block = m.transition().dot(&block);
        }
    }
    (mean, cov)
}

pub fn solve(a: &Array2<f64>, b: Array2<f64>) -> Array2<f64> {
    let params = mercer::linalg::SpdParams::default();
    mercer::linalg::solve_spd(&mercer::Device::cpu(), a.view(), b.view(), &params).unwrap().x
}

#[test]
fn filter_and_smoother_condition_the_joint_normal() {
    let (m, t) = (model(), 5);
    let (x, _) = m.sample(t, 3).unwrap();
    let (mean, cov) = joint(&m, t);
    // All observations through one matrix.
    let mut c = Array2::<f64>::zeros((t, 2 * t));
    (0..t).for_each(|i| c.slice_mut(s![i..=i, 2 * i..2 * i + 2]).assign(m.emission()));
    let seen = c.dot(&cov).dot(&c.t()) + Array2::<f64>::eye(t) * 0.4;
    let off = &x.column(0) - &c.dot(&mean);
    let gain = solve(&seen, c.dot(&cov)).t().to_owned();
    let (post, spread) = (&mean + &gain.dot(&off), &cov - &gain.dot(&c.dot(&cov)));
    let found = m.smooth(&x).unwrap();
    for i in 0..t {
        for a in 0..2 {
            near(found.means[[i, a]], post[2 * i + a], 1e-10);
            for b in 0..2 {
                near(found.covariances[[i, a, b]], spread[[2 * i + a, 2 * i + b]], 1e-10);
                if i > 0 {
                    near(found.lagged[[i, a, b]], spread[[2 * i + a, 2 * i - 2 + b]], 1e-10);
                }
            }
        }
    }
    let solved = solve(&seen, off.clone().insert_axis(ndarray::Axis(1)));
    let log_det: f64 = mercer::linalg::eigh(seen.view()).unwrap().values.iter().map(|v| v.ln()).sum();
    let want = -0.5 * (off.dot(&solved.column(0)) + log_det + t as f64 * (2.0 * std::f64::consts::PI).ln());
    near(found.log_likelihood, want, 1e-9);
    // The last filtered state is the last smoothed one.
    let f = m.filter(&x).unwrap();
    near(f.means[[t - 1, 0]], post[2 * t - 2], 1e-10);
}

#[test]
fn a_missing_observation_leaves_the_joint_of_the_others() {
    let m = model().allow_missing(true);
    let x = array![[0.3], [f64::NAN], [1.2]];
    // Observations 1 and 3 by the joint distribution.
    let (mean, cov) = joint(&m, 3);
    let c = array![[1.0, 0.5, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.5]];
    let seen = c.dot(&cov).dot(&c.t()) + Array2::<f64>::eye(2) * 0.4;
    let off = array![0.3, 1.2] - c.dot(&mean);
    let det = seen[[0, 0]] * seen[[1, 1]] - seen[[0, 1]].powi(2);
    let square = off.dot(&solve(&seen, off.clone().insert_axis(ndarray::Axis(1))).column(0));
    near(
        m.log_likelihood(&x).unwrap(),
        -0.5 * (square + det.ln() + 2.0 * (2.0 * std::f64::consts::PI).ln()),
        1e-10,
    );
    assert!(model().log_likelihood(&x).is_err());
}

#[test]
fn em_climbs_to_what_made_the_data() {
    let truth = model();
    let x: Vec<_> = (0..4).map(|s| truth.sample(150, s).unwrap().0).collect();
    let start = LinearGaussian::new(
        array![0.0, 0.0],
        Array2::eye(2),
        Array2::eye(2) * 0.5,
        Array2::eye(2) * 0.5,
        array![[1.0, 0.3]],
        array![[1.0]],
    )
    .unwrap();
    let learned = LinearGaussianEm::new(start.clone()).max_iterations(60).learn(&x).unwrap();
    let log = |m: &LinearGaussian| x.iter().map(|x| m.log_likelihood(x).unwrap()).sum::<f64>();
    assert!(learned.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-6));
    assert!(log(&learned) > log(&start) && log(&learned) > log(&truth) - 5.0);
}

#[test]
fn bad_parameters_are_refused() {
    let one = || array![[1.0]];
    assert!(LinearGaussian::new(array![0.0], array![[-1.0]], one(), one(), one(), one()).is_err());
    assert!(LinearGaussian::new(array![0.0, 1.0], one(), one(), one(), one(), one()).is_err());
    assert!(LinearGaussian::new(array![f64::NAN], one(), one(), one(), one(), one()).is_err());
    let m = LinearGaussian::new(array![0.0], one(), one(), one(), one(), one()).unwrap();
    assert!(m.filter(&array![[0.0, 1.0]]).is_err() && m.filter(&Array2::<f64>::zeros((0, 1))).is_err());
    assert!(LinearGaussianEm::new(m).learn(&[array![[1.0]]]).is_err());
}
