//! Gaussian classes with a conjugate prior, and shrinkage by what the data say.

use mercer::prelude::*;
use mercer::probability::distributions::NormalInverseWishart;
use ndarray::{Array1, Array2, Axis, array};
use serde_json::Value;

use crate::support::random;
use crate::{close, labels, matrix, near};

/// Ledoit and Wolf as scikit-learn has them, in both discriminants.
#[test]
fn the_shrinkage_of_ledoit_and_wolf() {
    let all: Value = serde_json::from_str(include_str!("../oracle/ledoit_wolf.json")).unwrap();
    let (x, y, new) = (matrix(&all["x"]), labels(&all["y"]), matrix(&all["new"]));
    let linear = LinearDiscriminant::new().ledoit_wolf(true).fit(&Device::cpu(), &x, &y).unwrap();
    close(linear.covariance(), matrix(&all["covariance"]).view(), 1e-10);
    close(linear.predict_proba(&new).unwrap().view(), matrix(&all["linear"]).view(), 1e-9);
    let quadratic = QuadraticDiscriminant::new().ledoit_wolf(true).fit(&Device::cpu(), &x, &y).unwrap();
    close(quadratic.predict_proba(&new).unwrap().view(), matrix(&all["quadratic"]).view(), 1e-9);
    // More features than rows of a class: still positive definite.
    let wide = random(8, 20, 3);
    let fit =
        QuadraticDiscriminant::new().ledoit_wolf(true).fit(&Device::cpu(), &wide, [0, 0, 0, 0, 1, 1, 1, 1]);
    assert!(fit.unwrap().predict_proba(&wide).unwrap().iter().all(|p| p.is_finite()));
}

fn classes() -> (Array2<f64>, Vec<usize>) {
    let mut x = random(40, 2, 5);
    let y: Vec<usize> = (0..40).map(|i| usize::from(i % 4 == 0)).collect();
    x.rows_mut().into_iter().zip(&y).for_each(|(mut row, y)| row[0] += *y as f64);
    (x, y)
}

/// N.10: the predictive density of a class is that of its posterior, and the shares are those of a Dirichlet prior.
#[test]
fn the_predictive_is_students() {
    let (x, y) = classes();
    let (mean, scale) = (array![0.2, -0.1], array![[1.0, 0.2], [0.2, 0.7]]);
    let model = BayesianDiscriminant::new(mean.view(), 0.5, 3.0, scale.view()).concentration(2.0);
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let prior = NormalInverseWishart::new(mean.view(), 0.5, 3.0, scale.view()).unwrap();
    let new = random(9, 2, 6);
    let joint = fit.log_joint(&new).unwrap();
    for class in 0..2 {
        let rows: Vec<usize> = (0..40).filter(|&i| y[i] == class).collect();
        let after = prior.posterior(x.select(Axis(0), &rows).view()).unwrap();
        let density = after.predictive().unwrap().log_density(new.view()).unwrap();
        let share = (rows.len() as f64 + 2.0) / (40.0 + 4.0);
        for (i, d) in density.iter().enumerate() {
            near(joint[[i, class]], d + share.ln(), 1e-11);
        }
        near(fit.degrees()[class], 3.0 + rows.len() as f64 - 1.0, 1e-12);
    }
    // By hand, of one feature: κ = 1, ν = 1, Ψ = 1, m = 0 and the rows 1, 3 of one class.
    let (zero, one) = (Array1::zeros(1), Array2::eye(1));
    let fit = BayesianDiscriminant::new(zero.view(), 1.0, 1.0, one.view())
        .fit(&Device::cpu(), array![[1.0], [3.0], [9.0]], [0, 0, 1])
        .unwrap();
    near(fit.means()[[0, 0]], 4.0 / 3.0, 1e-14);
    // Ψ = 1 + 2 + 2/3·4 = 17/3; t with 3 degrees, squared scale 17/3 · 4/(3·3) = 68/27; at its centre Γ(2)/(Γ(3/2)√(3π s²)).
    let s2: f64 = 68.0 / 27.0;
    let top = (1.0 / (0.5 * std::f64::consts::PI.sqrt() * (3.0 * std::f64::consts::PI * s2).sqrt())).ln();
    near(fit.log_joint(array![[4.0 / 3.0]]).unwrap()[[0, 0]], top + (3.0f64 / 5.0).ln(), 1e-12);
}

/// Many rows forget the prior: quadratic discriminant analysis.
#[test]
fn many_rows_forget_the_prior() {
    let (x, y) = classes();
    let (zero, one) = (Array1::zeros(2), Array2::eye(2));
    let model = BayesianDiscriminant::new(zero.view(), 1.0, 2.0, one.view());
    let weights = Array1::from_elem(40, 1e6);
    let got = model.fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
    let want = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let new = random(20, 2, 8);
    close(got.predict_proba(&new).unwrap().view(), want.predict_proba(&new).unwrap().view(), 1e-5);
    for bad in [model.clone().strength(0.0), model.clone().degrees(0.5), model.clone().concentration(-1.0)] {
        assert!(matches!(bad.fit(&Device::cpu(), &x, &y), Err(Error::Parameter { .. })));
    }
    assert!(model.fit(&Device::cpu(), random(4, 3, 1), [0, 0, 1, 1]).is_err());
}

/// Sequential is batch: a prior that has seen some rows is a prior.
#[test]
fn rows_may_come_one_after_the_other() {
    let (x, y) = classes();
    let (mean, scale) = (array![0.2, -0.1], array![[1.0, 0.2], [0.2, 0.7]]);
    let model = BayesianDiscriminant::new(mean.view(), 0.5, 3.0, scale.view()).concentration(2.0);
    let want = model.fit(&Device::cpu(), &x, &y).unwrap();
    let mut fit = model.fit(&Device::cpu(), x.slice(ndarray::s![..5, ..]), &y[..5]).unwrap();
    fit.update(x.slice(ndarray::s![5..6, ..]), &y[5..6]).unwrap();
    fit.update(x.slice(ndarray::s![6.., ..]), &y[6..]).unwrap();
    let new = random(9, 2, 6);
    close(fit.log_joint(&new).unwrap().view(), want.log_joint(&new).unwrap().view(), 1e-11);
    fit.degrees().iter().zip(want.degrees()).for_each(|(g, w)| near(*g, *w, 1e-14));
    let before = fit.log_joint(&new).unwrap();
    assert!(fit.update(&new, vec![7; 9]).is_err() && fit.update(&new, [0]).is_err());
    assert_eq!(fit.log_joint(&new).unwrap(), before);
}
