//! How many clusters. Checked in `tests/graph/choice.rs`.

use ndarray::{Array2, Axis};

use super::kmeans::KMeans;
use crate::check::{components, parameter, require, sample};
use crate::learn::configure::getters;
use crate::learn::{Inputs, Targets, purity, silhouette};
use crate::{Device, Result};

/// Scores of numbers of clusters, and the one that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterChoice {
    counts: Vec<usize>,
    scores: Vec<f64>,
    errors: Vec<f64>,
    chosen: usize,
}

getters!(ClusterChoice {
    /// The numbers of clusters that were tried.
    counts: &[usize],
    /// The score of each.
    scores: &[f64],
    /// The standard error of each score; zero where it has none.
    errors: &[f64],
    /// The number that was chosen.
    chosen: usize,
});

/// The K with the largest mean [`silhouette`], of [`KMeans`] with these numbers of clusters.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) unless each K is at least 2 and below the number of rows;
/// [`Error::Shape`](crate::Error::Shape) if there is none; [`Error::NotFinite`](crate::Error::NotFinite).
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((30, 1), |(i, _)| (i % 3) as f64 * 10.0 + i as f64 * 0.01);
/// assert_eq!(choose_by_silhouette(&x, 2..=5, 0)?.chosen(), 3);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn choose_by_silhouette(
    x: impl Inputs,
    counts: impl IntoIterator<Item = usize>,
    seed: u64,
) -> Result<ClusterChoice> {
    let x = x.inputs();
    let counts = tried("choose_by_silhouette", counts)?;
    let score = |&k: &usize| {
        let fit = KMeans::new(k).seed(seed).fit(&Device::cpu(), &x)?;
        silhouette(&x, fit.labels())
    };
    let scores = counts.iter().map(score).collect::<Result<Vec<f64>>>()?;
    let best = (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best });
    Ok(ClusterChoice { chosen: counts[best], errors: vec![0.0; counts.len()], counts, scores })
}

/// The gap statistic: `Gap(K) = mean log W*_K - log W_K`, where W is the cost of [`KMeans`] and W* that of as many points drawn
/// uniformly from the box of the data. The first K with `Gap(K) >= Gap(K') - s(K')` is chosen, K' being the next one tried and s
/// its standard error; the last one if there is none.
///
/// # Errors
/// As [`choose_by_silhouette`] with K at least 1 and at most n; [`Error::Parameter`](crate::Error::Parameter) for fewer than two
/// reference samples.
pub fn choose_by_gap(
    x: impl Inputs,
    counts: impl IntoIterator<Item = usize>,
    references: usize,
    seed: u64,
) -> Result<ClusterChoice> {
    const OP: &str = "choose_by_gap";
    let x = x.inputs();
    sample(OP, "x", x.view(), 2)?;
    let counts = tried(OP, counts)?;
    parameter("references", references as f64, references >= 2, "must be at least 2")?;
    crate::check::room("references", references, counts.len().saturating_mul(8))?;
    let low = x.fold_axis(Axis(0), f64::INFINITY, |a, b| a.min(*b));
    let high = x.fold_axis(Axis(0), f64::NEG_INFINITY, |a, b| a.max(*b));
    let log_cost = |x: &Array2<f64>, k: usize, seed: u64| -> Result<f64> {
        let cost = KMeans::new(k).restarts(3).seed(seed).fit(&Device::cpu(), x)?.cost();
        // As many clusters as points that differ cost nothing: the logarithm of the smallest cost there can be.
        Ok(cost.max(f64::MIN_POSITIVE).ln())
    };
    let own = x.to_owned();
    let mut drawn = Vec::with_capacity(references);
    for b in 0..references {
        let mut uniform = crate::random::uniforms(seed, b as u64 + 1);
        drawn.push(Array2::from_shape_fn(x.dim(), |(_, j)| low[j] + (high[j] - low[j]) * uniform()));
    }
    let (mut scores, mut errors) = (Vec::new(), Vec::new());
    for &k in &counts {
        components("clusters", k, x.nrows())?;
        let costs = drawn.iter().map(|r| log_cost(r, k, seed)).collect::<Result<Vec<f64>>>()?;
        let b = references as f64;
        let mean = costs.iter().sum::<f64>() / b;
        let variance = costs.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / b;
        scores.push(mean - log_cost(&own, k, seed)?);
        errors.push((variance * (1.0 + 1.0 / b)).sqrt());
    }
    let enough = (0..counts.len() - 1).find(|&i| scores[i] >= scores[i + 1] - errors[i + 1]);
    let chosen = counts[enough.unwrap_or(counts.len() - 1)];
    Ok(ClusterChoice { counts, scores, errors, chosen })
}

/// The first K whose clusters by [`KMeans`] have at least this [`purity`] against the classes `y`; the last one tried if none has.
///
/// # Errors
/// As [`choose_by_silhouette`] with K at least 1 and at most n, and for labels that do not fit.
pub fn choose_by_purity<L: Ord + Clone>(
    x: impl Inputs,
    y: impl Targets<Of = [L]>,
    counts: impl IntoIterator<Item = usize>,
    least: f64,
    seed: u64,
) -> Result<ClusterChoice> {
    let x = x.inputs();
    let counts = tried("choose_by_purity", counts)?;
    let y = y.targets();
    let score = |&k: &usize| {
        let fit = KMeans::new(k).seed(seed).fit(&Device::cpu(), &x)?;
        purity(&*y, fit.labels())
    };
    let scores = counts.iter().map(score).collect::<Result<Vec<f64>>>()?;
    let pure = scores.iter().position(|s| *s >= least).unwrap_or(counts.len() - 1);
    Ok(ClusterChoice { chosen: counts[pure], errors: vec![0.0; counts.len()], counts, scores })
}

fn tried(op: &'static str, counts: impl IntoIterator<Item = usize>) -> Result<Vec<usize>> {
    let counts: Vec<usize> = counts.into_iter().collect();
    require(op, !counts.is_empty(), || "there is no number of clusters to try".to_owned())?;
    Ok(counts)
}
