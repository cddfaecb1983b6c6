//! What must hold of mixtures of Gaussians.

use mercer::Device;
use mercer::inference::em::Em;
use mercer::models::cluster::{KMeans, KMeansStart};
use mercer::models::mixture::{
    Covariance, CovarianceKind, FittedGaussianMixture, GaussianMixture, GaussianParams, MixtureStart,
    SoftKMeans,
};
use ndarray::{Array1, Array2, Axis};

use crate::support::random;
use crate::{clouds, flat, pair, same, x1};

fn fit(x: &Array2<f64>, k: usize) -> mercer::models::mixture::FittedGaussianMixture {
    GaussianMixture::new(k).fit(&Device::cpu(), x.view()).unwrap()
}

#[test]
fn one_component_is_the_gaussian_of_most_likelihood() {
    let x = clouds(200, 4, 1);
    let mean = x.mean_axis(Axis(0)).unwrap();
    let z = &x - &mean;
    let covariance = z.t().dot(&z) / 200.0;
    let one = fit(&x, 1);
    same(&one.params().means, &mean, 1e-12, "mean");
    same(&flat(&one.params().covariance), &covariance, 1e-12, "covariance");
    assert_eq!(one.params().weights[0], 1.0);
}

/// `Σ π_k μ_k = x̄` and `Σ π_k (Σ_k + μ_k μ_k^T)` is the second moment, after any M-step.
#[test]
fn the_mixture_has_the_moments_of_the_data() {
    let x = clouds(150, 3, 2);
    for n in [1, 2, 7] {
        let em = Em::new().max_iterations(n).tolerance(0.0);
        let p = GaussianMixture::new(4).em(em).fit(&Device::cpu(), x.view()).unwrap().params().clone();
        let mean = p.means.t().dot(&p.weights);
        same(&mean, &x.mean_axis(Axis(0)).unwrap(), 1e-11, "mean");
        let mut second = Array2::<f64>::zeros((3, 3));
        for k in 0..4 {
            let m = p.means.row(k).insert_axis(Axis(1));
            second = second + (p.covariance.matrix(k, 3).unwrap() + m.dot(&m.t())) * p.weights[k];
        }
        same(&second, &(x.t().dot(&x) / 150.0), 1e-10, "second moment");
    }
}

#[test]
fn responsibilities_sum_to_one_a_million_standard_deviations_away() {
    let fit = fit(&clouds(200, 2, 3), 3);
    for far in [1e3, 1e6, 1e9] {
        let x = random(50, 2, 4) * far;
        let r = fit.predict_proba(x.view()).unwrap();
        for sum in r.sum_axis(Axis(1)) {
            assert!((sum - 1.0).abs() < 1e-12, "{sum} at {far}");
        }
        assert!(fit.score_samples(x.view()).unwrap().iter().all(|v| v.is_finite()), "{far}");
    }
}

/// As the variance of spherical components goes to zero, one iteration becomes one of k-means.
#[test]
fn small_variances_make_it_k_means() {
    let x = clouds(120, 2, 5);
    let start = x.select(Axis(0), &[0, 1, 2]);
    let em = Em::new().max_iterations(40).tolerance(0.0).restarts(1);
    let hard = KMeans::new(3).start(KMeansStart::Given(start.clone())).em(em.clone());
    let hard = hard.fit(&Device::cpu(), x.view()).unwrap();
    let soft = SoftKMeans::new(3, 1e-6)
        .start(MixtureStart::Given(GaussianParams {
            weights: Array1::from_elem(3, 1.0 / 3.0),
            means: start,
            covariance: Covariance::Spherical(Array1::from_elem(3, 1e-6)),
        }))
        .em(em);
    let soft = soft.fit(&Device::cpu(), x.view()).unwrap();
    assert_eq!(soft.predict(x.view()).unwrap(), hard.labels());
    same(&soft.params().means, hard.centres(), 1e-9, "centres");
}

/// Oxford (5.16)-(5.18): the log-likelihoods of soft k-means on six points, and where all centres meet.
#[test]
fn soft_k_means_takes_the_steps_of_the_notes() {
    let start = MixtureStart::Given(pair([-1.0, 1.0], 1.0));
    let em = Em::new().max_iterations(3).tolerance(0.0);
    let soft = SoftKMeans::new(2, 1.0).start(start.clone()).em(em);
    let trace = soft.fit(&Device::cpu(), x1().view()).unwrap().report().trace.clone();
    same(&trace, &[-11.171_618_28, -10.426_300_49, -10.395_711_59, -10.395_374_95], 1e-9, "trace");
    // M-06: what the start says of each point, and M-07: what one step makes of it.
    let mixture = |steps| {
        let em = Em::new().max_iterations(steps).tolerance(0.0);
        GaussianMixture::new(2).start(start.clone()).em(em).fit(&Device::cpu(), x1().view()).unwrap()
    };
    let begun = FittedGaussianMixture::given(pair([-1.0, 1.0], 1.0)).unwrap();
    let shares = begun.predict_proba(x1().view()).unwrap().column(1).to_vec();
    let notes = [0.017_986_21, 0.047_425_87, 0.119_202_92, 0.880_797_08, 0.952_574_13, 0.993_307_15];
    same(&shares, &notes, 1e-8, "responsibilities at the start");
    let once = mixture(1);
    same(&once.params().means, &[-1.360_659_47, 1.516_495_22], 1e-8, "means after a step");
    same(&[once.params().weights[0]], &[0.498_117_77], 1e-8, "weight after a step");
    let em = Em::new().max_iterations(500).tolerance(1e-15);
    let long = soft.clone().em(em.clone()).fit(&Device::cpu(), x1().view()).unwrap();
    same(&long.params().means, &[-1.441_357_469, 1.642_913_663], 1e-6, "means");
    same(&[long.params().weights[0], long.log_likelihood()], &[0.505_656_041, -10.395_371_02], 1e-6, "limit");
    let wide = SoftKMeans::new(2, 1e4).em(em).start(start).fit(&Device::cpu(), x1().view()).unwrap();
    let mean = x1().mean().unwrap();
    assert!(wide.params().means.iter().all(|m| (m - mean).abs() < 1e-2), "{}", wide.params().means);
}

/// The same mixture in other units: x -> A x + b.
#[test]
fn full_covariances_do_not_care_for_units() {
    let x = clouds(150, 2, 6);
    let a = ndarray::array![[3.0, 1.0], [-0.5, 0.2]];
    let turned = x.dot(&a.t()) + 7.0;
    let labels: Vec<usize> = (0..150).map(|i| (i / 50) % 3).collect();
    let em = Em::new().max_iterations(10).tolerance(0.0);
    let model = GaussianMixture::new(3).start(MixtureStart::Labels(labels)).covariance_floor(0.0).em(em);
    let (one, two) =
        (model.fit(&Device::cpu(), x.view()).unwrap(), model.fit(&Device::cpu(), turned.view()).unwrap());
    same(&(one.params().means.dot(&a.t()) + 7.0), &two.params().means, 1e-8, "means");
    let log_det = (3.0 * 0.2 + 0.5f64).ln();
    same(&[one.log_likelihood() - 150.0 * log_det], &[two.log_likelihood()], 1e-9, "likelihood");
}

#[test]
fn samples_come_from_the_mixture() {
    let fit = fit(&clouds(300, 2, 7), 3);
    let (x, labels) = fit.sample_labelled(20_000, 1).unwrap();
    assert_eq!(fit.sample(20_000, 1).unwrap(), x, "the same seed, the same sample");
    for k in 0..3 {
        let rows: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == k).collect();
        let share = rows.len() as f64 / labels.len() as f64;
        assert!((share - fit.params().weights[k]).abs() < 0.02, "{share} {}", fit.params().weights[k]);
        let own = x.select(Axis(0), &rows);
        let mean = own.mean_axis(Axis(0)).unwrap();
        same(&mean, fit.params().means.row(k), 0.05, "mean");
        let z = &own - &mean;
        same(
            &(z.t().dot(&z) / rows.len() as f64),
            &fit.params().covariance.matrix(k, 2).unwrap(),
            0.1,
            "covariance",
        );
    }
}

/// The density integrates to one, in one dimension.
#[test]
fn the_density_is_a_density() {
    let fit = fit(&x1(), 2);
    let grid = Array2::from_shape_fn((20_001, 1), |(i, _)| -10.0 + i as f64 / 1000.0);
    let total: f64 = fit.score_samples(grid.view()).unwrap().iter().map(|l| l.exp() / 1000.0).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
}

/// Raised to the floor, a degenerate covariance is still the best one allowed: EM goes on rising.
#[test]
fn the_floor_holds_up_what_collapses() {
    let mut x = clouds(90, 3, 8);
    x.column_mut(2).fill(4.0); // constant
    for kind in [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal] {
        let model = GaussianMixture::new(2).covariance(kind.clone()).covariance_floor(1e-4);
        let fit = model.fit(&Device::cpu(), x.view()).unwrap();
        assert_eq!(fit.floored(), [0, 1], "{kind:?}");
        for k in 0..2 {
            let least =
                mercer::linalg::eigh(fit.params().covariance.matrix(k, 3).unwrap().view()).unwrap().values[2];
            assert!((least - 1e-4).abs() < 1e-9, "{kind:?}: {least}");
        }
        assert!(
            fit.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()),
            "{kind:?} {:?}",
            fit.report().trace
        );
    }
}
