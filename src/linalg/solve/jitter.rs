//! How much may be added to a diagonal to make a matrix positive definite.

use crate::check::parameter;
use crate::{Error, Result};

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

    /// What `factor` makes of the least amount, relative to `scale`, with which it is not refused as not positive definite.
    ///
    /// # Errors
    /// The first refusal if all are refused: what the caller should know is what is wrong with his matrix, not with ours.
    /// Any other error of `factor`; [`Error::Parameter`] for a bad ladder.
    pub(crate) fn climb<T>(self, scale: f64, mut factor: impl FnMut(f64) -> Result<T>) -> Result<T> {
        let rungs = self.rungs()?;
        let refusal = match factor(0.0) {
            Err(e @ Error::NotPositiveDefinite { .. }) => e,
            other => return other,
        };
        for relative in rungs {
            match factor(relative * scale) {
                Err(Error::NotPositiveDefinite { .. }) => {}
                other => return other,
            }
        }
        Err(refusal)
    }

    /// The amounts to try where nothing is not enough.
    pub(crate) fn rungs(self) -> Result<Vec<f64>> {
        let Jitter::Ladder { first, factor, last } = self else { return Ok(Vec::new()) };
        let positive = |v: f64| v > 0.0 && v.is_finite();
        parameter("jitter.first", first, positive(first), "a jitter must be positive and finite")?;
        let steep = factor >= 1.5 && factor.is_finite();
        parameter("jitter.factor", factor, steep, "a rung must be at least 1.5 times the last")?;
        let above = positive(last) && last >= first;
        parameter("jitter.last", last, above, "must not be below jitter.first")?;
        // The slack keeps `last` itself when it is a power of the factor but for rounding.
        let rungs = std::iter::successors(Some(first), |v| Some(v * factor));
        Ok(rungs.take_while(|v| *v <= last * 1.000_001).collect())
    }
}
