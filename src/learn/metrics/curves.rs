//! Curves over all thresholds of a score, and their areas. Checked in `tests/learn/curves.rs` against scikit-learn.

use ndarray::{ArrayRef, Ix1};

use super::confusion::same_length;
use crate::Result;
use crate::check::{numbers, parameter};
use crate::learn::data::{TargetDim, Targets};
use crate::learn::labels::Labels;

/// The area under the [`Roc`]: the probability that one of the second class scores higher than one of the first, ties
/// counted half.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for other numbers of scores than labels,
/// [`Error::Parameter`](crate::Error::Parameter) for other than two classes,
/// [`Error::NotFinite`](crate::Error::NotFinite).
pub fn roc_auc<T, P, L>(truth: &T, scores: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
    L: Ord + Clone,
{
    Roc::of(truth, scores).map(|curve| curve.area())
}

/// `Σ (R_i - R_{i-1}) P_i` over the thresholds of the [`PrecisionRecall`] curve: its area, without interpolation.
///
/// # Errors
/// As [`roc_auc`].
pub fn average_precision<T, P, L>(truth: &T, scores: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
    L: Ord + Clone,
{
    PrecisionRecall::of(truth, scores).map(|curve| curve.area())
}

/// The receiver operating characteristic: at each threshold, the share of the second class at or above it against that
/// of the first.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let curve = Roc::of(&["no", "no", "yes", "yes"], &array![0.1, 0.4, 0.35, 0.8])?;
/// assert_eq!(curve.true_positive_rate(), [0.0, 0.5, 0.5, 1.0, 1.0]);
/// assert_eq!(curve.area(), 0.75);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Roc {
    thresholds: Vec<f64>,
    false_positive_rate: Vec<f64>,
    true_positive_rate: Vec<f64>,
}

impl Roc {
    /// One point for each distinct score, from above all of them (threshold ∞) downwards; the second class is the
    /// positive one.
    ///
    /// # Errors
    /// As [`roc_auc`].
    pub fn of<T, P, L>(truth: &T, scores: &P) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
        L: Ord + Clone,
    {
        let (steps, positives, negatives) = steps("roc", truth, scores)?;
        let mut curve = Roc {
            thresholds: vec![f64::INFINITY],
            false_positive_rate: vec![0.0],
            true_positive_rate: vec![0.0],
        };
        for (threshold, met, missed) in steps {
            curve.thresholds.push(threshold);
            curve.true_positive_rate.push(met as f64 / positives as f64);
            curve.false_positive_rate.push(missed as f64 / negatives as f64);
        }
        Ok(curve)
    }

    /// The thresholds in descending order; the first is infinite.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The share of the first class at or above each threshold.
    pub fn false_positive_rate(&self) -> &[f64] {
        &self.false_positive_rate
    }

    /// The share of the second class at or above each threshold.
    pub fn true_positive_rate(&self) -> &[f64] {
        &self.true_positive_rate
    }

    /// The area under the curve, by trapezes: ties count half.
    pub fn area(&self) -> f64 {
        let (x, y) = (&self.false_positive_rate, &self.true_positive_rate);
        (1..x.len()).map(|i| 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1])).sum()
    }
}

/// Precision against recall at each threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionRecall {
    thresholds: Vec<f64>,
    precision: Vec<f64>,
    recall: Vec<f64>,
}

impl PrecisionRecall {
    /// One point for each distinct score, downwards; the second class is the positive one.
    ///
    /// # Errors
    /// As [`roc_auc`].
    pub fn of<T, P, L>(truth: &T, scores: &P) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
        L: Ord + Clone,
    {
        let (steps, positives, _) = steps("precision_recall", truth, scores)?;
        let mut curve = PrecisionRecall { thresholds: vec![], precision: vec![], recall: vec![] };
        for (threshold, met, missed) in steps {
            curve.thresholds.push(threshold);
            curve.precision.push(met as f64 / (met + missed) as f64);
            curve.recall.push(met as f64 / positives as f64);
        }
        Ok(curve)
    }

    /// The thresholds in descending order.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The share of those at or above each threshold that are of the second class.
    pub fn precision(&self) -> &[f64] {
        &self.precision
    }

    /// The share of the second class at or above each threshold.
    pub fn recall(&self) -> &[f64] {
        &self.recall
    }

    /// [`average_precision`]: steps, not trapezes, which would flatter.
    pub fn area(&self) -> f64 {
        let before = std::iter::once(&0.0).chain(&self.recall);
        self.recall.iter().zip(before).zip(&self.precision).map(|((r, b), p)| (r - b) * p).sum()
    }
}

/// How often the second class occurs where it was predicted with about the same probability.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    predicted: Vec<f64>,
    observed: Vec<f64>,
    counts: Vec<usize>,
}

impl Calibration {
    /// Of probabilities of the second class, in `bins` intervals of equal width; empty ones are left out.
    ///
    /// # Errors
    /// As [`roc_auc`], and [`Error::Parameter`](crate::Error::Parameter) for no bins or a probability outside [0, 1].
    pub fn of<T, P, L>(truth: &T, probabilities: &P, bins: usize) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
        L: Ord + Clone,
    {
        let (positive, p) = binary("calibration", truth, probabilities)?;
        parameter("bins", bins as f64, bins > 0, "must be at least 1")?;
        if let Some(p) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            parameter("probability", *p, false, "must lie between 0 and 1")?;
        }
        // Rows in the order of their bins: no more of those than rows are ever stored. A right end belongs to its bin.
        let bin = |p: f64| ((p * bins as f64).ceil() as usize).saturating_sub(1);
        let mut rows: Vec<(usize, f64, bool)> =
            p.iter().zip(positive).map(|(&p, y)| (bin(p), p, y)).collect();
        rows.sort_by_key(|row| row.0);
        let mut curve = Calibration { predicted: vec![], observed: vec![], counts: vec![] };
        for part in rows.chunk_by(|a, b| a.0 == b.0) {
            let n = part.len() as f64;
            curve.predicted.push(part.iter().map(|row| row.1).sum::<f64>() / n);
            curve.observed.push(part.iter().filter(|row| row.2).count() as f64 / n);
            curve.counts.push(part.len());
        }
        Ok(curve)
    }

    /// The mean probability in each bin.
    pub fn predicted(&self) -> &[f64] {
        &self.predicted
    }

    /// The share of the second class in each bin.
    pub fn observed(&self) -> &[f64] {
        &self.observed
    }

    /// How many there are in each bin.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// `Σ_b n_b |observed_b - predicted_b| / n`, the expected calibration error.
    pub fn error(&self) -> f64 {
        let all: usize = self.counts.iter().sum();
        let gap = |((p, o), c): ((&f64, &f64), &usize)| (p - o).abs() * *c as f64;
        self.predicted.iter().zip(&self.observed).zip(&self.counts).map(gap).sum::<f64>() / all as f64
    }
}

/// Which labels are of the second class, and the scores.
fn binary<T, P, L>(op: &'static str, truth: &T, scores: &P) -> Result<(Vec<bool>, Vec<f64>)>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
    L: Ord + Clone,
{
    let (y, scores) = (truth.targets(), scores.targets());
    same_length(op, y.len(), scores.len())?;
    numbers(op, "scores", Ix1::columns(&scores))?;
    let (labels, index) = Labels::of(&y)?;
    let k = labels.classes().len();
    parameter("classes", k as f64, k == 2, "there must be two: a curve is that of the second")?;
    Ok((index.into_iter().map(|i| i == 1).collect(), scores.to_vec()))
}

/// For each distinct score, downwards: itself, and how many of either class are at or above it; how many there are.
#[expect(clippy::type_complexity, reason = "seen by two callers below it")]
fn steps<T, P, L>(op: &'static str, truth: &T, scores: &P) -> Result<(Vec<(f64, usize, usize)>, usize, usize)>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = ArrayRef<f64, Ix1>> + ?Sized,
    L: Ord + Clone,
{
    let (positive, scores) = binary(op, truth, scores)?;
    let mut rows: Vec<(f64, bool)> = scores.into_iter().zip(positive).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut met, mut missed) = (0, 0);
    let mut steps = vec![];
    for tied in rows.chunk_by(|a, b| a.0 == b.0) {
        let here = tied.iter().filter(|row| row.1).count();
        met += here;
        missed += tied.len() - here;
        steps.push((tied[0].0, met, missed));
    }
    Ok((steps, met, missed))
}
