//! Mixtures of any component, semi-supervised EM, outliers, the Chinese restaurant, on-line k-means, on-line PPCA.

use mercer::Device;
use mercer::inference::{ChineseRestaurant, ComponentMixture};
use mercer::models::cluster::KMeans;
use mercer::probability::distributions::{Gamma, Normal, NormalInverseWishart, Poisson, Univariate};
use mercer::probability::gaussian::MultivariateNormal;
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::{all_near, near};

/// S.1: Ex. 6.1, and EM-01.
#[test]
fn complete_and_marginal_likelihoods() {
    let at = |theta: f64| {
        let parts = vec![Normal::new(2.0, 1.0).unwrap(), Normal::new(theta, 1.0).unwrap()];
        ComponentMixture::new(&[0.5, 0.5], parts).unwrap()
    };
    let x = array![[0.0]];
    for (theta, want) in
        [(0.0, -1.4851577), (1.0, -1.9106724), (-2.0, -2.9189385), (3.0, -3.5331960), (1e3, -3.6120857)]
    {
        near(at(theta).score_samples(x.view()).unwrap()[0], want, 6e-8);
        near(
            at(theta).complete_log_likelihood(x.view(), &[1]).unwrap(),
            -0.5 * theta * theta - 1.6120857,
            1e-7 * (1.0 + theta * theta),
        );
    }
    let second = |t: f64| {
        let l = |t: f64| at(t).score_samples(x.view()).unwrap()[0];
        l(t + 0.1) - 2.0 * l(t) + l(t - 0.1)
    };
    assert!(second(0.0) < 0.0 && second(3.0) > 0.0); // not concave
    // All K^n assignments.
    let rows = array![[0.3], [1.2], [-0.7], [2.5]];
    let m = at(-0.5);
    let mut sum = 0.0;
    for code in 0..16usize {
        let z: Vec<usize> = (0..4).map(|i| code >> i & 1).collect();
        sum += m.complete_log_likelihood(rows.view(), &z).unwrap().exp();
    }
    near(m.score_samples(rows.view()).unwrap().sum(), sum.ln(), 1e-12);
    let (drawn, z) = m.sample(20_000, 1).unwrap();
    near(z.iter().sum::<usize>() as f64 / 20_000.0, 0.5, 0.015);
    near(drawn.mean().unwrap(), 0.75, 0.04);
}

/// EM of any component never loses; a mixture of Gaussians agrees with the model of that name.
#[test]
fn any_component_by_em() {
    let a = MultivariateNormal::spherical(array![0.0, 0.0].view(), 0.3).unwrap();
    let b = MultivariateNormal::spherical(array![3.0, 1.0].view(), 0.5).unwrap();
    let x = concatenate![Axis(0), a.sample(60, 1).unwrap(), b.sample(40, 2).unwrap()];
    let one = |m: [f64; 2]| {
        MultivariateNormal::new(Array1::from(m.to_vec()).view(), Array2::eye(2).view()).unwrap()
    };
    let start = ComponentMixture::new(&[0.5, 0.5], vec![one([0.0, 0.0]), one([3.0, 1.0])]).unwrap();
    let w = Array1::ones(100);
    let fitted = start.fit(x.view(), w.view(), 500, 1e-13).unwrap();
    assert!(fitted.trace().windows(2).all(|t| t[1] >= t[0] - 1e-9));
    let named = mercer::models::mixture::GaussianMixture::new(2)
        .covariance_floor(0.0)
        .tolerance(1e-12)
        .max_iterations(500);
    let named = named.fit(&Device::cpu(), &x).unwrap();
    near(fitted.trace().last().copied().unwrap(), named.log_likelihood(), 1e-4);
    assert_eq!(fitted.parameters(), named.parameters());
    // Gammas.
    let y = concatenate![
        Axis(0),
        Gamma::new(9.0, 9.0).unwrap().sample(80, 3).unwrap(),
        Gamma::new(30.0, 5.0).unwrap().sample(80, 4).unwrap()
    ]
    .insert_axis(Axis(1));
    let start = ComponentMixture::new(
        &[0.5, 0.5],
        vec![Gamma::new(2.0, 2.0).unwrap(), Gamma::new(5.0, 1.0).unwrap()],
    )
    .unwrap();
    let g = start.fit(y.view(), Array1::ones(160).view(), 500, 1e-11).unwrap();
    near(g.components()[1].mean().unwrap(), 6.0, 0.4);
    assert!(g.trace().windows(2).all(|t| t[1] >= t[0] - 1e-8));
    // A weight of two is that row twice.
    let twice = concatenate![Axis(0), y, y.slice(ndarray::s![..5, ..])];
    let mut w = Array1::ones(160);
    w.slice_mut(ndarray::s![..5]).fill(2.0);
    let (p, q) = (
        start.fit(y.view(), w.view(), 20, 0.0).unwrap(),
        start.fit(twice.view(), Array1::ones(165).view(), 20, 0.0).unwrap(),
    );
    all_near(p.weights(), q.weights(), 1e-9);
}

/// S.6: all labels are the supervised fit, none the unsupervised one, some clamp.
#[test]
fn semi_supervised() {
    let x = array![[1.0], [0.0], [2.0], [14.0], [11.0], [1.0], [12.0]];
    let start =
        ComponentMixture::new(&[0.5, 0.5], vec![Poisson::new(1.0).unwrap(), Poisson::new(5.0).unwrap()])
            .unwrap();
    let w = Array1::ones(7);
    let labels = [0, 0, 1, 1, 1, 0, 1];
    let all: Vec<Option<usize>> = labels.iter().map(|l| Some(*l)).collect();
    let supervised = start.fit_labelled(x.view(), &all, w.view(), 50, 1e-12).unwrap();
    near(supervised.components()[0].rate(), 2.0 / 3.0, 1e-12);
    near(supervised.components()[1].rate(), 39.0 / 4.0, 1e-12);
    near(supervised.weights()[1], 4.0 / 7.0, 1e-12);
    let none = start.fit_labelled(x.view(), &[None; 7], w.view(), 50, 1e-12).unwrap();
    assert_eq!(none, start.fit(x.view(), w.view(), 50, 1e-12).unwrap());
    let mut some = vec![None; 7];
    some[2] = Some(1);
    let clamped = start.fit_labelled(x.view(), &some, w.view(), 50, 1e-12).unwrap();
    assert!(clamped.components()[1].rate() < none.components()[1].rate());
}

/// T.2.
#[test]
fn low_densities_are_flagged() {
    let m = ComponentMixture::new(&[1.0], vec![Normal::new(0.0, 1.0).unwrap()]).unwrap();
    let usual = m.sample(2000, 1).unwrap().0;
    let flags = m.outliers(array![[0.1], [5.0], [-1.0]].view(), usual.view(), 0.05).unwrap();
    assert_eq!(flags, [false, true, false]);
    let share = m.outliers(usual.view(), usual.view(), 0.05).unwrap().into_iter().filter(|f| *f).count();
    assert_eq!(share, 100);
}

/// R.6: expected tables ~ α ln N; the seating's probability does not see the order; Gibbs finds two clusters.
#[test]
fn the_chinese_restaurant() {
    let process = ChineseRestaurant::new(2.0).unwrap();
    let mean =
        (0..200).map(|s| *process.sample(500, s).unwrap().iter().max().unwrap() as f64 + 1.0).sum::<f64>()
            / 200.0;
    near(mean, process.expected_tables(500), 0.6);
    let growth = process.expected_tables(100_000) - process.expected_tables(10_000);
    near(growth, 2.0 * 10f64.ln(), 1e-3);
    near(process.log_probability(&[0, 1, 0, 2]), process.log_probability(&[0, 1, 2, 2]), 1e-13);
    // Five seatings of three customers sum to one.
    let all = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]];
    near(all.iter().map(|t| process.log_probability(t).exp()).sum(), 1.0, 1e-13);
    let a = MultivariateNormal::spherical(array![0.0, 0.0].view(), 0.1).unwrap().sample(15, 1).unwrap();
    let b = MultivariateNormal::spherical(array![6.0, 6.0].view(), 0.1).unwrap().sample(15, 2).unwrap();
    let x = concatenate![Axis(0), a, b];
    let prior =
        NormalInverseWishart::new(array![3.0, 3.0].view(), 0.05, 5.0, (Array2::eye(2) * 0.5).view()).unwrap();
    let z = ChineseRestaurant::new(0.5).unwrap().gibbs(&prior, x.view(), 10, 3).unwrap();
    assert!((0..15).all(|i| z[i] != z[15 + i]));
    let common = (0..15).filter(|&i| z[i] == z[0]).count();
    assert!(common >= 13, "{z:?}");
}

/// M-03: `1/N_k` is the running mean exactly; a constant step stays in the hull.
#[test]
fn online_kmeans_with_a_step_of_ones_own() {
    let x = array![[0.0], [1.0], [10.0], [11.0]];
    let start = KMeans::new(2).fit(&Device::cpu(), &x).unwrap();
    let more = array![[0.4], [10.2], [1.1], [9.0]];
    let (mut a, mut b, mut c) = (start.clone(), start.clone(), start.clone());
    a.update(&more).unwrap();
    b.update_by(&more, |n| 1.0 / n).unwrap();
    assert_eq!(a.centres(), b.centres());
    let mut centres = a.centres().iter().copied().collect::<Vec<_>>();
    centres.sort_by(f64::total_cmp);
    all_near(&centres, &[2.5 / 4.0, 40.2 / 4.0], 1e-12);
    for _ in 0..100 {
        c.update_by(&more, |_| 0.3).unwrap();
    }
    assert!(c.centres().iter().all(|v| (0.4..=10.2).contains(v)));
    assert!(c.update_by(&more, |_| -1.0).is_err());
}

/// PP-05: EM over parts that come one after the other ends at the closed form, and a part that is all of the data is a step of plain EM.
#[test]
fn online_ppca() {
    use mercer::inference::em::Mode;
    use mercer::models::latent::{Ppca, PpcaSolver, StreamedMoments};
    let wide =
        MultivariateNormal::diagonal(array![1.0, 0.0, -1.0].view(), array![9.0, 1.0, 0.8].view()).unwrap();
    let x = wide.sample(400, 1).unwrap();
    let parts: Vec<StreamedMoments> = x
        .axis_chunks_iter(Axis(0), 100)
        .map(|part| StreamedMoments::of(&Device::cpu(), part).unwrap())
        .collect();
    let closed = Ppca::new(1).fit(&Device::cpu(), &x).unwrap();
    let online = Ppca::new(1)
        .solver(PpcaSolver::Em)
        .mode(Mode::Stepwise { delay: 2.0, decay: 0.6 })
        .max_iterations(300);
    let online = online.fit_moments(&parts).unwrap();
    near(online.noise_variance() / closed.noise_variance(), 1.0, 0.02);
    near(online.covariance()[[0, 0]] / closed.covariance()[[0, 0]], 1.0, 0.05);
    let whole = [StreamedMoments::of(&Device::cpu(), &x).unwrap()];
    let em = Ppca::new(1).solver(PpcaSolver::Em).tolerance(0.0);
    // The statistics of the start are learned from first, then those of the one part: two steps of plain EM.
    let plain = em.clone().max_iterations(2).fit_moments(&whole).unwrap();
    let step =
        em.max_iterations(1).mode(Mode::Stepwise { delay: 0.0, decay: 1.0 }).fit_moments(&whole).unwrap();
    near(step.noise_variance(), plain.noise_variance(), 1e-9);
}

/// Discrete mixtures from given parameters: densities by hand, and what is no distribution is refused.
#[test]
fn discrete_mixtures_from_parameters() {
    use mercer::models::mixture::{Bernoulli, Categorical, FittedDiscreteMixture};
    let (weights, p) = (array![0.3, 0.7], array![[0.9, 0.2], [0.4, 0.6]]);
    let coins = FittedDiscreteMixture::<Bernoulli>::given(weights.clone(), p.clone()).unwrap();
    let (one, two) = (0.3 * 0.9 * 0.8, 0.7 * 0.4 * 0.4);
    near(coins.score_samples(array![[1.0, 0.0]]).unwrap()[0], f64::ln(one + two), 1e-12);
    near(coins.predict_proba(array![[1.0, 0.0]]).unwrap()[[0, 0]], one / (one + two), 1e-12);
    assert!(FittedDiscreteMixture::<Categorical>::given(weights.clone(), p.clone()).is_err());
    let shares = array![[0.9, 0.1], [0.4, 0.6]];
    let words = FittedDiscreteMixture::<Categorical>::given(weights, shares).unwrap();
    let (one, two) = (0.3 * 0.81 * 0.1, 0.7 * 0.16 * 0.6);
    near(words.score_samples(array![[2.0, 1.0]]).unwrap()[0], f64::ln(one + two), 1e-12);
    assert!(FittedDiscreteMixture::<Bernoulli>::given(array![0.3, 0.6], p.clone()).is_err());
    assert!(FittedDiscreteMixture::<Bernoulli>::given(array![1.0], p.clone()).is_err());
    assert!(FittedDiscreteMixture::<Bernoulli>::given(array![0.3, 0.7], &p * 2.0).is_err());
}
