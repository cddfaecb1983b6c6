//! What every classifier shares: labels as indices, rows that weigh nothing left out, and the methods of what was fitted.
//!
//! A classifier is `run(&self, device, &Task) -> Result<Body>`; [`classifier_fits!`] writes `fit` and `fit_weighted`,
//! [`fitted_classifier!`] the fitted value with its labels. Checked by `tests/conformance/classify.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2};

pub(crate) use super::classifier_macros::{classifier_fits, fitted_classifier};
use super::labels::Labels;
use super::ranks::Meeting;
use crate::Result;
use crate::check::{finite, require, weights};

/// Inputs, classes as indices, and weights that are all positive.
pub(crate) struct Task<'a> {
    pub x: CowArray<'a, f64, Ix2>,
    pub index: Vec<usize>,
    pub weights: Array1<f64>,
    /// How many classes there are.
    pub classes: usize,
    /// The rows that weigh something, of all that were given; none if all do.
    pub kept: Option<Vec<usize>>,
}

impl<'a> Task<'a> {
    /// The labels and the task of data that fit together and have at least two classes.
    pub fn new<L: Ord + Clone>(
        op: &'static str,
        x: ArrayView2<'a, f64>,
        y: &[L],
        w: Option<ArrayView1<f64>>,
    ) -> Result<(Labels<L>, Self)> {
        finite(op, "x", x)?;
        let n = x.nrows();
        require(op, n == y.len(), || format!("x has {n} rows, y has {}", y.len()))?;
        let Some(w) = w else {
            let (labels, index) = Labels::of_classes(y)?;
            let classes = labels.classes().len();
            return Ok((labels, Task { x: x.into(), index, weights: Array1::ones(n), classes, kept: None }));
        };
        weights(op, w, n)?;
        let kept: Vec<usize> = (0..n).filter(|&i| w[i] > 0.0).collect();
        let y: Vec<L> = kept.iter().map(|&i| y[i].clone()).collect();
        let (labels, index) = Labels::of_classes(&y)?;
        let (x, weights) = (x.select(Axis(0), &kept).into(), w.select(Axis(0), &kept));
        let classes = labels.classes().len();
        Ok((labels, Task { x, index, weights, classes, kept: Some(kept) }))
    }

    /// The same of data whose rows lie on several ranks: the labels of all, the task of this one's rows, of which there
    /// may be none.
    pub fn across<L: Ord + Clone + crate::saved::Wire>(
        all: &Meeting,
        op: &'static str,
        x: ArrayView2<'a, f64>,
        y: &[L],
    ) -> Result<(Labels<L>, Self)> {
        if all.alone() {
            return Self::new(op, x, y, None);
        }
        crate::check::numbers(op, "x", x)?;
        let n = x.nrows();
        require(op, n == y.len(), || format!("x has {n} rows, y has {}", y.len()))?;
        all.part(op, x)?;
        let mut own = y.to_vec();
        own.sort();
        own.dedup();
        let (labels, _) = Labels::of_classes(&all.gather(op, own)?.concat())?;
        let (index, classes) = (labels.indices(y)?, labels.classes().len());
        Ok((labels, Task { x: x.into(), index, weights: Array1::ones(n), classes, kept: None }))
    }

    /// The weight of each class.
    pub fn mass(&self) -> Array1<f64> {
        let mut mass = Array1::zeros(self.classes);
        self.index.iter().zip(&self.weights).for_each(|(&k, w)| mass[k] += w);
        mass
    }

    /// The weight of each class over all ranks.
    pub fn mass_across(&self, all: &Meeting, op: &'static str) -> Result<Array1<f64>> {
        all.sum(op, self.mass().to_vec()).map(Array1::from)
    }

    /// The weights, each in the column of its class: `n x K`.
    pub fn weighted_one_hot(&self) -> Array2<f64> {
        let mut t = Array2::zeros((self.index.len(), self.classes));
        self.index.iter().zip(&self.weights).enumerate().for_each(|(i, (&k, w))| t[[i, k]] = *w);
        t
    }

    /// The rows of a class.
    pub fn rows_of(&self, class: usize) -> Vec<usize> {
        (0..self.index.len()).filter(|&i| self.index[i] == class).collect()
    }
}

/// What was learned of classes that are indices.
pub(crate) trait Body {
    /// Features of a row.
    fn features(&self) -> usize;

    /// One column, positive for the second class, if there are two, else one for each: the largest wins.
    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;

    /// The error of a file that holds no such model of so many classes.
    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()>;
}

/// What was learned gives probabilities.
pub(crate) trait Probable: Body {
    /// One column for each class; rows sum to one.
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// What was learned gives joint log-densities.
pub(crate) trait Joint: Body {
    /// `ln p(x, class)`, one column for each class.
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// The column that wins each row: of one column the sign decides, else the largest, the first of equals.
pub(crate) fn winners(scores: ArrayView2<f64>) -> Vec<usize> {
    if scores.ncols() == 1 {
        return scores.column(0).iter().map(|s| usize::from(*s > 0.0)).collect();
    }
    super::labels::most_probable(scores)
}

/// Of two columns the second less the first; more columns as they are.
pub(crate) fn contrast(scores: Array2<f64>) -> Array2<f64> {
    if scores.ncols() == 2 {
        return (&scores.column(1) - &scores.column(0)).insert_axis(Axis(1));
    }
    scores
}

/// `log Σ_k e^{a_k}`; minus infinity if all are.
pub(crate) fn log_sum_exp(row: ArrayView1<f64>) -> f64 {
    let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top.is_finite() { top + row.iter().map(|v| (v - top).exp()).sum::<f64>().ln() } else { top }
}

/// Each row a becomes `e^a / Σ e^a`.
pub(crate) fn softmax_rows(mut a: Array2<f64>) -> Array2<f64> {
    for mut row in a.rows_mut() {
        let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        row.mapv_inplace(|v| (v - top).exp());
        let sum = row.sum();
        row /= sum;
    }
    a
}

/// `σ(a) = 1/(1 + e^{-a})`, without overflow.
pub(crate) fn sigmoid(a: f64) -> f64 {
    if a >= 0.0 {
        1.0 / (1.0 + (-a).exp())
    } else {
        let e = a.exp();
        e / (1.0 + e)
    }
}

/// `ln(1 + e^a) = -ln σ(-a)`.
pub(crate) fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}
