//! The box, and the change of variable that makes it the whole space.

use crate::{Error, Result};

/// Starts are kept this fraction of an interval away from its ends (a half-line: this distance), where the derivative
/// of the change of variable vanishes.
const INSIDE: f64 = 0.01;

/// The set one variable may come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interval {
    Whole,
    /// `x = a + sign (√(1 + u²) - 1)`: upwards from a, or downwards.
    Half {
        end: f64,
        sign: f64,
    },
    /// `x = m + h sin u`.
    Finite {
        low: f64,
        high: f64,
    },
}

impl Interval {
    pub fn new(index: usize, (low, high): (f64, f64)) -> Result<Self> {
        if low.is_nan() || high.is_nan() || low > high || low == f64::INFINITY || high == f64::NEG_INFINITY {
            let requirement = "the lower bound must not be above the upper one, nor either of them NaN";
            return Err(Error::Parameter { name: format!("bounds[{index}]"), value: low, requirement });
        }
        Ok(match (low.is_finite(), high.is_finite()) {
            (false, false) => Interval::Whole,
            (true, false) => Interval::Half { end: low, sign: 1.0 },
            (false, true) => Interval::Half { end: high, sign: -1.0 },
            (true, true) => Interval::Finite { low, high },
        })
    }

    /// The nearest point that is well inside.
    pub fn inside(self, x: f64) -> f64 {
        match self {
            Interval::Whole => x,
            Interval::Half { end, sign } => end + sign * (sign * (x - end)).max(INSIDE),
            Interval::Finite { low, high } => {
                let margin = INSIDE * (high - low);
                x.clamp(low + margin, high - margin)
            }
        }
    }

    /// u of a point inside.
    pub fn inner(self, x: f64) -> f64 {
        match self {
            Interval::Whole => x,
            Interval::Half { end, sign } => ((sign * (x - end) + 1.0).powi(2) - 1.0).max(0.0).sqrt(),
            Interval::Finite { low, high } if low < high => {
                ((x - 0.5 * (low + high)) / (0.5 * (high - low))).clamp(-1.0, 1.0).asin()
            }
            Interval::Finite { .. } => 0.0,
        }
    }

    /// x of any u.
    pub fn outer(self, u: f64) -> f64 {
        match self {
            Interval::Whole => u,
            Interval::Half { end, sign } => end + sign * (u.hypot(1.0) - 1.0),
            Interval::Finite { low, high } => {
                (0.5 * (low + high) + 0.5 * (high - low) * u.sin()).clamp(low, high)
            }
        }
    }

    /// dx/du.
    pub fn slope(self, u: f64) -> f64 {
        match self {
            Interval::Whole => 1.0,
            Interval::Half { sign, .. } => sign * u / u.hypot(1.0),
            Interval::Finite { low, high } => 0.5 * (high - low) * u.cos(),
        }
    }

    /// How far x moves if it goes down the slope g by one unit and stops at the bound: zero at a minimum.
    pub fn projected(self, x: f64, g: f64) -> f64 {
        let (low, high) = match self {
            Interval::Whole => (f64::NEG_INFINITY, f64::INFINITY),
            Interval::Half { end, sign } if sign > 0.0 => (end, f64::INFINITY),
            Interval::Half { end, .. } => (f64::NEG_INFINITY, end),
            Interval::Finite { low, high } => (low, high),
        };
        (x - (x - g).clamp(low, high)).abs()
    }
}
