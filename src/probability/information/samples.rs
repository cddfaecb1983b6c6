//! Entropy, divergence and mutual information from samples, with their bias said.

use ndarray::{Array2, ArrayView2, Axis};

use super::{entropy, mutual_information};
use crate::Result;
use crate::check::{paired, parameter, sample, two_samples};
use crate::probability::special::{digamma, log_gamma};

/// The bin of each number of a column, of `bins` equal ones from the smallest to the largest, and their width.
fn binned(column: ndarray::ArrayView1<f64>, bins: usize) -> (Vec<usize>, f64) {
    let (low, high) =
        column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let width = (high - low) / bins as f64;
    let at = |&v: &f64| if width > 0.0 { (((v - low) / width) as usize).min(bins - 1) } else { 0 };
    (column.iter().map(at).collect(), width)
}

/// The differential entropy of numbers, from a histogram of equal bins: `-Σ p̂ ln p̂ + ln width`, plus Miller and Madow's
/// `(occupied - 1)/(2n)` for the bias of the plug-in, which is downward. What is left is the bias of the bins' width.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for fewer than two numbers, [`Error::Parameter`](crate::Error::Parameter) for no bins
/// or numbers that are all the same.
pub fn histogram_entropy(x: &[f64], bins: usize) -> Result<f64> {
    let column = ndarray::ArrayView1::from(x);
    sample("histogram_entropy", "x", column.insert_axis(Axis(1)), 2)?;
    parameter("bins", bins as f64, bins > 0 && bins <= x.len(), "must be at least 1 and at most n")?;
    let (at, width) = binned(column, bins);
    parameter("width of a bin", width, width > 0.0, "the numbers must not all be equal")?;
    let mut counts = vec![0.0; bins];
    for bin in at {
        counts[bin] += 1.0;
    }
    let n = x.len() as f64;
    let occupied = counts.iter().filter(|c| **c > 0.0).count() as f64;
    let plug_in = entropy(&counts.iter().map(|c| c / n).collect::<Vec<_>>())?;
    Ok(plug_in + width.ln() + 0.5 * (occupied - 1.0) / n)
}

/// `I(X; Y)` of two columns of numbers, from a two-dimensional histogram. The plug-in is biased upward by about
/// `(rows - 1)(columns - 1)/(2n)` (occupied bins), which is taken off; the width of the bins biases it downward.
///
/// # Errors
/// As [`histogram_entropy`], and for columns of different lengths.
pub fn histogram_mutual_information(x: &[f64], y: &[f64], bins: usize) -> Result<f64> {
    let (a, b) = (ndarray::ArrayView1::from(x), ndarray::ArrayView1::from(y));
    paired("histogram_mutual_information", a.insert_axis(Axis(1)), b.insert_axis(Axis(1)), 2)?;
    parameter("bins", bins as f64, bins > 0 && bins <= x.len(), "must be at least 1 and at most n")?;
    let mut table = Array2::zeros((bins, bins));
    let n = x.len() as f64;
    for (i, j) in binned(a, bins).0.into_iter().zip(binned(b, bins).0) {
        table[[i, j]] += 1.0 / n;
    }
    let occupied = |axis| table.sum_axis(Axis(axis)).iter().filter(|p| **p > 0.0).count() as f64;
    let excess = 0.5 * (occupied(0) - 1.0) * (occupied(1) - 1.0) / n;
    Ok(mutual_information(table.view())? - excess)
}

/// `ln` of the volume of the unit ball of d dimensions.
fn log_ball(d: usize) -> f64 {
    let half = 0.5 * d as f64;
    half * std::f64::consts::PI.ln() - log_gamma(half + 1.0)
}

/// The distance from each row of `x` to its k-th nearest row of `y`, itself left out if `own`.
fn kth_distance(x: ArrayView2<f64>, y: ArrayView2<f64>, k: usize, own: bool) -> Vec<f64> {
    let each = |(i, row): (usize, ndarray::ArrayView1<f64>)| {
        let mut all: Vec<f64> = y
            .rows()
            .into_iter()
            .enumerate()
            .filter(|(j, _)| !(own && *j == i))
            .map(|(_, other)| row.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum())
            .collect();
        let (_, kth, _) = all.select_nth_unstable_by(k - 1, f64::total_cmp);
        kth.sqrt()
    };
    x.rows().into_iter().enumerate().map(each).collect()
}

fn apart(distances: &[f64]) -> Result<()> {
    let least = distances.iter().fold(f64::INFINITY, |m, d| m.min(*d));
    parameter("distance to the k-th neighbour", least, least > 0.0, "rows repeat: take a larger k")
}

/// Kozachenko and Leonenko's differential entropy of rows: `ψ(n) - ψ(k) + ln V_d + (d/n) Σ ln ε_k`, with the distance `ε_k` to
/// the k-th nearest other row. Without bias to first order; the density is taken as constant within `ε_k`, so that a bias of order
/// `(k/n)^(2/d)` is left. `O(n²)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for fewer than two rows, [`Error::Parameter`](crate::Error::Parameter) for a k that
/// is not below n, or rows that repeat k times.
pub fn neighbour_entropy(x: ArrayView2<f64>, k: usize) -> Result<f64> {
    sample("neighbour_entropy", "x", x, 2)?;
    let (n, d) = x.dim();
    parameter("k", k as f64, k > 0 && k < n, "must be at least 1 and below the number of rows")?;
    let distances = kth_distance(x, x, k, true);
    apart(&distances)?;
    let logs: f64 = distances.iter().map(|e| e.ln()).sum();
    Ok(digamma(n as f64) - digamma(k as f64) + log_ball(d) + d as f64 * logs / n as f64)
}

/// `KL(p ‖ q)` from rows x of p and y of q: `(d/n) Σ ln ν_k/ρ_k + ln m/(n - 1)`, with distances `ρ_k` within x and `ν_k` to y. Consistent;
/// for finite samples it may be negative. `O(n(n + m))`.
///
/// # Errors
/// As [`neighbour_entropy`].
pub fn neighbour_divergence(x: ArrayView2<f64>, y: ArrayView2<f64>, k: usize) -> Result<f64> {
    two_samples("neighbour_divergence", x, y, 2)?;
    let ((n, d), m) = (x.dim(), y.nrows());
    parameter("k", k as f64, k > 0 && k < n && k <= m, "must be at least 1 and below the number of rows")?;
    let (within, across) = (kth_distance(x, x, k, true), kth_distance(x, y, k, false));
    apart(&within)?;
    apart(&across)?;
    let logs: f64 = within.iter().zip(&across).map(|(r, v)| (v / r).ln()).sum();
    Ok(d as f64 * logs / n as f64 + (m as f64 / (n as f64 - 1.0)).ln())
}
