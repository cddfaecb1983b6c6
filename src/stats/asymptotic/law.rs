//! The laws that statistics follow as n grows, and the outcome of a test by them.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

use crate::stats::null::{p_value, threshold};
use crate::stats::outcome::{Done, KernelOutcome, TestOutcome};
use crate::stats::permutations::stream;
use crate::stats::quantile::upper_quantile;
use crate::{Device, Error, Kernel, Result};

/// A p-value, what the statistic must exceed at the level, and the sample it was compared with if there is one.
pub(super) struct Verdict {
    pub p_value: f64,
    pub threshold: f64,
    pub sample: Option<Vec<f64>>,
}

/// Nothing varies, so that nothing can be told.
pub(super) const NOTHING: Verdict = Verdict { p_value: 1.0, threshold: f64::INFINITY, sample: None };

/// Whether a mean of centred kernel values stands out of the rounding of the values themselves.
pub(super) fn varies(device: &Device, centred: f64, plain: f64) -> bool {
    centred > plain.abs() * if device.is_gpu() { 1e-6 } else { 1e-14 }
}

/// `statistic + offset` against the gamma law with this mean and variance.
pub(super) fn gamma(statistic: f64, offset: f64, mean: f64, variance: f64, alpha: f64) -> Verdict {
    let scale = variance / mean;
    // statrs refuses what is not positive and finite.
    match Gamma::new(mean / scale, 1.0) {
        Ok(law) if scale > 0.0 => Verdict {
            p_value: law.sf(((statistic + offset) / scale).max(0.0)),
            threshold: scale * upper_quantile(|x| law.sf(x), alpha) - offset,
            sample: None,
        },
        _ => NOTHING,
    }
}

/// `statistic + offset` against `draws` values of `Σ_l λ_l ξ_l² + rest`, ξ standard normal.
pub(super) fn chi_squares(
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
        p_value: p_value(statistic, &sample),
        threshold: threshold(alpha, &sample),
        sample: Some(sample),
    }
}

/// `statistic` against the normal law of mean zero and this variance.
pub(super) fn normal(statistic: f64, variance: f64, alpha: f64) -> Result<Verdict> {
    if variance.is_nan() || variance <= 0.0 {
        return Ok(NOTHING);
    }
    let law = Normal::new(0.0, variance.sqrt()).map_err(|_| Error::Parameter {
        name: "variance".to_owned(),
        value: variance,
        requirement: "must be finite",
    })?;
    Ok(Verdict { p_value: law.sf(statistic), threshold: law.inverse_cdf(1.0 - alpha), sample: None })
}

/// The outcome of a test with one kernel, or one pair of them.
pub(super) fn outcome(
    statistic: f64,
    verdict: Verdict,
    alpha: f64,
    keep_null: bool,
    kernels: Vec<Kernel>,
    done: Done,
) -> TestOutcome {
    let Verdict { p_value, threshold, sample } = verdict;
    let own = KernelOutcome { kernels, statistic, p_value, rejects: p_value <= alpha };
    TestOutcome {
        statistic,
        p_value,
        alpha,
        threshold,
        null: sample.filter(|_| keep_null),
        kernels: vec![own],
        fired: 0,
        done,
    }
}
