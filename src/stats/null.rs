//! Null distributions by resampling, and the p-values they give.

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
}

impl Null {
    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Null::Permutations(_) => "permutations",
            Null::WildBootstrap(_) => "wild bootstrap",
            Null::Exhaustive => "all arrangements",
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
    let least = statistic - margin(statistic, null);
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
