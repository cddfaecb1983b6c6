//! Bayesian logistic regression.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{close, near, six};

/// BL-09 with a normal prior on both weights.
#[test]
fn the_posterior_of_the_notes() {
    let (x, y) = six();
    let fit = BayesianLogisticRegression::new(1.0).fit(&Device::cpu(), &x, y).unwrap();
    near(fit.mean()[1], -0.5869746091, 1e-9);
    near(fit.mean()[0], 0.4123753392, 1e-9);
    close(
        fit.covariance().view(),
        array![[0.1362854648, -0.1747123171], [-0.1747123171, 0.6602776628]].view(),
        1e-9,
    );
    near(fit.log_evidence(), -4.874612447, 1e-9);
}

/// BL-10, N.3: it is the Gaussian process with a linear kernel.
#[test]
fn it_is_the_gaussian_process_with_a_linear_kernel() {
    let x = random(25, 2, 1) * 2.0;
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] - 0.5 * r[1] > 0.4 * (5.0 * r[0]).sin()).collect();
    let alpha = 0.7;
    let weights = BayesianLogisticRegression::new(alpha).fit(&Device::cpu(), &x, &y).unwrap();
    let kernel = Kernel::linear().scaled(1.0 / alpha) + Kernel::constant(1.0 / alpha);
    let functions = GpClassifier::new(kernel).fit(&Device::cpu(), &x, &y).unwrap();
    near(weights.log_evidence(), functions.log_evidence(), 1e-6);
    let new = random(10, 2, 2) * 3.0;
    let ((mean, variance), latent) = (weights.latent(&new).unwrap(), functions.latent(&new).unwrap());
    for i in 0..10 {
        near(mean[i], latent.mean[[i, 0]], 1e-5);
        near(variance[i], latent.variance[[i, 0]], 1e-5);
    }
    close(weights.predict_proba(&new).unwrap().view(), functions.predict_proba(&new).unwrap().view(), 1e-6);
}

/// N.3: averages are closer to one half than the plug-in, on the same side, and the three ways agree.
#[test]
fn averages_are_less_sure() {
    let (x, y) = six();
    let fit = BayesianLogisticRegression::new(1.0).fit(&Device::cpu(), &x, y).unwrap();
    let new = Array2::from_shape_fn((9, 1), |(i, _)| i as f64 - 2.0);
    let (mean, _) = fit.latent(&new).unwrap();
    let exact = fit.predict_proba(&new).unwrap();
    let formula = fit.predict_proba_by(&new, PosteriorAverage::ProbitFormula).unwrap();
    let draws =
        fit.predict_proba_by(&new, PosteriorAverage::MonteCarlo { samples: 20_000, seed: 1 }).unwrap();
    for i in 0..9 {
        let plug_in = 1.0 / (1.0 + (-mean[i]).exp());
        for p in [&exact, &formula] {
            assert!((p[[i, 1]] - 0.5).abs() < (plug_in - 0.5).abs());
            assert_eq!(p[[i, 1]] > 0.5, plug_in > 0.5);
        }
        near(formula[[i, 1]], exact[[i, 1]], 0.02);
        near(draws[[i, 1]], exact[[i, 1]], 0.01);
    }
    // The mean over a fine grid of the score.
    let (mean, variance) = fit.latent(array![[5.0]]).unwrap();
    let steps = 20_000;
    let (mut sum, mut mass) = (0.0, 0.0);
    for k in 0..=steps {
        let z = -9.0 + 18.0 * f64::from(k) / f64::from(steps);
        let p = (-0.5 * z * z).exp();
        sum += p / (1.0 + (-(mean[0] + variance[0].sqrt() * z)).exp());
        mass += p;
    }
    near(fit.predict_proba(array![[5.0]]).unwrap()[[0, 1]], sum / mass, 1e-10);
}

/// N.3: with many rows the mode is the likeliest.
#[test]
fn the_prior_is_forgotten() {
    let x = random(3000, 1, 3);
    let u = random(3000, 1, 4);
    let y: Vec<bool> =
        (0..3000).map(|i| 0.5 * (u[[i, 0]] + 1.0) < 1.0 / (1.0 + (-2.0 * x[[i, 0]]).exp())).collect();
    let bayes = BayesianLogisticRegression::new(1.0).fit(&Device::cpu(), &x, &y).unwrap();
    let likeliest = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    near(bayes.mean()[0], likeliest.coefficients()[[0, 0]], 0.02);
    let draws = bayes.sample_weights(5000, 2).unwrap();
    near(draws.column(0).sum() / 5000.0, bayes.mean()[0], 0.01);
    near(draws.column(0).var(1.0), bayes.covariance()[[0, 0]], 0.1);
}
