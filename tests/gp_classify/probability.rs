//! Class probabilities: three ways to the same integral.

use mercer::models::gp::{Average, GpClassifier, Likelihood};
use mercer::{Device, Kernel};

use crate::{close, ring};

#[test]
fn averages_agree_and_are_less_sure_than_the_mean() {
    let (x, labels) = ring(60, 40);
    let new = crate::support::random(80, 2, 41) * 2.5;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let model = GpClassifier::new(6.0 * Kernel::rbf(0.9)).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let latent = fitted.latent(new.view()).unwrap();
        let by = |average| fitted.predict_proba_by(new.view(), average).unwrap();
        let exact = by(Average::Quadrature);
        assert_eq!(exact, fitted.predict_proba(new.view()).unwrap());
        let formula = by(Average::ProbitFormula);
        let samples = 20_000;
        let draws = by(Average::MonteCarlo { samples, seed: 5 });
        assert_eq!(draws, by(Average::MonteCarlo { samples, seed: 5 }), "a seed is a promise");
        assert_ne!(draws, by(Average::MonteCarlo { samples, seed: 6 }));
        for i in 0..80 {
            let (mean, p) = (latent.mean[[i, 0]], exact[[i, 1]]);
            close(formula[[i, 1]], p, if likelihood == Likelihood::Probit { 1e-15 } else { 0.02 }, "formula");
            // Six standard errors; pairs cannot do worse than single draws.
            close(draws[[i, 1]], p, 6.0 * 0.5 / (samples as f64).sqrt(), "draws");
            let sure = match likelihood {
                Likelihood::Probit => {
                    statrs::distribution::ContinuousCDF::cdf(&statrs::distribution::Normal::standard(), mean)
                }
                _ => 1.0 / (1.0 + (-mean).exp()),
            };
            assert!((p - 0.5).abs() < (sure - 0.5).abs(), "{p} is as sure as {sure}");
            assert!((p > 0.5) == (mean > 0.0), "the decision is the same");
        }
    }
}

/// A linear kernel extrapolates without end: the mean of the latent value and its deviation grow alike, and the
/// probability has a limit.
#[test]
fn far_away_is_no_endless_sum() {
    let x = ndarray::array![[-2.0], [-1.0], [1.0], [2.0]];
    let fitted = GpClassifier::new(Kernel::linear()).fit(&Device::cpu(), x.view(), [0, 0, 1, 1]).unwrap();
    let p = |at: f64| fitted.predict_proba(ndarray::array![[at]].view()).unwrap()[[0, 1]];
    let limit = p(1e9);
    assert!(0.8 < limit && limit < 1.0, "{limit}");
    for at in [1e14, 1e16, 1e17, 1e18, 1e100] {
        close(p(at), limit, 1e-8, "the limit");
        close(p(-at), 1.0 - limit, 1e-8, "the limit on the other side");
    }
}

/// What is improbable is so on either side of a boundary through the middle of the data, to the same digits.
#[test]
fn small_probabilities_are_not_differences_from_one() {
    let n = 400;
    let half = crate::support::random(n / 2, 1, 42) * 2.0;
    let x = ndarray::concatenate![ndarray::Axis(0), half, -&half];
    // The side decides, but for one in eight; a point and its mirror image have different labels.
    let label = |i: usize| usize::from((x[[i, 0]] > 0.0) != ((i % (n / 2)) % 8 == 3));
    let labels: Vec<usize> = (0..n).map(label).collect();
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let model = GpClassifier::new(10.0 * Kernel::linear()).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        for at in [1.0, 10.0, 1e3, 1e6] {
            let p = fitted.predict_proba(ndarray::array![[at], [-at]].view()).unwrap();
            let (right, left) = (p[[0, 0]], p[[1, 1]]);
            assert!(
                right > 0.0 && (right / left - 1.0).abs() < 1e-6,
                "{likelihood:?}, {at}: {right:e} {left:e}"
            );
            assert!(at < 1e3 || right < 1e-13, "{likelihood:?}, {at}: {right:e} is not small");
        }
    }
}
