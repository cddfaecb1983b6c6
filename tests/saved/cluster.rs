//! Clusters and mixtures.

use mercer::Device;
use mercer::models::cluster::KMeans;
use mercer::models::mixture::{BernoulliMixture, CategoricalMixture, CovarianceKind, GaussianMixture};

use crate::support::random;
use crate::{damaged, refused, same, through};

#[test]
fn centres_are_the_same_and_move_on() {
    let (x, new) = (random(60, 2, 1), random(20, 2, 2));
    let fitted = KMeans::new(4).fit(&Device::cpu(), x.view()).unwrap();
    for mut back in through(&fitted) {
        assert_eq!(back.predict(new.view()).unwrap(), fitted.predict(new.view()).unwrap());
        assert_eq!((&back.labels, &back.trace, back.cost), (&fitted.labels, &fitted.trace, fitted.cost));
        let mut own = fitted.clone();
        own.update(new.view()).unwrap();
        back.update(new.view()).unwrap();
        same(&back.centres, &own.centres);
    }
    damaged(&fitted);
    assert!(refused(&fitted, "/labels/3", 4).contains("label"));
    assert!(refused(&fitted, "/mass/0", -1.0).contains("mass"));
    assert!(refused(&fitted, "/cost", -1.0).contains("cost"));
    assert!(refused(&fitted, "/centres/data/0", "inf").contains("centres"));
}

#[test]
fn a_mixture_of_gaussians_is_the_same() {
    let (x, new) = (random(80, 2, 1), random(20, 2, 2));
    for kind in
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical]
    {
        let model = GaussianMixture { covariance: kind, ..GaussianMixture::new(3) };
        let fitted = model.fit(&Device::cpu(), x.view()).unwrap();
        for back in through(&fitted) {
            same(&back.predict_proba(new.view()).unwrap(), &fitted.predict_proba(new.view()).unwrap());
            same(&back.score_samples(new.view()).unwrap(), &fitted.score_samples(new.view()).unwrap());
            assert_eq!((back.bic(), &back.params), (fitted.bic(), &fitted.params));
        }
        damaged(&fitted);
    }
    let fitted = GaussianMixture::new(3).fit(&Device::cpu(), x.view()).unwrap();
    assert!(refused(&fitted, "/params/weights/0", -0.2).contains("weight"));
    assert!(refused(&fitted, "/params/weights", vec![1.0]).contains("weights"));
    assert!(refused(&fitted, "/params/covariance/Full/1/data/0", -1.0).contains("covariance 1"));
    let flat = vec![1.0, 1.0, 1.0, 1.0];
    assert!(refused(&fitted, "/params/covariance/Full/1/data", flat).contains("positive definite"));
    assert!(refused(&fitted, "/dead", vec![3]).contains("component"));
    assert!(refused(&fitted, "/mass", 0.0).contains("mass"));
}

#[test]
fn mixtures_of_discrete_distributions_are_the_same() {
    let x = random(60, 5, 1).mapv(|v| f64::from(u8::from(v > 0.2)));
    let new = random(10, 5, 2).mapv(|v| f64::from(u8::from(v > 0.0)));
    let yes = BernoulliMixture::new(3).fit(&Device::cpu(), x.view(), None).unwrap();
    let counts = CategoricalMixture::new(2).fit(&Device::cpu(), x.view(), None).unwrap();
    for back in through(&yes) {
        same(&back.predict_proba(new.view()).unwrap(), &yes.predict_proba(new.view()).unwrap());
        same(&back.score_samples(new.view()).unwrap(), &yes.score_samples(new.view()).unwrap());
    }
    for back in through(&counts) {
        same(&back.predict_proba(new.view()).unwrap(), &counts.predict_proba(new.view()).unwrap());
    }
    damaged(&yes);
    assert!(refused(&yes, "/family", "CategoricalMixture").contains("not a BernoulliMixture"));
    assert!(refused(&yes, "/probabilities/data/0", 1.5).contains("probability"));
    assert!(refused(&yes, "/weights/0", -0.1).contains("weight"));
}
