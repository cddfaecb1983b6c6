//! Every leaf and a range of composites, for points with three features.

use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::kernel::{Custom, Kernel};

/// A custom kernel with all of its bodies: exp(-Σ|a - b|^1.5 / p₀) + p₁².
pub(super) fn custom() -> Kernel {
    Kernel::custom(
        Custom::new("stretched", |x, y, p| {
            let s: f64 = x.iter().zip(y).map(|(a, b)| (a - b).abs().powf(1.5)).sum();
            (-s / p[0]).exp() + p[1] * p[1]
        })
        .positive("width", 1.3)
        .real("floor", 0.4)
        .wgsl("pow(abs(a - b), 1.5)", "exp(-s / p[0]) + p[1] * p[1]")
        .wgsl_derivative("0.0", "exp(-s / p[0]) * s / (p[0] * p[0])")
        .wgsl_derivative("0.0", "2.0 * p[1]"),
    )
}

/// Leaves that run on both devices, with their names.
pub(super) fn leaves() -> Vec<Kernel> {
    vec![
        Kernel::linear(),
        Kernel::linear_weighted(0.7),
        Kernel::linear_weighted([0.7, 1.3, 0.2]),
        Kernel::polynomial(1, 0.0),
        Kernel::polynomial(3, 1.0),
        Kernel::polynomial(6, 0.3),
        Kernel::exponential_dot(1.7),
        Kernel::exponential_dot([1.7, 2.0, 3.0]),
        Kernel::rbf(0.8),
        Kernel::rbf([0.8, 1.5, 2.5]),
        Kernel::laplacian(1.1),
        Kernel::laplacian([1.1, 0.6, 2.0]),
        Kernel::matern12(0.9),
        Kernel::matern12([0.9, 2.0, 0.5]),
        Kernel::matern32(0.9),
        Kernel::matern32([0.9, 2.0, 0.5]),
        Kernel::matern52(1.9),
        Kernel::matern52([1.9, 2.0, 0.5]),
        Kernel::matern(2.5, 1.2),
        Kernel::rational_quadratic(0.9, 1.7),
        Kernel::rational_quadratic([0.9, 0.4, 2.0], 1e4),
        Kernel::rational_quadratic_beta(2.0, 3.0),
        Kernel::periodic(1.2, 2.3),
        Kernel::periodic([1.2, 0.8, 2.0], 0.7),
        Kernel::cosine(),
        Kernel::arcsine(4.0, 1.0),
        Kernel::arcsine([0.3, 2.0, 1.0], 0.5),
        Kernel::constant(2.5),
        Kernel::white(0.3),
        Kernel::sigmoid(0.4, -0.2),
        custom(),
    ]
}

/// Combinations, among them every construction rule.
pub(super) fn composites() -> Vec<Kernel> {
    vec![
        2.5 * Kernel::rbf(0.7) + Kernel::white(0.01),
        Kernel::rbf([0.7, 1.0, 2.0]) * Kernel::linear() + 0.3 * Kernel::matern12(2.0),
        Kernel::periodic(1.0, 1.5) * Kernel::rbf(3.0) + Kernel::constant(0.2),
        (0.3 * Kernel::linear()).exp(),
        (Kernel::linear() + Kernel::constant(1.0)).pow(3),
        Kernel::rbf(1.3).pow(5),
        Kernel::matern32(1.0).polynomial_of(&[0.5, 0.0, 2.0, 1.0]),
        Kernel::matern32(1.0).polynomial_of(&[0.5]),
        Kernel::rbf(1.0).warp("norm", |x| 1.0 + x.iter().map(|v| v * v).sum::<f64>().sqrt()),
        Kernel::rbf([0.4, 0.9]).map("polar", 2, |x| vec![x[0].hypot(x[1]), x[2].sin()]),
        Kernel::matern52(1.0).project(array![[1.0, 0.5, 0.0], [0.0, -1.0, 2.0]]),
        Kernel::quadratic_form(array![[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.7]]),
        Kernel::quadratic_form(array![[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
        Kernel::rbf(0.5).on([0]) * Kernel::linear().on([2, 1]) + Kernel::periodic([1.0, 2.0], 0.9).on([2, 0]),
        Kernel::theta_form(1.0, 2.0, 5.0, 0.7),
        (custom().on([1, 2]) * Kernel::rational_quadratic(1.0, 0.5)).exp(),
        Kernel::cosine().on([0, 2]) + Kernel::arcsine([1.0, 0.2], 0.3).on([1, 2]),
        Kernel::linear().on([1]).map("shift", 2, |x| vec![x[0] + 1.0, 2.0]) + Kernel::rbf(1.0),
        Kernel::sigmoid(0.1, 0.2) * Kernel::laplacian(2.0),
        2.0 * Kernel::rbf(0.7) + 3.0 * Kernel::matern32(0.4) * Kernel::rational_quadratic(2.0, 1.0),
    ]
}

/// Everything that runs on the CPU.
pub(super) fn everything() -> Vec<Kernel> {
    let mut all = leaves();
    all.extend([Kernel::matern(0.8, 1.2), Kernel::matern(3.3, [0.8, 1.0, 2.0])]);
    all.extend(composites());
    all
}

/// Points that vary from one to the next, with one repeated and one at the origin.
pub(super) fn points(n: usize, salt: f64) -> Array2<f64> {
    let mut x = Array2::from_shape_fn((n, 3), |(i, f)| {
        ((i as f64 + 1.3) * (0.71 + 0.37 * f as f64) + salt).sin() * (1.0 + f as f64 * 0.3)
    });
    if n > 3 {
        let copy = x.row(1).to_owned();
        x.row_mut(3).assign(&copy);
        x.row_mut(2).fill(0.0);
    }
    x
}

/// Random expressions over three features.
pub(super) fn expression() -> impl Strategy<Value = Kernel> {
    let leaf = (0..leaves().len()).prop_map(|i| leaves().swap_remove(i));
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a * b),
            (inner.clone(), 0.1..3.0).prop_map(|(k, c)| k.scaled(c)),
            (inner.clone(), 1_u32..4).prop_map(|(k, m)| k.pow(m)),
            (inner.clone(), prop::collection::vec(0.0..1.5, 1..4)).prop_map(|(k, c)| k.polynomial_of(&c)),
            inner.clone().prop_map(|k| k.warp("w", |x| 1.0 + 0.5 * x[0])),
            inner.clone().prop_map(|k| k.map("flip", 3, |x| vec![x[2], -x[1], 0.5 * x[0]])),
            inner.prop_map(|k| k.on([2, 0, 1])),
        ]
    })
}
