//! Convex conjugates and Jensen's inequality.

use crate::Result;
use crate::check::{parameter, require};

/// `g*(u) = sup_t (u t - g(t))` over an interval, for a convex g: by a grid, then golden sections about its best point.
/// `u t ≤ g(t) + g*(u)` for all t, and `g** = g`.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an interval that is empty or not finite.
pub fn fenchel_conjugate(g: impl Fn(f64) -> f64, (low, high): (f64, f64), u: f64) -> Result<f64> {
    const GRID: usize = 200;
    let proper = low.is_finite() && high.is_finite() && low < high;
    parameter("width of the interval", high - low, proper, "must be positive and finite")?;
    parameter("u", u, u.is_finite(), "must be finite")?;
    let gain = |t: f64| {
        let v = u * t - g(t);
        if v.is_nan() { f64::NEG_INFINITY } else { v }
    };
    let at = |i: usize| low + (high - low) * i as f64 / GRID as f64;
    let best = (0..=GRID).fold(0, |best, i| if gain(at(i)) > gain(at(best)) { i } else { best });
    let (mut a, mut b) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut at_c, mut at_d) = (gain(c), gain(d));
    for _ in 0..90 {
        if at_c >= at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - golden * (b - a);
            at_c = gain(c);
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + golden * (b - a);
            at_d = gain(d);
        }
    }
    Ok(at_c.max(at_d).max(gain(at(best))))
}

/// `E[f(X)] - f(E[X])` of a table: not negative for a convex f, zero for a constant X.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there is a value for each probability,
/// [`Error::Parameter`](crate::Error::Parameter) for probabilities that are negative or do not sum to one.
pub fn jensen_gap(p: &[f64], values: &[f64], f: impl Fn(f64) -> f64) -> Result<f64> {
    super::pair("jensen_gap", p, p)?;
    require("jensen_gap", p.len() == values.len(), || format!("{} and {} values", p.len(), values.len()))?;
    let mean: f64 = p.iter().zip(values).map(|(p, v)| p * v).sum();
    Ok(p.iter().zip(values).filter(|(p, _)| **p > 0.0).map(|(p, &v)| p * f(v)).sum::<f64>() - f(mean))
}
