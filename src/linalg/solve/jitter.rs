//! How much may be added to a diagonal to make a matrix positive definite.

use crate::check::parameter;
use crate::Result;

/// `A + jitter I`: whether it is allowed, and how it grows. Amounts are relative to the mean of A's diagonal.
///
/// Whatever was added is reported, in absolute terms, wherever it was added.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Jitter {
    /// Nothing is added: a matrix that is not positive definite is an error.
    #[default]
    Never,
    /// First nothing, then `first`, `first * factor`, ... up to `last`, until the matrix is positive definite.
    Ladder {
        /// The smallest amount tried.
        first: f64,
        /// How much larger each next one is.
        factor: f64,
        /// The largest amount tried.
        last: f64,
    },
}

impl Jitter {
    /// From 1e-10 to 1e-2 of the mean diagonal, by tens.
    pub fn ladder() -> Self {
        Jitter::Ladder { first: 1e-10, factor: 10.0, last: 1e-2 }
    }

    /// The amounts to try, zero first.
    pub(crate) fn rungs(self) -> Result<Vec<f64>> {
        let mut rungs = vec![0.0];
        if let Jitter::Ladder { first, factor, last } = self {
            let positive = |v: f64| v > 0.0 && v.is_finite();
            parameter("jitter.first", first, positive(first), "a jitter must be positive and finite")?;
            parameter(
                "jitter.factor",
                factor,
                factor >= 1.5 && factor.is_finite(),
                "a rung must be at least 1.5 times the last",
            )?;
            parameter(
                "jitter.last",
                last,
                positive(last) && last >= first,
                "must not be below jitter.first",
            )?;
            // The slack keeps `last` itself when it is a power of the factor but for rounding.
            let above = std::iter::successors(Some(first), |v| Some(v * factor));
            rungs.extend(above.take_while(|v| *v <= last * 1.000_001));
        }
        Ok(rungs)
    }
}
