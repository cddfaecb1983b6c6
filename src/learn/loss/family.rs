//! The losses, as functions of one number. Checked in `tests/regression/loss.rs`.

use crate::check::{not_negative, parameter, positive};
use crate::probability::normal;
use crate::{Error, Result};

/// What a prediction f costs where y was observed: a function φ of the margin `m = y f`, y being ±1, or of the residual
/// `r = y - f`.
///
/// | loss | φ |
/// |---|---|
/// | `ZeroOne` | 1 if m ≤ 0, else 0 |
/// | `Perceptron` | max(0, -m) |
/// | `Hinge` | max(0, 1 - m) |
/// | `SquaredHinge` | max(0, 1 - m)² |
/// | `Logistic` | ln(1 + exp(-m)) |
/// | `Exponential` | exp(-m) |
/// | `Probit` | -ln Φ(m) |
/// | `Squared` | r² |
/// | `Absolute` | \|r\| |
/// | `Huber(δ)` | r²/2 where \|r\| ≤ δ, δ(\|r\| - δ/2) beyond |
/// | `Pinball(τ)` | 2 max(τ r, (τ - 1) r): the absolute loss for τ = ½ |
/// | `EpsilonInsensitive(ε)` | max(0, \|r\| - ε) |
/// | `Power(q)` | \|r\|^q; for q = 0, 1 unless r = 0 |
///
/// ```
/// use mercer::learn::loss::Loss;
/// assert_eq!(Loss::Hinge.value(-1.0, 0.5), 1.5);
/// assert!((Loss::Pinball(0.3).value(0.0, 2.0) - 2.8).abs() < 1e-12);
/// assert_eq!(Loss::Squared.derivative(3.0, 1.0), -4.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Loss {
    /// 1 if m ≤ 0, else 0: the share of errors.
    ZeroOne,
    /// max(0, -m).
    Perceptron,
    /// max(0, 1 - m): support vector machines.
    Hinge,
    /// max(0, 1 - m)².
    SquaredHinge,
    /// ln(1 + exp(-m)): logistic regression.
    Logistic,
    /// exp(-m): boosting.
    Exponential,
    /// -ln Φ(m): probit regression.
    Probit,
    /// r²: its best constant is the mean.
    Squared,
    /// |r|: its best constant is the median.
    Absolute,
    /// r²/2 near zero, linear beyond δ > 0.
    Huber(f64),
    /// 2 max(τ r, (τ - 1) r): its best constant is the τ-quantile.
    Pinball(f64),
    /// max(0, |r| - ε): nothing within a tube of half-width ε ≥ 0.
    EpsilonInsensitive(f64),
    /// |r|^q, q ≥ 0.
    Power(f64),
}

impl Loss {
    /// An error if the parameter of the loss is out of its domain.
    ///
    /// # Errors
    /// [`Error::Parameter`] for δ ≤ 0, τ outside (0, 1), ε < 0 or q < 0.
    pub fn check(&self) -> Result<()> {
        match *self {
            Loss::Huber(delta) => positive("delta", delta),
            Loss::Pinball(tau) => {
                parameter("quantile", tau, tau > 0.0 && tau < 1.0, "must lie between 0 and 1")
            }
            Loss::EpsilonInsensitive(epsilon) => not_negative("epsilon", epsilon),
            Loss::Power(q) => not_negative("power", q),
            _ => Ok(()),
        }
    }

    /// Whether it is a loss of the margin `y f`, y being ±1; else it is one of the residual `y - f`.
    pub fn of_margin(&self) -> bool {
        use Loss::{Exponential, Hinge, Logistic, Perceptron, Probit, SquaredHinge, ZeroOne};
        matches!(self, ZeroOne | Perceptron | Hinge | SquaredHinge | Logistic | Exponential | Probit)
    }

    /// Whether φ is convex.
    pub fn convex(&self) -> bool {
        !matches!(self, Loss::ZeroOne) && !matches!(self, Loss::Power(q) if *q < 1.0)
    }

    /// Whether φ has a continuous derivative.
    pub fn smooth(&self) -> bool {
        use Loss::{Exponential, Huber, Logistic, Probit, Squared, SquaredHinge};
        match self {
            SquaredHinge | Logistic | Exponential | Probit | Squared | Huber(_) => true,
            Loss::Power(q) => *q > 1.0,
            _ => false,
        }
    }

    /// The most that the slope of φ can change by: `sup φ''`, if it is finite. Gradient descent steps by its inverse.
    pub fn smoothness(&self) -> Option<f64> {
        match self {
            Loss::SquaredHinge | Loss::Squared | Loss::Power(2.0) => Some(2.0),
            Loss::Logistic => Some(0.25),
            Loss::Probit | Loss::Huber(_) => Some(1.0),
            _ => None,
        }
    }

    /// `φ(z)`: z is the margin or the residual.
    pub fn at(&self, z: f64) -> f64 {
        match *self {
            Loss::ZeroOne => f64::from(u8::from(z <= 0.0)),
            Loss::Perceptron => (-z).max(0.0),
            Loss::Hinge => (1.0 - z).max(0.0),
            Loss::SquaredHinge => (1.0 - z).max(0.0).powi(2),
            // Without overflow, and without loss where it is small.
            Loss::Logistic => (-z).max(0.0) + (-z.abs()).exp().ln_1p(),
            Loss::Exponential => (-z).exp(),
            Loss::Probit => -normal::log_cdf(z),
            Loss::Squared => z * z,
            Loss::Absolute => z.abs(),
            Loss::Huber(delta) if z.abs() <= delta => 0.5 * z * z,
            Loss::Huber(delta) => delta * (z.abs() - 0.5 * delta),
            Loss::Pinball(tau) => 2.0 * (tau * z).max((tau - 1.0) * z),
            Loss::EpsilonInsensitive(epsilon) => (z.abs() - epsilon).max(0.0),
            Loss::Power(q) if z == 0.0 || q == 0.0 => f64::from(u8::from(z != 0.0)),
            Loss::Power(q) => z.abs().powf(q),
        }
    }

    /// `φ'(z)`; at a kink the middle of the subgradients that is nearest zero.
    pub fn slope(&self, z: f64) -> f64 {
        let sign = if z == 0.0 { 0.0 } else { z.signum() };
        if z == 0.0 && matches!(self, Loss::Pinball(_) | Loss::Power(_)) {
            return 0.0;
        }
        match *self {
            Loss::ZeroOne => 0.0,
            Loss::Perceptron => -f64::from(u8::from(z < 0.0)),
            Loss::Hinge => -f64::from(u8::from(z < 1.0)),
            Loss::SquaredHinge => -2.0 * (1.0 - z).max(0.0),
            Loss::Logistic => -sigmoid(-z),
            Loss::Exponential => -(-z).exp(),
            Loss::Probit => -normal::hazard(z).0,
            Loss::Squared => 2.0 * z,
            Loss::Absolute => sign,
            Loss::Huber(delta) => z.clamp(-delta, delta),
            Loss::Pinball(tau) => 2.0 * if z > 0.0 { tau } else { tau - 1.0 },
            Loss::EpsilonInsensitive(epsilon) => {
                if z.abs() > epsilon {
                    sign
                } else {
                    0.0
                }
            }
            Loss::Power(q) => q * z.abs().powf(q - 1.0) * sign,
        }
    }

    /// `φ''(z)`; zero where φ is linear, and at its kinks.
    pub fn curvature(&self, z: f64) -> f64 {
        match *self {
            Loss::SquaredHinge => 2.0 * f64::from(u8::from(z < 1.0)),
            Loss::Logistic => sigmoid(z) * sigmoid(-z),
            Loss::Exponential => (-z).exp(),
            Loss::Probit => {
                let (r, beyond) = normal::hazard(z);
                r * beyond
            }
            Loss::Squared | Loss::Power(2.0) => 2.0,
            Loss::Huber(delta) => f64::from(u8::from(z.abs() <= delta)),
            Loss::Power(q) if z != 0.0 => q * (q - 1.0) * z.abs().powf(q - 2.0),
            _ => 0.0,
        }
    }

    /// The margin or the residual of a prediction f where y was observed.
    pub fn argument(&self, y: f64, f: f64) -> f64 {
        if self.of_margin() { y * f } else { y - f }
    }

    /// How the argument changes with f: y of a margin, -1 of a residual.
    fn inner(&self, y: f64) -> f64 {
        if self.of_margin() { y } else { -1.0 }
    }

    /// `L(y, f)`: y is ±1 for a loss of the margin.
    pub fn value(&self, y: f64, f: f64) -> f64 {
        self.at(self.argument(y, f))
    }

    /// `∂L/∂f`, or a subgradient.
    pub fn derivative(&self, y: f64, f: f64) -> f64 {
        self.inner(y) * self.slope(self.argument(y, f))
    }

    /// `∂²L/∂f²`, for ±1 labels of a margin.
    pub fn second_derivative(&self, y: f64, f: f64) -> f64 {
        self.inner(y).powi(2) * self.curvature(self.argument(y, f))
    }

    /// An error if these are not targets for this loss: labels of a margin must be -1 and 1.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_target(&self, y: f64) -> Result<()> {
        if !self.of_margin() || y == 1.0 || y == -1.0 {
            return Ok(());
        }
        let requirement = "the labels of a loss of the margin must be -1 and 1";
        Err(Error::Parameter { name: "y".to_owned(), value: y, requirement })
    }
}

/// `1/(1 + exp(-z))`.
fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}
