//! The Gaussian algebra is what processes, probabilistic components and filters compute: equality with each of them.

use mercer::models::gp::{GpRegressor, Predictive};
use mercer::models::latent::FittedPpca;
use mercer::models::sequence::LinearGaussian as StateSpace;
use mercer::probability::gaussian::{LinearGaussian, MultivariateNormal, posterior_covariance};
use mercer::{Device, Kernel, Matrix, ops};
use ndarray::{Array1, Array2, Axis, array, s};

use crate::{all_near, near};

fn flat(a: &Array2<f64>) -> Vec<f64> {
    a.iter().copied().collect()
}

/// GP-06: the posterior of a process is the joint normal distribution of values and observations, conditioned.
#[test]
fn a_process_is_a_normal_distribution_that_is_conditioned() {
    let all = array![[0.0], [0.7], [1.9], [2.4], [0.3], [3.5]]; // four that were seen, two new
    let y = array![0.5, 1.0, -0.3, -0.8];
    let (kernel, noise) = (Kernel::matern32(0.9).scaled(1.4), 0.2);
    let x = Matrix::from_array(&Device::cpu(), all.view()).unwrap();
    let mut k = ops::gram(&kernel, &x, None).unwrap().to_array().unwrap();
    for i in 0..4 {
        k[[i, i]] += noise;
    }
    let joint = MultivariateNormal::new(Array1::zeros(6).view(), k.view()).unwrap();
    let given = joint.condition(&[0, 1, 2, 3], y.view()).unwrap();
    let seen = all.slice(s![..4, ..]);
    let gp = GpRegressor::new(kernel).noise(noise).fit(&Device::cpu(), seen, &y).unwrap();
    let new = gp.predict_joint(all.slice(s![4.., ..]), Predictive::Latent).unwrap();
    all_near(&new.mean.to_vec(), &given.mean().to_vec(), 1e-10);
    all_near(&flat(&new.covariance), &flat(given.covariance()), 1e-10);
    let evidence =
        joint.marginal(&[0, 1, 2, 3]).unwrap().log_density(y.view().insert_axis(Axis(0))).unwrap()[0];
    near(gp.log_evidence(), evidence, 1e-10);
    // The same through the values at the data: a linear-Gaussian model with B = I.
    let prior = {
        let x = Matrix::from_array(&Device::cpu(), seen).unwrap();
        ops::gram(gp.kernel(), &x, None).unwrap().to_array().unwrap()
    };
    let f = MultivariateNormal::new(Array1::zeros(4).view(), prior.view()).unwrap();
    let eye = Array2::<f64>::eye(4);
    let model = LinearGaussian::new(f, eye.view(), Array1::zeros(4).view(), (&eye * noise).view()).unwrap();
    let (posterior, at_data) =
        (model.posterior(y.view()).unwrap(), gp.predict_joint(seen, Predictive::Latent).unwrap());
    all_near(&at_data.mean.to_vec(), &posterior.mean().to_vec(), 1e-10);
    all_near(&flat(&at_data.covariance), &flat(posterior.covariance()), 1e-10);
    near(model.log_evidence(y.view()).unwrap(), evidence, 1e-10);
    // What is left of a prior after precisions 1/noise, and ln|I + K/noise|.
    let (left, log) = posterior_covariance(prior.view(), &[1.0 / noise; 4]).unwrap();
    all_near(&flat(&left), &flat(posterior.covariance()), 1e-10);
    let whole = MultivariateNormal::new(Array1::zeros(4).view(), (&prior / noise + &eye).view()).unwrap();
    near(log, whole.log_det(), 1e-11);
}

/// Probabilistic components are a linear-Gaussian model with a standard normal x: marginal, posterior and evidence.
#[test]
fn probabilistic_components_are_a_linear_gaussian_model() {
    let mean = array![0.5, -1.0, 2.0];
    let loadings = array![[2.0, 0.3], [1.0, -0.7], [0.2, 1.1]];
    let ppca = FittedPpca::given(mean.clone(), loadings, 0.5).unwrap();
    let prior = MultivariateNormal::spherical(array![0.0, 0.0].view(), 1.0).unwrap();
    let noise = Array2::<f64>::eye(3) * 0.5;
    let model = LinearGaussian::new(prior, ppca.loadings().view(), mean.view(), noise.view()).unwrap();
    all_near(&flat(model.predictive().unwrap().covariance()), &flat(&ppca.covariance()), 1e-12);
    let x = array![[0.1, 0.4, 1.7]];
    let posterior = model.posterior(x.row(0)).unwrap();
    all_near(&ppca.transform(&x).unwrap().row(0).to_vec(), &posterior.mean().to_vec(), 1e-12);
    all_near(&flat(&ppca.posterior_covariance()), &flat(posterior.covariance()), 1e-12);
    near(ppca.score_samples(&x).unwrap()[0], model.log_evidence(x.row(0)).unwrap(), 1e-12);
}

/// Kalman's filter is a chain of affine maps, sums and linear-Gaussian posteriors; its smoother conditions the joint of all states.
#[test]
fn kalmans_filter_is_a_chain_of_linear_gaussian_steps() {
    let (a, q) = (array![[0.9, 0.2], [-0.1, 0.8]], array![[0.3, 0.1], [0.1, 0.2]]);
    let (c, r) = (array![[1.0, 0.5]], array![[0.4]]);
    let (m, p) = (array![0.2, -0.3], array![[1.0, 0.2], [0.2, 0.7]]);
    let x = array![[0.3], [-0.4], [1.1], [0.2]];
    let chain = StateSpace::new(m.clone(), p.clone(), a.clone(), q.clone(), c.clone(), r.clone()).unwrap();
    let filtered = chain.filter(&x).unwrap();
    let zero = array![0.0, 0.0];
    let step = MultivariateNormal::new(zero.view(), q.view()).unwrap();
    let mut state = MultivariateNormal::new(m.view(), p.view()).unwrap();
    let mut log = 0.0;
    for t in 0..4 {
        if t > 0 {
            state = state.affine(a.view(), zero.view()).unwrap().plus(&step).unwrap();
        }
        all_near(&filtered.predicted_means.row(t).to_vec(), &state.mean().to_vec(), 1e-12);
        let seen = LinearGaussian::new(state, c.view(), array![0.0].view(), r.view()).unwrap();
        log += seen.log_evidence(x.row(t)).unwrap();
        state = seen.posterior(x.row(t)).unwrap();
        all_near(&filtered.means.row(t).to_vec(), &state.mean().to_vec(), 1e-12);
        let own = filtered.covariances.index_axis(Axis(0), t).to_owned();
        all_near(&flat(&own), &flat(state.covariance()), 1e-12);
    }
    near(filtered.log_likelihood, log, 1e-12);
    // All four states at once: z = (z_1 .. z_4), x = Cz + noise.
    let mut mean = Array1::<f64>::zeros(8);
    let mut joint = Array2::<f64>::zeros((8, 8));
    let (mut own, mut centre) = (p, m);
    for t in 0..4 {
        if t > 0 {
            own = a.dot(&own).dot(&a.t()) + &q;
            centre = a.dot(&centre);
        }
        mean.slice_mut(s![2 * t..2 * t + 2]).assign(&centre);
        joint.slice_mut(s![2 * t..2 * t + 2, 2 * t..2 * t + 2]).assign(&own);
        for before in 0..t {
            // Cov(z_t, z_s) = A Cov(z_{t-1}, z_s).
            let lagged = a.dot(&joint.slice(s![2 * t - 2..2 * t, 2 * before..2 * before + 2]));
            joint.slice_mut(s![2 * t..2 * t + 2, 2 * before..2 * before + 2]).assign(&lagged);
            joint.slice_mut(s![2 * before..2 * before + 2, 2 * t..2 * t + 2]).assign(&lagged.t());
        }
    }
    let map = Array2::from_shape_fn((4, 8), |(t, j)| if j / 2 == t { c[[0, j % 2]] } else { 0.0 });
    let states = MultivariateNormal::new(mean.view(), joint.view()).unwrap();
    let noise = Array2::<f64>::eye(4) * 0.4;
    let model = LinearGaussian::new(states, map.view(), Array1::zeros(4).view(), noise.view()).unwrap();
    let posterior = model.posterior(x.column(0)).unwrap();
    let smoothed = chain.smooth(&x).unwrap();
    for t in 0..4 {
        all_near(
            &smoothed.means.row(t).to_vec(),
            &posterior.mean().slice(s![2 * t..2 * t + 2]).to_vec(),
            1e-11,
        );
        let own = smoothed.covariances.index_axis(Axis(0), t).to_owned();
        let want = posterior.covariance().slice(s![2 * t..2 * t + 2, 2 * t..2 * t + 2]).to_owned();
        all_near(&flat(&own), &flat(&want), 1e-11);
    }
    near(smoothed.log_likelihood, model.log_evidence(x.column(0)).unwrap(), 1e-11);
}

/// The divergence in two dimensions is the mean of the log ratio, by quadrature; an affine map moves the mean and a common one nothing.
#[test]
fn divergences_and_maps() {
    let p = MultivariateNormal::new(array![0.3, -0.2].view(), array![[1.0, 0.4], [0.4, 0.8]].view()).unwrap();
    let q =
        MultivariateNormal::new(array![-0.1, 0.5].view(), array![[1.5, -0.3], [-0.3, 0.9]].view()).unwrap();
    let (n, h) = (240, 16.0 / 240.0);
    let mut sum = 0.0;
    for i in 0..n {
        let rows =
            Array2::from_shape_fn((n, 2), |(j, k)| -8.0 + (if k == 0 { i } else { j } as f64 + 0.5) * h);
        let (a, b) = (p.log_density(rows.view()).unwrap(), q.log_density(rows.view()).unwrap());
        sum += a.iter().zip(&b).map(|(a, b)| a.exp() * (a - b)).sum::<f64>() * h * h;
    }
    near(p.divergence(&q).unwrap(), sum, 1e-8);
    let (a, b) = (array![[1.0, 2.0], [0.5, -1.0]], array![3.0, 4.0]);
    let (ap, aq) = (p.affine(a.view(), b.view()).unwrap(), q.affine(a.view(), b.view()).unwrap());
    all_near(&ap.mean().to_vec(), &(a.dot(p.mean()) + &b).to_vec(), 1e-14);
    near(ap.divergence(&aq).unwrap(), p.divergence(&q).unwrap(), 1e-12);
    // A factor is lower triangular.
    let upper = array![[1.0, 0.5], [0.0, 1.0]];
    assert!(MultivariateNormal::from_factor(array![0.0, 0.0].view(), upper.view()).is_err());
}
