//! Sums over rows: the likelihood, its gradient and its Hessian in one pass, a block of rows at a time on every core.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use rayon::prelude::*;

use super::problem::{Data, Local};
use super::rows;
use crate::host::memory::mirror_lower;
use crate::ops::{accumulate_alone, accumulate_lower_alone, product_alone, softmax_block};

/// Rows of a block: scaled once for scores, gradient and Hessian while they are in the cache.
const ROWS: usize = 512;
/// Separate sums, added in order: the bits are the same on any number of threads.
const SUMS: usize = 8;

/// How many derivatives are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    Value,
    Slope,
    Curve,
}

/// The blocks of rows, one list for each sum.
fn lanes(n: usize) -> Vec<Vec<Range<usize>>> {
    let blocks: Vec<Range<usize>> = (0..n).step_by(ROWS).map(|i| i..n.min(i + ROWS)).collect();
    (0..SUMS.min(blocks.len()))
        .map(|lane| blocks.iter().skip(lane).step_by(SUMS).cloned().collect())
        .collect()
}

/// Without the penalty.
pub(super) fn sums(problem: &Data, w: ArrayView2<f64>, order: Order) -> Local {
    let parts: Vec<Local> =
        lanes(problem.rows()).into_par_iter().map(|b| lane(problem, w, order, &b)).collect();
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_else(|| lane(problem, w, order, &[]));
    for part in parts {
        all.loss += part.loss;
        all.separated &= part.separated;
        all.gradient += &part.gradient;
        if let (Some(all), Some(part)) = (&mut all.hessian, part.hessian) {
            *all += &part;
        }
    }
    if let Some(h) = &mut all.hessian {
        mirror_lower(h);
    }
    all
}

fn lane(problem: &Data, w: ArrayView2<f64>, order: Order, blocks: &[Range<usize>]) -> Local {
    let (p, c) = (problem.width(), problem.columns);
    if order < Order::Curve
        && let Some(w) = w.as_slice()
        && let Some(sums) = rows::slopes(problem, w, blocks, order == Order::Slope)
    {
        return sums;
    }
    let slopes = if order >= Order::Slope { p } else { 0 };
    let curved = order >= Order::Curve;
    let mut out = Local {
        value: 0.0,
        loss: 0.0,
        gradient: Array2::zeros((slopes, if slopes > 0 { c } else { 0 })),
        hessian: curved.then(|| Array2::zeros((p * c, p * c))),
        separated: true,
    };
    let room = blocks.first().map_or(0, Range::len);
    let (mut z, mut slope) = (Array2::zeros((room, p)), Array2::zeros((room, c)));
    let mut curvature = Array2::zeros((room, c));
    let mut weighted = Array2::zeros((if curved { room } else { 0 }, p));
    for rows in blocks {
        let m = rows.len();
        let mut z = z.slice_mut(s![..m, ..]);
        let (mut slope, mut curvature) = (slope.slice_mut(s![..m, ..]), curvature.slice_mut(s![..m, ..]));
        problem.fill(rows.clone(), &mut z);
        slope.fill(0.0);
        accumulate_alone(1.0, z.view(), w, slope.view_mut());
        let (loss, separated) = locals(problem, rows.clone(), &mut slope, &mut curvature);
        out.loss += loss;
        out.separated &= separated;
        if order >= Order::Slope {
            accumulate_alone(1.0, z.t(), slope.view(), out.gradient.view_mut());
        }
        if let Some(h) = &mut out.hessian {
            let weights = &problem.weights.as_slice().expect("made whole")[rows.clone()];
            let mut weighted = weighted.slice_mut(s![..m, ..]);
            for a in 0..c {
                for b in 0..=a {
                    for (i, (mut to, from)) in weighted.rows_mut().into_iter().zip(z.rows()).enumerate() {
                        let own = curvature[[i, a]];
                        let one = if a == b { 1.0 } else { 0.0 };
                        let by = if c == 1 { own } else { weights[i] * own * (one - curvature[[i, b]]) };
                        to.zip_mut_with(&from, |to, z| *to = by * z);
                    }
                    let block = h.slice_mut(s![a * p..(a + 1) * p, b * p..(b + 1) * p]);
                    if a == b {
                        accumulate_lower_alone(z.t(), weighted.view(), block);
                    } else {
                        accumulate_alone(1.0, z.t(), weighted.view(), block);
                    }
                }
            }
        }
    }
    out
}

/// Scores become `s ℓ'`, beside them `s ℓ''` for one column, else the probabilities of classes. The sum of `s ℓ`, and
/// whether all rows are on the right side.
fn locals(
    problem: &Data,
    rows: Range<usize>,
    slope: &mut ArrayViewMut2<f64>,
    curvature: &mut ArrayViewMut2<f64>,
) -> (f64, bool) {
    let (mut loss, mut separated) = (0.0, true);
    let weights = problem.weights.slice(s![rows.clone()]);
    let index = &problem.index[rows.clone()];
    if problem.columns == 1 {
        for (i, (&k, s)) in index.iter().zip(weights).enumerate() {
            let a = slope[[i, 0]];
            separated &= if k == 1 { a > 0.0 } else { a < 0.0 };
            let shifted = problem.offset.as_ref().map_or(a, |o| a + o[rows.start + i]);
            let [value, g, h] = problem.link.local(shifted, k == 1);
            loss += s * value;
            (slope[[i, 0]], curvature[[i, 0]]) = (s * g, s * h);
        }
        return (loss, separated);
    }
    curvature.assign(slope);
    let mut whole = vec![0.0; rows.len()];
    softmax_block(curvature.as_slice_mut().expect("rows of a whole array"), &mut whole);
    for (i, (&k, s)) in index.iter().zip(weights).enumerate() {
        let own = slope[[i, k]];
        separated &= slope.row(i).iter().enumerate().all(|(c, a)| c == k || *a < own);
        loss += s * (whole[i] - own);
        for (c, (slope, p)) in slope.row_mut(i).iter_mut().zip(curvature.row(i)).enumerate() {
            *slope = s * (p - if c == k { 1.0 } else { 0.0 });
        }
    }
    (loss, separated)
}

/// The largest score by size.
pub(super) fn largest_score(problem: &Data, w: ArrayView2<f64>) -> f64 {
    let each = |blocks: Vec<Range<usize>>| {
        let mut largest = 0f64;
        for rows in blocks {
            let mut z = Array2::zeros((rows.len(), problem.width()));
            let mut scores = Array2::zeros((rows.len(), problem.columns));
            problem.fill(rows, &mut z.view_mut());
            product_alone(1.0, z.view(), w, scores.view_mut());
            largest = scores.iter().fold(largest, |m, v| m.max(v.abs()));
        }
        largest
    };
    lanes(problem.rows()).into_par_iter().map(each).reduce(|| 0.0, f64::max)
}
