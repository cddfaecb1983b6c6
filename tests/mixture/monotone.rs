//! The objective never falls: one property over every model that the driver runs. The driver asserts it at every iteration
//! of a debug build; here it is asked of the traces, on data that proptest thinks up.

use mercer::inference::em::Em;
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

fn rises(name: &str, trace: &[f64]) {
    for w in trace.windows(2) {
        assert!(w[1] >= w[0] - 1e-9 * (w[0].abs() + 1.0), "{name} fell from {} to {}", w[0], w[1]);
    }
}

fn minus(trace: &[f64]) -> Vec<f64> {
    trace.iter().map(|v| -v).collect()
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
    rises("k-means", &minus(&KMeans::new(k).em(em()).fit(&cpu, x.view())?.report().trace));
    rises("soft", &SoftKMeans::new(k, 0.3).em(em()).fit(&cpu, x.view())?.report().trace);
    rises("DP-means", &minus(&DpMeans::new(1.0).em(em()).fit(&cpu, x.view())?.report().trace));
    let far = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(f64::abs).sum();
    let v = Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| far(i, j));
    rises("k-medoids", &minus(&KMedoids::new(k).em(em()).fit_dissimilarity(v.view())?.report().trace));
    Ok(())
}

fn gaussian_mixtures(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    let kinds =
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical];
    for kind in kinds {
        let model = GaussianMixture::new(k).covariance(kind.clone()).em(em());
        rises(&format!("{kind:?}"), &model.fit(&cpu, x.view())?.report().trace);
        let model = model.missing(true);
        rises(&format!("{kind:?} with holes"), &model.fit(&cpu, with_holes(x).view())?.report().trace);
    }
    for prior in [WeightPrior::Dirichlet(0.3), WeightPrior::DirichletProcess(2.0)] {
        // Data may be constant: a prior of its own keeps it proper.
        let covariance_prior = Some(Array2::eye(x.ncols()));
        let model =
            BayesianGaussianMixture::new(k).weight_prior(prior).covariance_prior(covariance_prior).em(em());
        rises(&format!("{prior:?}"), &model.fit(&cpu, x.view())?.report().trace);
    }
    Ok(())
}

fn other_mixtures(x: &Array2<f64>, k: usize, seed: u64) -> Result<()> {
    let (cpu, em) = (Device::cpu(), || em(seed));
    let yes = x.mapv(|v| f64::from(u8::from(v > 0.0)));
    rises("Bernoulli", &BernoulliMixture::new(k).em(em()).fit(&cpu, yes.view())?.report().trace);
    let counts = x.mapv(|v| v.abs().round());
    let model = CategoricalMixture::new(k).em(em());
    rises("categorical", &model.fit(&cpu, counts.view())?.report().trace);
    let (left, y) = x.view().split_at(Axis(1), x.ncols() - 1);
    let model = LinearRegressionMixture::new(k).em(em());
    rises("lines", &model.fit(&cpu, left, y.column(0))?.report().trace);
    let y: Vec<bool> = y.iter().map(|v| *v > 0.0).collect();
    let model = LogisticRegressionMixture::new(k).em(em());
    rises("logistic", &model.fit(&cpu, left, &y)?.report().trace);
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
        let trace = |fit: mercer::models::latent::FittedPpca| fit.report().trace.clone();
        rises(&format!("PPCA, {solver:?}"), &trace(model.fit(&cpu, x.view())?));
        let holes = with_holes(&x);
        rises(&format!("PPCA, {solver:?}, holes"), &trace(model.missing(true).fit(&cpu, holes.view())?));
    }
    rises("factors", &FactorAnalysis::new(latents).em(em()).fit(&cpu, x.view())?.report().trace);
    rises("PPCA mixture", &PpcaMixture::new(k, latents).em(em()).fit(&cpu, x.view())?.report().trace);
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
