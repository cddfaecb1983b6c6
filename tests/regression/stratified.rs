//! F.1: Simpson's paradox, and fits of groups by themselves.

use mercer::Device;
use mercer::learn::fit_each;
use mercer::models::linear::LeastSquares;
use ndarray::{Array1, Array2, Axis, concatenate};

use crate::support::random;

#[test]
fn all_rows_rise_and_every_group_falls() {
    let (cpu, model) = (Device::cpu(), LeastSquares::new());
    let ages: Vec<u32> = (0..100).map(|i| 10 * (1 + i / 20)).collect();
    let e = random(100, 2, 1);
    let x = Array2::from_shape_fn((100, 1), |(i, _)| f64::from(ages[i]) / 10.0 + e[[i, 0]]);
    let t = Array1::from_shape_fn(100, |i| {
        let g = f64::from(ages[i]);
        2.0 * g - 3.0 * (x[[i, 0]] - g / 10.0) + e[[i, 1]]
    });
    let pooled = model.fit(&cpu, &x, &t).unwrap();
    assert!(pooled.coefficients()[[0, 0]] > 0.0);
    let each = fit_each(&model, &cpu, &x, &t, &ages).unwrap();
    assert_eq!(each.groups(), [10, 20, 30, 40, 50]);
    assert!(each.fits().iter().all(|f| f.coefficients()[[0, 0]] < 0.0));
    // Age as a covariate finds the slope within groups.
    let with = concatenate![Axis(1), x, Array2::from_shape_fn((100, 1), |(i, _)| f64::from(ages[i]))];
    let adjusted = model.fit(&cpu, &with, &t).unwrap();
    assert!((adjusted.coefficients()[[0, 0]] + 3.0).abs() < 0.2);
    let said = each.predict(&x, &ages).unwrap();
    let own = each.of(&30).unwrap().predict(&x).unwrap();
    assert!((said[45][0] - own[45]).abs() < 1e-12 && each.of(&7).is_none());
    assert!(each.predict(&x, &vec![7; 100]).is_err() && fit_each(&model, &cpu, &x, &t, &ages[..9]).is_err());
}
