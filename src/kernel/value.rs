//! The definition: k(x, x') evaluated directly from the expression, one pair at a time.
//!
//! Everything faster (tiles on the CPU, WGSL) is tested against this file.

use std::f64::consts::PI;

use super::Kernel;
use super::bessel::matern;
use super::expr::{Expr, Kind, Leaf};
use crate::check::number;
use crate::{Error, Result};

impl Kernel {
    /// k(x, x') of two different observations.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a parameter out of its domain, [`Error::Shape`] for points of the wrong length,
    /// [`Error::NotFinite`] for NaN or infinite coordinates.
    pub fn value(&self, x: &[f64], y: &[f64]) -> Result<f64> {
        self.evaluate(x, y, false)
    }

    /// k(x, x): the prior variance of one observation, white noise included.
    ///
    /// # Errors
    /// As [`Kernel::value`].
    pub fn variance(&self, x: &[f64]) -> Result<f64> {
        self.evaluate(x, x, true)
    }

    fn evaluate(&self, x: &[f64], y: &[f64], same: bool) -> Result<f64> {
        const OP: &str = "kernel value";
        self.check()?;
        if x.len() != y.len() {
            let what = format!("the points have {} and {} features", x.len(), y.len());
            return Err(Error::Shape { op: OP, what });
        }
        self.fits(OP, x.len())?;
        for (row, point) in [x, y].into_iter().enumerate() {
            if let Some(col) = point.iter().position(|v| !v.is_finite()) {
                return Err(Error::NotFinite { op: OP, what: "the pair", value: point[col], row, col });
            }
        }
        number(OP, "the kernel", eval(&self.expr, x, y, same)?)
    }
}

fn eval(e: &Expr, x: &[f64], y: &[f64], same: bool) -> Result<f64> {
    Ok(match e {
        Expr::Leaf(l) => leaf(l, x, y, same)?,
        Expr::Sum(t) => t.iter().map(|k| eval(k, x, y, same)).sum::<Result<f64>>()?,
        Expr::Product(t) => t.iter().map(|k| eval(k, x, y, same)).product::<Result<f64>>()?,
        Expr::Scaled(c, k) => c.value * eval(k, x, y, same)?,
        Expr::Pow(m, k) => eval(k, x, y, same)?.powi(m.cast_signed()),
        Expr::Exp(k) => eval(k, x, y, same)?.exp(),
        Expr::PolynomialOf(c, k) => {
            let k = eval(k, x, y, same)?;
            c.iter().rev().fold(0.0, |sum, c| sum * k + c.value)
        }
        Expr::Warp(f, k) => f.apply(x)?[0] * eval(k, x, y, same)? * f.apply(y)?[0],
        Expr::Map(f, k) => eval(k, &f.apply(x)?, &f.apply(y)?, same)?,
        Expr::Project(b, k) => eval(k, &b.times(x), &b.times(y), same)?,
        Expr::Quadratic(a) => dot(x, &a.times(y)),
        Expr::On(cols, k) => eval(k, &select(x, cols), &select(y, cols), same)?,
    })
}

fn leaf(l: &Leaf, x: &[f64], y: &[f64], same: bool) -> Result<f64> {
    let sum = |h: &dyn Fn(usize) -> f64| (0..x.len()).map(h).sum::<f64>();
    let scaled_square = || sum(&|f| ((x[f] - y[f]) / l.scale_of(f)).powi(2));
    Ok(match &l.kind {
        Kind::Linear => sum(&|f| l.scale_of(f) * x[f] * y[f]),
        Kind::Polynomial(m) => (dot(x, y) + l.scalar(0)).powi(m.cast_signed()),
        Kind::ExponentialDot => sum(&|f| x[f] * y[f] / l.scale_of(f).powi(2)).exp(),
        Kind::Rbf => (-0.5 * scaled_square()).exp(),
        Kind::Laplacian => (-sum(&|f| (x[f] - y[f]).abs() / l.scale_of(f))).exp(),
        Kind::Matern12 => (-scaled_square().sqrt()).exp(),
        Kind::Matern32 => {
            let t = (3.0 * scaled_square()).sqrt().min(FARTHEST);
            (1.0 + t) * (-t).exp()
        }
        Kind::Matern52 => {
            let t = (5.0 * scaled_square()).sqrt().min(FARTHEST);
            (1.0 + t + t * t / 3.0) * (-t).exp()
        }
        Kind::Matern(nu) => matern(*nu, scaled_square()),
        Kind::RationalQuadratic => {
            let alpha = l.scalar(0);
            (-alpha * (scaled_square() / (2.0 * alpha)).ln_1p()).exp()
        }
        Kind::RationalQuadraticBeta => (-l.scalar(0) * (scaled_square() / l.scalar(1)).ln_1p()).exp(),
        Kind::Periodic => {
            let s = sum(&|f| ((PI * (x[f] - y[f]) / l.scalar(0)).sin() / l.scale_of(f)).powi(2));
            (-2.0 * s).exp()
        }
        Kind::Cosine => {
            let n = (dot(x, x) * dot(y, y)).sqrt();
            if n == 0.0 { 0.0 } else { dot(x, y) / n }
        }
        Kind::Arcsine => {
            let form = |a: &[f64], b: &[f64]| l.scalar(0) + sum(&|f| l.scale_of(f) * a[f] * b[f]);
            let d = (1.0 + 2.0 * form(x, x)) * (1.0 + 2.0 * form(y, y));
            2.0 / PI * (2.0 * form(x, y) / d.sqrt()).clamp(-1.0, 1.0).asin()
        }
        Kind::Constant => l.scalar(0),
        Kind::White => f64::from(u8::from(same)) * l.scalar(0),
        Kind::Sigmoid => (l.scalar(0) * dot(x, y) + l.scalar(1)).tanh(),
        Kind::Precomputed(t) => {
            t.at(t.index("kernel value", x[0], 0, 0)?, t.index("kernel value", y[0], 1, 0)?)
        }
        Kind::Custom(c) => (c.value)(x, y, &l.scalars.iter().map(|h| h.value).collect::<Vec<_>>()),
    })
}

/// Beyond it `exp(-t)` is zero; a distance that has overflowed must not make that a NaN.
pub(super) const FARTHEST: f64 = 1e3;

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn select(x: &[f64], cols: &[usize]) -> Vec<f64> {
    cols.iter().map(|&c| x[c]).collect()
}
