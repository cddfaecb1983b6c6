//! What a unit does with its input, and how steep that is. Checked in `tests/neural/activations.rs`.

use std::f64::consts::PI;

use statrs::function::erf::erf;

/// The function h of a unit, elementwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Activation {
    /// `a`.
    Identity,
    /// `1 / (1 + e^-a)`.
    Sigmoid,
    /// `tanh a = 2σ(2a) - 1`.
    #[default]
    Tanh,
    /// `max(0, a)`; its slope at 0 is taken as 0.
    Relu,
    /// `ln(1 + e^a)`.
    Softplus,
    /// `erf a`: wide layers of it have the arcsine kernel for their limit.
    Erf,
    /// `1[a > 0]`, which has no slope: nothing below it can learn.
    Step,
}

impl Activation {
    /// h(a).
    pub fn value(self, a: f64) -> f64 {
        match self {
            Activation::Identity => a,
            Activation::Sigmoid => sigmoid(a),
            Activation::Tanh => a.tanh(),
            Activation::Relu => a.max(0.0),
            Activation::Softplus => softplus(a),
            Activation::Erf => erf(a),
            Activation::Step => f64::from(u8::from(a > 0.0)),
        }
    }

    /// h'(a).
    pub fn slope(self, a: f64) -> f64 {
        match self {
            Activation::Identity => 1.0,
            Activation::Sigmoid => sigmoid(a) * sigmoid(-a),
            Activation::Tanh => {
                // 1 - tanh² without cancellation where tanh is near one.
                let e = (-2.0 * a.abs()).exp();
                4.0 * e / ((1.0 + e) * (1.0 + e))
            }
            Activation::Relu => f64::from(u8::from(a > 0.0)),
            Activation::Softplus => sigmoid(a),
            Activation::Erf => 2.0 / PI.sqrt() * (-a * a).exp(),
            Activation::Step => 0.0,
        }
    }
}

/// `1 / (1 + e^-a)`, without overflow.
pub(super) fn sigmoid(a: f64) -> f64 {
    if a >= 0.0 {
        1.0 / (1.0 + (-a).exp())
    } else {
        let e = a.exp();
        e / (1.0 + e)
    }
}

/// `ln(1 + e^a)`, without overflow.
pub(super) fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}
