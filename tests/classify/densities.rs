//! Any density as that of a class.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array, s};

use crate::support::random;
use crate::{close, near, three};

/// L-12: one PPCA a class; with one direction fewer than features it is QDA.
#[test]
fn ppca_of_each_class() {
    let (x, y) = three();
    let x = x.slice(s![.., ..3]).to_owned();
    let ppca = GenerativeClassifier::new(Ppca::new(2)).fit(&Device::cpu(), &x, &y).unwrap();
    let qda = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    close(ppca.log_joint(&x).unwrap().view(), qda.log_joint(&x).unwrap().view(), 1e-6);
    assert_eq!(ppca.predict(&x).unwrap(), qda.predict(&x).unwrap());
    let thin = GenerativeClassifier::new(Ppca::new(1)).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(thin.score(&x, &y).unwrap() > 0.7);
    // As a generator: the covariance of draws is that of the density.
    let density = &ppca.densities()[1];
    let draws = density.sample(20_000, 1).unwrap();
    let centred = &draws - &draws.mean_axis(Axis(0)).unwrap();
    close((centred.t().dot(&centred) / 20_000.0).view(), density.covariance().view(), 0.02);
}

/// A mixture of one Gaussian a class is QDA as well; of two it can have any shape.
#[test]
fn mixtures_of_each_class() {
    let x = random(120, 2, 1) * 3.0;
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] * r[1] > 0.0).collect();
    let one = GenerativeClassifier::new(GaussianMixture::new(1)).fit(&Device::cpu(), &x, &y).unwrap();
    let qda = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    close(one.log_joint(&x).unwrap().view(), qda.log_joint(&x).unwrap().view(), 1e-4);
    let given = GenerativeClassifier::new(GaussianMixture::new(1)).priors(vec![0.1, 0.9]);
    let given = given.fit(&Device::cpu(), &x, &y).unwrap();
    let moved = given.log_joint(&x).unwrap() - one.log_joint(&x).unwrap();
    for (k, p) in [0.1f64, 0.9].into_iter().enumerate() {
        moved.column(k).iter().for_each(|m| near(*m, (p / one.priors()[k]).ln(), 1e-9));
    }
    let two = GenerativeClassifier::new(GaussianMixture::new(2).seed(1)).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(two.score(&x, &y).unwrap() > one.score(&x, &y).unwrap());
    assert!(two.score(&x, &y).unwrap() > 0.9);
    near(two.priors().sum(), 1.0, 1e-14);
}

/// N.6: classes of the same parameters have the prior for a posterior; log-odds are linear in u(x).
#[test]
fn exponential_families_are_logistic() {
    let same = array![[1.0], [2.0], [4.0], [1.0], [2.0], [4.0], [1.0], [2.0], [4.0]];
    let y = [0, 0, 0, 1, 1, 1, 1, 1, 1];
    for family in [
        FeatureFamily::Poisson,
        FeatureFamily::Geometric,
        FeatureFamily::Exponential,
        FeatureFamily::Gaussian,
    ] {
        let fit =
            GenerativeClassifier::new(IndependentDensity::new(family)).fit(&Device::cpu(), &same, y).unwrap();
        near(fit.predict_proba(array![[3.0]]).unwrap()[[0, 1]], 2.0 / 3.0, 1e-12);
    }
    let x = array![[0.0], [1.0], [1.0], [3.0], [2.0], [5.0], [4.0], [9.0]];
    let y = [0, 0, 0, 0, 1, 1, 1, 1];
    let counts = Array2::from_shape_fn((6, 1), |(i, _)| i as f64);
    for family in [FeatureFamily::Poisson, FeatureFamily::Geometric] {
        let fit =
            GenerativeClassifier::new(IndependentDensity::new(family)).fit(&Device::cpu(), &x, y).unwrap();
        let odds = fit.decision(&counts).unwrap();
        for i in 2..6 {
            near(odds[[i, 0]] - odds[[i - 1, 0]], odds[[1, 0]] - odds[[0, 0]], 1e-12);
        }
        // Densities sum to one.
        let many = Array2::from_shape_fn((400, 1), |(i, _)| i as f64);
        near(fit.densities()[1].score_samples(&many).unwrap().mapv(f64::exp).sum(), 1.0, 1e-9);
    }
    // λe^{-λx}: log-odds are linear in x with the slope λ₀ - λ₁, and the density integrates to one.
    let fit = GenerativeClassifier::new(IndependentDensity::new(FeatureFamily::Exponential))
        .fit(&Device::cpu(), &(&x + 1.0), y)
        .unwrap();
    let odds = fit.decision(&counts).unwrap();
    let rates = [4.0 / 9.0, 4.0 / 24.0];
    for i in 1..6 {
        near(odds[[i, 0]] - odds[[i - 1, 0]], rates[0] - rates[1], 1e-12);
    }
    near(odds[[0, 0]], (rates[1] / rates[0]).ln(), 1e-12);
    let fine = Array2::from_shape_fn((400_000, 1), |(i, _)| (i as f64 + 0.5) * 1e-3);
    near(fit.densities()[1].score_samples(&fine).unwrap().mapv(f64::exp).sum() * 1e-3, 1.0, 1e-6);
    // Moments are matched: the likelihood splits into one problem a class.
    let fit = GenerativeClassifier::new(IndependentDensity::new(FeatureFamily::Poisson))
        .fit(&Device::cpu(), &x, y)
        .unwrap();
    near(fit.densities()[0].means()[0], 1.25, 1e-14);
    near(fit.densities()[1].means()[0], 5.0, 1e-14);
    // Bernoulli features are naive Bayes.
    let bits = random(30, 3, 2).mapv(|v| f64::from(u8::from(v > 0.0)));
    let y: Vec<usize> = (0..30).map(|i| i % 2).collect();
    let any = GenerativeClassifier::new(IndependentDensity::new(FeatureFamily::Bernoulli))
        .fit(&Device::cpu(), &bits, &y)
        .unwrap();
    let naive = BernoulliNaiveBayes::new().fit(&Device::cpu(), &bits, &y).unwrap();
    close(any.log_joint(&bits).unwrap().view(), naive.log_joint(&bits).unwrap().view(), 1e-12);
    assert!(IndependentDensity::new(FeatureFamily::Poisson).fit(&Device::cpu(), array![[0.5]]).is_err());
    assert!(
        IndependentDensity::new(FeatureFamily::Gaussian).fit(&Device::cpu(), array![[1.0], [1.0]]).is_err()
    );
}
