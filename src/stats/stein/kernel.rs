//! The Langevin Stein kernel as a kernel expression over `[x | s(x) | ...]`: sums and products of it never store a matrix.
//!
//! With φ(r²) the kernel below it, Δx = x - x' and Δs = s(x) - s(x'),
//!
//! `h(x, x') = φ s(x)·s(x') - 2 φ' Δs·Δx - 2d φ' - 4 r² φ''`.
//!
//! A term of a GPU kernel is a sum over features of a function of two numbers, so that Δs·Δx, which needs four, is
//! written by squares of differences of new features. Those are made here, on the host, in f64.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use crate::check::parameter;
use crate::kernel::Custom;
use crate::{Kernel, Result};

/// The kernel below a Stein kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SteinBase {
    /// `exp(-½ r² / ℓ²)`. Its discrepancy can vanish, in three dimensions and more, along sequences that do not
    /// converge to the target.
    Rbf {
        /// ℓ > 0.
        lengthscale: f64,
    },
    /// `(1 + r²/c²)^β`, the inverse multiquadric: its slow decay detects every sequence that does not converge to a
    /// target with light tails (Gorham and Mackey 2017).
    InverseMultiquadric {
        /// c > 0.
        scale: f64,
        /// β between -1 and 0.
        exponent: f64,
    },
}

/// A Stein kernel and the features it works on.
pub(super) struct SteinKernel {
    pub kernel: Kernel,
    pub features: Array2<f64>,
}

impl SteinBase {
    pub(super) fn check(self) -> Result<()> {
        match self {
            SteinBase::Rbf { lengthscale: l } => {
                parameter("lengthscale", l, l > 0.0 && l.is_finite(), "must be positive")
            }
            SteinBase::InverseMultiquadric { scale, exponent } => {
                parameter("scale", scale, scale > 0.0 && scale.is_finite(), "must be positive")?;
                let inside = exponent > -1.0 && exponent < 0.0;
                parameter("exponent", exponent, inside, "must lie between -1 and 0")
            }
        }
    }

    /// h for the points `x` with scores `s`, both `n x d`.
    pub(super) fn stein(self, x: ArrayView2<f64>, s: ArrayView2<f64>) -> SteinKernel {
        let d = x.ncols();
        // Only differences of points enter: near the origin f32 sees them better.
        let x = &x - &x.mean_axis(Axis(0)).expect("a sample is not empty");
        let block = |b: usize| (b * d..(b + 1) * d).collect::<Vec<usize>>();
        let (kernel, more) = match self {
            // The bracket's square is completed: h = φ (d/ℓ² + ¼|s + s'|² - |Δ(x/ℓ² - s/2)|²).
            SteinBase::Rbf { lengthscale } => {
                let rate = 1.0 / (lengthscale * lengthscale);
                let bracket = Kernel::constant(d as f64 * rate)
                    + Kernel::custom(squares("stein sum", 1.0, 0.25)).on(block(1))
                    + Kernel::custom(squares("stein difference", -1.0, -1.0)).on(block(2));
                let kernel = Kernel::rbf(lengthscale).on(block(0)) * bracket;
                (kernel, vec![&x * rate - &(&s * 0.5)])
            }
            // Δs·Δx = ¼|Δ(s/τ + τx)|² - ¼|Δ(s/τ - τx)|²; τ gives both parts one size, so that little cancels.
            SteinBase::InverseMultiquadric { scale, exponent } => {
                let size = |a: ArrayView2<f64>| a.iter().map(|v| v * v).sum::<f64>();
                let ratio = (size(s) / size(x.view())).sqrt().sqrt();
                let tau = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
                let square = scale * scale;
                let slope = -2.0 * exponent / square;
                let cross = Kernel::custom(squares("stein together", -1.0, 0.25)).on(block(2))
                    + Kernel::custom(squares("stein apart", -1.0, -0.25)).on(block(3));
                let below = |power: f64| Kernel::rational_quadratic_beta(power, square).on(block(0));
                let kernel = below(-exponent) * Kernel::linear().on(block(1))
                    + slope * below(1.0 - exponent) * cross
                    + Kernel::custom(trace(d, square, exponent)).on(block(0));
                let (s, x) = (&s / tau, &x * tau);
                (kernel, vec![&s + &x, &s - &x])
            }
        };
        let mut parts = vec![x.view(), s];
        parts.extend(more.iter().map(|a| a.view()));
        let features = concatenate(Axis(1), &parts).expect("every part is n x d");
        SteinKernel { kernel, features }
    }
}

/// `factor Σ_f (a_f + sign b_f)²`: of no definite sign, and a kernel only together with the rest of h.
fn squares(name: &str, sign: f64, factor: f64) -> Custom {
    let value = move |x: &[f64], y: &[f64], _: &[f64]| {
        factor * x.iter().zip(y).map(|(a, b)| (a + sign * b) * (a + sign * b)).sum::<f64>()
    };
    let term = if sign > 0.0 { "(a + b) * (a + b)" } else { "(a - b) * (a - b)" };
    Custom::new(name, value).wgsl(term, &format!("{factor:?} * s"))
}

/// `-2d φ' - 4 r² φ''` of the inverse multiquadric, `(A u^(β-1) + B u^(β-2)) / c²` with `u = 1 + r²/c²`.
fn trace(d: usize, square: f64, exponent: f64) -> Custom {
    let b = 4.0 * exponent * (exponent - 1.0);
    let a = -2.0 * exponent * d as f64 - b;
    let value = |x: &[f64], y: &[f64], p: &[f64]| {
        let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        let u = 1.0 + r2 / p[0];
        (p[1] + p[2] / u) * u.powf(p[3]) / p[0]
    };
    Custom::new("stein trace", value)
        .positive("square", square)
        .real("first", a)
        .real("second", b)
        .real("power", exponent - 1.0)
        .wgsl("(a - b) * (a - b)", "let u = 1.0 + s / p[0]; return (p[1] + p[2] / u) * pow(u, p[3]) / p[0];")
}
