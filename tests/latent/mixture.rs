use mercer::Device;
use mercer::inference::em::{Em, Mode};
use mercer::models::latent::{FittedPpcaMixture, Ppca, PpcaMixture};
use ndarray::{Array1, Array2, Axis, array};

use crate::{close, close1, covariance, gaussian, near_subspace, normal, rises};

fn fit(mixture: &PpcaMixture, x: &Array2<f64>) -> FittedPpcaMixture {
    mixture.fit(&Device::cpu(), x.view()).unwrap()
}

/// Three flat clouds that lie apart, row after row in turn.
fn three(n: usize, seed: u64) -> Array2<f64> {
    let clouds: Vec<Array2<f64>> = (0..3).map(|c| near_subspace(n, 5, 2, 0.3, seed + 10 * c)).collect();
    let centres =
        array![[0.0, 0.0, 0.0, 0.0, 0.0], [14.0, 0.0, -9.0, 0.0, 3.0], [-12.0, 12.0, 0.0, 9.0, 0.0]];
    Array2::from_shape_fn((3 * n, 5), |(i, j)| clouds[i % 3][[i / 3, j]] + centres[[i % 3, j]])
}

#[test]
fn one_component_is_ppca() {
    let x = near_subspace(90, 6, 2, 0.5, 100);
    let (one, ppca) = (fit(&PpcaMixture::new(1, 2), &x), Ppca::new(2).fit(&Device::cpu(), x.view()).unwrap());
    assert!((one.log_likelihood() - ppca.log_likelihood()).abs() < 1e-9);
    close(&one.covariance(0).unwrap(), &ppca.covariance(), 1e-11, "covariance");
    close(&one.loadings(0).unwrap(), ppca.loadings(), 1e-10, "loadings");
    close1(&one.means().row(0).to_owned(), ppca.mean(), 1e-12, "mean");
    close(&one.transform(x.view(), 0).unwrap(), &ppca.transform(x.view()).unwrap(), 1e-10, "latents");
    assert_eq!(one.weights(), array![1.0]);
}

#[test]
fn the_likelihood_rises_and_is_that_of_a_mixture() {
    let x = three(60, 101);
    let em = Em::new().max_iterations(300).tolerance(1e-12);
    let m = fit(&PpcaMixture::new(4, 1).em(em), &x);
    rises(&m.report().trace, "mixture of PPCA");
    let dense: Vec<Array1<f64>> =
        (0..4).map(|c| gaussian(x.view(), &m.means().row(c).to_owned(), &m.covariance(c).unwrap())).collect();
    let weights = m.weights();
    assert!((weights.sum() - 1.0).abs() < 1e-12);
    let scores = m.score_samples(x.view()).unwrap();
    let shares = m.predict_proba(x.view()).unwrap();
    for i in 0..x.nrows() {
        let p: f64 = (0..4).map(|c| weights[c] * dense[c][i].exp()).sum();
        assert!((scores[i] - p.ln()).abs() < 1e-9, "row {i}");
        for c in 0..4 {
            assert!((shares[[i, c]] - weights[c] * dense[c][i].exp() / p).abs() < 1e-9);
        }
    }
    assert!((scores.sum() - m.log_likelihood()).abs() < 1e-8);
    // After an M-step the mixture has the mean of the data, nearly so once it has converged.
    let mean = (&m.means() * &weights.view().insert_axis(Axis(1))).sum_axis(Axis(0));
    close1(&mean, &x.mean_axis(Axis(0)).unwrap(), 1e-4, "mean of the mixture");
}

#[test]
fn clouds_are_told_apart() {
    let x = three(80, 102);
    let m = fit(&PpcaMixture::new(3, 2).em(Em::new().restarts(3)), &x);
    let labels = m.predict(x.view()).unwrap();
    for i in 3..x.nrows() {
        assert_eq!(labels[i], labels[i % 3], "row {i}");
    }
    let (draws, from) = m.sample_labelled(30_000, 5).unwrap();
    let own: Vec<usize> = (0..30_000).filter(|&i| from[i] == 1).collect();
    assert!((own.len() as f64 / 30_000.0 - m.weights()[1]).abs() < 0.02);
    close(&covariance(&draws.select(Axis(0), &own)), &m.covariance(1).unwrap(), 0.06, "covariance of draws");
    let bic: Vec<f64> =
        (1..5).map(|k| fit(&PpcaMixture::new(k, 2).em(Em::new().restarts(3)), &x).bic()).collect();
    assert!((0..4).all(|k| bic[2] <= bic[k]), "{bic:?}");
}

/// Far away, where every density underflows, responsibilities still sum to one.
#[test]
fn responsibilities_sum_to_one_a_million_deviations_away() {
    let m = fit(&PpcaMixture::new(3, 2), &three(40, 103));
    let far = array![[1e6, 0.0, 0.0, 0.0, 0.0], [-3e6, 2e6, 1.0, 0.0, -1e6]];
    let shares = m.predict_proba(far.view()).unwrap();
    assert!(shares.sum_axis(Axis(1)).iter().all(|s| (s - 1.0).abs() < 1e-9), "{shares}");
    assert!(m.score_samples(far.view()).unwrap().iter().all(|s| s.is_finite() && *s < -1e6));
}

#[test]
fn a_component_on_one_point_is_held_and_reported() {
    let mut x = normal(60, 4, 104);
    for mut row in x.rows_mut().into_iter().take(3) {
        row.fill(500.0);
    }
    let m = fit(&PpcaMixture::new(2, 1), &x);
    let floored = m.floored();
    assert_eq!(floored.len(), 1, "three equal points have no variance");
    assert!(m.noise_variances()[floored[0]] > 0.0 && m.log_likelihood().is_finite());
    let duplicates = Array2::from_shape_fn((20, 3), |(i, j)| ((i % 2) * (j + 1)) as f64);
    assert!(fit(&PpcaMixture::new(4, 1), &duplicates).log_likelihood().is_finite());
}

#[test]
fn stepwise_gets_there_too() {
    let x = three(100, 105);
    let batch = Em::new().restarts(2);
    let steps = Em::new().mode(Mode::Stepwise { delay: 2.0, decay: 0.7 }).max_iterations(20).restarts(2);
    let (a, b) = (fit(&PpcaMixture::new(3, 2).em(batch), &x), fit(&PpcaMixture::new(3, 2).em(steps), &x));
    assert!((a.log_likelihood() - b.log_likelihood()).abs() < 0.01 * a.log_likelihood().abs());
}
