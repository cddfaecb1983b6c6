//! A weight of 2 is that row twice, of none is no row, wherever the row lies.

use mercer::learn::ranks::Ranks;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array1, Array2, s};

use super::{CPU, grouped, groups, near, noise, rows, shares, targets};

/// Weights of which the first seven are zero: all that an even share of five has of 35, and one row in ten beyond.
fn weights(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| if i < 7 || i % 10 == 9 { 0.0 } else { 1.0 + (i % 3) as f64 * 0.5 })
}

pub fn weighted_moments_and_mixtures(ranks: &dyn Ranks) {
    let (n, x) = (120, grouped(120));
    let w = weights(n);
    let standard = Standardise::new().fit_weighted(&CPU(), &x, &w).unwrap();
    let kmeans = KMeans::new(3).restarts(2).seed(4).fit_weighted(&CPU(), &x, &w).unwrap();
    let mixture = GaussianMixture::new(3).seed(1).fit_weighted(&CPU(), &x, &w).unwrap();
    let soft = SoftKMeans::new(3, 1.0).fit_weighted(&CPU(), &x, &w).unwrap();
    let bayesian = BayesianGaussianMixture::new(4).seed(2).fit_weighted(&CPU(), &x, &w).unwrap();
    let bits = x.mapv(|v| f64::from(u8::from(v > 54.0)));
    let discrete = BernoulliMixture::new(2).restarts(2).fit_weighted(&CPU(), &bits, &w).unwrap();
    for own in shares(ranks, n) {
        let (part, w) = (rows(&x, &own), w.slice(s![own.clone()]));
        let fit = Standardise::new().fit_weighted_across(ranks, &CPU(), part, w).unwrap();
        near("mean", fit.mean(), standard.mean());
        near("scale", fit.scale(), standard.scale());
        let fit = KMeans::new(3).restarts(2).seed(4).fit_weighted_across(ranks, &CPU(), part, w).unwrap();
        near("centres", fit.centres(), kmeans.centres());
        near("cost", [&fit.cost()], [&kmeans.cost()]);
        assert_eq!(fit.labels(), &kmeans.labels()[own.clone()]);
        let fit = GaussianMixture::new(3).seed(1).fit_weighted_across(ranks, &CPU(), part, w).unwrap();
        near("means", fit.means(), mixture.means());
        near("log-likelihood", &fit.report().trace, &mixture.report().trace);
        let fit = SoftKMeans::new(3, 1.0).fit_weighted_across(ranks, &CPU(), part, w).unwrap();
        near("soft means", fit.means(), soft.means());
        let model = BayesianGaussianMixture::new(4).seed(2);
        let fit = model.fit_weighted_across(ranks, &CPU(), part, w).unwrap();
        near("bound", &fit.report().trace, &bayesian.report().trace);
        let model = BernoulliMixture::new(2).restarts(2);
        let fit = model.fit_weighted_across(ranks, &CPU(), rows(&bits, &own), w).unwrap();
        near("probabilities", fit.probabilities(), discrete.probabilities());
    }
}

pub fn weighted_regressions(ranks: &dyn Ranks) {
    let (n, x) = (80, grouped(80));
    let (w, y) = (weights(n), targets(&x));
    let mild = x.mapv(|v| 0.1 * (v - 55.0));
    let counts = Array1::from_shape_fn(n, |i| (1.0 + mild[[i, 0]] + noise(i, 30)).exp().floor());
    let ridge = Ridge::new(0.7).fit_weighted(&CPU(), &x, &y, &w).unwrap();
    let least = LeastSquares::new().fit_weighted(&CPU(), &x, &y, &w).unwrap();
    let glm = GeneralisedLinear::new(Family::Poisson).penalty(0.01);
    let poisson = glm.fit_weighted(&CPU(), &mild, &counts, &w).unwrap();
    let near_by = x.mapv(|v| 0.2 * v);
    let kernel = Kernel::rbf(1.3) + Kernel::constant(0.5);
    let krr = KernelRidge::new(kernel.clone(), 0.1).solver(KernelSolver::MatrixFree).tolerance(1e-13);
    let falkon = Falkon::new(kernel, 0.1, 20).seed(5).tolerance(1e-13);
    let (whole, few) = (
        krr.fit_weighted(&CPU(), &near_by, &y, &w).unwrap(),
        falkon.fit_weighted(&CPU(), &near_by, &y, &w).unwrap(),
    );
    for own in shares(ranks, n) {
        let (part, close) = (rows(&x, &own), rows(&near_by, &own));
        let (y, w) = (y.slice(s![own.clone()]), w.slice(s![own.clone()]));
        let fit = Ridge::new(0.7).fit_weighted_across(ranks, &CPU(), part, y, w).unwrap();
        near("ridge", fit.coefficients(), ridge.coefficients());
        near("intercept", fit.intercept(), ridge.intercept());
        let fit = LeastSquares::new().fit_weighted_across(ranks, &CPU(), part, y, w).unwrap();
        near("least squares", fit.coefficients(), least.coefficients());
        near("errors", &fit.standard_errors().unwrap(), &least.standard_errors().unwrap());
        near("leverage", &fit.leverage(), least.leverage().slice(s![own.clone()]));
        let fit = glm
            .fit_weighted_across(ranks, &CPU(), rows(&mild, &own), counts.slice(s![own.clone()]), w)
            .unwrap();
        near("poisson", fit.coefficients(), poisson.coefficients());
        near("deviance", &fit.deviance(), &poisson.deviance());
        let fit = krr.fit_weighted_across(ranks, &CPU(), close, y, w).unwrap();
        near("kernel ridge", &fit.predict(&near_by).unwrap(), &whole.predict(&near_by).unwrap());
        // Of a row that weighs nothing the coefficient is zero, wherever it was.
        let zeros = |a: &Array2<f64>| a.iter().map(|v| *v == 0.0).collect::<Vec<_>>();
        assert_eq!(zeros(fit.dual_coefficients()), zeros(whole.dual_coefficients()));
        let fit = falkon.fit_weighted_across(ranks, &CPU(), close, y, w).unwrap();
        assert_eq!(fit.landmarks(), few.landmarks());
        near("falkon", &fit.predict(&near_by).unwrap(), &few.predict(&near_by).unwrap());
    }
}

pub fn weighted_classifiers(ranks: &dyn Ranks) {
    let (n, x) = (90, grouped(90));
    let (w, y) = (weights(n), groups(n));
    let two: Vec<bool> = (0..n).map(|i| x[[i, 0]] + 3.0 * noise(i, 21) > 53.0).collect();
    let (counts, bits) = (x.mapv(|v| (v - 45.0).floor()), x.mapv(|v| f64::from(u8::from(v > 54.0))));
    /// Probabilities of a weighted fit alone and across, of the same rows.
    macro_rules! agree {
        ($model:expr, $x:expr, $y:expr) => {{
            let whole = $model.fit_weighted(&CPU(), &$x, &$y[..], &w).unwrap().predict_proba(&$x).unwrap();
            for own in shares(ranks, n) {
                let (part, some) = (rows(&$x, &own), w.slice(s![own.clone()]));
                let fit = $model.fit_weighted_across(ranks, &CPU(), part, &$y[own], some).unwrap();
                near(stringify!($model), &fit.predict_proba(&$x).unwrap(), &whole);
            }
        }};
    }
    agree!(LinearDiscriminant::new(), x, y);
    agree!(QuadraticDiscriminant::new(), x, y);
    agree!(GaussianNaiveBayes::new(), x, y);
    agree!(MultinomialNaiveBayes::new(1.0), counts, y);
    agree!(CategoricalNaiveBayes::new().smoothing(1.0), counts, y);
    agree!(BernoulliNaiveBayes::new(), bits, y);
    agree!(LogisticRegression::new(0.1), x, y);
    agree!(ProbitRegression::new(0.1), x, two);
}

/// A weight out of its domain names the rank; none at all is nobody's alone.
pub fn weights_that_are_refused(ranks: &dyn Ranks) {
    let (x, last) = (grouped(40), ranks.size() - 1);
    let own = shares(ranks, 40).remove(0);
    let (part, y, labels) = (rows(&x, &own), targets(&x), &groups(40)[own.clone()]);
    let y = y.slice(s![own.clone()]);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let mut w = Array1::from_elem(own.len(), 1.0);
        if ranks.rank() == last {
            w[1] = bad;
        }
        let seen = [
            KMeans::new(2).fit_weighted_across(ranks, &CPU(), part, &w).map(|_| ()),
            GaussianMixture::new(2).fit_weighted_across(ranks, &CPU(), part, &w).map(|_| ()),
            Standardise::new().fit_weighted_across(ranks, &CPU(), part, &w).map(|_| ()),
            Ridge::new(1.0).fit_weighted_across(ranks, &CPU(), part, y, &w).map(|_| ()),
            KernelRidge::new(Kernel::rbf(1.0), 0.1)
                .fit_weighted_across(ranks, &CPU(), part, y, &w)
                .map(|_| ()),
            LinearDiscriminant::new().fit_weighted_across(ranks, &CPU(), part, labels, &w).map(|_| ()),
            LogisticRegression::new(0.1).fit_weighted_across(ranks, &CPU(), part, labels, &w).map(|_| ()),
        ];
        for (at, error) in seen.into_iter().enumerate() {
            let error = error.unwrap_err();
            let met = match &error {
                Error::OnRank { rank, error } if ranks.size() > 1 && *rank == last => error,
                error if ranks.size() == 1 => error,
                other => panic!("{at}: {other}"),
            };
            assert!(matches!(met, Error::Parameter { name, .. } if name == "weights[1]"), "{at}: {error}");
        }
    }
    let none = Array1::<f64>::zeros(own.len());
    let error =
        Ridge::new(1.0).fit_weighted_across(ranks, &CPU(), rows(&x, &own), targets(&x).slice(s![own]), &none);
    assert!(matches!(error, Err(Error::Parameter { .. })), "{error:?}");
}
