//! The box, and the change of variable that makes it the whole space.

use crate::{Error, Result};

/// Bounds beyond this are none: distances to them need not be numbers.
const LIMIT: f64 = 1e300;
/// An interval this many times wider than what its variable is likely to move by is seen through a [`Warp`].
const WIDE: f64 = 1e3;

/// A variable this part of its interval from an end is at it; of a half-line, this distance.
const END: f64 = 1e-4;

/// The set one variable may come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interval {
    Whole,
    /// `x = a + sign (√(1 + u²) - 1)`: upwards from a, or downwards.
    Half {
        end: f64,
        sign: f64,
    },
    /// `w = m + h sin u`, and x is w or its [`Warp`].
    Finite {
        bounds: (f64, f64),
        /// Of w.
        middle: f64,
        /// Of w.
        half: f64,
        warp: Option<Warp>,
    },
}

/// `x = c + s sinh w`: linear within s of c, which is the start, and logarithmic beyond. The offset of a polynomial
/// kernel is in (0, 1e5) and most likely near one, where the sine alone would take steps of a thousand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Warp {
    centre: f64,
    scale: f64,
}

impl Warp {
    fn inner(self, x: f64) -> f64 {
        ((x - self.centre) / self.scale).asinh()
    }

    fn outer(self, w: f64) -> f64 {
        self.centre + self.scale * w.sinh()
    }
}

impl Interval {
    /// For a variable that starts at a point between its bounds, or at the one that is nearest.
    pub fn new(index: usize, (low, high): (f64, f64), start: f64) -> Result<Self> {
        if low.is_nan() || high.is_nan() || low > high || low == f64::INFINITY || high == f64::NEG_INFINITY {
            let requirement = "the lower bound must not be above the upper one, nor either of them NaN";
            return Err(Error::Parameter { name: format!("bounds[{index}]"), value: low, requirement });
        }
        Ok(match (low > -LIMIT, high < LIMIT) {
            (false, false) => Interval::Whole,
            (true, false) => Interval::Half { end: low, sign: 1.0 },
            (false, true) => Interval::Half { end: high, sign: -1.0 },
            (true, true) => {
                let centre = start.clamp(low, high);
                // Its distance from zero and from the nearest end are all that is known of its scale.
                let scale = (centre - low).min(high - centre).min(centre.abs()).max(1.0);
                let warp = (WIDE * scale < high - low).then_some(Warp { centre, scale });
                let [a, b] = [low, high].map(|x| warp.map_or(x, |w| w.inner(x)));
                Interval::Finite { bounds: (low, high), middle: 0.5 * (a + b), half: 0.5 * (b - a), warp }
            }
        })
    }

    fn bounds(self) -> (f64, f64) {
        match self {
            Interval::Whole => (f64::NEG_INFINITY, f64::INFINITY),
            Interval::Half { end, sign } if sign > 0.0 => (end, f64::INFINITY),
            Interval::Half { end, .. } => (f64::NEG_INFINITY, end),
            Interval::Finite { bounds, .. } => bounds,
        }
    }

    /// The nearest point that is not outside.
    pub fn nearest(self, x: f64) -> f64 {
        let (low, high) = self.bounds();
        x.clamp(low, high)
    }

    /// The nearest point that is this fraction of the interval inside; of a half-line, this distance.
    pub fn inside(self, x: f64, fraction: f64) -> f64 {
        match self {
            Interval::Whole => x,
            Interval::Half { end, sign } => end + sign * (sign * (x - end)).max(fraction),
            Interval::Finite { bounds: (low, high), middle, half, warp } => {
                let most = (1.0 - 2.0 * fraction) * half;
                let w = warp.map_or(x, |w| w.inner(x)) - middle;
                if w.abs() <= most {
                    x
                } else {
                    let w = middle + w.clamp(-most, most);
                    warp.map_or(w, |warp| warp.outer(w)).clamp(low, high)
                }
            }
        }
    }

    /// u of a point inside.
    pub fn inner(self, x: f64) -> f64 {
        match self {
            Interval::Whole => x,
            Interval::Half { end, sign } => {
                let t = (sign * (x - end)).max(0.0);
                t.sqrt() * (t + 2.0).sqrt()
            }
            Interval::Finite { middle, half, warp, .. } if half > 0.0 => {
                ((warp.map_or(x, |w| w.inner(x)) - middle) / half).clamp(-1.0, 1.0).asin()
            }
            Interval::Finite { .. } => 0.0,
        }
    }

    /// x of any u.
    pub fn outer(self, u: f64) -> f64 {
        match self {
            Interval::Whole => u,
            Interval::Half { end, sign } => end + sign * (u.hypot(1.0) - 1.0),
            Interval::Finite { bounds: (low, high), middle, half, warp } => {
                let w = middle + half * u.sin();
                warp.map_or(w, |warp| warp.outer(w)).clamp(low, high)
            }
        }
    }

    /// dx/du.
    pub fn slope(self, u: f64) -> f64 {
        match self {
            Interval::Whole => 1.0,
            Interval::Half { sign, .. } => sign * u / u.hypot(1.0),
            Interval::Finite { middle, half, warp, .. } => {
                half * u.cos() * warp.map_or(1.0, |w| w.scale * (middle + half * u.sin()).cosh())
            }
        }
    }

    /// Whether x is at the end to which it would go down the slope g.
    pub fn held(self, x: f64, g: f64) -> bool {
        let (low, high) = self.bounds();
        let end = if g > 0.0 { low } else { high };
        let away = match self {
            Interval::Finite { half, warp: Some(w), .. } => (w.inner(x) - w.inner(end)).abs() / (2.0 * half),
            Interval::Finite { half, .. } if half > 0.0 => (x - end).abs() / (2.0 * half),
            Interval::Finite { .. } => 0.0,
            _ => (x - end).abs(),
        };
        g != 0.0 && away <= END
    }

    pub fn finite(self) -> bool {
        matches!(self, Interval::Finite { .. })
    }

    /// The point at this share, from 0 to 1, of the way between the ends, as w goes.
    pub fn at(self, share: f64) -> f64 {
        let (low, high) = self.bounds();
        let warp = if let Interval::Finite { warp, .. } = self { warp } else { None };
        let [a, b] = [low, high].map(|x| warp.map_or(x, |w| w.inner(x)));
        let w = a + (b - a) * share;
        warp.map_or(w, |warp| warp.outer(w)).clamp(low, high)
    }

    /// How far x moves if it goes down the slope g by one unit and stops at the bound: zero at a minimum.
    pub fn projected(self, x: f64, g: f64) -> f64 {
        (x - self.nearest(x - g)).abs()
    }
}
