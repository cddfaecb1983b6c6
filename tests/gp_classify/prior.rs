//! Priors on hyper-parameters, and bounds that a search ends at.

use mercer::models::gp::{GpClassifier, Likelihood, Prior};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel};

use crate::{ring, sectors};

const SCALE: Prior = Prior::LogNormal { mean: 1.0, deviation: 0.5 };
const LENGTH: Prior = Prior::HalfCauchy { scale: 0.7 };
const LIKELIHOODS: [Likelihood; 3] = [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax];

/// No step: value and gradient of the objective are those of the start.
fn still() -> Minimiser {
    Minimiser::new().max_iterations(0)
}

#[test]
fn the_prior_and_its_slope_are_part_of_what_is_searched() {
    let (x, labels) = ring(30, 100);
    for likelihood in LIKELIHOODS {
        let at = |[scale, length]: [f64; 2]| {
            let plain = GpClassifier::new(scale * Kernel::rbf(length)).likelihood(likelihood);
            let value = plain.log_evidence(&Device::cpu(), x.view(), &labels).unwrap().value;
            let told = plain.prior("scale", SCALE).prior("rbf.lengthscale", LENGTH).optimise(still());
            let found = told.fit(&Device::cpu(), x.view(), &labels).unwrap().searches()[0].clone();
            let want = -value - SCALE.log_density(scale).0 - LENGTH.log_density(length).0;
            assert!((found.value - want).abs() < 1e-10 * want.abs(), "{} not {want}", found.value);
            found
        };
        let here = [2.0, 0.8];
        let gradient = at(here).gradient;
        for p in 0..2 {
            let beside = |h: f64| {
                let mut at_h = here;
                at_h[p] *= h.exp();
                at(at_h).value
            };
            let slope = (beside(1e-5) - beside(-1e-5)) / 2e-5;
            assert!((gradient[p] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{likelihood:?}: {gradient:?}");
        }
    }
}

/// Each class against the rest has the prior; a firm one decides.
#[test]
fn a_firm_prior_decides() {
    let (x, labels) = sectors(40, 101);
    for likelihood in LIKELIHOODS {
        for want in [0.4, 4.0] {
            let firm = Prior::LogNormal { mean: f64::ln(want), deviation: 0.02 };
            let model = GpClassifier::new(3.0 * Kernel::rbf(1.0)).likelihood(likelihood);
            let model = model.prior("rbf.lengthscale", firm).optimise(Minimiser::default());
            let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
            assert_eq!(fitted.kernels().len(), if likelihood == Likelihood::Softmax { 1 } else { 3 });
            for kernel in fitted.kernels() {
                let found = kernel.params().into_iter().find(|p| p.name == "rbf.lengthscale").unwrap().value;
                assert!((found / want).ln().abs() < 0.05, "{likelihood:?}: {found} instead of {want}");
            }
        }
    }
}

#[test]
fn bad_priors_are_refused() {
    let (x, labels) = ring(20, 102);
    let fit = |name: &str, prior| {
        GpClassifier::new(2.0 * Kernel::rbf(1.0)).prior(name, prior).fit(&Device::cpu(), x.view(), &labels)
    };
    let e = fit("noise", SCALE);
    assert!(
        matches!(&e, Err(Error::UnknownName { name, known, .. }) if name == "noise" && known == "scale, rbf.lengthscale")
    );
    assert!(matches!(fit("scale", Prior::Gamma { shape: 0.0, rate: 1.0 }), Err(Error::Parameter { .. })));
    assert!(fit("scale", SCALE).is_ok());
}

#[test]
fn parameters_that_end_at_a_bound_are_named() {
    let (x, labels) = ring(60, 103);
    let fit = |kernel: Kernel| {
        let model = GpClassifier::new(kernel).optimise(Minimiser::default());
        model.fit(&Device::cpu(), x.view(), &labels).unwrap().at_bounds()
    };
    let kernel = 2.0 * Kernel::rbf(1.0);
    assert_eq!(fit(kernel.clone()), vec![Vec::<String>::new()]);
    assert_eq!(
        fit(kernel.bounded("rbf.lengthscale", 0.01, 0.1).unwrap()),
        vec![vec!["rbf.lengthscale".to_owned()]]
    );
    let still = GpClassifier::new(2.0 * Kernel::rbf(1.0)).fit(&Device::cpu(), x.view(), &labels).unwrap();
    assert!(still.at_bounds().is_empty(), "nothing was searched");
}
