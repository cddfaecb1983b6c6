//! The gradient of the evidence against differences of the evidence.

use mercer::models::gp::{GpClassifier, Likelihood};
use mercer::{Device, Kernel};

use crate::{ring, sectors};

#[test]
fn the_gradient_is_that_of_the_evidence() {
    let kernel = 3.0 * Kernel::rbf([0.7, 1.3])
        + 0.4 * Kernel::linear() * Kernel::periodic(1.1, 2.3)
        + Kernel::white(0.2);
    let kernel = kernel.fixed("sum.1.product.1.periodic.period").unwrap();
    assert_eq!(kernel.theta().len(), 6);
    let two = ring(45, 30);
    let three = sectors(40, 31);
    for (likelihood, (x, labels)) in [
        (Likelihood::Logistic, &two),
        (Likelihood::Probit, &two),
        (Likelihood::Softmax, &three),
        (Likelihood::Logistic, &three),
    ] {
        let at = |theta: &[f64]| {
            let model = GpClassifier::new(kernel.with_theta(theta).unwrap()).likelihood(likelihood);
            model.log_evidence(&Device::cpu(), x.view(), labels).unwrap()
        };
        let theta = kernel.theta();
        let gradient = at(&theta).gradient;
        assert_eq!(gradient.len(), theta.len());
        for (j, g) in gradient.iter().enumerate() {
            let shifted = |h: f64| {
                let mut theta = theta.clone();
                theta[j] += h;
                at(&theta).value
            };
            // Fourth order: the error is of the size of rounding, 1e-13/h.
            let h = 1e-3;
            let slope =
                (8.0 * (shifted(h) - shifted(-h)) - shifted(2.0 * h) + shifted(-2.0 * h)) / (12.0 * h);
            assert!((g - slope).abs() <= 2e-9 * (1.0 + slope.abs()), "{likelihood:?}, {j}: {g}, not {slope}");
        }
        assert!(gradient.iter().any(|g| g.abs() > 0.1), "a gradient that says something");
    }
}

/// With a huge amplitude most curvatures underflow; the gradient must not.
#[test]
fn the_gradient_survives_a_huge_amplitude() {
    let x = ndarray::Array2::from_shape_fn((12, 1), |(i, _)| i as f64);
    let labels: Vec<usize> = (0..12).map(|i| usize::from(i > 5)).collect();
    for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
        let at = |log_scale: f64| {
            let kernel = log_scale.exp() * Kernel::rbf(4.0);
            GpClassifier::new(kernel)
                .likelihood(likelihood)
                .log_evidence(&Device::cpu(), x.view(), &labels)
                .unwrap()
        };
        let here = 5e5f64.ln();
        let slope = (at(here + 1e-4).value - at(here - 1e-4).value) / 2e-4;
        let gradient = at(here).gradient;
        assert!((gradient[0] - slope).abs() < 1e-5, "{likelihood:?}: {} not {slope}", gradient[0]);
    }
}

/// There the gradients of the likelihood are as small as a residual that was good enough for smaller ones: the mode is found
/// where f no longer moves.
#[test]
fn the_mode_is_found_under_any_amplitude() {
    let x = crate::support::random(40, 2, 7) * 2.0;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        for (amplitude, classes) in [(1e6, 2), (1e6, 5), (1e8, 2), (1e10, 2)] {
            let labels: Vec<usize> = (0..40).map(|i| (i * 7 + i / 3) % classes).collect();
            let at = |h: f64| {
                let kernel = (amplitude * h.exp()) * Kernel::matern32(0.5);
                let model = GpClassifier::new(kernel).likelihood(likelihood);
                model.log_evidence(&Device::cpu(), x.view(), &labels).unwrap()
            };
            let slope = (8.0 * (at(1e-3).value - at(-1e-3).value) - at(2e-3).value + at(-2e-3).value) / 12e-3;
            let gradient = at(0.0).gradient[0];
            let off = (gradient - slope).abs();
            println!("{likelihood:?}, {amplitude:e}, {classes} classes: {:e}", off / (1.0 + slope.abs()));
            assert!(
                off < 1e-6 * (1.0 + slope.abs()),
                "{likelihood:?}, {amplitude:e}: {gradient}, not {slope}"
            );
        }
    }
}
