//! Null distributions, and the p-values that resamples give.

use crate::Error;

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
    /// The statistic is then [`Mmd::block`](super::Mmd::block), whatever the estimator.
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
    pub(super) fn is_asymptotic(self) -> bool {
        matches!(self, Null::Gamma | Null::Spectral { .. } | Null::Normal { .. } | Null::ChiSquared)
    }

    /// What a test says that has no such null.
    pub(super) fn refused(self, op: &'static str, instead: &'static str) -> Error {
        Error::Unsupported { op, what: format!("{self:?}"), device: "any device".to_owned(), instead }
    }

    /// In words.
    pub(super) fn name(self) -> &'static str {
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

/// Differences below this part of the null's spread are ties: f32 cannot tell them apart, and both devices must agree.
const TIE: f64 = 1e-5;

/// `(b + 1) / (B + 1)` with b the number of the B null values that are at least `statistic`.
///
/// Values that differ from it by less than 1e-5 of the null's standard deviation count as ties, that is, as at least
/// as large: a permutation that changes nothing must not be decided by rounding. This never makes the p-value smaller.
///
/// ```
/// use mercer::stats::p_value;
/// assert_eq!(p_value(3.0, &[1.0, 2.0, 3.0, 4.0]), 3.0 / 5.0);
/// ```
pub fn p_value(statistic: f64, null: &[f64]) -> f64 {
    share_from(statistic - margin(statistic, null), null)
}

/// `(b + 1) / (B + 1)` with b the number of null values from `least` on, to the last bit.
pub(super) fn share_from(least: f64, null: &[f64]) -> f64 {
    let b = null.iter().filter(|&&v| v >= least).count();
    (b + 1) as f64 / (null.len() + 1) as f64
}

/// What counts as a tie among these values.
pub(super) fn margin(statistic: f64, null: &[f64]) -> f64 {
    let count = (null.len() + 1) as f64;
    let mean = (statistic + null.iter().sum::<f64>()) / count;
    let square = |v: f64| (v - mean) * (v - mean);
    let variance = (square(statistic) + null.iter().map(|&v| square(v)).sum::<f64>()) / count;
    TIE * variance.sqrt()
}

/// What a statistic must exceed for `(b + 1) / (B + 1) <= alpha`: infinite if B is too small for that ever to hold.
pub(super) fn threshold(alpha: f64, null: &[f64]) -> f64 {
    // At most `allowed` null values may be as large; the next one is the threshold.
    let allowed = (alpha * (null.len() + 1) as f64 + 1e-9).floor() as usize;
    if allowed == 0 {
        return f64::INFINITY;
    }
    let mut sorted = null.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted.get(allowed - 1).copied().unwrap_or(f64::NEG_INFINITY)
}
