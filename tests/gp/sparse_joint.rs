//! Sparse processes at several points together: covariances and draws.

use mercer::linalg::{SpdFactor, SpdParams};
use mercer::models::gp::{
    FittedSparseGp, GpRegressor, Inducing, Predictive, SparseGpRegressor, SparseMethod,
};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Axis, s};

use crate::sparse::{METHODS, data, sparse};
use crate::support::random;
use crate::{close, gram};

fn fit(model: &SparseGpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> FittedSparseGp {
    model.fit(&Device::cpu(), x.view(), y.view()).unwrap()
}

#[test]
fn with_all_points_inducing_the_covariance_is_exact() {
    let (x, y) = data(40, 2, 2, 200);
    // Of the data, near them and far away.
    let mut new = random(12, 2, 201) * 4.0;
    new.slice_mut(s![..3, ..]).assign(&x.slice(s![..3, ..]));
    let kernel = 1.4 * Kernel::matern52([0.8, 1.3]);
    let exact = GpRegressor::new(kernel.clone()).noise(0.05);
    let exact = exact.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for method in METHODS {
        let gp = fit(&sparse(&kernel, 0.05, &x, method).jitter(0.0), &x, &y);
        for what in [Predictive::Latent, Predictive::Observed, Predictive::ObservedWith(0.3)] {
            let want = exact.predict_joint(new.view(), what).unwrap();
            let got = gp.predict_joint(new.view(), what).unwrap();
            close(got.mean, want.mean, 1e-9, &format!("{method:?}: mean"));
            close(got.covariance, want.covariance, 1e-9, &format!("{method:?}, {what:?}: covariance"));
        }
    }
}

/// `K_** - Q_** + K_*z (K_zz + K_zx Λ⁻¹ K_xz)⁻¹ K_z*`, inverses and all.
#[test]
fn the_covariance_is_its_explicit_formula() {
    let (x, y) = data(50, 2, 1, 210);
    let (z, new) = (random(9, 2, 211) * 2.0, random(15, 2, 212) * 3.0);
    let (kernel, noise) = (1.7 * Kernel::rbf([0.9, 1.4]), 0.07);
    let inverse = |a: &Array2<f64>| {
        let f = SpdFactor::new(&Device::cpu(), a.view(), &SpdParams::default()).unwrap();
        f.solve(Array2::eye(a.nrows()).view()).unwrap().x
    };
    let k = |a: &Array2<f64>, b: &Array2<f64>| gram(&kernel, a.view(), b.view());
    let (inner, across, fresh) = (k(&z, &z), k(&z, &x), k(&z, &new));
    for method in METHODS {
        let explained = across.t().dot(&inverse(&inner)).dot(&across);
        let lambda = Array1::from_shape_fn(x.nrows(), |i| {
            noise + if method == SparseMethod::Fitc { 1.7 - explained[[i, i]] } else { 0.0 }
        });
        let sigma = inverse(&(&inner + &(&across / &lambda).dot(&across.t())));
        let want = k(&new, &new) - fresh.t().dot(&(inverse(&inner) - sigma)).dot(&fresh);
        let gp = fit(&sparse(&kernel, noise, &z, method).jitter(0.0), &x, &y);
        let got = gp.predict_joint(new.view(), Predictive::Latent).unwrap();
        close(got.covariance.iter().copied(), want, 1e-8, &format!("{method:?}"));
        // And what is said of each point alone is its diagonal.
        let each = gp.predict_with(new.view(), Predictive::Latent).unwrap();
        close(got.covariance.diag().to_owned(), each.variance, 1e-12, "the diagonal");
        close(got.mean, each.mean, 1e-14, "the mean");
    }
}

#[test]
fn draws_have_the_moments_of_the_posterior() {
    let (x, y) = data(30, 1, 2, 220);
    let gp =
        fit(&sparse(&Kernel::rbf(0.8), 0.1, &x.slice(s![..6, ..]).to_owned(), SparseMethod::Fitc), &x, &y);
    let new = ndarray::array![[-2.0], [0.1], [0.3], [5.0]];
    for what in [Predictive::Latent, Predictive::Observed] {
        let joint = gp.predict_joint(new.view(), what).unwrap();
        let drawn = gp.sample(new.view(), what, 20_000, 3).unwrap();
        assert_eq!(drawn, gp.sample(new.view(), what, 20_000, 3).unwrap());
        assert_ne!(drawn, gp.sample(new.view(), what, 20_000, 4).unwrap());
        for q in 0..2 {
            let all = drawn.values.slice(s![.., .., q]);
            let mean = all.mean_axis(Axis(0)).unwrap();
            let centred = &all - &mean;
            close(mean, joint.mean.column(q).to_owned(), 0.03, "mean");
            close(centred.t().dot(&centred) / 20_000.0, joint.covariance.clone(), 0.03, "covariance");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_allocated() {
    let (x, y) = data(60, 1, 1, 230);
    let model = SparseGpRegressor::new(Kernel::rbf(0.8), Inducing::greedy(8));
    let gp = fit(&model, &x, &y);
    // 320 GB.
    let many = Array2::<f64>::zeros((100_000, 1));
    let e = gp.predict_joint(many.view(), Predictive::Latent);
    assert!(
        matches!(e, Err(Error::OverBudget { need, budget, .. }) if need > 320_000_000_000 && budget == 2 << 30)
    );
    assert!(matches!(gp.sample(many.view(), Predictive::Latent, 1, 0), Err(Error::OverBudget { .. })));
    let draws = gp.sample(x.view(), Predictive::Latent, usize::MAX, 0);
    assert!(matches!(draws, Err(Error::OverBudget { .. })));
    assert_eq!(gp.predict_with(many.view(), Predictive::Latent).unwrap().variance.len(), 100_000);
    // A fit too, on what its plan says.
    let need = model.plan(&Device::cpu(), 60, 1, 1).host_bytes;
    let frugal = |bytes| model.clone().memory_budget(bytes).fit(&Device::cpu(), x.view(), y.view());
    assert!(frugal(need).is_ok());
    assert!(matches!(frugal(need - 1), Err(Error::OverBudget { need: n, .. }) if n == need));
    let e = model.clone().memory_budget(need - 1).evidence(&Device::cpu(), x.view(), y.view());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
}

#[test]
fn bad_points_are_refused() {
    let (x, y) = data(20, 2, 1, 240);
    let gp = fit(&SparseGpRegressor::new(Kernel::rbf(0.8), Inducing::greedy(8)), &x, &y);
    let joint = |x: Array2<f64>, what| gp.predict_joint(x.view(), what);
    assert!(matches!(joint(Array2::<f64>::zeros((0, 2)), Predictive::Latent), Err(Error::Shape { .. })));
    assert!(matches!(joint(Array2::<f64>::zeros((3, 1)), Predictive::Latent), Err(Error::Shape { .. })));
    assert!(matches!(
        joint(Array2::from_elem((3, 2), f64::NAN), Predictive::Latent),
        Err(Error::NotFinite { .. })
    ));
    let noise = Predictive::ObservedWith(-1.0);
    assert!(matches!(joint(Array2::<f64>::zeros((3, 2)), noise), Err(Error::Parameter { .. })));
    let none = gp.sample(Array2::<f64>::zeros((3, 2)).view(), Predictive::Latent, 0, 0);
    assert!(matches!(none, Err(Error::Shape { .. })));
}
