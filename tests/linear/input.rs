//! Every door refuses what it must, by the right error, and takes what is only unusual.

use mercer::models::linear::{BayesianLinearRegression, PenaltyCriterion, Ridge, RidgeCv};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::support::regressions::{self, Fit};
use crate::{close, problem};

fn everyone() -> Vec<(&'static str, Fit)> {
    vec![
        ("ridge", Box::new(|x, y, new| Ridge::new(0.5).fit(&Device::cpu(), x, y)?.predict(new))),
        ("least squares", Box::new(|x, y, new| Ridge::new(0.0).fit(&Device::cpu(), x, y)?.predict(new))),
        (
            "bayesian",
            Box::new(|x, y, new| {
                let t = y.index_axis(Axis(1), 0);
                let fit = BayesianLinearRegression::new(1.0, 2.0).fit(&Device::cpu(), x, t)?;
                Ok(fit.predict_distribution(new)?.mean().clone().insert_axis(Axis(1)))
            }),
        ),
    ]
}

#[test]
fn bad_data() {
    regressions::bad_data(&everyone());
}

#[test]
fn unusual_data() {
    regressions::unusual_data(&everyone());
    // Ridge answers a constant with that constant, exactly, whatever the penalty.
    let (x, _) = problem(20, 3, 105);
    let fit = Ridge::new(7.0).fit(&Device::cpu(), x.view(), Array2::from_elem((20, 1), 0.3).view()).unwrap();
    close(fit.predict(x.view()).unwrap().view(), Array2::from_elem((20, 1), 0.3).view(), 1e-14, "constant");
}

/// The choice of a penalty, by both criteria.
#[test]
fn bad_and_unusual_data_of_a_cross_validation() {
    let (x, y) = problem(12, 3, 109);
    let (mut holed, mut endless) = (x.clone(), y.clone());
    holed[[4, 1]] = f64::NAN;
    endless[[7, 0]] = f64::INFINITY;
    for criterion in [PenaltyCriterion::LeaveOneOut, PenaltyCriterion::Gcv] {
        let model = RidgeCv::new(&[1e-10, 0.1, 10.0]).criterion(criterion);
        let e = model.fit(&Device::cpu(), holed.view(), y.view()).unwrap_err();
        assert!(matches!(e, Error::NotFinite { row: 4, col: 1, .. }), "{e}");
        let e = model.fit(&Device::cpu(), x.view(), endless.view()).unwrap_err();
        assert!(matches!(e, Error::NotFinite { what: "y", row: 7, .. }), "{e}");
        let e = model.fit(&Device::cpu(), x.view(), problem(11, 3, 1).1.view()).unwrap_err();
        assert!(matches!(e, Error::Shape { .. }), "{e}");
        let none = model.fit(&Device::cpu(), Array2::<f64>::zeros((0, 3)), Array2::<f64>::zeros((0, 1)));
        assert!(matches!(none, Err(Error::Shape { .. })));
        // A constant is met, whatever the penalty.
        let constant = Array2::from_elem((12, 1), 0.3);
        let fit = model.fit(&Device::cpu(), x.view(), constant.view()).unwrap();
        assert!(fit.scores().iter().all(|s| *s < 1e-28), "{}", fit.scores());
        close(fit.best().predict(x.view()).unwrap().view(), constant.view(), 1e-14, "constant");
        // Many more features than observations.
        let (wide, noise) = (random(50, 10_000, 110) * 0.01, random(50, 1, 111));
        let fit = model.fit(&Device::cpu(), wide.view(), noise.view()).unwrap();
        assert!(fit.scores().iter().all(|s| s.is_finite() && *s > 0.0), "{}", fit.scores());
        assert!(fit.best().predict(wide.view()).unwrap().iter().all(|v| v.is_finite()));
    }
}

#[test]
fn bad_parameters() {
    let (x, y) = problem(12, 3, 106);
    let cpu = Device::cpu();
    let refused = |e: Error, name: &str| {
        assert!(matches!(&e, Error::Parameter { name: n, .. } if n == name), "{e}");
    };
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        refused(Ridge::new(bad).fit(&cpu, &x, &y).unwrap_err(), "penalty");
        refused(RidgeCv::new(&[1.0, bad]).fit(&cpu, &x, &y).unwrap_err(), "penalty");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let t = y.column(0);
        refused(BayesianLinearRegression::new(bad, 1.0).fit(&cpu, &x, t).unwrap_err(), "alpha");
        refused(BayesianLinearRegression::new(1.0, bad).fit(&cpu, &x, t).unwrap_err(), "beta");
        let sought = BayesianLinearRegression::new(1.0, 1.0).optimise(true).tolerance(bad);
        refused(sought.fit(&cpu, &x, t).unwrap_err(), "tolerance");
    }
    assert!(matches!(RidgeCv::new(&[]).fit(&cpu, &x, &y), Err(Error::Shape { .. })));
    let single = RidgeCv::new(&[1.0]).fit(&cpu, array![[1.0]], array![1.0]);
    assert!(matches!(single, Err(Error::Shape { .. })));
}

#[test]
fn bad_weights() {
    let (x, y) = problem(5, 2, 107);
    let cpu = Device::cpu();
    let try_all = |w: &Array1<f64>| {
        [
            Ridge::new(1.0).fit_weighted(&cpu, &x, &y, w).err(),
            RidgeCv::new(&[1.0]).fit_weighted(&cpu, &x, &y, w).err(),
        ]
    };
    for bad in [array![1.0, 1.0, -1.0, 1.0, 1.0], Array1::zeros(5), array![1.0, f64::NAN, 1.0, 1.0, 1.0]] {
        for e in try_all(&bad) {
            assert!(matches!(e, Some(Error::Parameter { .. })), "{e:?}");
        }
    }
    for e in try_all(&Array1::ones(4)) {
        assert!(matches!(e, Some(Error::Shape { .. })), "{e:?}");
    }
}

/// Data beyond what squares of f64 hold: the answer, or an error, never a number that is none.
#[test]
fn data_of_any_size() {
    let (x, y) = problem(20, 3, 110);
    for size in [1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e200, 1e300] {
        let scaled = &x * size;
        for penalty in [0.0, 1e-3] {
            let Ok(fit) = Ridge::new(penalty).fit(&Device::cpu(), &scaled, &y) else { continue };
            assert!(fit.coefficients().iter().chain(fit.intercept()).all(|v| v.is_finite()), "{size:e}");
            if penalty == 0.0 {
                let want = Ridge::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
                close(
                    fit.predict(&scaled).unwrap().view(),
                    want.predict(&x).unwrap().view(),
                    1e-9,
                    &format!("{size:e}"),
                );
            }
        }
    }
}

#[test]
fn bad_priors_and_updates() {
    let (x, y) = problem(9, 3, 108);
    let t = y.column(0);
    let cpu = Device::cpu();
    let with = |mean: Array1<f64>, p: Array2<f64>| {
        BayesianLinearRegression::with_prior(mean, p, 1.0).fit(&cpu, x.view(), t)
    };
    assert!(matches!(with(Array1::zeros(2), Array2::eye(2)), Err(Error::Shape { .. })));
    assert!(matches!(with(Array1::zeros(3), Array2::eye(2)), Err(Error::Shape { .. })));
    assert!(matches!(with(array![0.0, f64::NAN, 0.0], Array2::eye(3)), Err(Error::NotFinite { .. })));
    let flat = Array2::from_diag(&array![1.0, 0.0, 1.0]);
    assert!(matches!(with(Array1::zeros(3), flat), Err(Error::NotPositiveDefinite { .. })));
    assert!(matches!(BayesianLinearRegression::new(1.0, 1.0).prior(0), Err(Error::Shape { .. })));
    // A refused update leaves everything as it was.
    let mut posterior = BayesianLinearRegression::new(1.0, 1.0).fit(&cpu, x.view(), t).unwrap();
    let before = posterior.mean().clone();
    assert!(posterior.update(random(2, 4, 1).view(), array![1.0, 2.0].view()).is_err());
    assert!(posterior.update(x.view(), array![1.0].view()).is_err());
    assert!(posterior.update(x.view(), (&t * f64::NAN).view()).is_err());
    assert_eq!((posterior.mean(), posterior.observations()), (&before, 9));
    for count in [0, usize::MAX, 1 << 60] {
        assert!(matches!(posterior.sample(x.view(), count, 1), Err(Error::Parameter { .. })), "{count}");
    }
}
