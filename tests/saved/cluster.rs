//! Clusters and mixtures.

use mercer::Device;
use mercer::models::cluster::{DpMeans, KMeans, KMedoids};
use mercer::models::mixture::{
    BayesianGaussianMixture, BernoulliMixture, CategoricalMixture, CovarianceKind, GaussianMixture,
    LinearRegressionMixture, LogisticRegressionMixture, WeightPrior,
};

use crate::support::random;
use crate::{damaged, refused, same, through};

#[test]
fn centres_are_the_same_and_move_on() {
    let (x, new) = (random(60, 2, 1), random(20, 2, 2));
    let fitted = KMeans::new(4).fit(&Device::cpu(), x.view()).unwrap();
    for mut back in through(&fitted) {
        assert_eq!(back.predict(new.view()).unwrap(), fitted.predict(new.view()).unwrap());
        assert_eq!(
            (&back.labels(), &back.report().trace, back.cost()),
            (&fitted.labels(), &fitted.report().trace, fitted.cost())
        );
        let mut own = fitted.clone();
        own.update(new.view()).unwrap();
        back.update(new.view()).unwrap();
        same(back.centres(), own.centres());
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
        let model = GaussianMixture::new(3).covariance(kind);
        let fitted = model.fit(&Device::cpu(), x.view()).unwrap();
        for back in through(&fitted) {
            same(&back.predict_proba(new.view()).unwrap(), &fitted.predict_proba(new.view()).unwrap());
            same(&back.score_samples(new.view()).unwrap(), &fitted.score_samples(new.view()).unwrap());
            assert_eq!((back.bic(), back.params()), (fitted.bic(), fitted.params()));
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
    let yes = BernoulliMixture::new(3).fit(&Device::cpu(), x.view()).unwrap();
    let counts = CategoricalMixture::new(2).fit(&Device::cpu(), x.view()).unwrap();
    for back in through(&yes) {
        same(&back.predict_proba(new.view()).unwrap(), &yes.predict_proba(new.view()).unwrap());
        same(&back.score_samples(new.view()).unwrap(), &yes.score_samples(new.view()).unwrap());
    }
    for back in through(&counts) {
        same(&back.predict_proba(new.view()).unwrap(), &counts.predict_proba(new.view()).unwrap());
    }
    damaged(&yes);
    assert!(refused(&yes, "/family", "CategoricalMixture").contains("not a BernoulliMixture"));
    assert!(refused(&yes, "/params/probabilities/data/0", 1.5).contains("probability"));
    assert!(refused(&yes, "/params/weights/0", -0.1).contains("weight"));
}

#[test]
fn medoids_and_clusters_of_dp_means_are_the_same() {
    let (x, new) = (random(60, 2, 1), random(20, 2, 2));
    let medoids = KMedoids::new(4).fit(&Device::cpu(), &x).unwrap();
    for back in through(&medoids) {
        assert_eq!(back, medoids);
        same(&back.transform(&new).unwrap(), &medoids.transform(&new).unwrap());
    }
    damaged(&medoids);
    assert!(refused(&medoids, "/labels/3", 4).contains("label"));
    assert!(refused(&medoids, "/medoids/0", 60).contains("medoid"));
    assert!(refused(&medoids, "/centres/data/0", "nan").contains("centres"));
    let clusters = DpMeans::new(0.5).fit(&Device::cpu(), &x).unwrap();
    for back in through(&clusters) {
        assert_eq!(back, clusters);
        assert_eq!(back.predict(&new).unwrap(), clusters.predict(&new).unwrap());
    }
    damaged(&clusters);
    assert!(refused(&clusters, "/labels/3", 99).contains("label"));
    assert!(refused(&clusters, "/centres/data/0", "inf").contains("centres"));
}

#[test]
fn a_bayesian_mixture_is_the_same() {
    let (x, new) = (random(80, 2, 1), random(20, 2, 2));
    for prior in [WeightPrior::Dirichlet(0.5), WeightPrior::DirichletProcess(0.5)] {
        let model = BayesianGaussianMixture::new(3).weight_prior(prior);
        let fitted = model.fit(&Device::cpu(), &x).unwrap();
        for back in through(&fitted) {
            same(&back.predict_proba(&new).unwrap(), &fitted.predict_proba(&new).unwrap());
            same(&back.score_samples(&new).unwrap(), &fitted.score_samples(&new).unwrap());
            same(&back.sample(5, 1).unwrap(), &fitted.sample(5, 1).unwrap());
            assert_eq!((back.elbo(), back.report()), (fitted.elbo(), fitted.report()));
        }
        damaged(&fitted);
        assert!(refused(&fitted, "/weights/0", -0.2).contains("weight"));
        assert!(refused(&fitted, "/posterior/precision/0", 0.0).contains("precision"));
        assert!(refused(&fitted, "/posterior/degrees/1", 0.5).contains("degrees"));
        assert!(refused(&fitted, "/posterior/means/data/0", "nan").contains("means"));
        assert!(refused(&fitted, "/posterior/inverse/0/data/0", -1.0).contains("positive definite"));
        assert!(refused(&fitted, "/posterior/log_det/0", 99.0).contains("log determinant"));
    }
}

#[test]
fn mixtures_of_regressions_are_the_same() {
    let (x, y, new) = (random(60, 2, 1), random(60, 1, 3), random(20, 2, 2));
    let lines = LinearRegressionMixture::new(2).fit(&Device::cpu(), &x, y.column(0)).unwrap();
    for back in through(&lines) {
        same(&back.predict(&new).unwrap(), &lines.predict(&new).unwrap());
        assert_eq!((back.bic(), back.report()), (lines.bic(), lines.report()));
    }
    damaged(&lines);
    assert!(refused(&lines, "/lines/variances/0", 0.0).contains("variance"));
    assert!(refused(&lines, "/lines/intercepts", vec![1.0]).contains("intercepts"));
    let votes: Vec<String> = y.iter().map(|v| if *v > 0.0 { "aye" } else { "no" }.to_owned()).collect();
    let groups = LogisticRegressionMixture::new(2).fit(&Device::cpu(), &x, &votes).unwrap();
    for back in through(&groups) {
        same(&back.predict_proba(&new).unwrap(), &groups.predict_proba(&new).unwrap());
        assert_eq!(back.predict(&new).unwrap(), groups.predict(&new).unwrap());
    }
    damaged(&groups);
    assert!(refused(&groups, "/labels/classes", vec!["aye"]).contains("two classes"));
    assert!(refused(&groups, "/slopes/data/0", "nan").contains("slopes"));
}
