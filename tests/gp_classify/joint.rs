//! Latent functions together: covariances, posterior draws of class probabilities, plug-in probabilities, means on a basis.

use mercer::models::gp::{Average, LatentGp, LogisticLikelihood};
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::{random, same};

fn data() -> (Array2<f64>, Vec<usize>, Vec<usize>) {
    let x = random(24, 2, 1) * 2.0;
    let two = x.rows().into_iter().map(|r| usize::from(r[0] + 0.3 * r[1] > 0.2)).collect();
    let three = x.rows().into_iter().map(|r| usize::from(r[0] > -0.5) + usize::from(r[1] > 0.4)).collect();
    (x, two, three)
}

const LIKELIHOODS: [Likelihood; 3] = [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax];

/// The diagonal of the joint covariance is the latent variance; of two classes it is that of the dense latent process.
#[test]
fn the_joint_covariance_has_the_variances_on_its_diagonal() {
    let (x, two, three) = data();
    let new = random(5, 2, 2);
    for likelihood in LIKELIHOODS {
        for y in [&two, &three] {
            let model = GpClassifier::new(2.0 * Kernel::rbf(0.8)).likelihood(likelihood);
            let fitted = model.fit(&Device::cpu(), &x, y).unwrap();
            let (latent, joint) = (fitted.latent(&new).unwrap(), fitted.latent_joint(&new).unwrap());
            same(&joint.mean, &latent.mean, 1e-12, "means");
            let m = new.nrows();
            let diagonal = joint.covariance.diag();
            let functions = latent.mean.ncols();
            assert_eq!(joint.covariance.dim(), (m * functions, m * functions));
            let variance = Array2::from_shape_fn((m, functions), |(i, c)| diagonal[c * m + i]);
            same(&variance, &latent.variance, 1e-10, "variances");
            // Together it is a covariance: vᵀCv ≥ 0.
            for seed in 0..20 {
                let v = random(m * functions, 1, 50 + seed).remove_axis(Axis(1));
                assert!(v.dot(&joint.covariance.dot(&v)) > -1e-10);
            }
        }
    }
    let labels: Array1<f64> = two.iter().map(|&y| if y == 1 { 1.0 } else { -1.0 }).collect();
    let kernel = 2.0 * Kernel::rbf(0.8);
    let dense = LatentGp::laplace(&kernel, &LogisticLikelihood, &x, &labels).unwrap();
    let fitted = GpClassifier::new(kernel).fit(&Device::cpu(), &x, &two).unwrap();
    same(&fitted.latent_joint(&new).unwrap().covariance, &dense.latent_joint(&new).unwrap().1, 1e-8, "dense");
}

/// The mean of posterior draws is the averaged probability, and draws of neighbours agree.
#[test]
fn the_mean_of_posterior_draws_is_the_prediction() {
    let (x, two, three) = data();
    let new = array![[0.1, -0.2], [0.1, -0.21], [-1.0, 0.7]];
    let count = 8000;
    for likelihood in LIKELIHOODS {
        for y in [&two, &three] {
            let model = GpClassifier::new(2.0 * Kernel::rbf(0.8)).likelihood(likelihood);
            let fitted = model.fit(&Device::cpu(), &x, y).unwrap();
            let drawn = fitted.sample(&new, count, 4).unwrap().values;
            assert_eq!(drawn, fitted.sample(&new, count, 4).unwrap().values);
            assert!(drawn.sum_axis(Axis(2)).iter().all(|s| (s - 1.0).abs() < 1e-12));
            let gap = drawn.outer_iter().map(|p| (p[[0, 0]] - p[[1, 0]]).abs()).fold(0.0, f64::max);
            assert!(gap < 0.05, "{gap}");
            // Of one against the rest probabilities are divided by their sum after the average, not before.
            let exact = y == &two || likelihood == Likelihood::Softmax;
            let mean = drawn.mean_axis(Axis(0)).unwrap();
            let tolerance = if exact { 0.012 } else { 0.06 };
            same(&mean, &fitted.predict_proba(&new).unwrap(), tolerance, "mean of draws");
        }
    }
    // About a mean it is the same, raised.
    let model = GpClassifier::new(Kernel::rbf(0.8));
    let about = model.fit_about(&Device::cpu(), &x, &two, |x, _| x[0]).unwrap();
    let mean = about.sample(&new, count, 4).unwrap().values.mean_axis(Axis(0)).unwrap();
    same(&mean, &about.predict_proba(&new).unwrap(), 0.012, "about a mean");
    assert_eq!(about.latent_joint(&new).unwrap().mean, about.latent(&new).unwrap().mean);
    assert!(about.sample(&new, 0, 1).is_err());
}

/// `p(y | μ)` is further from one half than the average; of a softmax it is the softmax of the means.
#[test]
fn the_plug_in_is_surer_than_the_average() {
    let (x, two, three) = data();
    let new = random(9, 2, 2);
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let fitted = GpClassifier::new(2.0 * Kernel::rbf(0.8)).likelihood(likelihood);
        let fitted = fitted.fit(&Device::cpu(), &x, &two).unwrap();
        let averaged = fitted.predict_proba(&new).unwrap();
        let plug_in = fitted.predict_proba_by(&new, Average::PlugIn).unwrap();
        for (a, p) in averaged.iter().zip(&plug_in) {
            assert!((p - 0.5).abs() > (a - 0.5).abs() && (p - 0.5) * (a - 0.5) > 0.0);
        }
    }
    let fitted = GpClassifier::new(Kernel::rbf(0.8)).likelihood(Likelihood::Softmax);
    let fitted = fitted.fit(&Device::cpu(), &x, &three).unwrap();
    let plug_in = fitted.predict_proba_by(&new, Average::PlugIn).unwrap();
    let mean = fitted.latent(&new).unwrap().mean.mapv(f64::exp);
    same(&plug_in, &(&mean / &mean.sum_axis(Axis(1)).insert_axis(Axis(1))), 1e-12, "softmax of the means");
}

/// The coefficients are where the evidence of `fit_about` is largest: no neighbour has more of it.
#[test]
fn coefficients_of_a_mean_maximise_the_evidence() {
    let (x, mut two, three) = data();
    // Labels that no line separates.
    for i in [0, 5, 11] {
        two[i] = 1 - two[i];
    }
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(0.5 * Kernel::rbf(0.8)).likelihood(likelihood);
        let (beta, fitted) = model.fit_on_basis(&Device::cpu(), &x, &two, |x| vec![1.0, x[0]]).unwrap();
        let at = |beta: &Array2<f64>| {
            let mean = |x: ndarray::ArrayView1<f64>, c: usize| beta[[0, c]] + beta[[1, c]] * x[0];
            model.fit_about(&Device::cpu(), &x, &two, mean).unwrap().residual().log_evidence()
        };
        let best = at(&beta);
        assert!((best - fitted.residual().log_evidence()).abs() < 1e-9);
        for (j, c) in beta.indexed_iter().map(|(at, _)| at).collect::<Vec<_>>() {
            for step in [-0.05, 0.05] {
                let mut other = beta.clone();
                other[[j, c]] += step;
                assert!(at(&other) < best, "{likelihood:?} {j} {c}");
            }
        }
    }
    let model = GpClassifier::new(0.5 * Kernel::rbf(0.8));
    assert_eq!(model.fit_on_basis(&Device::cpu(), &x, &three, |_| vec![1.0]).unwrap().0.dim(), (1, 3));
    let apart = array![[-2.0], [-1.0], [1.0], [2.0]];
    let found = model.fit_on_basis(&Device::cpu(), &apart, [0, 0, 1, 1], |x| vec![x[0]]);
    assert!(matches!(found, Err(mercer::Error::NoConvergence { .. })), "{:?}", found.map(|f| f.0));
}
