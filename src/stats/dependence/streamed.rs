//! HSIC of permuted samples without a Gram matrix: kernel sums over tiles, once for each permutation.
//!
//! With J the sum of `k_ij l_ij`, r and s the row sums and t, u their totals, both estimates are
//! `unit (J + t u / a - 2 r·s / c)`: over all pairs with `a = n²`, `c = n`, over pairs of different observations with
//! `a = (n-1)(n-2)`, `c = n-2`. A permutation of y changes J and the order of s. Checked in `tests/stats/independence.rs`.

use ndarray::Axis;

use super::hsic::{Hsic, beside, shifted};
use crate::matrix::Points;
use crate::ops::{Weights, gram_diagonal, gram_sum, gram_vec};
use crate::stats::resample::{Steps, Values, rounding};
use crate::stats::two_sample::Estimator;
use crate::{Kernel, Matrix, Result};

/// The factor of an estimate of n observations.
pub(super) fn unit(estimator: Estimator, n: usize) -> f64 {
    let n = n as f64;
    if estimator == Estimator::Biased { 1.0 / (n * n) } else { 1.0 / (n * (n - 3.0)) }
}

/// What one Gram matrix adds up to.
struct Side {
    rows: Vec<f64>,
    /// What is left out of every sum: nothing in the biased estimate.
    diagonal: Vec<f64>,
    /// `Σ k_ij²` over what is not left out.
    squares: f64,
    /// `√(Σ k_ij²)` over everything.
    plain: f64,
}

impl Side {
    fn of(estimator: Estimator, kernel: &Kernel, x: &Matrix, ones: &Matrix) -> Result<Self> {
        let flat = |m: Matrix| Ok::<Vec<f64>, crate::Error>(m.to_array()?.into_iter().collect());
        let all = flat(gram_vec(kernel, x, None, ones)?)?;
        let diagonal = match estimator {
            Estimator::Biased => vec![0.0; all.len()],
            Estimator::Unbiased => flat(gram_diagonal(kernel, x)?)?,
        };
        let twice = kernel.clone() * kernel.clone();
        let squares = gram_sum(&twice, x, None, Weights::LowRank { u: ones, v: ones })?;
        let own: f64 = diagonal.iter().map(|d| d * d).sum();
        let rows = all.iter().zip(&diagonal).map(|(r, d)| r - d).collect();
        Ok(Side { rows, diagonal, squares: squares - own, plain: squares.max(0.0).sqrt() })
    }
}

/// `J + t u / a - 2 r·s / c`, the rows of the second in this order.
fn centred(estimator: Estimator, joint: f64, (k, l): (&Side, &Side), order: &[usize]) -> f64 {
    let n = order.len() as f64;
    let (a, c) = if estimator == Estimator::Biased { (n * n, n) } else { ((n - 1.0) * (n - 2.0), n - 2.0) };
    let cross: f64 = k.rows.iter().zip(order).map(|(r, &i)| r * l.rows[i]).sum();
    joint + k.rows.iter().sum::<f64>() * l.rows.iter().sum::<f64>() / a - 2.0 * cross / c
}

/// The estimate for each order of the rows of y, in O(n) memory.
pub(super) fn streamed(
    estimator: Estimator,
    hsic: &Hsic,
    (x, y): (&Points, &Points),
    orders: &[Vec<usize>],
    steps: &mut Steps,
) -> Result<Values> {
    let (device, n) = (x.device(), x.host().nrows());
    let ones = Matrix::column(device, &vec![1.0; n])?;
    let k = Side::of(estimator, &hsic.k, x.matrix()?, &ones)?;
    let l = Side::of(estimator, &hsic.l, y.matrix()?, &ones)?;
    let (x, y) = (shifted(x), shifted(y));
    let kernel = hsic.on_pairs(x.ncols(), y.ncols());
    let unit = unit(estimator, n);
    let (mut all, mut largest) = (Vec::with_capacity(orders.len()), 0f64);
    for order in orders {
        let both = beside(x.view(), y.select(Axis(0), order).view());
        let both = Matrix::upload("IndependenceTest", device, both.view())?;
        let joint = gram_sum(&kernel, &both, None, Weights::LowRank { u: &ones, v: &ones })?;
        let own: f64 = k.diagonal.iter().zip(order).map(|(d, &i)| d * l.diagonal[i]).sum();
        all.push(unit * centred(estimator, joint - own, (&k, &l), order));
        largest = largest.max(joint.abs());
        steps.made()?;
    }
    let same: Vec<usize> = (0..n).collect();
    let [on_x, on_y] = [&k, &l].map(|side| centred(estimator, side.squares, (side, side), &same).max(0.0));
    let (scale, eps) = (unit / n as f64, f64::from(f32::EPSILON));
    let spread = (on_x * on_y).sqrt() * scale;
    // As with stored matrices, so that memory decides no tie.
    let error = 2.0 * eps * (k.plain * on_y.sqrt() + on_x.sqrt() * l.plain) * scale + rounding(n) * spread;
    // In f32 the joint sum, which alone differs from one order to the next, is rounded as a whole.
    let error = if device.is_gpu() { error.max(unit * eps * largest) } else { error };
    Ok(Values { all, spread, error })
}
