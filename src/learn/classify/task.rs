//! What a classifier learns from: rows of one process, or those of one rank of several.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2};

use crate::Result;
use crate::check::{finite, numbers, require, weights};
use crate::learn::labels::Labels;
use crate::learn::ranks::Meeting;

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
        w: Option<ArrayView1<f64>>,
    ) -> Result<(Labels<L>, Self)> {
        if all.alone() {
            return Self::new(op, x, y, w);
        }
        numbers(op, "x", x)?;
        let n = x.nrows();
        require(op, n == y.len(), || format!("x has {n} rows, y has {}", y.len()))?;
        all.part(op, x)?;
        if let Some(w) = w {
            all.weights(op, w, n)?;
            let kept: Vec<usize> = (0..n).filter(|&i| w[i] > 0.0).collect();
            let y: Vec<L> = kept.iter().map(|&i| y[i].clone()).collect();
            let (labels, task) = Self::shared(all, op, x.select(Axis(0), &kept).into(), &y)?;
            return Ok((labels, Task { weights: w.select(Axis(0), &kept), kept: Some(kept), ..task }));
        }
        Self::shared(all, op, x.into(), y)
    }

    /// Of this rank's rows, with the labels that any rank has.
    fn shared<L: Ord + Clone + crate::saved::Wire>(
        all: &Meeting,
        op: &'static str,
        x: CowArray<'a, f64, Ix2>,
        y: &[L],
    ) -> Result<(Labels<L>, Self)> {
        let mut own = y.to_vec();
        own.sort();
        own.dedup();
        let (labels, _) = Labels::of_classes(&all.gather(op, own)?.concat())?;
        let (index, classes) = (labels.indices(y)?, labels.classes().len());
        Ok((labels, Task { x, weights: Array1::ones(index.len()), index, classes, kept: None }))
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
