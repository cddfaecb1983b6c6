//! Hyper-parameters: a number, the set it may come from, and what an optimiser may do with it.

use crate::{Error, Result};

/// The scale on which an optimiser sees a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The logarithm of the value: for parameters that must be positive.
    Log,
    /// The value itself.
    Linear,
}

/// One hyper-parameter of a kernel, as [`Kernel::params`](crate::Kernel::params) lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its unique name, such as `sum.1.matern32.lengthscale[2]`.
    pub name: String,
    /// Its value, on the natural scale.
    pub value: f64,
    /// The smallest and largest value that an optimiser may try, on the natural scale: unless
    /// [set](crate::Kernel::bounded) from 1e-5, 0 or -1e5 to 1e5, and five decades further where the value is beyond.
    pub bounds: (f64, f64),
    /// Whether an optimiser must leave it alone.
    pub fixed: bool,
    /// The scale on which an optimiser sees it.
    pub scale: Scale,
}

/// The set that a parameter's value must belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Domain {
    Positive,
    NonNegative,
    Real,
}

/// A hyper-parameter inside an expression; its name is its place in the tree.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Hyper {
    pub value: f64,
    /// Those that were asked for.
    pub bounds: Option<(f64, f64)>,
    pub fixed: bool,
    pub domain: Domain,
}

impl Hyper {
    fn new(value: f64, domain: Domain) -> Self {
        Hyper { value, bounds: None, fixed: false, domain }
    }

    /// Those that were asked for; if none were, ten decades about one: wide enough for standardised data, and finite, so
    /// that a search box exists.
    pub fn bounds(&self) -> (f64, f64) {
        let usual = match self.domain {
            Domain::Positive => (1e-5, 1e5),
            Domain::NonNegative => (0.0, 1e5),
            Domain::Real => (-1e5, 1e5),
        };
        self.bounds.unwrap_or_else(|| about(usual, self.value))
    }

    pub fn positive(value: f64) -> Self {
        Self::new(value, Domain::Positive)
    }

    pub fn non_negative(value: f64) -> Self {
        Self::new(value, Domain::NonNegative)
    }

    pub fn real(value: f64) -> Self {
        Self::new(value, Domain::Real)
    }

    pub fn scale(&self) -> Scale {
        match self.domain {
            Domain::Positive => Scale::Log,
            Domain::NonNegative | Domain::Real => Scale::Linear,
        }
    }

    /// Whether `value` lies in the domain.
    pub fn admit(&self, name: &str, value: f64) -> Result<()> {
        let (ok, requirement) = match self.domain {
            Domain::Positive => (value > 0.0, "it must be positive and finite"),
            Domain::NonNegative => (value >= 0.0, "it must be zero or positive, and finite"),
            Domain::Real => (true, "it must be finite"),
        };
        if ok && value.is_finite() {
            Ok(())
        } else {
            Err(Error::Parameter { name: name.to_string(), value, requirement })
        }
    }

    /// The value as an optimiser sees it.
    pub fn transformed(&self) -> f64 {
        match self.scale() {
            Scale::Log => self.value.ln(),
            Scale::Linear => self.value,
        }
    }

    /// The inverse of [`Hyper::transformed`], for another value.
    pub fn natural(&self, t: f64) -> f64 {
        match self.scale() {
            Scale::Log => t.exp(),
            Scale::Linear => t,
        }
    }
}

/// Bounds that nobody asked for, five decades beyond the value if that is not between them: a search begins at it.
pub(crate) fn about((low, high): (f64, f64), value: f64) -> (f64, f64) {
    // No more than f64 has, and never short of the value.
    if value > high {
        (low, (value * 1e5).min(f64::MAX))
    } else if value < low {
        let beyond = if value < 0.0 { (value * 1e5).max(f64::MIN) } else { value * 1e-5 };
        (if beyond == 0.0 { value } else { beyond }, high)
    } else {
        (low, high)
    }
}

/// One length scale for all features, or one for each (automatic relevance determination).
///
/// Made from an `f64`, an array, a slice or a vector: `Kernel::rbf(0.5)`, `Kernel::rbf([0.5, 1.0, 2.0])`.
#[derive(Debug, Clone, PartialEq)]
pub enum Lengthscale {
    /// The same for all features.
    Shared(f64),
    /// One for each feature, in the order of the columns.
    PerFeature(Vec<f64>),
}

impl From<f64> for Lengthscale {
    fn from(l: f64) -> Self {
        Lengthscale::Shared(l)
    }
}

impl<const N: usize> From<[f64; N]> for Lengthscale {
    fn from(l: [f64; N]) -> Self {
        Lengthscale::PerFeature(l.to_vec())
    }
}

impl From<&[f64]> for Lengthscale {
    fn from(l: &[f64]) -> Self {
        Lengthscale::PerFeature(l.to_vec())
    }
}

impl From<Vec<f64>> for Lengthscale {
    fn from(l: Vec<f64>) -> Self {
        Lengthscale::PerFeature(l)
    }
}
