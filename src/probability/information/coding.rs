//! Code lengths, and the description length of a model with its data.

use super::pair;
use crate::Result;
use crate::check::{parameter, positive};

/// `⌈-log₂ p(x)⌉` bits for each outcome: a prefix code has these lengths, and its mean length is within one bit of the entropy.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for probabilities that are zero or do not sum to one.
pub fn code_lengths(p: &[f64]) -> Result<Vec<u32>> {
    pair("code_lengths", p, p)?;
    p.iter()
        .enumerate()
        .map(|(k, &v)| {
            positive(&format!("p[{k}]"), v)?;
            // A power of two is exact, whatever the logarithm's rounding.
            let up = (-v.log2()).ceil();
            let shorter = up - 1.0;
            Ok(if shorter >= 0.0 && (-shorter).exp2() <= v { shorter as u32 } else { up as u32 })
        })
        .collect()
}

/// `Σ 2^-l(x)`: at most one if and only if a prefix code has these lengths.
pub fn kraft_sum(lengths: &[u32]) -> f64 {
    lengths.iter().map(|&l| (-f64::from(l)).exp2()).sum()
}

/// Two-part description length in bits: `-log₂ p(data | fitted) + (K/2) log₂ N` for K parameters fitted to N observations.
/// It ranks as BIC does; densities leave a constant out.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a likelihood that is not finite (a model that fits without
/// error has none), or no observations.
///
/// ```
/// use mercer::probability::information::description_length;
/// assert_eq!(description_length(-8.0 * std::f64::consts::LN_2, 2, 16.0)?, 12.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn description_length(log_likelihood: f64, parameters: usize, observations: f64) -> Result<f64> {
    let requirement = "must be finite: a model without error on its data cannot be compared";
    parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), requirement)?;
    positive("observations", observations)?;
    Ok(-log_likelihood / std::f64::consts::LN_2 + 0.5 * parameters as f64 * observations.log2())
}
