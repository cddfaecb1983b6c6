//! Bad input is refused by name, never by a panic.

use mercer::kernel::Custom;
use mercer::{Error, Kernel};
use ndarray::{Array2, array};

fn parameter(k: Kernel) {
    for r in [k.check().err(), k.value(&[0.0, 1.0], &[1.0, 0.0]).err()] {
        assert!(matches!(r, Some(Error::Parameter { .. })), "{k}: {r:?}");
    }
}

fn shape(k: &Kernel, x: &[f64], y: &[f64]) {
    let r = k.value(x, y);
    assert!(matches!(r, Err(Error::Shape { .. })), "{k}: {r:?}");
}

#[test]
fn parameters_out_of_their_domain() {
    for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        for k in [
            Kernel::rbf(bad),
            Kernel::rbf([1.0, bad]),
            Kernel::laplacian(bad),
            Kernel::matern32(bad),
            Kernel::matern(bad, 1.0),
            Kernel::rational_quadratic(1.0, bad),
            Kernel::rational_quadratic_beta(1.0, bad),
            Kernel::periodic(1.0, bad),
            Kernel::arcsine(1.0, bad),
            Kernel::constant(bad),
            Kernel::white(bad),
            Kernel::linear_weighted(bad),
            Kernel::exponential_dot(bad),
            Kernel::sigmoid(bad, 0.0),
            Kernel::rbf(1.0).scaled(bad),
            bad * (Kernel::rbf(1.0) + Kernel::linear()),
            Kernel::custom(Custom::new("mine", |_, _, _| 1.0).positive("p", bad)),
        ] {
            parameter(k);
        }
    }
    parameter(Kernel::polynomial(0, 1.0));
    parameter(Kernel::polynomial(2, -0.1));
    parameter(Kernel::rbf(1.0).pow(0));
    parameter(Kernel::rbf(1.0).polynomial_of(&[1.0, -1.0]));
    parameter(Kernel::sigmoid(1.0, f64::NAN));
}

#[test]
fn the_message_names_the_parameter() {
    let k = Kernel::linear() + Kernel::rbf([1.0, -2.0]);
    let message = k.check().unwrap_err().to_string();
    assert_eq!(message, "sum.1.rbf.lengthscale[1] = -2 is not allowed: it must be positive and finite");
}

#[test]
fn points_of_the_wrong_length() {
    shape(&Kernel::linear(), &[1.0], &[1.0, 2.0]);
    shape(&Kernel::linear(), &[], &[]);
    shape(&Kernel::rbf([1.0, 2.0]), &[1.0], &[1.0]);
    shape(&Kernel::rbf([1.0]), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().on([2]), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().on([0, 0]), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().on([]), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().project(Array2::eye(3)), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::quadratic_form(Array2::eye(3)), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().map("short", 3, <[f64]>::to_vec), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::linear().map("none", 0, |_| vec![]), &[1.0], &[1.0]);
    shape(&Kernel::rbf(Vec::new()), &[1.0], &[1.0]);
    shape(&Kernel::rbf(1.0).polynomial_of(&[]), &[1.0], &[1.0]);
}

#[test]
fn values_that_are_not_finite() {
    let r = Kernel::rbf(1.0).value(&[1.0, 2.0], &[0.0, f64::NAN]);
    assert!(matches!(r, Err(Error::NotFinite { row: 1, col: 1, .. })), "{r:?}");
    assert!(matches!(
        Kernel::rbf(1.0).variance(&[f64::INFINITY]),
        Err(Error::NotFinite { row: 0, col: 0, .. })
    ));
}

#[test]
fn matrices_that_do_not_fit_their_purpose() {
    parameter(Kernel::quadratic_form(array![[1.0, 0.0], [0.0, -1.0]]));
    parameter(Kernel::quadratic_form(array![[0.0, 1.0], [1.0, 0.0]]));
    parameter(Kernel::quadratic_form(array![[1.0, 0.5], [0.0, 1.0]]));
    parameter(Kernel::quadratic_form(array![[1.0, f64::NAN], [f64::NAN, 1.0]]));
    parameter(Kernel::precomputed(array![[1.0, 0.5], [0.2, 1.0]]));
    parameter(Kernel::linear().project(array![[1.0, f64::INFINITY]]));
    shape(&Kernel::quadratic_form(array![[1.0, 0.5]]), &[1.0, 2.0], &[1.0, 2.0]);
    shape(&Kernel::precomputed(Array2::zeros((0, 0))), &[0.0], &[0.0]);
}

#[test]
fn indices_into_a_table() {
    let k = Kernel::precomputed(Array2::eye(3));
    for bad in [3.0, -1.0, 0.5] {
        shape(&k, &[bad], &[0.0]);
        shape(&k, &[0.0], &[bad]);
    }
}

#[test]
fn names_of_custom_kernels() {
    let one = |name: &str| Kernel::custom(Custom::new(name, |_, _, _| 1.0));
    assert!(one("fine").check().is_ok());
    assert!(matches!(one("a.b").check(), Err(Error::Shape { .. })));
    assert!(matches!(one("").check(), Err(Error::Shape { .. })));
    let twice = Custom::new("mine", |_, _, _| 1.0).real("a", 0.0).real("a", 1.0);
    assert!(matches!(Kernel::custom(twice).check(), Err(Error::Shape { .. })));
}
