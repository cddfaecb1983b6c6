//! The construction rules as identities, and positive semi-definiteness of what they build.

use mercer::Kernel;
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

use crate::{close, eigenvalues, gram, points};

fn same(a: &Kernel, b: &Kernel, d: usize) {
    let x = points(9, d);
    for (p, q) in gram(a, x.view()).iter().zip(&gram(b, x.view())) {
        close(*p, *q, 1e-12 * (1.0 + q.abs()));
    }
}

/// The features of (x·y + 1)² in two dimensions.
fn quadratic_features(x: &[f64]) -> Vec<f64> {
    let r = 2.0_f64.sqrt();
    vec![1.0, r * x[0], r * x[1], x[0] * x[0], x[1] * x[1], r * x[0] * x[1]]
}

#[test]
fn a_gaussian_is_a_normalised_exponential() {
    let s = 1.3;
    let bell = move |x: &[f64]| (-x.iter().map(|v| v * v).sum::<f64>() / (2.0 * s * s)).exp();
    same(&Kernel::exponential_dot(s).warp("bell", bell), &Kernel::rbf(s), 3);
    same(&Kernel::linear().scaled(1.0 / (s * s)).exp(), &Kernel::exponential_dot(s), 3);
}

#[test]
fn a_polynomial_kernel_is_an_inner_product_of_features() {
    same(&Kernel::polynomial(2, 1.0), &Kernel::linear().map("quadratic", 6, quadratic_features), 2);
    same(&Kernel::polynomial(1, 0.0), &Kernel::linear(), 3);
    same(&Kernel::polynomial(3, 0.5), &(Kernel::linear() + Kernel::constant(0.5)).pow(3), 3);
    // The binomial expansion.
    same(&Kernel::polynomial(3, 2.0), &Kernel::linear().polynomial_of(&[8.0, 12.0, 6.0, 1.0]), 3);
}

#[test]
fn a_sum_concatenates_features_and_a_product_multiplies_them() {
    let (phi, psi) = (|x: &[f64]| vec![x[0], x[1] * x[1]], |x: &[f64]| vec![x[1].sin(), x[0] + 1.0, 0.5]);
    let (k, l) = (Kernel::linear().map("phi", 2, phi), Kernel::linear().map("psi", 3, psi));
    let both = Kernel::linear().map("both", 5, move |x| [phi(x), psi(x)].concat());
    let tensor = Kernel::linear().map("tensor", 6, move |x| {
        phi(x).iter().flat_map(|a| psi(x).into_iter().map(move |b| a * b)).collect()
    });
    same(&(k.clone() + l.clone()), &both, 2);
    same(&(k * l), &tensor, 2);
}

#[test]
fn feature_maps_are_not_unique() {
    let half = |x: &[f64]| x.iter().chain(x).map(|v| v / 2.0_f64.sqrt()).collect();
    same(&Kernel::linear().map("halves", 6, half), &Kernel::linear(), 3);
}

#[test]
fn columns_matrices_and_quadratic_forms() {
    let pick = array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    same(&Kernel::rbf([0.5, 2.0]).on([2, 0]), &Kernel::rbf([0.5, 2.0]).project(pick), 3);
    let b = array![[1.0, 0.5, -1.0], [0.0, 2.0, 0.3]];
    same(&Kernel::quadratic_form(b.t().dot(&b)), &Kernel::linear().project(b), 3);
    same(&Kernel::quadratic_form(Array2::eye(3)), &Kernel::linear(), 3);
    same(
        &Kernel::linear_weighted([1.0, 2.0, 3.0]),
        &Kernel::quadratic_form(Array2::from_diag(&array![1.0, 2.0, 3.0])),
        3,
    );
    same(&(Kernel::rbf(1.0).on([0, 1]) * Kernel::rbf(1.0).on([2])), &Kernel::rbf(1.0), 3);
    // A selection within a selection counts from the inner one.
    same(&Kernel::linear().on([0]).on([2, 1]), &Kernel::linear().on([2]), 3);
}

#[test]
fn length_scales_are_rescaled_inputs() {
    let l = [0.5, 1.5, 3.0];
    let shrink = move |x: &[f64]| x.iter().zip(l).map(|(x, l)| x / l).collect();
    for (ard, unit) in [
        (Kernel::rbf(l), Kernel::rbf(1.0)),
        (Kernel::matern32(l), Kernel::matern32(1.0)),
        (Kernel::laplacian(l), Kernel::laplacian(1.0)),
        (Kernel::rational_quadratic(l, 0.7), Kernel::rational_quadratic(1.0, 0.7)),
    ] {
        same(&ard, &unit.map("shrink", 3, shrink), 3);
    }
    same(&Kernel::rbf([0.8; 3]), &Kernel::rbf(0.8), 3);
}

#[test]
fn limits() {
    let x = points(6, 2);
    for (p, q) in
        gram(&Kernel::rational_quadratic(0.9, 1e9), x.view()).iter().zip(&gram(&Kernel::rbf(0.9), x.view()))
    {
        close(*p, *q, 1e-8);
    }
    assert!(gram(&Kernel::rbf(1e9), x.view()).iter().all(|v| (v - 1.0).abs() < 1e-15));
    let identity: Array2<f64> = Array2::eye(6);
    assert_eq!(gram(&Kernel::rbf(1e-3), x.view()), identity);
    assert_eq!(gram(&Kernel::white(2.0), x.view()), 2.0 * identity);
}

#[test]
fn scaling_twice_is_scaling_once() {
    assert_eq!(2.0 * (Kernel::rbf(1.0) * 3.0), Kernel::rbf(1.0).scaled(6.0));
}

#[test]
fn periods_repeat() {
    let k = Kernel::periodic(0.8, 2.5);
    close(k.value(&[0.3], &[1.0]).unwrap(), k.value(&[0.3 + 2.5], &[1.0 - 5.0]).unwrap(), 1e-14);
    close(k.value(&[0.3], &[0.3 + 7.5]).unwrap(), 1.0, 1e-14);
}

fn leaf() -> impl Strategy<Value = Kernel> {
    let l = 0.3..3.0;
    prop_oneof![
        l.clone().prop_map(Kernel::rbf),
        l.clone().prop_map(Kernel::laplacian),
        l.clone().prop_map(Kernel::matern12),
        l.clone().prop_map(Kernel::matern32),
        l.clone().prop_map(Kernel::matern52),
        (l.clone(), 0.2..20.0).prop_map(|(l, a)| Kernel::rational_quadratic(l, a)),
        (l.clone(), 0.5..4.0).prop_map(|(l, p)| Kernel::periodic([l, l], p)),
        (l.clone(), 0.1..3.0).prop_map(|(w, b)| Kernel::arcsine([w, 1.0], b)),
        (1_u32..4, 0.0..2.0).prop_map(|(m, c)| Kernel::polynomial(m, c)),
        (0.1..2.0).prop_map(Kernel::constant),
        (0.1..2.0).prop_map(Kernel::white),
        (1.5..3.0).prop_map(Kernel::exponential_dot),
        Just(Kernel::cosine()),
        Just(Kernel::linear()),
    ]
}

fn expression() -> impl Strategy<Value = Kernel> {
    leaf().prop_recursive(3, 6, 2, |k| {
        prop_oneof![
            (k.clone(), k.clone()).prop_map(|(a, b)| a + b),
            (k.clone(), k.clone()).prop_map(|(a, b)| a * b),
            (k.clone(), 0.1..5.0).prop_map(|(k, c)| k.scaled(c)),
            k.clone().prop_map(|k| k.pow(2)),
            (k.clone(), prop::collection::vec(0.0..1.0, 1..4)).prop_map(|(k, c)| k.polynomial_of(&c)),
            k.clone().prop_map(|k| k.warp("f", |x| x[0] - 0.5)),
            // Not injective, and still a kernel.
            k.prop_map(|k| k.map("fold", 2, |x| vec![x[0].abs(), x[1] * x[1]])),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn every_expression_is_positive_semidefinite(k in expression()) {
        prop_assert!(k.is_positive_definite());
        let g = gram(&k, points(12, 2).view());
        prop_assert!(g.iter().all(|v| v.is_finite()));
        let e = eigenvalues(&g);
        let largest = e.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        prop_assert!(e[0] >= -1e-11 * (largest + 1e-3), "{}: {:?}", k, e);
        // And exactly symmetric enough to be called so.
        for ((i, j), v) in g.indexed_iter() {
            prop_assert!((v - g[(j, i)]).abs() <= 1e-13 * (1.0 + v.abs()));
        }
    }

    #[test]
    fn strictly_positive_on_distinct_points(l in 0.3_f64..1.0, a in prop::collection::vec(-1.0_f64..1.0, 8)) {
        prop_assume!(a.iter().any(|v| v.abs() > 0.1));
        let a = Array1::from(a);
        for k in [Kernel::rbf(l), Kernel::matern12(l), Kernel::matern32(l), Kernel::rational_quadratic(l, 1.0)] {
            let g = gram(&k, points(8, 2).view());
            prop_assert!(a.dot(&g.dot(&a)) > 0.0, "{}", k);
        }
    }
}
