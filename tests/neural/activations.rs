//! Functions of units and their slopes.

use mercer::prelude::*;

use crate::near;

const ALL: [Activation; 7] = [
    Activation::Identity,
    Activation::Sigmoid,
    Activation::Tanh,
    Activation::Relu,
    Activation::Softplus,
    Activation::Erf,
    Activation::Step,
];

#[test]
fn slopes_are_those_of_finite_differences() {
    for h in ALL {
        for a in [-3.1, -0.7, -0.01, 0.02, 0.9, 4.3] {
            near(h.slope(a), (h.value(a + 1e-6) - h.value(a - 1e-6)) / 2e-6, 1e-8);
        }
    }
}

#[test]
fn identities_between_them() {
    for a in [-2.0, -0.3, 0.0, 0.7, 5.0] {
        near(Activation::Tanh.value(a), 2.0 * Activation::Sigmoid.value(2.0 * a) - 1.0, 1e-15);
        let s = Activation::Sigmoid.value(a);
        near(Activation::Sigmoid.slope(a), s * (1.0 - s), 1e-15);
        near(Activation::Tanh.slope(a), 1.0 - a.tanh().powi(2), 1e-15);
        near(Activation::Softplus.slope(a), s, 1e-15);
    }
    assert_eq!(Activation::Relu.slope(0.0), 0.0);
    assert_eq!((Activation::Step.value(-1.0), Activation::Step.value(1.0)), (0.0, 1.0));
}

#[test]
fn large_numbers_do_not_overflow() {
    for h in ALL {
        for a in [-1e3, 1e3] {
            assert!(h.value(a).is_finite() && h.slope(a).is_finite(), "{h:?} at {a}");
        }
    }
    assert_eq!(Activation::Softplus.value(1e3), 1e3);
}
