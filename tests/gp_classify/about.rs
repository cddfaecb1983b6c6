//! Classification about given means: what is added to the latent functions is added, and nothing else changes.

use mercer::models::gp::{LatentGp, LogisticLikelihood};
use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, array};

use crate::support::{gpus, random, same};

fn data() -> (Array2<f64>, Vec<usize>, Vec<usize>) {
    let x = random(24, 2, 1) * 2.0;
    let two = x.rows().into_iter().map(|r| usize::from(r[0] + 0.3 * r[1] > 0.2)).collect();
    let three = x.rows().into_iter().map(|r| usize::from(r[0] > -0.5) + usize::from(r[1] > 0.4)).collect();
    (x, two, three)
}

const LIKELIHOODS: [Likelihood; 3] = [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax];

/// A mean of zero is none, to the last bit; a mean that is given to all functions of a softmax is none either.
#[test]
fn no_mean_is_no_mean() {
    let (x, two, three) = data();
    let new = random(9, 2, 2);
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(2.0 * Kernel::rbf(0.8)).likelihood(likelihood);
        for y in [&two, &three] {
            let plain = model.fit(&Device::cpu(), &x, y).unwrap();
            let zero = model.fit_about(&Device::cpu(), &x, y, |_, _| 0.0).unwrap();
            assert_eq!(plain.log_evidence(), zero.residual().log_evidence());
            assert_eq!(plain.predict_proba(&new).unwrap(), zero.predict_proba(&new).unwrap());
            assert_eq!(plain.predict(&new).unwrap(), zero.predict(&new).unwrap());
            assert_eq!(plain.decision(&new).unwrap(), zero.decision(&new).unwrap());
        }
        if likelihood == Likelihood::Softmax {
            let plain = model.fit(&Device::cpu(), &x, &three).unwrap();
            let same_for_all = model.fit_about(&Device::cpu(), &x, &three, |x, _| 5.0 + x[0]).unwrap();
            let (a, b) = (plain.predict_proba(&new).unwrap(), same_for_all.predict_proba(&new).unwrap());
            same(&b, &a, 1e-8, "a softmax sees differences");
            let (a, b) = (plain.log_evidence(), same_for_all.residual().log_evidence());
            assert!((a - b).abs() < 1e-8);
        }
    }
}

/// The mode of g is the root of `g = K ∇ln p(y | m + g)`: the mean is an offset in the likelihood. By hand, in one dimension.
#[test]
fn a_constant_mean_is_an_offset_in_the_likelihood() {
    let (x, m) = (array![[0.0]], -1.5);
    let (near, far) = (array![[0.0]], array![[1000.0]]);
    // Two points at one place, of both classes, whose slopes add: σ(-f) - σ(f).
    let both = array![[0.0], [0.0]];
    let model = GpClassifier::new(Kernel::rbf(1.0));
    let fitted = model.fit_about(&Device::cpu(), &both, [0, 1], |_, _| m).unwrap();
    let f = fitted.latent(&near).unwrap().mean[[0, 0]];
    let sigma = |v: f64| 1.0 / (1.0 + (-v).exp());
    assert!((f - m - (sigma(-f) - sigma(f))).abs() < 1e-9, "{f}");
    assert!(m < f && f < 0.0, "drawn from its mean to what was seen");
    // Away from data the latent value is N(m, 1), whatever was seen.
    let latent = fitted.latent(&far).unwrap();
    assert!((latent.mean[[0, 0]] - m).abs() < 1e-12 && (latent.variance[[0, 0]] - 1.0).abs() < 1e-12);
    let draws = model.sample_prior_about(&x, 2, |_, _| m, 40_000, 3).unwrap().values;
    let mean = draws.slice(ndarray::s![.., 0, 1]).mean().unwrap();
    let p = fitted.predict_proba(&far).unwrap()[[0, 1]];
    assert!((mean - p).abs() < 0.005, "the prior's average {mean}, the prediction {p}");
}

/// The same as a latent process with the logistic likelihood about that mean, which is written apart.
#[test]
fn it_is_the_latent_process_about_that_mean() {
    let (x, two, _) = data();
    let (kernel, m) = (1.5 * Kernel::rbf(0.7), |x: ArrayView1<f64>| 0.8 - 1.3 * x[1]);
    let signs: Array1<f64> = two.iter().map(|&c| 2.0 * c as f64 - 1.0).collect();
    let latent = LatentGp::laplace_about(&kernel, &LogisticLikelihood, &x, &signs, m).unwrap();
    let new = random(7, 2, 5);
    let (mean, variance) = latent.latent(&new).unwrap();
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let fitted =
            GpClassifier::new(kernel.clone()).fit_about(&device, &x, &two, move |x, _| m(x)).unwrap();
        let found = fitted.latent(&new).unwrap();
        same(&found.mean, &mean, 1e-7, "means");
        same(&found.variance, &variance, 1e-7, "variances");
        let (a, b) = (fitted.residual().log_evidence(), latent.residual().log_evidence());
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
}

/// A mean that says it all leaves little to learn, and a search sees it.
#[test]
fn a_good_mean_raises_the_evidence() {
    let (x, two, three) = data();
    let model = GpClassifier::new(0.2 * Kernel::rbf(1.0));
    let right = |x: ArrayView1<f64>, _: usize| 4.0 * (x[0] + 0.3 * x[1] - 0.2);
    let plain = model.fit(&Device::cpu(), &x, &two).unwrap();
    let about = model.fit_about(&Device::cpu(), &x, &two, right).unwrap();
    let wrong = model.fit_about(&Device::cpu(), &x, &two, |x, c| -right(x, c)).unwrap();
    assert!(about.residual().log_evidence() > plain.log_evidence() + 3.0);
    assert!(wrong.residual().log_evidence() < plain.log_evidence() - 3.0);
    assert_eq!(about.predict(&x).unwrap(), two);
    // Each of three classes about its own mean.
    for likelihood in LIKELIHOODS {
        let bias = |_: ArrayView1<f64>, c: usize| if c == 2 { 30.0 } else { 0.0 };
        let fitted =
            model.clone().likelihood(likelihood).fit_about(&Device::cpu(), &x, &three, bias).unwrap();
        assert_eq!(fitted.predict(array![[500.0, 500.0]]).unwrap(), [2], "{likelihood:?}");
        assert_eq!(fitted.residual().classes(), [0, 1, 2]);
    }
}

/// Draws are of classes: they sum to one, their latent functions are shifted by the mean, and the seed decides.
#[test]
fn prior_draws_are_probabilities() {
    let x = random(5, 2, 7);
    let logit = |p: f64| (p / (1.0 - p)).ln();
    for (likelihood, classes) in [
        (Likelihood::Logistic, 2),
        (Likelihood::Probit, 2),
        (Likelihood::Logistic, 3),
        (Likelihood::Softmax, 2),
        (Likelihood::Softmax, 4),
    ] {
        let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(likelihood);
        let drawn = model.sample_prior(&x, classes, 6, 9).unwrap().values;
        assert_eq!(drawn.dim(), (6, 5, classes));
        assert!(drawn.iter().all(|p| (0.0..=1.0).contains(p)));
        drawn.lanes(ndarray::Axis(2)).into_iter().for_each(|p| assert!((p.sum() - 1.0).abs() < 1e-12));
        assert_eq!(drawn, model.sample_prior(&x, classes, 6, 9).unwrap().values);
        if likelihood == Likelihood::Logistic && classes == 2 {
            let moved = model.sample_prior_about(&x, 2, |x, _| 2.0 * x[0], 6, 9).unwrap().values;
            let shift = logit(moved[[3, 1, 1]]) - logit(drawn[[3, 1, 1]]);
            assert!((shift - 2.0 * x[[1, 0]]).abs() < 1e-9, "{shift}");
        }
    }
}

#[test]
fn bad_means_are_errors() {
    let (x, two, _) = data();
    let model = GpClassifier::new(Kernel::rbf(1.0));
    let refused = model.fit_about(&Device::cpu(), &x, &two, |_, _| f64::NAN).map(|_| ());
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
    let fitted = model.fit_about(&Device::cpu(), &x, &two, |x, _| 1.0 / (x[0] - 9.0)).unwrap();
    assert!(matches!(fitted.predict_proba(array![[9.0, 0.0]]), Err(Error::NotFinite { .. })));
    assert!(fitted.latent(array![[9.0, 0.0]]).is_err() && fitted.latent(array![[1.0]]).is_err());
    assert!(model.sample_prior(&x, 1, 3, 0).is_err() && model.sample_prior(&x, 2, 0, 0).is_err());
    assert!(model.sample_prior_about(&x, 2, |_, _| f64::INFINITY, 3, 0).is_err());
}
