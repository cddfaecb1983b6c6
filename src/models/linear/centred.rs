//! Weighted means, and blocks of centred rows: a large x is never copied whole unless it must be.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::host::memory::copy;
use crate::ops::{accumulate_alone, product};

/// Rows that are centred, weighted and multiplied at a time.
const ROWS: usize = 2048;
/// Separate sums: enough to keep threads busy, few enough to hold; added in order, so that the bits are the same on
/// any number of threads.
const SUMS: usize = 8;
/// Features up to which each sum has a matrix of its own.
const NARROW: usize = 400;

/// `√w_i (x_i - x̄)` and `√w_i (y_i - ȳ)`; without an intercept the means are zero.
pub(super) struct Centred<'a> {
    pub x: ArrayView2<'a, f64>,
    pub y: ArrayView2<'a, f64>,
    pub weights: Option<ArrayView1<'a, f64>>,
    pub x_mean: Array1<f64>,
    pub y_mean: Array1<f64>,
}

impl<'a> Centred<'a> {
    pub fn new(
        x: ArrayView2<'a, f64>,
        y: ArrayView2<'a, f64>,
        weights: Option<ArrayView1<'a, f64>>,
        intercept: bool,
    ) -> Self {
        let mean = |a| if intercept { weighted_mean(a, weights) } else { Array1::zeros(a.ncols()) };
        let (x_mean, y_mean) = (mean(x), mean(y));
        Centred { x, y, weights, x_mean, y_mean }
    }

    /// `√w_i`.
    pub fn root(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i].sqrt())
    }

    /// What makes a function with these coefficients pass through the means.
    pub fn intercept(&self, coefficients: &Array2<f64>) -> Array1<f64> {
        &self.y_mean - &self.x_mean.dot(coefficients)
    }

    /// How many times the largest is what is usual: of the distances of a feature's entries from their middle, and of the
    /// roots of weights. The rounding of the large ones is what the usual ones are seen with.
    pub fn spread(&self) -> f64 {
        let beyond = |mut sizes: Vec<f64>| {
            sizes.retain(|v| *v > 0.0);
            let largest = sizes.iter().fold(0f64, |m, v| m.max(*v));
            if sizes.is_empty() { 1.0 } else { largest / middle(&mut sizes) }
        };
        let column = |column: ArrayView1<f64>| {
            let at = middle(&mut column.to_vec());
            beyond(column.iter().map(|v| (v - at).abs()).collect())
        };
        let features = self.x.columns().into_iter().map(column).fold(1.0, f64::max);
        let roots = self.weights.map_or(1.0, |w| w.fold(0f64, |m, v| m.max(*v)) / least_positive(w));
        features.max(roots.sqrt())
    }

    /// All of x, centred and weighted.
    pub fn rows(&self) -> Array2<f64> {
        self.placed(self.x, &self.x_mean)
    }

    /// All of x, centred and weighted, one feature a row.
    pub fn columns(&self) -> Array2<f64> {
        let mut out = copy(self.x.t());
        let roots = self.weights.map(|w| w.mapv(f64::sqrt));
        for (mut row, mean) in out.rows_mut().into_iter().zip(&self.x_mean) {
            row -= *mean;
            if let Some(roots) = &roots {
                row *= roots;
            }
        }
        out
    }

    /// All of y, centred and weighted.
    pub fn targets(&self) -> Array2<f64> {
        self.placed(self.y, &self.y_mean)
    }

    fn placed(&self, a: ArrayView2<f64>, mean: &Array1<f64>) -> Array2<f64> {
        let mut out = &a - mean;
        if let Some(w) = self.weights {
            out *= &w.mapv(f64::sqrt).insert_axis(Axis(1));
        }
        out
    }

    /// `XᵀX` and `XᵀY` of the centred, weighted rows, in one pass that holds a few blocks of them.
    pub fn products(&self) -> (Array2<f64>, Array2<f64>) {
        let ((n, d), t) = (self.x.dim(), self.y.ncols());
        let blocks: Vec<Range<usize>> = (0..n).step_by(ROWS).map(|i| i..n.min(i + ROWS)).collect();
        let mut total = Array2::zeros((d, d + t));
        if d <= NARROW {
            let part = |first: usize| {
                let mut block = Array2::zeros((ROWS.min(n), d + t));
                let mut sum = Array2::zeros((d, d + t));
                for rows in blocks.iter().skip(first).step_by(SUMS) {
                    let mut block = block.slice_mut(s![..rows.len(), ..]);
                    self.fill(rows.clone(), &mut block);
                    accumulate_alone(1.0, block.slice(s![.., ..d]).t(), block.view(), sum.view_mut());
                }
                sum
            };
            let sums: Vec<Array2<f64>> = (0..SUMS).into_par_iter().map(part).collect();
            for sum in &sums {
                total += sum;
            }
        } else {
            let mut block = Array2::zeros((ROWS.min(n), d + t));
            for rows in blocks {
                let mut block = block.slice_mut(s![..rows.len(), ..]);
                self.fill(rows, &mut block);
                product(1.0, block.slice(s![.., ..d]).t(), block.view(), 1.0, total.view_mut());
            }
        }
        (total.slice(s![.., ..d]).to_owned(), total.slice(s![.., d..]).to_owned())
    }

    /// Rows of `[X Y]`, centred and weighted.
    fn fill(&self, rows: Range<usize>, block: &mut ndarray::ArrayViewMut2<f64>) {
        let d = self.x.ncols();
        for (i, mut to) in rows.zip(block.rows_mut()) {
            let root = self.root(i);
            let (mut own, mut target) = to.view_mut().split_at(Axis(0), d);
            ndarray::Zip::from(&mut own)
                .and(self.x.row(i))
                .and(&self.x_mean)
                .for_each(|o, x, m| *o = (x - m) * root);
            ndarray::Zip::from(&mut target)
                .and(self.y.row(i))
                .and(&self.y_mean)
                .for_each(|o, y, m| *o = (y - m) * root);
        }
    }
}

/// The middle one of these numbers, of which there is at least one.
fn middle(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    *values.select_nth_unstable_by(half, f64::total_cmp).1
}

fn least_positive(w: ArrayView1<f64>) -> f64 {
    w.iter().filter(|w| **w > 0.0).fold(f64::INFINITY, |m, v| m.min(*v))
}

/// `Σ w_i a_i / Σ w_i`, rows summed in a fixed order on every core.
fn weighted_mean(a: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> Array1<f64> {
    let n = a.nrows();
    let step = n.div_ceil(SUMS * SUMS);
    let part = |first: usize| {
        let mut sum = Array1::zeros(a.ncols());
        for i in first..n.min(first + step) {
            match weights {
                None => sum += &a.row(i),
                Some(w) => sum.scaled_add(w[i], &a.row(i)),
            }
        }
        sum
    };
    let starts: Vec<usize> = (0..n).step_by(step).collect();
    let sums: Vec<Array1<f64>> = starts.into_par_iter().map(part).collect();
    let total = sums.iter().fold(Array1::zeros(a.ncols()), |t: Array1<f64>, s| t + s);
    total / weights.map_or(n as f64, |w| w.sum())
}
