//! What is refused, and how.

use mercer::learn::plan::Method;
use mercer::models::gp::{Average, GpClassifier, Likelihood};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array, concatenate};

use crate::support::{adapters, random};
use crate::{ring, sectors};

const LIKELIHOODS: [Likelihood; 3] = [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax];

fn everywhere() -> impl Iterator<Item = Device> {
    std::iter::once(Device::cpu()).chain(adapters().cloned())
}

#[test]
fn bad_data() {
    let cpu = Device::cpu();
    let x = array![[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]];
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(likelihood);
        let refused = |x: &Array2<f64>, labels: &[usize]| {
            let error = model.fit(&cpu, x.view(), labels).unwrap_err();
            // Compared as text: a NaN in an error is not equal to itself.
            assert_eq!(
                model.log_evidence(&cpu, x.view(), labels).unwrap_err().to_string(),
                error.to_string()
            );
            error
        };
        assert!(refused(&x, &[1, 1, 1]).to_string().contains("at least two"));
        assert!(matches!(refused(&x, &[0, 1]), Error::Shape { .. }));
        assert!(matches!(refused(&Array2::<f64>::zeros((0, 2)), &[]), Error::Shape { .. }));
        assert!(matches!(refused(&Array2::<f64>::zeros((3, 0)), &[0, 1, 0]), Error::Shape { .. }));
        assert!(matches!(refused(&array![[1.0]], &[3]), Error::Parameter { .. }));
        for bad in [f64::NAN, f64::INFINITY] {
            let mut x = x.clone();
            x[[2, 1]] = bad;
            assert!(matches!(refused(&x, &[0, 1, 0]), Error::NotFinite { row: 2, col: 1, .. }));
        }
        let model = GpClassifier::new(Kernel::rbf(-1.0)).likelihood(likelihood);
        assert!(matches!(model.fit(&cpu, x.view(), [0, 1, 0]), Err(Error::Parameter { .. })));
        let model = GpClassifier::new(Kernel::rbf([1.0, 2.0, 3.0])).likelihood(likelihood);
        assert!(matches!(model.fit(&cpu, x.view(), [0, 1, 0]), Err(Error::Shape { .. })));
        // Not a covariance: B has a negative eigenvalue.
        let indefinite = Kernel::precomputed(array![[1.0, 90.0], [90.0, 1.0]]);
        let model = GpClassifier::new(indefinite).likelihood(likelihood);
        let refusal = model.fit(&cpu, array![[0.0], [1.0]].view(), [0, 1]);
        assert!(matches!(refusal, Err(Error::NotPositiveDefinite { .. })), "{refusal:?}");
    }
}

#[test]
fn constant_features_and_two_points_are_allowed() {
    let cpu = Device::cpu();
    let constant = Array2::<f64>::ones((6, 3));
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(1.0 * Kernel::rbf(1.0)).likelihood(likelihood);
        let fitted = model.fit(&cpu, constant.view(), [0, 1, 1, 1, 0, 1]).unwrap();
        let p = fitted.predict_proba(constant.view()).unwrap();
        assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(p[[0, 1]] > 0.5 - 1e-9, "four of six: {}", p[[0, 1]]);
        let fitted = model.fit(&cpu, array![[0.0], [1.0]].view(), [5, 2]).unwrap();
        assert_eq!(fitted.predict(array![[-0.2], [1.2]].view()).unwrap(), [5, 2]);
    }
}

#[test]
fn bad_predictions() {
    let (x, labels) = ring(20, 90);
    let fitted = GpClassifier::new(Kernel::rbf(1.0)).fit(&Device::cpu(), x.view(), &labels).unwrap();
    assert!(matches!(fitted.latent(array![[1.0]].view()), Err(Error::Shape { .. })));
    assert!(matches!(fitted.predict(array![[f64::NAN, 1.0]].view()), Err(Error::NotFinite { .. })));
    let none = Average::MonteCarlo { samples: 0, seed: 0 };
    assert!(matches!(fitted.predict_proba_by(x.view(), none), Err(Error::Parameter { .. })));
    assert!(matches!(fitted.predict(Array2::<f64>::zeros((0, 2)).view()), Err(Error::Shape { .. })));

    let (x, labels) = sectors(20, 91);
    let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(Likelihood::Softmax);
    let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
    let refusal = fitted.predict_proba_by(x.view(), Average::Quadrature).unwrap_err();
    assert!(refusal.to_string().contains("MonteCarlo"), "{refusal}");
}

/// K is singular, B is not.
#[test]
fn duplicates_that_disagree() {
    let (x, labels) = ring(15, 92);
    let x = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let turned = labels.iter().map(|l| 1 - l);
    let labels: Vec<usize> = labels.iter().copied().chain(turned).collect();
    for device in everywhere() {
        for likelihood in LIKELIHOODS {
            let model = GpClassifier::new(10.0 * Kernel::rbf(0.8)).likelihood(likelihood);
            let fitted = model.fit(&device, x.view(), &labels).unwrap();
            let p = fitted.predict_proba(x.view()).unwrap();
            // Every point speaks for both classes alike.
            assert!(p.iter().all(|p| (p - 0.5).abs() < 1e-9), "{likelihood:?} on {device}: {p}");
        }
    }
}

#[test]
fn fifty_points_of_ten_thousand_features() {
    let x = random(50, 10_000, 93);
    let labels: Vec<usize> = (0..50).map(|i| usize::from(x[[i, 0]] > 0.0)).collect();
    for device in everywhere() {
        for likelihood in LIKELIHOODS {
            let model = GpClassifier::new(2.0 * Kernel::rbf(80.0)).likelihood(likelihood);
            let fitted = model.fit(&device, x.view(), &labels).unwrap();
            assert_eq!(fitted.score(x.view(), &labels).unwrap(), 1.0, "{likelihood:?} on {device}");
            let e = model.log_evidence(&device, x.view(), &labels).unwrap();
            assert!(e.value.is_finite() && e.gradient.iter().all(|g| g.is_finite()));
        }
    }
}

#[test]
fn a_fit_that_does_not_fit_is_refused_before_it_allocates() {
    // Two of the matrices would be 32 TB.
    let n = 2_000_000;
    let x = Array2::from_shape_fn((n, 1), |(i, _)| i as f64);
    let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(likelihood);
        for refusal in [
            model.fit(&Device::cpu(), x.view(), &labels).map(|_| ()),
            model.log_evidence(&Device::cpu(), x.view(), &labels).map(|_| ()),
        ] {
            assert!(matches!(refusal, Err(Error::OverBudget { budget: 0x8000_0000, .. })), "{refusal:?}");
        }
    }
    let (x, labels) = sectors(40, 94);
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(1.0 * Kernel::rbf(1.0)).likelihood(likelihood);
        let plan = model.plan(&Device::cpu(), 40, 2, 3);
        assert_eq!((plan.method, plan.device_bytes), (Method::Dense, 0));
        let just = model.clone().memory_budget(plan.host_bytes);
        assert!(just.fit(&Device::cpu(), x.view(), &labels).is_ok());
        let less = model.clone().memory_budget(plan.host_bytes - 1);
        let refusal = less.fit(&Device::cpu(), x.view(), &labels).unwrap_err();
        assert!(matches!(refusal, Error::OverBudget { need, .. } if need == plan.host_bytes), "{refusal}");
        // A search holds more.
        assert!(just.clone().log_evidence(&Device::cpu(), x.view(), &labels).is_err());
        let searching = just.optimise(Minimiser::default());
        assert!(searching.plan(&Device::cpu(), 40, 2, 3).host_bytes > plan.host_bytes);
        assert!(searching.fit(&Device::cpu(), x.view(), &labels).is_err());
        assert_eq!(model.plan(&Device::cpu(), usize::MAX, 2, 3).host_bytes, u64::MAX);
        // Several classes at once are for the CPU.
        let on_gpu = likelihood != Likelihood::Softmax;
        assert!(adapters().all(|gpu| (model.plan(gpu, 40, 2, 3).device_bytes > 0) == on_gpu));
    }
}

#[test]
fn a_score_is_the_share_of_right_answers() {
    let (x, labels) = ring(40, 95);
    let fitted = GpClassifier::new(4.0 * Kernel::rbf(0.8)).fit(&Device::cpu(), x.view(), &labels).unwrap();
    let right = fitted.predict(x.view()).unwrap().iter().zip(&labels).filter(|(a, b)| a == b).count();
    assert!((30..40).contains(&right), "{right}: some are right, some are not");
    assert_eq!(fitted.score(x.view(), &labels).unwrap(), right as f64 / 40.0);
    assert!(matches!(fitted.score(x.view(), &labels[1..]), Err(Error::Shape { .. })));
    assert!(matches!(fitted.score(Array2::<f64>::zeros((0, 2)).view(), []), Err(Error::Shape { .. })));
}

/// `k(x, x) = 1e320` is infinite, and so is what the data explain of it.
#[test]
fn a_variance_beyond_all_numbers_is_no_certainty() {
    let (x, far) = (array![[-2.0], [-1.0], [1.0], [2.0]], array![[1.0], [1e160]]);
    for likelihood in LIKELIHOODS {
        let model = GpClassifier::new(Kernel::linear()).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), [0, 0, 1, 1]).unwrap();
        let e = fitted.latent(far.view());
        assert!(matches!(e, Err(Error::Overflow { what: "the variance", row: 1, .. })), "{e:?}");
        let e = fitted.predict_proba(far.view());
        assert!(matches!(e, Err(Error::Overflow { what: "the variance", row: 1, .. })), "{e:?}");
    }
}

#[test]
fn more_draws_than_memory_holds() {
    let (x, labels) = ring(20, 3);
    for likelihood in [Likelihood::Logistic, Likelihood::Softmax] {
        let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(likelihood);
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let e = fitted.predict_proba_by(x.view(), Average::MonteCarlo { samples: usize::MAX, seed: 0 });
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
    }
}
