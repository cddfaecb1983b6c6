//! Kernels of every kind on three features, for checks that must hold for all of them.

use mercer::Kernel;
use mercer::kernel::Custom;

/// Every leaf that runs on a GPU, and composites of every construction rule.
pub fn zoo() -> Vec<Kernel> {
    let ard = [0.7, 1.3, 2.1];
    vec![
        Kernel::linear(),
        Kernel::polynomial(3, 0.5),
        Kernel::exponential_dot(1.5),
        Kernel::rbf(0.8),
        Kernel::rbf(ard),
        Kernel::laplacian(1.1),
        Kernel::laplacian(ard),
        Kernel::matern12(0.9),
        Kernel::matern32(ard),
        Kernel::matern52(1.2),
        Kernel::rational_quadratic(0.9, 1.7),
        Kernel::rational_quadratic(ard, 300.0),
        Kernel::rational_quadratic_beta(2.0, 3.0),
        Kernel::periodic(1.0, 2.3),
        Kernel::periodic(ard, 1.9),
        Kernel::cosine(),
        Kernel::arcsine(1.4, 0.6),
        Kernel::constant(0.4),
        Kernel::white(0.3),
        Kernel::sigmoid(0.5, 0.1),
        Kernel::theta_form(1.0, 0.7, 0.5, 0.2),
        2.5 * Kernel::rbf(0.7) + Kernel::white(0.01),
        Kernel::rbf(1.5) * Kernel::periodic(0.8, 1.0) + 0.3 * Kernel::rational_quadratic(1.0, 0.5),
        Kernel::rbf(1.0).pow(3),
        (0.3 * Kernel::linear()).exp(),
        Kernel::matern32(1.0).polynomial_of(&[0.5, 1.0, 2.0]),
        Kernel::rbf(0.9).on([2, 0]) + Kernel::linear().on([1]),
        Kernel::rbf(0.9).warp("1 + x0^2", |x| 1.0 + x[0] * x[0]),
        Kernel::matern52(0.9).map("sum and difference", 2, |x| vec![x[0] + x[1], x[0] - x[2]]),
        Kernel::quadratic_form(ndarray::array![[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.7]]),
        chi_squared(),
    ]
}

/// A user's own kernel: `exp(-g sum (a - b)^2 / (1 + |a| + |b|))`.
pub fn chi_squared() -> Kernel {
    let term = |a: f64, b: f64| (a - b) * (a - b) / (1.0 + a.abs() + b.abs());
    let sum = move |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(&a, &b)| term(a, b)).sum::<f64>();
    let wgsl_term = "return (a - b) * (a - b) / (1.0 + abs(a) + abs(b));";
    Kernel::custom(
        Custom::new("chi2", move |x, y, p| (-p[0] * sum(x, y)).exp())
            .positive("rate", 0.8)
            .wgsl(wgsl_term, "return exp(-p[0] * s);")
            .wgsl_derivative("return 0.0;", "return -s * exp(-p[0] * s);"),
    )
}
