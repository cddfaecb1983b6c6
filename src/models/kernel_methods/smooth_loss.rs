//! Losses that can be differentiated. Checked in `tests/svm/risk.rs`.

use std::fmt;
use std::sync::Arc;

use crate::Result;
use crate::check::parameter;

/// `L(y, f)` and its derivative by f.
#[derive(Clone)]
pub enum SmoothLoss {
    /// `(y - f)²`.
    Squared,
    /// `ln(1 + exp(-yf))`, y = ±1.
    Logistic,
    /// `max(0, 1 - yf)²`, y = ±1.
    SquaredHinge,
    /// `exp(-yf)`, y = ±1.
    Exponential,
    /// `r²/2` for a residual within δ, `δ(|r| - δ/2)` beyond.
    Huber(f64),
    /// `exp(f) - yf`: counts.
    Poisson,
    /// A loss of one's own, convex and differentiable: from y and f to the value and the derivative by f.
    Custom(Arc<dyn Fn(f64, f64) -> (f64, f64) + Send + Sync>),
}

impl fmt::Debug for SmoothLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmoothLoss::Squared => f.write_str("Squared"),
            SmoothLoss::Logistic => f.write_str("Logistic"),
            SmoothLoss::SquaredHinge => f.write_str("SquaredHinge"),
            SmoothLoss::Exponential => f.write_str("Exponential"),
            SmoothLoss::Huber(delta) => write!(f, "Huber({delta})"),
            SmoothLoss::Poisson => f.write_str("Poisson"),
            SmoothLoss::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl SmoothLoss {
    /// An error if y is no target of the loss.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for labels other than -1 and 1, or a negative count.
    pub fn check_target(&self, y: f64) -> Result<()> {
        match self {
            SmoothLoss::Logistic | SmoothLoss::SquaredHinge | SmoothLoss::Exponential => parameter(
                "y",
                y,
                y == 1.0 || y == -1.0,
                "the labels of a loss of the margin must be -1 and 1",
            ),
            SmoothLoss::Poisson => parameter("y", y, y >= 0.0, "a count must not be negative"),
            _ => Ok(()),
        }
    }

    /// The value and the derivative by f.
    pub fn at(&self, y: f64, f: f64) -> (f64, f64) {
        match self {
            SmoothLoss::Squared => ((y - f) * (y - f), 2.0 * (f - y)),
            SmoothLoss::Logistic => {
                let z = -y * f;
                let value = z.max(0.0) + (-z.abs()).exp().ln_1p();
                let sigma = if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) };
                (value, -y * sigma)
            }
            SmoothLoss::SquaredHinge => {
                let short = (1.0 - y * f).max(0.0);
                (short * short, -2.0 * y * short)
            }
            SmoothLoss::Exponential => ((-y * f).exp(), -y * (-y * f).exp()),
            SmoothLoss::Huber(delta) => {
                let r = f - y;
                if r.abs() <= *delta {
                    (0.5 * r * r, r)
                } else {
                    (delta * (r.abs() - 0.5 * delta), delta * r.signum())
                }
            }
            SmoothLoss::Poisson => (f.exp() - y * f, f.exp() - y),
            SmoothLoss::Custom(of) => of(y, f),
        }
    }
}
