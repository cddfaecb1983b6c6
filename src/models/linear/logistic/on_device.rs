//! The likelihood and its derivatives where the rows are resident on a device, in f32.
//!
//! What goes up is W, what comes back a number, the gradient and, where it is asked for, the Hessian. The targets enter by
//! `Σ s_i z_i t_iᵀ` alone, which is summed once in f64. Checked on every adapter in `tests/classify/adapters.rs`.

use ndarray::{Array2, ArrayView2, s};

use super::newton::{Control, flat, folded, pin, well_conditioned};
use super::passes::Order;
use super::problem::{Link, Local, Problem};
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::matrix::{Origin, Points};
use crate::ops::{Along, Map, Reduction, Trans, Zip, gemm, map, reduce, softmax_logsumexp, zip};
use crate::optim::{self, Minimiser};
use crate::{Device, Matrix, Result};

/// Iterations that a fit is taken to make when its work is weighed against a device's threshold.
const ITERATIONS: f64 = 8.0;
/// Share of the whole weight that a Newton step gains at least: f32 tells no less.
const GAIN: f64 = 1e-8;
/// Squared ratio of the pivots of a Hessian in f32 below which it says nothing.
const RESOLVED: f64 = 1e-5;
/// Gradient of a row at which L-BFGS goes on in f64.
const SLOPE: f64 = 1e-5;
/// Rounding of a sum of losses in f32.
const ROUNDING: f64 = 1e-6;

pub(super) struct Resident {
    z: Points,
    weights: Matrix,
    offset: Option<Matrix>,
    /// `Σ s_i z_i t_iᵀ`, `p x c`.
    targets: Array2<f64>,
    /// `Σ s_i t_i` times the offset.
    constant: f64,
}

/// What a search on the device hands on: parameters near the minimum, the Hessian there, and objectives.
pub(super) struct Near {
    pub w: Array2<f64>,
    pub hessian: Option<Array2<f64>>,
    pub trace: Vec<f64>,
}

impl Resident {
    /// None if the work is not worth a device.
    pub fn new(op: &'static str, problem: &Problem, device: &Device, curved: bool) -> Result<Option<Self>> {
        let (n, p, c) = (problem.rows(), problem.width(), problem.columns);
        let blocks = if curved { p * c * (c + 1) / 2 } else { 0 };
        let flops = ITERATIONS * 2.0 * n as f64 * p as f64 * (2 * c + blocks) as f64;
        let device = device.suited_to(flops);
        if !device.is_gpu() || !problem.all.alone() || problem.link == Link::Probit || p == 0 {
            return Ok(None);
        }
        let mut z = Array2::zeros((n, p));
        problem.fill(0..n, &mut z.view_mut());
        let mut targets = Array2::<f64>::zeros((p, c));
        let mut constant = 0.0;
        for (i, (&k, s)) in problem.index.iter().zip(&problem.weights).enumerate() {
            let column = if c == 1 { 0 } else { k };
            if c > 1 || k == 1 {
                targets.column_mut(column).scaled_add(*s, &z.row(i));
                constant += s * problem.offset.as_ref().map_or(0.0, |o| o[i]);
            }
        }
        let column = |v: &ndarray::Array1<f64>| Matrix::column(&device, v.as_slice().expect("made whole"));
        let weights = column(&problem.weights)?;
        let offset = problem.offset.as_ref().map(column).transpose()?;
        // Entries are at most one by size: f32 holds them, and what it loses is made up for in f64.
        let z = Points::on(op, &device, z.view(), Origin::Fixed)?;
        Ok(Some(Resident { z, weights, offset, targets, constant }))
    }

    /// Sums over rows, without the penalty.
    fn at(&self, w: ArrayView2<f64>, order: Order) -> Result<Local> {
        let (z, c) = (self.z.matrix()?, w.ncols());
        let mut a = gemm(1.0, z, Trans::No, &Matrix::from_array(self.z.device(), w)?, Trans::No)?;
        if let Some(offset) = &self.offset {
            a = zip(&a, offset, Zip::Add)?;
        }
        let (p, levels) =
            if c == 1 { (map(&a, Map::Sigmoid)?, map(&a, Map::Softplus)?) } else { softmax_logsumexp(a)? };
        let losses = reduce(&zip(&levels, &self.weights, Zip::Mul)?, Along::EachColumn, Reduction::Sum)?;
        let weighted = zip(&p, &self.weights, Zip::Mul)?;
        let gradient = gemm(1.0, z, Trans::Yes, &weighted, Trans::No)?.to_array()? - &self.targets;
        let hessian = if order == Order::Curve { Some(self.hessian(&p, &weighted)?) } else { None };
        let loss = losses.to_array()?[[0, 0]] - (&w * &self.targets).sum() - self.constant;
        Ok(Local { value: loss, loss, gradient, hessian, separated: false })
    }

    /// `Zᵀ diag(s p_a (1 - p_b)) Z` of all pairs of columns; off the diagonal without the one.
    fn hessian(&self, p: &Matrix, weighted: &Matrix) -> Result<Array2<f64>> {
        let (z, c) = (self.z.matrix()?, p.cols());
        let width = z.cols();
        let mut h = Array2::zeros((width * c, width * c));
        let pick = |m: &Matrix, k: usize| {
            let mut one = Array2::zeros((c, 1));
            one[[k, 0]] = 1.0;
            gemm(1.0, m, Trans::No, &Matrix::from_array(self.z.device(), one.view())?, Trans::No)
        };
        let columns: Vec<[Matrix; 2]> = if c == 1 {
            vec![[weighted.clone(), p.clone()]]
        } else {
            (0..c).map(|k| Ok([pick(weighted, k)?, pick(p, k)?])).collect::<Result<_>>()?
        };
        for a in 0..c {
            for b in 0..=a {
                let (scale, shift) = (-1.0, f64::from(u8::from(a == b)));
                let by = zip(&columns[a][0], &map(&columns[b][1], Map::Affine { scale, shift })?, Zip::Mul)?;
                let block = gemm(1.0, z, Trans::Yes, &zip(z, &by, Zip::Mul)?, Trans::No)?.to_array()?;
                let block = if a == b { 0.5 * (&block + &block.t()) } else { block };
                let (rows, cols) = (a * width..(a + 1) * width, b * width..(b + 1) * width);
                h.slice_mut(s![cols.clone(), rows.clone()]).assign(&block.t());
                h.slice_mut(s![rows, cols]).assign(&block);
            }
        }
        Ok(h)
    }

    /// Newton's method as far as f32 goes; none where its Hessian says nothing, and the CPU has to do it all.
    pub fn newton(&self, problem: &Problem, control: &Control) -> Result<Option<Near>> {
        let (width, c, total) = (problem.width(), problem.columns, problem.weights.sum());
        let at = |w: ArrayView2<f64>| Ok::<_, crate::Error>(problem.with_ridge(w, self.at(w, Order::Curve)?));
        let mut w = Array2::zeros((width, c));
        let mut here = at(w.view())?;
        let mut trace = vec![here.value];
        while trace.len() <= control.max_iterations {
            let Some(hessian) = here.hessian.clone() else { return Ok(None) };
            let mut h = hessian.clone();
            pin(problem, &mut h);
            let mut l: Vec<f64> = h.iter().copied().collect();
            if cholesky(&mut l, width * c).is_err() || !well_conditioned(&l, width * c, RESOLVED) {
                return Ok(None);
            }
            let g = flat(here.gradient.view());
            let mut step = g.to_vec();
            solve(&l, &mut step);
            let gain: f64 = g.iter().zip(&step).map(|(g, s)| g * s).sum();
            let step = folded(ndarray::ArrayView1::from(&step), c);
            if gain <= GAIN * total {
                return Ok(Some(Near { w, hessian: Some(hessian), trace }));
            }
            let mut size = 1.0;
            loop {
                let next = &w - &(size * &step);
                let there = at(next.view())?;
                if there.value <= here.value - 1e-4 * size * gain + ROUNDING * here.value.abs() {
                    (w, here) = (next, there);
                    break;
                }
                size *= 0.5;
                if size < 1e-6 {
                    return Ok(None);
                }
            }
            trace.push(here.value);
            control.progress.report(control.op, trace.len() - 1, control.max_iterations, here.value)?;
        }
        Ok(None)
    }

    /// L-BFGS as far as f32 goes.
    pub fn quasi_newton(&self, problem: &Problem, control: &Control) -> Result<Near> {
        let (width, c, total) = (problem.width(), problem.columns, problem.weights.sum());
        let minimiser = Minimiser::new()
            .max_iterations(control.max_iterations)
            .tolerance(SLOPE)
            .progress(control.progress.clone());
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); width * c];
        let found: optim::Minimum = minimiser.run(&vec![0.0; width * c], &bounds, |v| {
            let w = folded(ndarray::ArrayView1::from(v), c);
            let here = problem.with_ridge(w.view(), self.at(w.view(), Order::Slope)?);
            Ok((here.value / total, (flat(here.gradient.view()) / total).to_vec()))
        })?;
        let w = folded(ndarray::ArrayView1::from(&found.point), c);
        Ok(Near { w, hessian: None, trace: found.trace.iter().map(|v| v * total).collect() })
    }
}
