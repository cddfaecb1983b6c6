//! The objective never falls: one property over every model that the driver runs. Asked of the
//! reports, on data that proptest thinks up.

use mercer::inference::em::Em;
use mercer::learn::{Report, Stop};
use mercer::models::cluster::{DpMeans, KMeans, KMedoids};
use mercer::models::latent::{FactorAnalysis, Ppca, PpcaMixture, PpcaSolver};
use mercer::models::mixture::{
    BayesianGaussianMixture, BernoulliMixture, CategoricalMixture, CovarianceKind, GaussianMixture,
    LinearRegressionMixture, LogisticRegressionMixture, SoftKMeans, WeightPrior,
};
use mercer::{Device, Result};
use ndarray::{Array2, Axis};
use proptest::prelude::*;

use crate::support::random;

/// A step that would lower the objective is not taken: the driver stops, and says that it stalled.
fn rises(name: &str, report: &Report) {
    climbs(name, report, 1.0);
}

fn falls(name: &str, report: &Report) {
    climbs(name, report, -1.0);
}

fn climbs(name: &str, report: &Report, sign: f64) {
    assert_ne!(report.stop, Stop::Stalled, "{name}: {:?}", report.trace);
    for w in report.trace.windows(2) {
        let gain = sign * (w[1] - w[0]);
        assert!(gain >= -1e-9 * (w[0].abs() + 1.0), "{name}: from {} to {}", w[0], w[1]);
    }
}

fn em(seed: u64) -> Em {
    Em::new().seed(seed).restarts(1).max_iterations(15).tolerance(0.0)
}

/// `x` with about every seventh entry not observed, but something in every row.
fn with_holes(x: &Array2<f64>) -> Array2<f64> {
    let mut x = x.clone();
    x.indexed_iter_mut().filter(|((i, j), _)| (3 * i + j) % 7 == 0).for_each(|(_, v)| *v = f64::NAN);
    x
}

fn clusters(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    falls("k-means", KMeans::new(k).em(em()).fit(&cpu, x.view())?.report());
    rises("soft", SoftKMeans::new(k, 0.3).em(em()).fit(&cpu, x.view())?.report());
    falls("DP-means", DpMeans::new(1.0).em(em()).fit(&cpu, x.view())?.report());
    let far = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(f64::abs).sum();
    let v = Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| far(i, j));
    falls("k-medoids", KMedoids::new(k).em(em()).fit_dissimilarity(v.view())?.report());
    Ok(())
}

fn gaussian_mixtures(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    let kinds =
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical];
    for kind in kinds {
        let model = GaussianMixture::new(k).covariance(kind.clone()).em(em());
        rises(&format!("{kind:?}"), model.fit(&cpu, x.view())?.report());
        let model = model.missing(true);
        rises(&format!("{kind:?} with holes"), model.fit(&cpu, with_holes(x).view())?.report());
    }
    for prior in [WeightPrior::Dirichlet(0.3), WeightPrior::DirichletProcess(2.0)] {
        // Data may be constant: a prior of its own keeps it proper.
        let covariance_prior = Some(Array2::eye(x.ncols()));
        let model =
            BayesianGaussianMixture::new(k).weight_prior(prior).covariance_prior(covariance_prior).em(em());
        rises(&format!("{prior:?}"), model.fit(&cpu, x.view())?.report());
    }
    Ok(())
}

fn other_mixtures(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    let yes = x.mapv(|v| f64::from(u8::from(v > 0.0)));
    rises("Bernoulli", BernoulliMixture::new(k).em(em()).fit(&cpu, yes.view())?.report());
    let counts = x.mapv(|v| v.abs().round());
    let model = CategoricalMixture::new(k).em(em());
    rises("categorical", model.fit(&cpu, counts.view())?.report());
    let (left, y) = x.view().split_at(Axis(1), x.ncols() - 1);
    let model = LinearRegressionMixture::new(k).em(em());
    rises("lines", model.fit(&cpu, left, y.column(0))?.report());
    let y: Vec<bool> = y.iter().map(|v| *v > 0.0).collect();
    let model = LogisticRegressionMixture::new(k).em(em());
    rises("logistic", model.fit(&cpu, left, y)?.report());
    Ok(())
}

/// Noise of full rank is part of these models; data without any has no maximum to climb to.
fn latent(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    let (n, d) = x.dim();
    let x = x + &random(n, d, seed);
    let latents = k.min(d - 1);
    for solver in [PpcaSolver::Em, PpcaSolver::Automatic] {
        let model = Ppca::new(latents).solver(solver).em(em());
        let report = |fit: mercer::models::latent::FittedPpca| fit.report().clone();
        rises(&format!("PPCA, {solver:?}"), &report(model.fit(&cpu, x.view())?));
        let holes = with_holes(&x);
        rises(&format!("PPCA, {solver:?}, holes"), &report(model.missing(true).fit(&cpu, holes.view())?));
    }
    rises("factors", FactorAnalysis::new(latents).em(em()).fit(&cpu, x.view())?.report());
    rises("PPCA mixture", PpcaMixture::new(k, latents).em(em()).fit(&cpu, x.view())?.report());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_objective_ever_falls(
        (n, d, values) in (5usize..40, 2usize..5).prop_flat_map(|(n, d)| {
            // Rounded values repeat: duplicates and constant columns are part of life.
            let entry = prop_oneof![(-4i32..=4).prop_map(f64::from), -10.0..10.0f64];
            (Just(n), Just(d), proptest::collection::vec(entry, n * d))
        }),
        k in 1usize..5,
        seed in 0u64..1000,
    ) {
        let x = Array2::from_shape_vec((n, d), values).unwrap();
        let k = k.min(n);
        for family in [clusters, gaussian_mixtures, other_mixtures, latent] {
            family(&x, k, seed).unwrap();
        }
    }
}
