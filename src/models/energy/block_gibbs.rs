//! Learning by block Gibbs sampling where the data live: of a pass over them an order of rows goes up and one number comes
//! down. Checked in `tests/energy/devices.rs`: a chain on a GPU takes the CPU's decisions.
//!
//! Rows end with a 1 and the parameters are one matrix `[[W, b], [aᵀ, ·]]`: a product adds the biases, and the product that
//! finds the gradient finds theirs.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rayon::prelude::*;

use super::boltzmann::{FittedRbm, Visible};
use super::rbm::{NegativePhase, OP, Rbm};
use crate::matrix::{Origin, Points};
use crate::ops::{
    Along, Map, Reduction, RowList, Trans, Unit, UnitDraw, Zip, accumulate, gather_listed, leading, map,
    reduce, unit_draws, unit_draws_means, units, zip,
};
use crate::{Device, Matrix, Result};

/// A machine on its way, with the rows that it learns from.
pub(super) struct Learner<'a> {
    by: &'a Rbm,
    x: Matrix,
    parameters: Matrix,
    /// What remains of each parameter at a step; nothing if all of it.
    kept: Option<Matrix>,
    /// Hidden units of the chains that go on from batch to batch.
    chains: Matrix,
    /// What each row of a batch of so many counts in a step.
    shares: Vec<(usize, Matrix)>,
    visible: (Unit, UnitDraw),
    stream: u64,
}

/// `[[W, b], [aᵀ, corner]]`.
fn joined(w: &Array2<f64>, a: &Array1<f64>, b: &Array1<f64>, corner: f64) -> Array2<f64> {
    let (d, m) = w.dim();
    let mut all = Array2::from_elem((d + 1, m + 1), corner);
    all.slice_mut(s![..d, ..m]).assign(w);
    all.slice_mut(s![..d, m]).assign(b);
    all.slice_mut(s![d, ..m]).assign(a);
    all
}

fn with_ones(x: ArrayView2<f64>) -> Array2<f64> {
    concatenate![Axis(1), x, Array2::ones((x.nrows(), 1))]
}

impl<'a> Learner<'a> {
    /// From this machine on, on the device if that is worth it.
    pub fn new(by: &'a Rbm, device: &Device, x: ArrayView2<f64>, rbm: &FittedRbm) -> Result<Self> {
        let ((n, d), m) = (x.dim(), rbm.weights.ncols());
        let products = 5.0 + 2.0 * by.steps() as f64;
        let flops = 2.0 * products * (n * d) as f64 * m as f64 * by.passes as f64;
        let points = Points::new(OP, device, with_ones(x).view(), Origin::Fixed, flops)?;
        let device = points.device();
        let up = |a: Array2<f64>| Matrix::upload(OP, device, a.view());
        let parameters = up(joined(&rbm.weights, &rbm.hidden_bias, &rbm.visible_bias, 0.0))?;
        let kept = if by.decay > 0.0 {
            let left = Array2::from_elem(rbm.weights.dim(), 1.0 - by.rate * by.decay);
            Some(up(joined(&left, &Array1::ones(m), &Array1::ones(d), 1.0))?)
        } else {
            None
        };
        let chains = up(with_ones(Array2::zeros((by.batch.min(n), m)).view()))?;
        let visible = match rbm.visible() {
            Visible::Bernoulli => (Unit::Sigmoid, UnitDraw::Bernoulli),
            Visible::Gaussian => (Unit::Identity, UnitDraw::Normal),
        };
        Ok(Learner {
            by,
            x: points.matrix()?.clone(),
            parameters,
            kept,
            chains,
            shares: vec![],
            visible,
            stream: 0,
        })
    }

    /// The number of a stream that nothing was drawn from.
    fn stream(&mut self) -> u64 {
        self.stream += 1;
        self.stream
    }

    fn up(&self, x: &Matrix) -> Result<Matrix> {
        leading(x, &self.parameters, Trans::No, self.parameters.cols() - 1)
    }

    fn down(&self, z: &Matrix) -> Result<Matrix> {
        leading(z, &self.parameters, Trans::Yes, self.parameters.rows() - 1)
    }

    /// k steps of block Gibbs sampling from hidden units on.
    fn walk(&mut self, mut z: Matrix, k: usize) -> Result<Matrix> {
        let mut x = self.draw_seen(&z)?;
        for _ in 1..k {
            let stream = self.stream();
            z = unit_draws(&self.up(&x)?, UnitDraw::Bernoulli, self.by.seed, stream)?;
            x = self.draw_seen(&z)?;
        }
        Ok(x)
    }

    fn draw_seen(&mut self, z: &Matrix) -> Result<Matrix> {
        let stream = self.stream();
        unit_draws(&self.down(z)?, self.visible.1, self.by.seed, stream)
    }

    /// A step by the rows of one batch along the difference of the phases, both in one product.
    fn batch(&mut self, part: &Matrix) -> Result<()> {
        let (seed, n) = (self.by.seed, part.rows());
        let (both, hidden) = if let NegativePhase::Persistent(k) = self.by.phase {
            let end = self.walk(self.chains.clone(), k)?;
            let both = Matrix::stacked(OP, part, &end)?;
            let stream = self.stream();
            let (drawn, hidden) = unit_draws_means(&self.up(&both)?, UnitDraw::Bernoulli, seed, stream)?;
            self.chains = drawn.last_rows(end.rows())?;
            (both, hidden)
        } else {
            let stream = self.stream();
            let (z, first) = unit_draws_means(&self.up(part)?, UnitDraw::Bernoulli, seed, stream)?;
            let end = self.walk(z, self.by.steps())?;
            let last = units(&self.up(&end)?, Unit::Sigmoid)?;
            (Matrix::stacked(OP, part, &end)?, Matrix::stacked(OP, &first, &last)?)
        };
        if let Some(kept) = &self.kept {
            self.parameters = zip(&self.parameters, kept, Zip::Mul)?;
        }
        let weighed = zip(&hidden, self.shares(n, both.rows())?, Zip::Mul)?;
        accumulate(1.0, (&both, Trans::Yes), (&weighed, Trans::No), &mut self.parameters)
    }

    /// What each row counts in a step: the first n are of the data, the others of the model.
    fn shares(&mut self, n: usize, all: usize) -> Result<&Matrix> {
        let at = if let Some(at) = self.shares.iter().position(|(own, m)| *own == n && m.rows() == all) {
            at
        } else {
            let rate = self.by.rate;
            let share = |i| if i < n { rate / n as f64 } else { -rate / (all - n) as f64 };
            let column: Vec<f64> = (0..all).map(share).collect();
            self.shares.push((n, Matrix::column(&self.x.device(), &column)?));
            self.shares.len() - 1
        };
        Ok(&self.shares[at].1)
    }

    /// A pass over the rows in this order; the mean squared reconstruction error after it.
    pub fn pass(&mut self, order: &[usize]) -> Result<f64> {
        let (mut list, mut parts) = (Vec::new(), Vec::new());
        for rows in order.chunks(self.by.batch) {
            parts.push(list.len()..list.len() + rows.len());
            list.extend(rows);
            list.resize(list.len().next_multiple_of(RowList::ALIGN), 0);
        }
        let list = RowList::new(&self.x, list)?;
        for part in parts {
            self.batch(&gather_listed(&self.x, &list, part)?)?;
        }
        let h = units(&self.up(&self.x)?, Unit::Sigmoid)?;
        let back = units(&self.down(&h)?, self.visible.0)?;
        Ok(squares(&back, &self.x)? / order.len() as f64)
    }

    /// The machine as it is now.
    pub fn read(&self, rbm: &mut FittedRbm) -> Result<()> {
        let all = self.parameters.to_array()?;
        let (d, m) = rbm.weights.dim();
        rbm.weights.assign(&all.slice(s![..d, ..m]));
        rbm.visible_bias.assign(&all.slice(s![..d, m]));
        rbm.hidden_bias.assign(&all.slice(s![d, ..m]));
        Ok(())
    }
}

/// `Σ (a - b)²`.
fn squares(a: &Matrix, b: &Matrix) -> Result<f64> {
    if let (Some(a), Some(b)) = (a.host(), b.host()) {
        let row = |i: usize| -> f64 { a.row(i).iter().zip(b.row(i)).map(|(a, b)| (a - b) * (a - b)).sum() };
        return Ok((0..a.nrows()).into_par_iter().map(row).collect::<Vec<_>>().iter().sum());
    }
    let each = reduce(&map(&zip(a, b, Zip::Sub)?, Map::Square)?, Along::EachRow, Reduction::Sum)?;
    Ok(reduce(&each, Along::EachColumn, Reduction::Sum)?.to_array()?[[0, 0]])
}
