//! Which label was taken for which. Checked in `tests/learn/metrics.rs` against scikit-learn.

use std::fmt;

use ndarray::Array2;

use crate::check::{not_negative, require};
use crate::learn::data::Targets;
use crate::learn::labels::Labels;
use crate::{Error, Result};

/// How one number is made of precisions, recalls or F-scores of all classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClassAverage {
    /// That of the second of two classes, the positive one.
    #[default]
    Binary,
    /// The mean over the classes: each counts the same.
    Macro,
    /// That of all decisions together; it is the accuracy.
    Micro,
    /// The mean over the classes, each weighed by how often it is true.
    Weighted,
}

/// `C_ij`: how often class i was taken for class j.
///
/// ```
/// use mercer::prelude::*;
/// let truth = ["rose", "oak", "rose", "fern"];
/// let said = ["rose", "rose", "rose", "fern"];
/// let c = ConfusionMatrix::of(&truth, &said)?;
/// assert_eq!((c.classes(), c.count(1, 2)), (&["fern", "oak", "rose"][..], 1));
/// println!("{c}"); // a table: one row for each true class, one column for each predicted one
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfusionMatrix<L> {
    classes: Vec<L>,
    counts: Array2<usize>,
}

impl<L: Ord + Clone> ConfusionMatrix<L> {
    /// Counts n pairs of a true and a predicted label; the classes are all labels that either has.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are none, or not as many of one as of the other.
    pub fn of<T, P>(truth: &T, predicted: &P) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = [L]> + ?Sized,
    {
        Self::named("ConfusionMatrix::of", truth, predicted)
    }

    pub(super) fn named<T, P>(op: &'static str, truth: &T, predicted: &P) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = [L]> + ?Sized,
    {
        let (y, p) = (truth.targets(), predicted.targets());
        same_length(op, y.len(), p.len())?;
        let all: Vec<L> = y.iter().chain(p.iter()).cloned().collect();
        let (labels, index) = Labels::of(&all)?;
        let k = labels.classes().len();
        let mut counts = Array2::zeros((k, k));
        for (i, j) in index[..y.len()].iter().zip(&index[y.len()..]) {
            counts[[*i, *j]] += 1;
        }
        Ok(ConfusionMatrix { classes: labels.classes().to_vec(), counts })
    }
}

impl<L> ConfusionMatrix<L> {
    /// The classes in ascending order: rows and columns.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// All counts, `k x k`: one row for each true class, one column for each predicted one.
    pub fn counts(&self) -> &Array2<usize> {
        &self.counts
    }

    /// How often class i was taken for class j; zero beyond the classes.
    pub fn count(&self, i: usize, j: usize) -> usize {
        self.counts.get([i, j]).copied().unwrap_or(0)
    }

    /// The share of all that were taken for what they are.
    pub fn accuracy(&self) -> f64 {
        self.counts.diag().sum() as f64 / self.counts.sum() as f64
    }

    /// The share of those predicted as class i that are: `C_ii / Σ_j C_ji`; 0 if none was.
    pub fn precision(&self, i: usize) -> f64 {
        ratio(self.count(i, i), self.predicted(i))
    }

    /// The share of class i that was predicted as such: `C_ii / Σ_j C_ij`; 0 if there is none.
    pub fn recall(&self, i: usize) -> f64 {
        ratio(self.count(i, i), self.support(i))
    }

    /// How many are of class i.
    pub fn support(&self, i: usize) -> usize {
        if i < self.classes.len() { self.counts.row(i).sum() } else { 0 }
    }

    /// How many were taken for class i.
    pub fn predicted(&self, i: usize) -> usize {
        if i < self.classes.len() { self.counts.column(i).sum() } else { 0 }
    }

    /// `(1 + β²) tp / ((1 + β²) tp + β² fn + fp)` of class i; 0 if it neither is nor was predicted.
    pub fn f_score(&self, i: usize, beta: f64) -> f64 {
        let (met, b) = (self.count(i, i) as f64, beta * beta);
        let all = b * self.support(i) as f64 + self.predicted(i) as f64;
        if all > 0.0 { (1.0 + b) * met / all } else { 0.0 }
    }

    /// One number of those of all classes.
    pub(super) fn averaged(&self, average: ClassAverage, of: impl Fn(usize) -> f64) -> Result<f64> {
        let k = self.classes.len();
        let n = self.counts.sum() as f64;
        match average {
            ClassAverage::Binary if k != 2 => Err(Error::Shape {
                op: "ClassAverage::Binary",
                what: format!("there must be two classes, not {k}; average by macro, micro or weighted"),
            }),
            ClassAverage::Binary => Ok(of(1)),
            ClassAverage::Micro => Ok(self.accuracy()),
            ClassAverage::Macro => Ok((0..k).map(of).sum::<f64>() / k as f64),
            ClassAverage::Weighted => Ok((0..k).map(|i| of(i) * self.support(i) as f64).sum::<f64>() / n),
        }
    }

    pub(super) fn f_averaged(&self, beta: f64, average: ClassAverage) -> Result<f64> {
        not_negative("beta", beta)?;
        self.averaged(average, |i| self.f_score(i, beta))
    }
}

fn ratio(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

pub(super) fn same_length(op: &'static str, truth: usize, predicted: usize) -> Result<()> {
    require(op, truth > 0 && truth == predicted, || format!("{predicted} predictions, {truth} labels"))
}

impl<L: fmt::Display> fmt::Display for ConfusionMatrix<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.classes.iter().map(ToString::to_string).collect();
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let first = widest(&mut names.iter().map(|s| s.chars().count())).max("true \\ said".len());
        let width = |j: usize| {
            let counts = &mut self.counts.column(j).into_iter().map(|c| c.to_string().len());
            widest(counts).max(names[j].chars().count())
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        write!(f, "{:first$}", "true \\ said")?;
        names.iter().zip(&widths).try_for_each(|(name, w)| write!(f, "  {name:>w$}"))?;
        for (name, row) in names.iter().zip(self.counts.rows()) {
            write!(f, "\n{name:first$}")?;
            row.iter().zip(&widths).try_for_each(|(c, w)| write!(f, "  {c:>w$}"))?;
        }
        Ok(())
    }
}
