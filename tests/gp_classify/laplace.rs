//! What the approximation is: its mode, its evidence, its latent predictions.

use mercer::linalg::{SpdParams, solve_spd};
use mercer::models::gp::{FittedGpClassifier, GpClassifier, Likelihood};
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, array, concatenate};

use crate::{close, gram, ring};

fn four(likelihood: Likelihood, labels: [usize; 4]) -> FittedGpClassifier {
    let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(likelihood);
    model.fit(&Device::cpu(), x.view(), labels).unwrap()
}

/// Numbers from plain loops with the naive Newton step, which inverts K.
#[test]
fn four_points() {
    let near = |got: f64, want: f64, what: &str| close(got, want, 2e-9, what);
    let logistic = four(Likelihood::Logistic, [0, 0, 1, 1]);
    near(logistic.modes()[0][[0, 0]], -0.579_138_197, "mode");
    near(logistic.modes()[0][[2, 0]], 0.533_501_403_9, "mode");
    near(logistic.log_evidence(), -2.621_391_425, "evidence");
    near(four(Likelihood::Logistic, [0, 1, 0, 1]).log_evidence(), -3.046_428_108, "evidence");
    near(four(Likelihood::Logistic, [0, 1, 0, 1]).modes()[0][[1, 0]], 0.132_401_925_6, "mode");
    let probit = four(Likelihood::Probit, [0, 0, 1, 1]);
    near(probit.modes()[0][[0, 0]], -0.683_351_282_3, "mode");
    near(probit.modes()[0][[1, 0]], -0.633_068_627, "mode");
    near(probit.log_evidence(), -2.477_555_876, "evidence");
    near(four(Likelihood::Probit, [0, 1, 0, 1]).log_evidence(), -3.287_976_997, "evidence");
    near(four(Likelihood::Probit, [0, 1, 0, 1]).modes()[0][[3, 0]], 0.245_646_063_1, "mode");

    let new = array![[0.5], [1.5], [5.0]];
    let latent = logistic.latent(new.view()).unwrap();
    for (i, (mean, variance)) in [
        (0.307_049_056_7, 0.826_061_400_2),
        (0.626_162_461_4, 0.737_000_731_9),
        (0.004_113_599_232, 0.999_976_746_8),
    ]
    .into_iter()
    .enumerate()
    {
        near(latent.mean[[i, 0]], mean, "latent mean");
        near(latent.variance[[i, 0]], variance, "latent variance");
    }
    let latent = probit.latent(new.view()).unwrap();
    near(latent.mean[[1, 0]], 0.741_034_546_4, "latent mean");
    near(latent.variance[[1, 0]], 0.582_908_901_9, "latent variance");
    near(logistic.predict_proba(new.view()).unwrap()[[0, 1]], 0.564_859_393_1, "probability");
    near(logistic.predict_proba(new.view()).unwrap()[[1, 1]], 0.632_013_726_1, "probability");
    near(probit.predict_proba(new.view()).unwrap()[[1, 1]], 0.722_067_179_4, "probability");
    // ψ after each Newton step.
    for (fitted, psi) in [
        (&logistic, vec![-2.772_588_7, -2.218_229_9, -2.218_203_1]),
        (&probit, vec![-2.772_588_7, -1.750_237_5, -1.746_476_3]),
    ] {
        for (got, want) in fitted.newton_traces()[0].iter().zip(psi) {
            close(*got, want, 6e-8, "ψ");
        }
    }
}

/// f̂ = K ∇ ln p(y | f̂), reached in a few steps, each of which raises ψ.
#[test]
fn the_mode_is_stationary() {
    let (x, labels) = ring(120, 3);
    let kernel = 30.0 * Kernel::rbf([0.6, 1.1]);
    let k = gram(&kernel, x.view(), None);
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let model = GpClassifier::new(kernel.clone()).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let f = fitted.modes()[0].to_owned();
        let g = Array2::from_shape_fn(f.raw_dim(), |(i, _)| {
            let y = 2.0 * labels[i] as f64 - 1.0;
            // By a difference of ln p, so that nothing is shared with what is tested.
            let log = |f: f64| match likelihood {
                Likelihood::Probit => statrs_cdf(y * f).ln(),
                _ => -(-y * f).exp().ln_1p(),
            };
            (log(f[[i, 0]] + 1e-5) - log(f[[i, 0]] - 1e-5)) / 2e-5
        });
        let off = (&f - &k.dot(&g)).iter().fold(0f64, |s, v| s.max(v.abs()));
        assert!(off < 1e-6, "{likelihood:?}: f - K g is {off:e}");
        let trace = fitted.newton_traces()[0];
        assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-12 * w[0].abs()), "{trace:?}");
        assert!(trace.len() < 15, "{} steps", trace.len());
    }
}

fn statrs_cdf(z: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().cdf(z)
}

/// The plug-in variance takes f̂ for the truth: k** - k*ᵀK⁻¹k*. What is not known of f̂ is missing from it.
#[test]
fn the_plug_in_variance_is_too_small() {
    let plug_in = |kernel: &Kernel, x: &Array2<f64>, new: &Array2<f64>| {
        let (k, cross) = (gram(kernel, x.view(), None), gram(kernel, x.view(), Some(new.view())));
        let solved = solve_spd(&Device::cpu(), k.view(), cross.view(), &SpdParams::default()).unwrap();
        let prior = gram(kernel, new.view(), None).diag().to_owned();
        prior - (&cross * &solved.x).sum_axis(Axis(0))
    };
    let (kernel, x, new) = (Kernel::rbf(1.0), array![[-2.0], [-1.0], [1.0], [2.0]], array![[0.5], [1.5]]);
    let naive = plug_in(&kernel, &x, &new);
    close(naive[0], 0.106_749_946_4, 1e-9, "plug-in");
    close(naive[1], 0.028_536_326_44, 1e-9, "plug-in");

    let (x, labels) = ring(60, 8);
    let kernel = 4.0 * Kernel::matern52(0.9);
    let new = crate::support::random(200, 2, 9) * 3.0;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let model = GpClassifier::new(kernel.clone()).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let variance = fitted.latent(new.view()).unwrap().variance;
        let naive = plug_in(&kernel, &x, &new);
        for (laplace, naive) in variance.iter().zip(&naive) {
            assert!(*laplace > *naive, "{laplace} is not above {naive}");
            assert!(*laplace <= 4.0 + 1e-12, "{laplace} is above the prior");
        }
        // Where there is data it is not even close.
        let at_data = fitted.latent(x.view()).unwrap().variance;
        assert!(at_data.iter().all(|v| *v > 0.2), "plug-in would say zero");
    }
}

/// Twice the same point is a singular K: nothing here inverts it.
#[test]
fn duplicate_points_are_welcome() {
    let (x, labels) = ring(40, 5);
    let twice = concatenate![Axis(0), x, x];
    let both: Vec<usize> = labels.iter().chain(&labels).copied().collect();
    let model = GpClassifier::new(2.0 * Kernel::rbf(1.0));
    let once = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
    let fitted = model.fit(&Device::cpu(), twice.view(), &both).unwrap();
    let f = fitted.modes()[0].to_owned();
    assert!((0..40).all(|i| (f[[i, 0]] - f[[i + 40, 0]]).abs() < 1e-9));
    // Twice the evidence is surer.
    let (one, two) = (once.latent(x.view()).unwrap(), fitted.latent(x.view()).unwrap());
    assert!(one.variance.iter().zip(&two.variance).all(|(a, b)| b < a));
}

#[test]
fn swapped_labels_swap_the_probabilities() {
    let (x, labels) = ring(70, 12);
    let swapped: Vec<usize> = labels.iter().map(|l| 1 - l).collect();
    let new = crate::support::random(50, 2, 13) * 2.0;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let model = GpClassifier::new(3.0 * Kernel::rbf(0.8)).likelihood(likelihood);
        let one = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let other = model.fit(&Device::cpu(), x.view(), &swapped).unwrap();
        close(one.log_evidence(), other.log_evidence(), 1e-10, "evidence");
        let (p, q) = (one.predict_proba(new.view()).unwrap(), other.predict_proba(new.view()).unwrap());
        // A mean over draws is symmetric only in the limit.
        let tolerance = if likelihood == Likelihood::Softmax { 0.02 } else { 1e-11 };
        for i in 0..50 {
            close(p[[i, 0]], q[[i, 1]], tolerance, "probability");
            close(p.row(i).sum(), 1.0, 1e-12, "sum");
        }
        // What the labels are called is nobody's business.
        let named: Vec<usize> = labels.iter().map(|l| 7 + 100 * l).collect();
        let renamed = model.fit(&Device::cpu(), x.view(), &named).unwrap();
        assert_eq!(renamed.classes(), [7, 107]);
        assert_eq!(renamed.predict_proba(new.view()).unwrap(), p);
        assert!(renamed.predict(new.view()).unwrap().iter().all(|l| [7, 107].contains(l)));
    }
}

#[test]
fn far_from_the_data_the_prior_is_back() {
    let (x, labels) = ring(50, 21);
    let fitted = GpClassifier::new(5.0 * Kernel::rbf(0.7)).fit(&Device::cpu(), x.view(), &labels).unwrap();
    let far = array![[100.0, -100.0]];
    let latent = fitted.latent(far.view()).unwrap();
    assert_eq!(latent.mean[[0, 0]], 0.0);
    assert_eq!(latent.variance[[0, 0]], 5.0);
    close(fitted.predict_proba(far.view()).unwrap()[[0, 0]], 0.5, 1e-14, "probability");
}
