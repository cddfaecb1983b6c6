//! Kleinberg's axioms, tried on a clustering method. Checked in `tests/graph/axioms.rs`.
//!
//! A method is a function from distances, `n x n`, to the cluster of each point. No method has scale invariance, richness and
//! consistency at once.

use ndarray::{Array2, ArrayView2};

use crate::Result;
use crate::check::{parameter, positive, symmetric};
use crate::learn::Inputs;

/// Most points whose partitions are all tried: there are 4140 of 8.
const POINTS: usize = 8;

/// Whether an axiom held wherever it was tried.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Axiom {
    /// It held in all of so many trials, which proves nothing beyond them.
    Held(usize),
    /// It does not hold: a counterexample.
    Violated {
        /// The distances for which the method says otherwise.
        distances: Array2<f64>,
        /// The partition that the axiom asks for.
        wanted: Vec<usize>,
        /// The partition that the method gives; for richness the one it gave last.
        found: Vec<usize>,
    },
}

impl Axiom {
    /// Whether it held.
    pub fn held(&self) -> bool {
        matches!(self, Axiom::Held(_))
    }
}

/// Scale invariance: `F(α d) = F(d)` for each of these α > 0.
///
/// # Errors
/// Those of the method, and for distances or factors that are none.
///
/// ```
/// use mercer::models::cluster::scale_invariance;
/// use mercer::prelude::*;
/// let d = ndarray::array![[0.0, 1.0, 4.0], [1.0, 0.0, 4.0], [4.0, 4.0, 0.0]];
/// let within = |d: ndarray::ArrayView2<f64>| {
///     Hierarchical::new(DendrogramCut::Height(2.0)).linkage(Linkage::Single).fit_dissimilarity(d).map(|f| f.labels().to_vec())
/// };
/// assert!(!scale_invariance(within, &d, &[0.1, 10.0])?.held());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn scale_invariance(
    method: impl Fn(ArrayView2<f64>) -> Result<Vec<usize>>,
    distances: impl Inputs,
    factors: &[f64],
) -> Result<Axiom> {
    let d = symmetric("scale_invariance", distances.inputs().view())?;
    let wanted = named(&method(d.view())?);
    for &factor in factors {
        positive("factor", factor)?;
        let scaled = &d * factor;
        let found = named(&method(scaled.view())?);
        if found != wanted {
            return Ok(Axiom::Violated { distances: scaled, wanted, found });
        }
    }
    Ok(Axiom::Held(factors.len()))
}

/// Consistency: `F(d') = F(d)` wherever d' is no longer than d within the clusters of `F(d)` and no shorter between them. So many
/// d' are drawn: each distance within is multiplied by a number in (0, 1], each between by one in [1, 10).
///
/// # Errors
/// Those of the method, and for distances that are none.
pub fn consistency(
    method: impl Fn(ArrayView2<f64>) -> Result<Vec<usize>>,
    distances: impl Inputs,
    trials: usize,
    seed: u64,
) -> Result<Axiom> {
    let d = symmetric("consistency", distances.inputs().view())?;
    let wanted = named(&method(d.view())?);
    for trial in 0..trials {
        let mut uniform = crate::random::uniforms(seed, trial as u64);
        let mut moved = d.clone();
        for i in 0..d.nrows() {
            for j in 0..i {
                let u = uniform();
                let factor = if wanted[i] == wanted[j] { 1.0 - u } else { 1.0 + 9.0 * u };
                moved[[i, j]] *= factor;
                moved[[j, i]] = moved[[i, j]];
            }
        }
        let found = named(&method(moved.view())?);
        if found != wanted {
            return Ok(Axiom::Violated { distances: moved, wanted, found });
        }
    }
    Ok(Axiom::Held(trials))
}

/// Richness: every partition of n points is `F(d)` for some d. All partitions of n <= 8 points are tried, each with distances s
/// within clusters and r s between them, for r = 2 and 1000 and s from 1e-6 to 1e6.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) unless n is between 1 and 8. A method that refuses some distances, as k-means
/// does fewer points than clusters, does not have their partition.
pub fn richness(method: impl Fn(ArrayView2<f64>) -> Result<Vec<usize>>, n: usize) -> Result<Axiom> {
    parameter("points", n as f64, (1..=POINTS).contains(&n), "must be between 1 and 8")?;
    let all = partitions(n);
    for wanted in &all {
        let mut last = (Array2::zeros((n, n)), Vec::new());
        let mut reached = false;
        for (scale, ratio) in (-6..=6).flat_map(|e| [(10f64.powi(e), 2.0), (10f64.powi(e), 1000.0)]) {
            let d = Array2::from_shape_fn((n, n), |(i, j)| match (i == j, wanted[i] == wanted[j]) {
                (true, _) => 0.0,
                (_, true) => scale,
                (_, false) => scale * ratio,
            });
            let Ok(found) = method(d.view()) else { continue };
            let found = named(&found);
            reached = found == *wanted;
            last = (d, found);
            if reached {
                break;
            }
        }
        if !reached {
            return Ok(Axiom::Violated { distances: last.0, wanted: wanted.clone(), found: last.1 });
        }
    }
    Ok(Axiom::Held(all.len()))
}

/// Clusters numbered in the order of their first points.
fn named(labels: &[usize]) -> Vec<usize> {
    let mut names: Vec<usize> = Vec::new();
    let mut name = |l: &usize| {
        names.iter().position(|n| n == l).unwrap_or_else(|| {
            names.push(*l);
            names.len() - 1
        })
    };
    labels.iter().map(&mut name).collect()
}

/// Every partition of n points, numbered so.
fn partitions(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for _ in 1..n {
        all = all
            .into_iter()
            .flat_map(|p| {
                let most = p.iter().max().map_or(0, |m| m + 1);
                (0..=most).map(move |k| p.iter().copied().chain([k]).collect())
            })
            .collect();
    }
    all
}
