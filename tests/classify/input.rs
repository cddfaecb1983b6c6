//! What is refused, and how.

use mercer::models::gp::{Average, GpClassifier, Likelihood};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, array};

use crate::{ring, sectors};

#[test]
fn bad_data() {
    let cpu = Device::cpu();
    let x = array![[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]];
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
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
        assert!(refused(&x, &[1, 1, 1]).to_string().contains("at least two classes"));
        assert!(matches!(refused(&x, &[0, 1]), Error::Shape { .. }));
        assert!(matches!(refused(&Array2::zeros((0, 2)), &[]), Error::Shape { .. }));
        assert!(matches!(refused(&Array2::zeros((3, 0)), &[0, 1, 0]), Error::Shape { .. }));
        assert!(matches!(refused(&array![[1.0]], &[3]), Error::Shape { .. }));
        for bad in [f64::NAN, f64::INFINITY] {
            let mut x = x.clone();
            x[[2, 1]] = bad;
            assert!(matches!(refused(&x, &[0, 1, 0]), Error::NotFinite { row: 2, col: 1, .. }));
        }
        let model = GpClassifier::new(Kernel::rbf(-1.0)).likelihood(likelihood);
        assert!(matches!(model.fit(&cpu, x.view(), &[0, 1, 0]), Err(Error::Parameter { .. })));
        let model = GpClassifier::new(Kernel::rbf([1.0, 2.0, 3.0])).likelihood(likelihood);
        assert!(matches!(model.fit(&cpu, x.view(), &[0, 1, 0]), Err(Error::Shape { .. })));
        // Not a covariance: B has a negative eigenvalue.
        let indefinite = Kernel::precomputed(array![[1.0, 90.0], [90.0, 1.0]]);
        let model = GpClassifier::new(indefinite).likelihood(likelihood);
        let refusal = model.fit(&cpu, array![[0.0], [1.0]].view(), &[0, 1]);
        assert!(matches!(refusal, Err(Error::NotPositiveDefinite { .. })), "{refusal:?}");
    }
}

#[test]
fn constant_features_and_two_points_are_allowed() {
    let cpu = Device::cpu();
    let constant = Array2::ones((6, 3));
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let model = GpClassifier::new(1.0 * Kernel::rbf(1.0)).likelihood(likelihood);
        let fitted = model.fit(&cpu, constant.view(), &[0, 1, 1, 1, 0, 1]).unwrap();
        let p = fitted.predict_proba(constant.view()).unwrap();
        assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(p[[0, 1]] > 0.5 - 1e-9, "four of six: {}", p[[0, 1]]);
        let fitted = model.fit(&cpu, array![[0.0], [1.0]].view(), &[5, 2]).unwrap();
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
    assert!(matches!(fitted.predict(Array2::zeros((0, 2)).view()), Err(Error::Shape { .. })));

    let (x, labels) = sectors(20, 91);
    let model = GpClassifier::new(Kernel::rbf(1.0)).likelihood(Likelihood::Softmax);
    let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
    let refusal = fitted.predict_proba_by(x.view(), Average::Quadrature).unwrap_err();
    assert!(refusal.to_string().contains("MonteCarlo"), "{refusal}");
}
