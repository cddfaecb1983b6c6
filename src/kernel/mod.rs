//! Kernel functions k(x, x'): their algebra, their hyper-parameters, their derivatives and their WGSL.
//!
//! A [`Kernel`] is an expression: leaves ([`Kernel::rbf`], [`Kernel::matern32`], [`Kernel::linear`], ...)
//! combined by `+`, `*`, [`scaled`](Kernel::scaled), [`pow`](Kernel::pow), [`exp`](Kernel::exp),
//! [`map`](Kernel::map), [`on`](Kernel::on) and so on. [`Kernel::value`] is its definition. For data the
//! expression is lowered to a short straight-line program over a few statistics of a pair of points (a squared
//! distance, a dot product, ...), which the CPU interprets tile by tile and the GPU receives as generated WGSL.
//!
//! ```
//! use mercer::Kernel;
//!
//! let k = 2.5 * Kernel::rbf(0.7) + Kernel::linear() * Kernel::periodic(1.0, 12.0) + Kernel::white(0.01);
//! assert_eq!(k.to_string(), "2.5·rbf(ℓ=0.7) + linear·periodic(ℓ=1, period=12) + white(variance=0.01)");
//! let names: Vec<String> = k.params().into_iter().map(|p| p.name).collect();
//! assert_eq!(names[..2], ["sum.0.scale", "sum.0.rbf.lengthscale"]);
//! # Ok::<(), mercer::Error>(())
//! ```

// The verbs call the program and its WGSL; until they do, nothing outside of the tests does.

mod algebra;
mod bessel;
mod build;
mod check;
mod cpu;
mod custom;
mod display;
mod expr;
mod factor;
mod hyper;
mod input_gradient;
mod lower;
mod map;
mod params;
mod points;
mod program;
mod properties;
mod rows;
#[cfg(feature = "serde")]
mod saved;
mod spectral;
mod spectral_density;
pub mod structures;
mod value;
mod wgsl;

#[cfg(test)]
mod tests;

pub use custom::Custom;
pub(crate) use hyper::about;
pub use hyper::{Lengthscale, Param, Scale};
pub(crate) use rows::GramRows;

#[allow(unused_imports, reason = "the doors to this module for the verbs")]
pub(crate) use {
    cpu::Scratch, cpu::vector, points::Packed, points::Points, program::Program, wgsl::KernelWgsl,
};

use expr::Expr;

/// A kernel expression.
///
/// Building one never fails; every use of one checks its parameters first and answers
/// [`Error::Parameter`](crate::Error::Parameter) when one is out of its domain ([`Kernel::check`] asks directly).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Expr", into = "Expr"))]
#[allow(clippy::unsafe_derive_deserialize, reason = "the unsafe code is inside ndarray's slicing macro")]
pub struct Kernel {
    pub(crate) expr: Expr,
}

impl From<Kernel> for Expr {
    fn from(k: Kernel) -> Expr {
        k.expr
    }
}

impl TryFrom<Expr> for Kernel {
    type Error = crate::Error;

    /// What comes from outside may have any shape: it is checked before anything indexes into it.
    fn try_from(expr: Expr) -> crate::Result<Kernel> {
        let k = Kernel { expr };
        k.check()?;
        Ok(k)
    }
}
