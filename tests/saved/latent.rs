//! Principal components, factors, independent components.

use mercer::Device;
use mercer::models::latent::{FactorAnalysis, Ica, Pca, Ppca, PpcaMixture, PpcaSolver};

use crate::support::{adapters, random};
use crate::{damaged, refused, same, through};

#[test]
fn components_and_factors_are_the_same() {
    let (x, new) = (random(50, 4, 1), random(10, 4, 2));
    let cpu = Device::cpu();
    for fitted in
        [Pca::new(2).fit(&cpu, x.view()).unwrap(), Pca::new(4).whiten(true).fit(&cpu, x.view()).unwrap()]
    {
        for back in through(&fitted) {
            same(&back.transform(new.view()).unwrap(), &fitted.transform(new.view()).unwrap());
            same(&back.reconstruct(new.view()).unwrap(), &fitted.reconstruct(new.view()).unwrap());
            assert_eq!(back.noise_variance(), fitted.noise_variance());
        }
        damaged(&fitted);
    }
    let fitted = FactorAnalysis::new(2).fit(&cpu, x.view()).unwrap();
    for back in through(&fitted) {
        same(&back.transform(new.view()).unwrap(), &fitted.transform(new.view()).unwrap());
        same(&back.score_samples(new.view()).unwrap(), &fitted.score_samples(new.view()).unwrap());
        assert_eq!(back.report(), fitted.report());
    }
    damaged(&fitted);
    assert!(refused(&fitted, "/noise_variances/1", -0.1).contains("noise_variances"));
    let fitted = Ica::new(3).fit(&cpu, x.view()).unwrap();
    for back in through(&fitted) {
        let sources = back.transform(new.view()).unwrap();
        same(&sources, &fitted.transform(new.view()).unwrap());
        same(
            &back.inverse_transform(sources.view()).unwrap(),
            &fitted.inverse_transform(sources.view()).unwrap(),
        );
    }
    damaged(&fitted);
    assert!(refused(&fitted, "/mixing/rows", 3).contains("numbers"));
    assert!(refused(&fitted, "/unmixing/data/1", "nan").contains("unmixing"));
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let fitted = Pca::new(2).whiten(true).fit(&Device::cpu(), random(50, 4, 1).view()).unwrap();
    assert!(refused(&fitted, "/rank", 1).contains("components"));
    assert!(refused(&fitted, "/rank", 5).contains("dimensions"));
    assert!(refused(&fitted, "/explained_variance/0", -1.0).contains("explained_variance"));
    assert!(refused(&fitted, "/explained_variance/0", 0.0).contains("whitened"));
    assert!(refused(&fitted, "/total_variance", -1.0).contains("total_variance"));
    assert!(refused(&fitted, "/mean", vec![0.5]).contains("mean"));
}

#[test]
fn what_a_gpu_has_fitted_transforms_without_one() {
    let (x, new) = (random(50, 4, 1), random(10, 4, 2));
    for device in adapters() {
        let fitted = Pca::new(2).fit(device, x.view()).unwrap();
        for back in through(&fitted) {
            let here = fitted.clone().on(&Device::cpu());
            same(&back.transform(new.view()).unwrap(), &here.transform(new.view()).unwrap());
        }
    }
}

#[test]
fn probabilistic_components_are_the_same() {
    let (mut x, new) = (random(50, 4, 1), random(10, 4, 2));
    let cpu = Device::cpu();
    let complete = Ppca::new(2).fit(&cpu, x.view()).unwrap();
    let relevant = Ppca::new(3).solver(PpcaSolver::Automatic).fit(&cpu, x.view()).unwrap();
    x[[3, 1]] = f64::NAN;
    let with_holes = Ppca::new(2).missing(true).fit(&cpu, x.view()).unwrap();
    let mut holed = new.clone();
    holed[[0, 0]] = f64::NAN;
    for (fitted, new) in [(complete, &new), (relevant, &new), (with_holes, &holed)] {
        for back in through(&fitted) {
            same(&back.transform(new.view()).unwrap(), &fitted.transform(new.view()).unwrap());
            same(&back.score_samples(new.view()).unwrap(), &fitted.score_samples(new.view()).unwrap());
            same(back.loadings(), fitted.loadings());
            assert_eq!((&back.relevance(), &back.report()), (&fitted.relevance(), &fitted.report()));
        }
        damaged(&fitted);
        assert!(refused(&fitted, "/gaussian/noise", -1.0).contains("noise"));
        assert!(refused(&fitted, "/gaussian/variances/0", 0.0).contains("variance"));
        assert!(refused(&fitted, "/gaussian/mean", vec![0.5]).contains("mean"));
    }
}

#[test]
fn a_mixture_of_probabilistic_components_is_the_same() {
    let (x, new) = (random(90, 4, 1), random(10, 4, 2));
    let fitted = PpcaMixture::new(2, 1).fit(&Device::cpu(), &x).unwrap();
    for back in through(&fitted) {
        same(&back.predict_proba(&new).unwrap(), &fitted.predict_proba(&new).unwrap());
        same(&back.score_samples(&new).unwrap(), &fitted.score_samples(&new).unwrap());
        assert_eq!((back.bic(), back.report()), (fitted.bic(), fitted.report()));
    }
    damaged(&fitted);
    assert!(refused(&fitted, "/parts/0/weight", -0.5).contains("weight"));
    assert!(refused(&fitted, "/parts/1/gaussian/noise", 0.0).contains("noise"));
    assert!(refused(&fitted, "/centre", vec![0.5]).contains("components"));
}
