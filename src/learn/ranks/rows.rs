//! Rows that lie on several ranks: how many there are, a sample of them, all of them, their moments.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix1, Ix2, concatenate};

use super::meeting::Meeting;
use crate::check::{numbers, pairs, require, total_weight, weights, weights_of_part};
use crate::linalg::landmarks;
use crate::saved::{garbled, wired};
use crate::{Error, Result};

/// The most rows that a start is made from when several ranks have them.
const SAMPLE: usize = 1 << 16;

/// Where the rows of this rank stand among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Rows on lower ranks.
    pub first: usize,
    /// Rows on all ranks.
    pub total: usize,
}

/// Rows to start from, and their weights: as they are if this process is alone, else a sample that every rank has.
pub(crate) struct Sampled<'a> {
    pub x: CowArray<'a, f64, Ix2>,
    pub w: Option<CowArray<'a, f64, Ix1>>,
    /// Where the rows stand among all, if they are not all of them.
    which: Option<Vec<usize>>,
}

impl Sampled<'_> {
    pub fn weights(&self) -> Option<ArrayView1<'_, f64>> {
        self.w.as_ref().map(|w| w.view())
    }

    /// Rows of the sample as rows among all.
    pub fn numbered(&self, rows: &mut [usize]) {
        if let Some(which) = &self.which {
            for i in rows.iter_mut() {
                *i = which[*i];
            }
        }
    }
}

impl Meeting<'_> {
    /// Where the rows of this rank stand. The columns are as many on every rank, and there is a row on one of them.
    pub(crate) fn part(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Part> {
        self.part_of(op, x.dim())
    }

    fn part_of(&self, op: &'static str, own: (usize, usize)) -> Result<Part> {
        let shapes = if self.alone() { vec![own] } else { self.gather(op, own)? };
        let total = shapes.iter().map(|s| s.0).sum();
        require(op, total > 0 && shapes[0].1 > 0, || format!("x is empty ({total} x {})", shapes[0].1))?;
        if let Some(rank) = shapes.iter().position(|s| s.1 != shapes[0].1) {
            let (here, there) = (shapes[rank].1, shapes[0].1);
            return Err(Error::Shape {
                op,
                what: format!("{there} columns on rank 0, {here} on rank {rank}"),
            });
        }
        Ok(Part { first: shapes[..self.rank()].iter().map(|s| s.0).sum(), total })
    }

    /// As [`part`](Self::part), of rows with targets, all of them numbers.
    pub(crate) fn pairs(&self, op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Part> {
        if self.alone() {
            pairs(op, x, y)?;
            return Ok(Part { first: 0, total: x.nrows() });
        }
        numbers(op, "x", x)?;
        numbers(op, "y", y)?;
        require(op, x.nrows() == y.nrows(), || format!("x has {} rows, y has {}", x.nrows(), y.nrows()))?;
        self.part_of(op, (x.nrows(), x.ncols() + y.ncols()))
    }

    /// One weight for each of the n rows here, none negative, not all zero on all ranks.
    pub(crate) fn weights(&self, op: &'static str, w: ArrayView1<f64>, n: usize) -> Result<()> {
        if self.alone() {
            return weights(op, w, n);
        }
        weights_of_part(op, w, n)?;
        // A name of its own: a rank that has no weights is told so.
        total_weight(self.total("weights", w.sum())?)
    }

    /// The rows of which this rank makes what is made, of n that every rank has: even shares, in the order of ranks.
    pub(crate) fn share(&self, n: usize) -> Range<usize> {
        self.rank() * n / self.size()..(self.rank() + 1) * n / self.size()
    }

    /// Rows with these numbers, counted over all ranks in order; every rank has them.
    pub(crate) fn rows(
        &self,
        op: &'static str,
        part: Part,
        x: ArrayView2<f64>,
        which: &[usize],
    ) -> Result<Array2<f64>> {
        let mut own = Array2::zeros((which.len(), x.ncols()));
        for (at, &row) in which.iter().enumerate() {
            if (part.first..part.first + x.nrows()).contains(&row) {
                own.row_mut(at).assign(&x.row(row - part.first));
            }
        }
        // Each row is on one rank, and zero on the others: adding zero changes no bit.
        let shape = own.dim();
        let all = self.sum(op, own.into_raw_vec_and_offset().0)?;
        Array2::from_shape_vec(shape, all).map_err(|_| garbled())
    }

    /// Rows to start from: all of them up to 65,536, else so many drawn by the seed, in their order.
    pub(crate) fn sample<'a>(
        &self,
        op: &'static str,
        part: Part,
        x: ArrayView2<'a, f64>,
        w: Option<ArrayView1<'a, f64>>,
        seed: u64,
    ) -> Result<Sampled<'a>> {
        if self.alone() {
            return Ok(Sampled { x: x.into(), w: w.map(Into::into), which: None });
        }
        let mut which: Vec<usize> = (0..part.total).collect();
        if part.total > SAMPLE {
            which = landmarks(part.total, SAMPLE, seed)?;
            which.sort_unstable();
        }
        let rows = self.rows(op, part, x, &which)?;
        let w = w.map(|w| self.rows(op, part, w.insert_axis(Axis(1)), &which));
        let w = w.transpose()?.map(|w| w.index_axis_move(Axis(1), 0).into());
        Ok(Sampled { x: rows.into(), w, which: Some(which) })
    }

    /// The rows of all ranks, one below the other; every rank has them all.
    pub(crate) fn everything(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.alone() {
            return Ok(x.to_owned());
        }
        let parts = self.gather(op, x.to_owned())?;
        let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
        concatenate(Axis(0), &views).map_err(|_| garbled())
    }

    /// Sums of arrays, entry by entry.
    pub(crate) fn add(&self, op: &'static str, own: Array2<f64>) -> Result<Array2<f64>> {
        if self.alone() {
            return Ok(own);
        }
        let shape = own.dim();
        let own = own.as_standard_layout().into_owned();
        let all = self.sum(op, own.into_raw_vec_and_offset().0)?;
        Array2::from_shape_vec(shape, all).map_err(|_| garbled())
    }

    /// The least and the largest of each entry.
    pub(crate) fn extent(
        &self,
        op: &'static str,
        least: Array1<f64>,
        most: Array1<f64>,
    ) -> Result<(Array1<f64>, Array1<f64>)> {
        self.together(op, (least, most), |a, b| {
            a.0.zip_mut_with(&b.0, |a, b| *a = a.min(*b));
            a.1.zip_mut_with(&b.1, |a, b| *a = a.max(*b));
            Ok(())
        })
    }

    /// Mass, mean and scatter of the rows of all ranks.
    pub(crate) fn moments(&self, op: &'static str, own: Moments) -> Result<Moments> {
        self.together(op, own, |a, b| {
            a.merge(b);
            Ok(())
        })
    }
}

/// `Σ w_i`, the weighted mean and `Σ w_i (x_i - m)(x_i - m)^T`: values that merge.
#[derive(Debug, Clone)]
pub(crate) struct Moments {
    pub mass: f64,
    pub mean: Array1<f64>,
    pub scatter: Array2<f64>,
}

wired!(Moments { mass, mean, scatter });

impl Moments {
    /// Of these rows.
    pub fn of(x: ArrayView2<f64>, w: ArrayView1<f64>) -> Self {
        let mass = w.sum();
        if mass <= 0.0 {
            let d = x.ncols();
            return Moments { mass: 0.0, mean: Array1::zeros(d), scatter: Array2::zeros((d, d)) };
        }
        // About a row, so that the sum is of what differs.
        let shift = x.row(0);
        let mean = (&x - &shift).t().dot(&w) / mass + shift;
        let z = &x - &mean;
        let scatter = (&z * &w.insert_axis(Axis(1))).t().dot(&z);
        Moments { mass, mean, scatter }
    }

    /// Adds those of other rows.
    pub fn merge(&mut self, other: Moments) {
        if other.mass <= 0.0 {
            return;
        }
        if self.mass <= 0.0 {
            *self = other;
            return;
        }
        let whole = self.mass + other.mass;
        let gap = &other.mean - &self.mean;
        let weighted = &gap * (self.mass * other.mass / whole);
        self.scatter += &other.scatter;
        for (mut row, w) in self.scatter.rows_mut().into_iter().zip(&weighted) {
            row.scaled_add(*w, &gap);
        }
        self.mean.scaled_add(other.mass / whole, &gap);
        self.mass = whole;
    }
}
