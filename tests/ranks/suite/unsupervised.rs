//! Moments, clusters, mixtures.

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use ndarray::{Array1, Array2, s};

use super::{CPU, by_trait, grouped, near, noise, rows, shares};

pub fn standardise(ranks: &dyn Ranks) {
    let x = grouped(61);
    let whole = Standardise::new().fit(&CPU(), &x).unwrap();
    for own in shares(ranks, 61) {
        let fit = by_trait(&Standardise::new(), ranks, rows(&x, &own)).unwrap();
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
    let moments = StreamedMoments::of(&CPU(), &x).unwrap();
    for own in shares(ranks, 90) {
        let part = rows(&x, &own);
        let found = Pca::new(2).fit_across(ranks, &CPU(), part).unwrap();
        near("pca", found.components(), pca.components());
        let found_moments = StreamedMoments::across(ranks, &CPU(), part).unwrap();
        assert_eq!(found_moments.count(), 90);
        near("mean", found_moments.mean(), moments.mean());
        near("scatter", found_moments.scatter(), moments.scatter());
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

/// Rows with holes, all of the last column of the last ranks' rows among them: what is filled in is the mean over all ranks.
pub fn mixtures_with_missing_values(ranks: &dyn Ranks) {
    let mut x = grouped(120);
    x.indexed_iter_mut().filter(|((i, j), _)| (3 * i + j) % 7 == 3).for_each(|(_, v)| *v = f64::NAN);
    x.slice_mut(s![70.., 2]).fill(f64::NAN);
    for kind in [CovarianceKind::Full, CovarianceKind::Diagonal] {
        let model = GaussianMixture::new(3).covariance(kind).missing(true).seed(1);
        let whole = model.fit(&CPU(), &x).unwrap();
        for own in shares(ranks, 120) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
            near("weights", fit.weights(), whole.weights());
            near("means", fit.means(), whole.means());
            near("log-likelihood", &fit.report().trace, &whole.report().trace);
        }
    }
    // A column that nobody has seen anything of is nobody's alone.
    x.column_mut(1).fill(f64::NAN);
    let own = shares(ranks, 120).remove(0);
    let error = GaussianMixture::new(2).missing(true).fit_across(ranks, &CPU(), rows(&x, &own)).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 0, col: 1, .. }), "{error}");
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
    // The last rows have a category more, and cells of others are missing.
    let kinds = Array2::from_shape_fn((100, 6), |(i, j)| match i * 6 + j {
        at if at % 11 == 5 => f64::NAN,
        _ if i > 90 && j == 2 => 3.0,
        _ => x[[i, j]],
    });
    let latent = LatentClass::new(2).allow_missing(true).seed(3);
    let w = Array1::from_shape_fn(100, |i| (i % 3) as f64);
    let classes = latent.fit(&CPU(), &kinds).unwrap();
    let weighed = latent.fit_weighted(&CPU(), &kinds, &w).unwrap();
    for own in shares(ranks, 100) {
        let fit = model.fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("probabilities", fit.probabilities(), whole.probabilities());
        let fit = CategoricalMixture::new(2).fit_across(ranks, &CPU(), rows(&x, &own)).unwrap();
        near("words", fit.probabilities(), words.probabilities());
        let fit = latent.fit_across(ranks, &CPU(), rows(&kinds, &own)).unwrap();
        near("latent classes", &fit.predict_proba(&kinds).unwrap(), &classes.predict_proba(&kinds).unwrap());
        near("objective", &fit.report().trace, &classes.report().trace);
        let fit = latent.fit_weighted_across(ranks, &CPU(), rows(&kinds, &own), w.slice(s![own])).unwrap();
        near("weighed objective", &fit.report().trace, &weighed.report().trace);
    }
}

/// Soft k-means, mixtures of lines, of logistic regressions and of principal subspaces: one EM for all.
pub fn other_mixtures(ranks: &dyn Ranks) {
    let x = grouped(120);
    let soft = SoftKMeans::new(3, 1.0).seed(1);
    let whole = soft.fit(&CPU(), &x).unwrap();
    let spaces = PpcaMixture::new(3, 1).seed(1);
    let many = spaces.fit(&CPU(), &x).unwrap();
    // Two lines that cross, and answers that turn with the group.
    let at = Array2::from_shape_fn((120, 1), |(i, _)| 2.0 * noise(i, 70));
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let y = Array1::from_shape_fn(120, |i| sign(i) * (1.0 + at[[i, 0]]) + 0.1 * noise(i, 71));
    let yes: Vec<bool> = (0..120).map(|i| sign(i) * at[[i, 0]] + 0.3 * noise(i, 72) > 0.0).collect();
    let lines = LinearRegressionMixture::new(2).seed(2).restarts(2);
    let crossed = lines.fit(&CPU(), &at, &y).unwrap();
    let groups = LogisticRegressionMixture::new(2).ridge(0.1).seed(2).restarts(2);
    let turned = groups.fit(&CPU(), &at, &yes[..]).unwrap();
    for own in shares(ranks, 120) {
        let (part, some) = (rows(&x, &own), rows(&at, &own));
        let fit = soft.fit_across(ranks, &CPU(), part).unwrap();
        near("soft means", fit.means(), whole.means());
        let fit = spaces.fit_across(ranks, &CPU(), part).unwrap();
        near("log-likelihood of subspaces", &fit.report().trace, &many.report().trace);
        near("subspaces", &fit.predict_proba(&x).unwrap(), &many.predict_proba(&x).unwrap());
        let fit = lines.fit_across(ranks, &CPU(), some, y.slice(s![own.clone()])).unwrap();
        near("log-likelihood of lines", &fit.report().trace, &crossed.report().trace);
        near("slopes", fit.slopes(), crossed.slopes());
        let fit = groups.fit_across(ranks, &CPU(), some, &yes[own]).unwrap();
        near("objective of answers", &fit.report().trace, &turned.report().trace);
        near("answers", &fit.predict_proba(&at).unwrap(), &turned.predict_proba(&at).unwrap());
    }
}
