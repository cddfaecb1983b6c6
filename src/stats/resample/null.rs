//! Null distributions, and the p-values that resamples give.

use super::trusted::finite;
use crate::{Error, Result};

/// Where the null distribution of a statistic comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// This many random permutations; exact: the data are one of the B + 1 equally likely arrangements.
    Permutations(usize),
    /// This many random signs: for two samples of equal size, whose pairs may be swapped; for independence, the wild
    /// bootstrap, valid as n grows.
    WildBootstrap(usize),
    /// Every arrangement there is, for small samples; refused beyond a million.
    Exhaustive,
    /// A gamma law with the mean and the variance of the null, as n grows; for one kernel or one pair of them.
    Gamma,
    /// `Σ_l λ_l ξ_l²` with the eigenvalues of the centred Gram matrix, as n grows; for two samples and one kernel.
    Spectral {
        /// Values drawn from that law.
        draws: usize,
        /// Leading eigenvalues to find; those left out are replaced by their mean.
        eigenvalues: usize,
    },
    /// The normal law of a mean over disjoint blocks of rows, as their number grows; for two samples and one kernel.
    /// The statistic is then [`Mmd::block`](crate::stats::Mmd::block), whatever the estimator.
    Normal {
        /// Rows of each sample in a block: 2 is linear time, n would be all pairs.
        block: usize,
    },
    /// χ² with as many degrees of freedom as there are features, as n grows; for the tests that look in a finite set of
    /// places.
    ChiSquared,
}

impl Null {
    /// Whether it is a law for large n instead of resamples of the data.
    pub(in crate::stats) fn is_asymptotic(self) -> bool {
        matches!(self, Null::Gamma | Null::Spectral { .. } | Null::Normal { .. } | Null::ChiSquared)
    }

    /// What a test says that has no such null.
    pub(in crate::stats) fn refused(self, op: &'static str, instead: &'static str) -> Error {
        Error::Unsupported { op, what: format!("{self:?}"), device: "any device".to_owned(), instead }
    }

    /// In words.
    pub(in crate::stats) fn name(self) -> &'static str {
        match self {
            Null::Permutations(_) => "permutations",
            Null::WildBootstrap(_) => "wild bootstrap",
            Null::Exhaustive => "all arrangements",
            Null::Gamma => "gamma law",
            Null::Spectral { .. } => "spectral law",
            Null::Normal { .. } => "normal law",
            Null::ChiSquared => "chi-squared law",
        }
    }
}

/// Differences below this part of the null's standard deviation are ties.
const TIE: f64 = 1e-5;
/// Rounding beyond this part of it makes values of f32 too uncertain to be ranked.
const UNCERTAIN: f64 = 1e-3;

/// `(b + 1) / (B + 1)` with b the number of the B null values that are at least `statistic`.
///
/// Values that differ from it by less than 1e-5 of the null's standard deviation count as ties, that is, as at least
/// as large: a permutation that changes nothing must not be decided by rounding. This never makes the p-value smaller.
///
/// # Errors
/// [`Error::Parameter`] if the statistic or a null value is NaN or infinite: nothing can be said of it.
///
/// ```
/// use mercer::stats::p_value;
/// assert_eq!(p_value(3.0, &[1.0, 2.0, 3.0, 4.0])?, 3.0 / 5.0);
/// assert!(p_value(f64::NAN, &[1.0, 2.0]).is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn p_value(statistic: f64, null: &[f64]) -> Result<f64> {
    let bad = std::iter::once(statistic).chain(null.iter().copied()).find(|v| !v.is_finite());
    finite("p_value", bad.unwrap_or(0.0))?;
    Ok(judged(statistic, null, 0.0))
}

/// The p-value of finite numbers that f32 may have moved by `error`.
pub(in crate::stats) fn judged(statistic: f64, null: &[f64], error: f64) -> f64 {
    share_from(statistic - margin(statistic, null, error), null)
}

/// `(b + 1) / (B + 1)` with b the number of null values from `least` on, to the last bit.
pub(super) fn share_from(least: f64, null: &[f64]) -> f64 {
    let b = null.iter().filter(|&&v| v >= least).count();
    (b + 1) as f64 / (null.len() + 1) as f64
}

/// What counts as a tie among these values: the same on every device, or their p-values would differ.
///
/// In data that were rounded many relabellings have equal statistics, which f32 tells apart and f64 does not: so
/// differences up to `error`, what f32 may do to them, are ties for f64 too.
pub(super) fn margin(statistic: f64, null: &[f64], error: f64) -> f64 {
    let deviation = deviation(statistic, null);
    TIE * deviation + error.min(UNCERTAIN * deviation)
}

/// Whether values that f32 has moved by `error` can be ranked.
pub(super) fn certain(all: &[f64], error: f64) -> bool {
    error <= UNCERTAIN * deviation(all[0], &all[1..])
}

fn deviation(statistic: f64, null: &[f64]) -> f64 {
    let count = (null.len() + 1) as f64;
    let mean = (statistic + null.iter().sum::<f64>()) / count;
    let square = |v: f64| (v - mean) * (v - mean);
    ((square(statistic) + null.iter().map(|&v| square(v)).sum::<f64>()) / count).sqrt()
}

/// What a statistic must exceed for `(b + 1) / (B + 1) <= alpha`: infinite if B is too small for that ever to hold.
pub(in crate::stats) fn threshold(alpha: f64, null: &[f64]) -> f64 {
    // At most `allowed` null values may be as large; the next one is the threshold.
    let allowed = (alpha * (null.len() + 1) as f64 + 1e-9).floor() as usize;
    if allowed == 0 {
        return f64::INFINITY;
    }
    let mut sorted = null.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted.get(allowed - 1).copied().unwrap_or(f64::NEG_INFINITY)
}
