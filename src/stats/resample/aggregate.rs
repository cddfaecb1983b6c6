//! Many kernels, one answer: by their smallest p-value, or by a soft maximum of their statistics.

use super::configuration::Resampling;
use super::null::{certain, judged, margin, share_from, threshold};
use super::trusted::finite;
use crate::learn::ranks::Meeting;
use crate::saved::garbled;
use crate::stats::outcome::{KernelOutcome, Run, TestOutcome};
use crate::{Kernel, Result};

/// How the statistics of several kernels become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combine {
    /// The smallest p-value, itself compared with the smallest p-value of every resample.
    ///
    /// This is `MMDAgg` and `HSICAgg` with uniform weights. Where the papers estimate the corrected level from a second set
    /// of resamples, here one set serves for both: each resample is ranked among all of them, which keeps the level
    /// exactly and costs half as much. Ranks tie, and ties would make the test timid (0.036 instead of 0.05 with sixteen
    /// kernels and 199 permutations), so that equal smallest p-values are told apart by the mean over the kernels.
    MinP,
    /// `1/λ log(1/K Σ_k exp(λ T_k))`, with `T_k` the statistic over its null spread.
    ///
    /// This is MMD-FUSE, with `T_k = ν(ν-1) MMD² / √(Σ_{i≠j} k_ij²)`, ν the smaller sample's size.
    Fuse {
        /// λ: at 1 a mean of exponentials, for large values the maximum.
        sharpness: f64,
    },
}

impl Combine {
    /// MMD-FUSE as its authors run it: their λ is of the order of n, which is the maximum to all purposes.
    pub const FUSE: Combine = Combine::Fuse { sharpness: 1000.0 };
}

/// One kernel's statistic, of the data first and then of every resample.
pub(in crate::stats) struct Values {
    pub all: Vec<f64>,
    /// What the standard deviation of the null is proportional to.
    pub spread: f64,
    /// By how much f32 may move a value, whether it did or not.
    pub error: f64,
}

impl Values {
    /// Those of all resamples, of which every rank has made what [`Meeting::deal`] deals it.
    pub fn dealt(self, all: &Meeting, op: &'static str, resamples: usize) -> Result<Self> {
        let made = all.deal(op, resamples, |b| self.all.get(b / all.size()).copied().ok_or_else(garbled))?;
        Ok(Values { all: made, ..self })
    }
}

/// The outcome of a test with these kernels; none if the values are those of f32 and cannot be trusted.
///
/// # Errors
/// A statistic that is not finite, in f64.
pub(in crate::stats) fn combine(
    op: &'static str,
    values: &[Values],
    kernels: Vec<Vec<Kernel>>,
    how: Combine,
    resampling: &Resampling,
    in_f32: bool,
    mut run: Run,
) -> Result<Option<TestOutcome>> {
    let bad = values.iter().flat_map(|v| &v.all).find(|v| !v.is_finite());
    if in_f32 && (bad.is_some() || values.iter().any(|v| !certain(&v.all, v.error))) {
        return Ok(None);
    }
    finite(op, bad.copied().unwrap_or(0.0))?;
    let alpha = resampling.alpha;
    let own: Vec<f64> = values.iter().map(|v| judged(v.all[0], &v.all[1..], v.error)).collect();
    let mut tie_break = None;
    let (all, score): (Vec<f64>, Vec<f64>) = match how {
        _ if values.len() == 1 => (values[0].all.clone(), vec![1.0]),
        Combine::MinP => {
            run.method += ", smallest p-value";
            let (all, of_data) = min_p(values);
            tie_break = Some(of_data);
            (all, own.iter().map(|p| -p).collect())
        }
        Combine::Fuse { sharpness } => {
            run.method += ", fused";
            (
                fuse(values, sharpness),
                values.iter().map(|v| v.all[0] / v.spread.max(f64::MIN_POSITIVE)).collect(),
            )
        }
    };
    let (statistic, null) = (all[0], &all[1..]);
    // Ranks are whole numbers, and what made them has already decided what is a tie.
    let p = match how {
        _ if values.len() == 1 => own[0],
        Combine::MinP => share_from(statistic, null),
        Combine::Fuse { .. } => {
            let errors = values.iter().filter(|v| v.spread > 0.0).map(|v| v.error / v.spread);
            judged(statistic, null, errors.fold(0.0, f64::max))
        }
    };
    let limit = threshold(alpha, null);
    let strongest = (0..score.len()).fold(0, |best, k| if score[k] > score[best] { k } else { best });
    let rejects = |k: usize| match tie_break {
        Some(of_data) => p <= alpha && of_data - own[k].ln() > limit,
        None => p <= alpha && k == strongest,
    };
    let outcomes = (kernels.into_iter().zip(values).enumerate())
        .map(|(k, (kernels, v))| KernelOutcome {
            kernels,
            statistic: v.all[0],
            p_value: own[k],
            rejects: rejects(k),
        })
        .collect();
    Ok(Some(TestOutcome {
        statistic,
        p_value: p,
        alpha,
        threshold: limit,
        null: resampling.keep_null.then(|| null.to_vec()),
        kernels: outcomes,
        strongest_index: strongest,
        run,
    }))
}

/// `-log min_k p_k` of every resample, ranked among all of them, the data included, plus what breaks ties.
///
/// Two ranks lie `log((r + 1) / r) > 1 / count` apart; `(1 - mean_k p_k) / count` is less than that. What it is for the data
/// comes second.
fn min_p(values: &[Values]) -> (Vec<f64>, f64) {
    let count = values[0].all.len();
    let (mut least, mut sum) = (vec![count; count], vec![0; count]);
    for v in values {
        let tie = margin(v.all[0], &v.all[1..], v.error);
        let mut sorted = v.all.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        for ((least, sum), &own) in least.iter_mut().zip(&mut sum).zip(&v.all) {
            let below = sorted.partition_point(|&s| s < own - tie);
            let rank = count - below;
            (*least, *sum) = ((*least).min(rank), *sum + rank);
        }
    }
    let share = |ranks: usize, of: usize| ranks as f64 / of as f64;
    let tie_break = |sum: usize| (1.0 - share(sum, count * values.len())) / count as f64;
    let all = least.iter().zip(&sum).map(|(&rank, &sum)| tie_break(sum) - share(rank, count).ln()).collect();
    (all, tie_break(sum[0]))
}

/// The soft maximum of the scaled statistics of every resample.
fn fuse(values: &[Values], sharpness: f64) -> Vec<f64> {
    let scaled = |v: &Values, b: usize| if v.spread > 0.0 { v.all[b] / v.spread } else { 0.0 };
    (0..values[0].all.len())
        .map(|b| {
            let most = values.iter().map(|v| scaled(v, b)).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = values.iter().map(|v| (sharpness * (scaled(v, b) - most)).exp()).sum();
            most + (sum / values.len() as f64).ln() / sharpness
        })
        .collect()
}
