use mercer::Device;
use mercer::inference::em::Em;
use mercer::linalg::eigh;
use mercer::models::latent::{FittedPpca, Pca, Ppca, PpcaSolver};
use ndarray::{Array1, Array2, array, s};

use crate::{close, close1, covariance, gaussian, near_subspace, normal, rises, six};

fn fit(ppca: &Ppca, x: &Array2<f64>) -> FittedPpca {
    ppca.fit(&Device::cpu(), x.view()).unwrap()
}

fn patient() -> Em {
    Em::new().max_iterations(20_000).tolerance(1e-14)
}

#[test]
fn the_numbers_of_the_specification() {
    for (k, noise, log_likelihood) in [(1, 0.5471803544, -25.4488012703), (2, 0.4438489265, -25.3398614668)] {
        let ppca = fit(&Ppca::new(k), &six());
        assert!(
            (ppca.noise_variance() - noise).abs() < 1e-10
                && (ppca.log_likelihood() - log_likelihood).abs() < 1e-9
        );
    }
    let one = fit(&Ppca::new(1), &six());
    assert!((one.loadings().column(0).dot(&one.loadings().column(0)).sqrt() - 1.6406682389).abs() < 1e-9);
    close1(&one.loadings().column(0).to_owned(), &array![1.045328185, 0.8618004235, 0.9254087132], 1e-9, "W");
    // Four points of the plane, from Simeone 6.7.
    let cross = array![[2.0, 1.0], [-2.0, -1.0], [0.4, -0.8], [-0.4, 0.8]];
    let ppca = fit(&Ppca::new(1), &cross);
    assert!((ppca.noise_variance() - 0.4).abs() < 1e-14);
    let want = (2.1f64 / 5.0).sqrt();
    close1(&ppca.loadings().column(0).to_owned(), &array![2.0 * want, want], 1e-14, "W of four points");
}

#[test]
fn the_likelihood_is_that_of_a_gaussian() {
    let x = near_subspace(80, 6, 2, 0.5, 20);
    let new = near_subspace(30, 6, 3, 0.9, 21);
    for k in 1..6 {
        let ppca = fit(&Ppca::new(k), &x);
        let c = ppca.covariance();
        let w = ppca.loadings();
        close(&(w.dot(&w.t()) + Array2::<f64>::eye(6) * ppca.noise_variance()), &c, 1e-13, "W W^T + σ² I");
        close1(
            &ppca.score_samples(new.view()).unwrap(),
            &gaussian(new.view(), ppca.mean(), &c),
            1e-12,
            "score",
        );
        assert!((ppca.score_samples(x.view()).unwrap().sum() - ppca.log_likelihood()).abs() < 1e-9);
    }
    // k = d - 1 leaves nothing out: the full Gaussian.
    let full = fit(&Ppca::new(5), &x);
    close(&full.covariance(), &covariance(&x), 1e-12, "all but one");
}

#[test]
fn it_is_the_maximum() {
    let x = near_subspace(60, 5, 2, 0.5, 22);
    let ppca = fit(&Ppca::new(2), &x);
    let values = eigh(covariance(&x).view()).unwrap().values;
    let own = eigh(ppca.covariance().view()).unwrap().values;
    let noise = values.slice(s![2..]).mean().unwrap();
    close1(&own, &array![values[0], values[1], noise, noise, noise], 1e-12, "eigenvalues of C");
    for seed in 0..30 {
        let w = ppca.loadings() + &(normal(5, 2, 100 + seed) * 0.02);
        let s2 = ppca.noise_variance() * (1.0 + 0.05 * normal(1, 1, 200 + seed)[[0, 0]]);
        let c = w.dot(&w.t()) + Array2::<f64>::eye(5) * s2;
        assert!(gaussian(x.view(), ppca.mean(), &c).sum() < ppca.log_likelihood());
    }
}

#[test]
fn em_climbs_to_the_closed_form() {
    let x = near_subspace(150, 7, 3, 0.6, 23);
    for k in [1, 3, 6] {
        let want = fit(&Ppca::new(k), &x);
        for seed in [0, 1] {
            let em = patient().seed(seed);
            let got = fit(&Ppca::new(k).solver(PpcaSolver::Em).em(em), &x);
            let report = got.report();
            rises(&report.trace, "PPCA");
            assert!(report.converged() && report.trace.len() == report.iterations + 1);
            assert!((got.log_likelihood() - want.log_likelihood()).abs() < 1e-7, "k = {k}");
            close(&got.covariance(), &want.covariance(), 2e-5, "covariance");
            assert!((got.noise_variance() - want.noise_variance()).abs() < 1e-6 * want.noise_variance());
            // In its canonical rotation even W is the same.
            close(got.loadings(), want.loadings(), 1e-4, "loadings");
        }
    }
}

#[test]
fn restarts_keep_the_best_and_say_where_the_others_ended() {
    let x = near_subspace(50, 5, 2, 0.5, 24);
    let em = Em::new().restarts(4).max_iterations(6).tolerance(0.0).seed(3);
    let got = fit(&Ppca::new(2).solver(PpcaSolver::Em).em(em), &x);
    let report = got.report();
    assert_eq!(report.starts.len(), 4);
    let best = report.starts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(best, *report.trace.last().unwrap());
    assert!(report.starts.iter().any(|o| *o < best) && !report.converged());
}

#[test]
fn without_noise_it_is_pca() {
    for noise in [1e-2, 1e-3, 1e-4, 1e-5] {
        let x = near_subspace(90, 6, 2, noise, 25);
        let ppca = fit(&Ppca::new(2), &x);
        let pca = Pca::new(2).whiten(true).ddof(0).fit(&Device::cpu(), x.view()).unwrap();
        let (z, scores) = (ppca.transform(x.view()).unwrap(), pca.transform(x.view()).unwrap());
        // z = (1 - σ²/λ)^½ times the white score.
        close(&z, &scores, 2.0 * noise * noise, "latents are white scores");
        let there = ppca.inverse_transform(z.view()).unwrap();
        close(
            &there,
            &pca.reconstruct(x.view()).unwrap(),
            5.0 * noise * noise,
            "and lead to the same points",
        );
        assert!(ppca.posterior_covariance().diag().iter().all(|v| *v < 3.0 * noise * noise));
    }
}

/// The posterior is what conditioning the joint Gaussian of (z, x) gives.
#[test]
fn the_posterior_is_a_conditional() {
    let x = near_subspace(70, 5, 2, 0.7, 26);
    let ppca = fit(&Ppca::new(2), &x);
    let w = ppca.loadings();
    let e = eigh(ppca.covariance().view()).unwrap();
    let inverse = (&e.vectors / &e.values).dot(&e.vectors.t());
    let gain = w.t().dot(&inverse);
    let want = (&x - ppca.mean()).dot(&gain.t());
    close(&ppca.transform(x.view()).unwrap(), &want, 1e-12, "mean");
    close(&ppca.posterior_covariance(), &(Array2::eye(2) - gain.dot(w)), 1e-12, "covariance");
    // Simeone T.4: W = (2, 1), σ² = 1/2, x - m = (1, -1/2).
    let given = FittedPpca::given(array![3.0, 4.0], array![[2.0], [1.0]], 0.5).unwrap();
    let z = given.transform(array![[4.0, 3.5]]).unwrap()[[0, 0]];
    assert!(
        (z - 0.272_727_3).abs() < 1e-7 && (given.posterior_covariance()[[0, 0]] - 0.090_909_1).abs() < 1e-7
    );
    // A model made of the parameters of another one is that one; no data have no likelihood.
    let again =
        FittedPpca::given(ppca.mean().clone(), ppca.loadings().clone(), ppca.noise_variance()).unwrap();
    close(&again.transform(x.view()).unwrap(), &want, 1e-12, "given");
    assert_eq!((again.log_likelihood(), again.aic()), (0.0, 2.0 * ppca.parameters() as f64));
    assert!(FittedPpca::given(array![0.0], array![[2.0], [1.0]], 0.5).is_err());
    assert!(FittedPpca::given(array![0.0, 0.0], array![[2.0], [1.0]], 0.0).is_err());
}

#[test]
fn samples_have_its_moments() {
    let ppca = fit(&Ppca::new(2), &near_subspace(200, 4, 2, 0.5, 27));
    let draws = ppca.sample(200_000, 7).unwrap();
    let c = ppca.covariance();
    close(&covariance(&draws), &c, 0.02, "covariance");
    let mean = draws.mean_axis(ndarray::Axis(0)).unwrap();
    assert!((&mean - ppca.mean()).iter().zip(c.diag()).all(|(g, v)| g.abs() < 5.0 * (v / 200_000.0).sqrt()));
    assert_eq!(ppca.sample(10, 7), ppca.sample(10, 7));
    assert_ne!(ppca.sample(10, 7), ppca.sample(10, 8));
}

#[test]
fn ard_finds_the_dimension() {
    for (rank, seed) in [(1, 30), (3, 31), (5, 32)] {
        let x = near_subspace(500, 10, rank, 0.3, seed);
        let em = Em::new().max_iterations(5000).tolerance(1e-12);
        let ppca = fit(&Ppca::new(9).solver(PpcaSolver::Automatic).em(em), &x);
        assert_eq!(ppca.components(), rank, "loadings {:?}", ppca.loadings());
        rises(&ppca.report().trace, "ARD");
        // Barely shrunk: close to the maximum likelihood with the right number.
        let ml = fit(&Ppca::new(rank), &x);
        close(&ppca.covariance(), &ml.covariance(), 0.02, "close to maximum likelihood");
        assert!(ppca.log_likelihood() <= ml.log_likelihood());
        let lengths: Array1<f64> = ppca.loadings().map_axis(ndarray::Axis(0), |w| w.dot(&w));
        close1(
            &Array1::from(ppca.relevance().unwrap().to_vec()),
            &lengths.mapv(|l| 10.0 / l),
            1e-4,
            "α = d / ‖w‖²",
        );
    }
}

#[test]
fn information_criteria_find_it_too() {
    let x = near_subspace(400, 8, 3, 0.4, 33);
    let bic: Vec<f64> = (1..8).map(|k| fit(&Ppca::new(k), &x).bic()).collect();
    let best = (0..7).min_by(|&a, &b| bic[a].total_cmp(&bic[b])).unwrap() + 1;
    assert_eq!(best, 3, "{bic:?}");
}
