//! Moments, clusters, mixtures.

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use ndarray::Array2;

use super::{CPU, grouped, near, noise, rows, shares};

pub fn standardise(ranks: &dyn Ranks) {
    let x = grouped(61);
    let whole = Standardise::new().fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 61) {
        let fit = Standardise::new().fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("mean", fit.mean(), whole.mean());
        near("scale", fit.scale(), whole.scale());
    }
}

pub fn pca_ppca_and_factor_analysis(ranks: &dyn Ranks) {
    let x = grouped(90);
    let pca = Pca::new(2).fit(&CPU(), &x).unwrap();
    let closed = Ppca::new(1).fit(&CPU(), &x).unwrap();
    let em = Ppca::new(1).solver(PpcaSolver::Em).fit(&CPU(), &x).unwrap();
    let fa = FactorAnalysis::new(1).fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 90) {
        let part = rows(&x, &own);
        let found = Pca::new(2).fit_across(ranks, &CPU(), part).unwrap();
        near("pca", found.components(), pca.components());
        near("pca variance", found.explained_variance(), pca.explained_variance());
        let found = Ppca::new(1).fit_across(ranks, &CPU(), part).unwrap();
        near("ppca", found.loadings(), closed.loadings());
        let found = Ppca::new(1).solver(PpcaSolver::Em).fit_across(ranks, &CPU(), part).unwrap();
        near("ppca by em", found.loadings(), em.loadings());
        let found = FactorAnalysis::new(1).fit_across(ranks, &CPU(), part).unwrap();
        near("factors", found.loadings(), fa.loadings());
    }
}

pub fn kmeans(ranks: &dyn Ranks) {
    let x = grouped(120);
    let model = KMeans::new(3).restarts(3).seed(4);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("centres", fit.centres(), whole.centres());
        near("cost", [&fit.cost()], [&whole.cost()]);
        assert_eq!(fit.labels(), &whole.labels()[own]);
    }
}

pub fn gaussian_mixtures(ranks: &dyn Ranks) {
    let x = grouped(120);
    for kind in
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical]
    {
        let model = GaussianMixture::new(3).covariance(kind).seed(1);
        let whole = model.fit(&CPU(), &x).unwrap();
        let labels = whole.predict(&x).unwrap();
        for own in shares(ranks, 120) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
            near("weights", fit.weights(), whole.weights());
            near("means", fit.means(), whole.means());
            near("log-likelihood", &fit.report().trace, &whole.report().trace);
            assert_eq!(fit.predict(&x).unwrap(), labels);
        }
    }
    // In parts of their own: each rank visits its rows 10 at a time.
    let model = GaussianMixture::new(3).seed(1);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let parts: Vec<Array2<f64>> =
            rows(&x, &own).axis_chunks_iter(ndarray::Axis(0), 50).map(|p| p.to_owned()).collect();
        let given = GaussianMixture::new(3).start(MixtureStart::Given(whole.params().clone()));
        let fit = given.fit_batches_across(ranks, &CPU(), &parts).unwrap();
        let again = given.fit(&CPU(), &x).unwrap();
        near("means of batches", fit.means(), again.means());
    }
}

pub fn variational_mixtures(ranks: &dyn Ranks) {
    let x = grouped(120);
    let model = BayesianGaussianMixture::new(5).seed(2);
    let whole = model.fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 120) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("weights", &fit.weights().to_owned(), &whole.weights().to_owned());
        near("bound", &fit.report().trace, &whole.report().trace);
    }
}

pub fn discrete_mixtures(ranks: &dyn Ranks) {
    let x = Array2::from_shape_fn((100, 6), |(i, j)| {
        f64::from(u8::from(noise(i, j) < if (i + j) % 2 == 0 { 0.8 } else { -0.8 }))
    });
    let model = BernoulliMixture::new(2).seed(3);
    let whole = model.fit(&CPU(), &x).unwrap();
    let words = CategoricalMixture::new(2).fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 100) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("probabilities", fit.probabilities(), whole.probabilities());
        let fit = CategoricalMixture::new(2).fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("words", fit.probabilities(), words.probabilities());
    }
}
