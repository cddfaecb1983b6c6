//! Bad input: an error that says whose move it is, or a machine with its certificate.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::support::random;
use crate::{cpu, near};

#[test]
fn duplicates_with_opposite_labels() {
    let x = array![[0.0], [0.0], [1.0], [1.0]];
    let y = [0, 1, 0, 1];
    let fitted = SvmClassifier::new(Kernel::rbf(1.0), 1.0).tolerance(1e-9).fit(&cpu(), &x, y).unwrap();
    assert!(fitted.decision(&x).unwrap().iter().all(|f| f.is_finite()));
    near(fitted.certificates()[0].gap(), 0.0, 1e-7, "gap");
    let hard = SvmClassifier::hard_margin(Kernel::rbf(1.0)).fit(&cpu(), &x, y);
    assert!(hard.is_err_and(|e| e.to_string().contains("separable")));
}

#[test]
fn one_class_of_two() {
    let refused = SvmClassifier::new(Kernel::linear(), 1.0).fit(&cpu(), array![[0.0], [1.0]], [3, 3]);
    assert!(refused.is_err_and(|e| e.to_string().contains("two different labels")));
    // A weight of zero takes the other class away.
    let refused = SvmClassifier::new(Kernel::linear(), 1.0).fit_weighted(
        &cpu(),
        array![[0.0], [1.0]],
        [3, 4],
        [1.0, 0.0],
    );
    assert!(refused.is_err());
}

#[test]
fn a_nu_without_a_machine_names_the_bound() {
    let x = random(10, 2, 1);
    let y: Vec<bool> = (0..10).map(|i| i < 2).collect();
    let refused = SvmClassifier::nu(Kernel::rbf(1.0), 0.5).fit(&cpu(), &x, &y).unwrap_err();
    assert!(refused.to_string().contains("at most 0.4"), "{refused}");
    assert!(SvmClassifier::nu(Kernel::rbf(1.0), 0.4).fit(&cpu(), &x, &y).is_ok());
    for nu in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(SvmClassifier::nu(Kernel::rbf(1.0), nu).fit(&cpu(), &x, &y).is_err());
        assert!(OneClassSvm::new(Kernel::rbf(1.0), nu).fit(&cpu(), &x).is_err());
    }
    for c in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(SvmClassifier::new(Kernel::rbf(1.0), c).fit(&cpu(), &x, &y).is_err());
    }
}

#[test]
fn an_indefinite_kernel_ends_somewhere() {
    let x = random(40, 2, 3) * 2.0;
    let y: Vec<bool> = (0..40).map(|i| x[[i, 0]] > 0.0).collect();
    let model = SvmClassifier::new(Kernel::sigmoid(0.5, -1.0), 1.0);
    let fitted = model.fit(&cpu(), &x, &y).unwrap();
    assert!(fitted.decision(&x).unwrap().iter().all(|f| f.is_finite()));
    assert!(fitted.certificates()[0].violation <= 1e-3, "a stationary point: {}", fitted.certificates()[0]);
    let check = psd_check(&Kernel::sigmoid(0.5, -1.0), &x, 1e-10).unwrap();
    assert!(!check.is_positive_semidefinite());
}

#[test]
fn an_origin_without_offset_cannot_be_separated() {
    // x = 0 has f = 0 whatever w is: the hard problem without offset is infeasible.
    let x = array![[0.0], [1.0]];
    assert!(SvmClassifier::hard_margin(Kernel::linear()).offset(false).fit(&cpu(), &x, [0, 1]).is_err());
    assert!(SvmClassifier::hard_margin(Kernel::linear()).fit(&cpu(), &x, [0, 1]).is_ok());
}

#[test]
fn too_few_iterations_are_said() {
    let x = random(60, 2, 5);
    let y: Vec<bool> = (0..60).map(|i| x[[i, 0]] > 0.0).collect();
    let refused = SvmClassifier::new(Kernel::rbf(0.3), 10.0).max_iterations(3).fit(&cpu(), &x, &y);
    assert!(matches!(refused, Err(Error::NoConvergence { iterations: 3, .. })), "{refused:?}");
    assert!(SvmRegressor::new(Kernel::linear(), 1.0, -0.1).fit(&cpu(), &x, x.column(0)).is_err());
    assert!(SvmClassifier::new(Kernel::linear(), 1.0).probabilities(1).fit(&cpu(), &x, &y).is_err());
    assert!(
        SvmClassifier::new(Kernel::linear(), 1.0)
            .fit(&cpu(), Array2::<f64>::zeros((0, 2)), Vec::<i32>::new())
            .is_err()
    );
}

/// A cluster that no row is left for is no centre at the origin: no new row is given to it.
#[test]
fn empty_clusters_take_no_rows() {
    let x = array![[1.0], [1.0], [5.0]];
    let fitted = KernelKMeans::new(Kernel::rbf(1.0), 3).fit(&cpu(), &x).unwrap();
    let far = array![[100.0], [-100.0], [1.0]];
    let given = fitted.predict(&far).unwrap();
    assert!(given.iter().all(|c| fitted.labels().contains(c)), "{given:?} {:?}", fitted.labels());
    let lost = (0..3).find(|c| !fitted.labels().contains(c)).unwrap();
    assert!(fitted.transform(&far).unwrap().column(lost).iter().all(|d| *d == f64::MAX));
}

/// The labels are those that the cost is of, also where iterations run out.
#[test]
fn the_cost_is_that_of_the_labels() {
    let x = crate::support::random(40, 2, 3);
    let fitted = KernelKMeans::new(Kernel::linear(), 4).max_iterations(1).fit(&cpu(), &x).unwrap();
    let far = fitted.transform(&x).unwrap();
    let cost: f64 = fitted.labels().iter().enumerate().map(|(i, &c)| far[[i, c]]).sum();
    assert!((cost - fitted.cost()).abs() < 1e-10, "{cost} {}", fitted.cost());
}

#[test]
fn labels_of_zero_and_one_are_refused() {
    let (x, y) = (array![[0.0], [1.0], [2.0]], array![0.0_f64, 1.0, 1.0]);
    for loss in [SmoothLoss::Logistic, SmoothLoss::SquaredHinge, SmoothLoss::Exponential] {
        let fit = KernelRisk::new(Kernel::rbf(1.0), loss, 0.1).fit(&cpu(), &x, &y);
        assert!(matches!(fit, Err(Error::Parameter { .. })), "{fit:?}");
    }
    let counts = KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Poisson, 0.1);
    assert!(counts.fit(&cpu(), &x, &(&y - 1.0)).is_err() && counts.fit(&cpu(), &x, &y).is_ok());
}

/// The sigmoid is no kernel on these points: every method has finite answers or an error, never a silent NaN, and kernel PCA
/// keeps what is positive.
#[test]
fn an_indefinite_kernel_in_every_method() {
    let x = random(30, 2, 3) * 2.0;
    let y: Vec<bool> = (0..30).map(|i| x[[i, 0]] > 0.0).collect();
    let z = x.column(0).mapv(f64::sin);
    let kernel = || Kernel::sigmoid(0.5, -1.0);
    assert!(!psd_check(&kernel(), &x, 1e-10).unwrap().is_positive_semidefinite());
    let answers = [
        (
            "SvmRegressor",
            SvmRegressor::new(kernel(), 1.0, 0.1)
                .fit(&cpu(), &x, &z)
                .and_then(|f| f.predict(&x))
                .map(|p| p.insert_axis(Axis(1))),
        ),
        ("OneClassSvm", OneClassSvm::new(kernel(), 0.3).fit(&cpu(), &x).and_then(|f| f.decision(&x))),
        (
            "LeastSquaresSvm",
            LeastSquaresSvm::new(kernel(), 1.0).fit(&cpu(), &x, &y).and_then(|f| f.decision(&x)),
        ),
        (
            "KernelLogistic",
            KernelLogistic::new(kernel(), 0.1).fit(&cpu(), &x, &y).and_then(|f| f.decision(&x)),
        ),
        (
            "KernelDiscriminant",
            KernelDiscriminant::new(kernel(), 0.1).fit(&cpu(), &x, &y).and_then(|f| f.decision(&x)),
        ),
        (
            "EnclosingBall",
            EnclosingBall::new(kernel())
                .fit(&cpu(), &x)
                .and_then(|f| f.distance(&x))
                .map(|d| d.insert_axis(Axis(1))),
        ),
    ];
    for (name, answer) in answers {
        println!("{name}: {:?}", answer.as_ref().map(|a| a[[0, 0]]));
        match answer {
            Ok(found) => assert!(found.iter().all(|v| v.is_finite()), "{name}"),
            Err(e) => assert!(
                matches!(
                    e,
                    Error::NotPositiveDefinite { .. } | Error::NoConvergence { .. } | Error::Parameter { .. }
                ),
                "{name}: {e}"
            ),
        }
    }
    let points = mercer::Matrix::from_array(&cpu(), x.view()).unwrap();
    let k = mercer::ops::gram(&kernel(), &points, None).unwrap().to_array().unwrap();
    let centre = Array2::eye(30) - Array2::from_elem((30, 30), 1.0 / 30.0);
    let values = mercer::linalg::eigh(centre.dot(&k).dot(&centre).view()).unwrap().values;
    let positive = values.iter().filter(|v| **v > 1e-9).count();
    assert!(values.iter().any(|v| *v < -1e-3), "the kernel is indefinite here");
    let fit = KernelPca::new(kernel(), 2).fit(&cpu(), &x).unwrap();
    assert!(fit.eigenvalues().iter().all(|v| *v > 0.0) && positive >= 2);
    for (got, want) in fit.eigenvalues().iter().zip(&values) {
        assert!((got - want).abs() < 1e-8, "{got} {want}");
    }
}
