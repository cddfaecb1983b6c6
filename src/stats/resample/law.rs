//! The laws that statistics follow as n grows, and the outcome of a test by them.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

use super::configuration::Resampling;
use super::null::{judged, threshold};
use super::permutations::stream;
use super::quantile::upper_quantile;
use super::trusted::finite;
use crate::stats::outcome::{KernelOutcome, Run, TestOutcome};
use crate::{Device, Kernel, Result};

/// A p-value, what the statistic must exceed at the level, and the sample it was compared with if there is one.
pub(in crate::stats) struct Verdict {
    pub p_value: f64,
    pub threshold: f64,
    pub sample: Option<Vec<f64>>,
}

/// Nothing varies, so that nothing can be told.
pub(in crate::stats) const NOTHING: Verdict =
    Verdict { p_value: 1.0, threshold: f64::INFINITY, sample: None };

/// Whether a mean of centred kernel values stands out of the rounding of the values themselves.
pub(in crate::stats) fn varies(device: &Device, centred: f64, plain: f64) -> bool {
    centred > plain.abs() * if device.is_gpu() { 1e-6 } else { 1e-14 }
}

/// `statistic + offset` against the gamma law with this mean and variance.
///
/// # Errors
/// Moments that are not finite.
pub(in crate::stats) fn gamma(
    op: &'static str,
    statistic: f64,
    offset: f64,
    mean: f64,
    variance: f64,
    alpha: f64,
) -> Result<Verdict> {
    finite(op, mean)?;
    finite(op, variance)?;
    let scale = variance / mean;
    // statrs refuses what is not positive.
    Ok(match Gamma::new(mean / scale, 1.0) {
        Ok(law) if scale > 0.0 => Verdict {
            p_value: law.sf(((statistic + offset) / scale).max(0.0)),
            threshold: scale * upper_quantile(|x| law.sf(x), alpha) - offset,
            sample: None,
        },
        _ => NOTHING,
    })
}

/// `statistic + offset` against `draws` values of `Σ_l λ_l ξ_l² + rest`, ξ standard normal.
pub(in crate::stats) fn chi_squares(
    statistic: f64,
    offset: f64,
    (eigenvalues, rest): (&[f64], f64),
    draws: usize,
    seed: u64,
    alpha: f64,
) -> Verdict {
    let draw = |b: usize| {
        let mut rng = stream(seed, b);
        let square = |lambda: &f64| {
            let normal: f64 = rng.sample(StandardNormal);
            lambda * normal * normal
        };
        eigenvalues.iter().map(square).sum::<f64>() + rest - offset
    };
    let sample: Vec<f64> = (0..draws).into_par_iter().map(draw).collect();
    Verdict {
        p_value: judged(statistic, &sample, 0.0),
        threshold: threshold(alpha, &sample),
        sample: Some(sample),
    }
}

/// `statistic` against the normal law of mean zero and this variance.
///
/// # Errors
/// A variance that is not finite.
pub(in crate::stats) fn normal(
    op: &'static str,
    statistic: f64,
    variance: f64,
    alpha: f64,
) -> Result<Verdict> {
    finite(op, variance)?;
    match Normal::new(0.0, variance.max(0.0).sqrt()) {
        Ok(law) if variance > 0.0 => {
            Ok(Verdict { p_value: law.sf(statistic), threshold: law.inverse_cdf(1.0 - alpha), sample: None })
        }
        _ => Ok(NOTHING),
    }
}

/// The outcome of a test with one kernel, or one pair of them.
///
/// # Errors
/// A statistic or a p-value that is not finite.
pub(in crate::stats) fn outcome(
    op: &'static str,
    statistic: f64,
    verdict: Verdict,
    resampling: &Resampling,
    kernels: Vec<Kernel>,
    run: Run,
) -> Result<TestOutcome> {
    let Verdict { p_value, threshold, sample } = verdict;
    finite(op, statistic)?;
    finite(op, p_value)?;
    let alpha = resampling.alpha;
    let own = KernelOutcome { kernels, statistic, p_value, rejects: p_value <= alpha };
    let null = sample.filter(|_| resampling.keep_null);
    Ok(TestOutcome {
        statistic,
        p_value,
        alpha,
        threshold,
        null,
        kernels: vec![own],
        strongest_index: 0,
        run,
    })
}
