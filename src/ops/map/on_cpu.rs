//! The functions on the host, on every core once there is enough to do.

use ndarray::Array2;
use rayon::prelude::*;

use super::{Map, TASK, Zip};
use crate::host::memory::{copy, room};
use crate::ops::reduce::flat;

pub(super) fn cpu(a: &Array2<f64>, f: Map) -> Array2<f64> {
    match f {
        Map::Exp => each(a, f64::exp),
        Map::Log => each(a, f64::ln),
        Map::Sqrt => each(a, f64::sqrt),
        Map::Square => each(a, |x| x * x),
        Map::Abs => each(a, f64::abs),
        Map::Recip => each(a, f64::recip),
        Map::Affine { scale, shift } => each(a, |x| scale * x + shift),
        Map::Tanh => each(a, f64::tanh),
        Map::Sigmoid => each(a, |x| {
            // The exponential of a negative number: small values keep their digits, large ones do not overflow.
            let e = (-x.abs()).exp();
            if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
        }),
        Map::MaxWith(least) => each(a, |x| x.max(least)),
        Map::Digamma => each(a, statrs::function::gamma::digamma),
        Map::Softplus => each(a, |x| x.max(0.0) + (-x.abs()).exp().ln_1p()),
    }
}

fn each(a: &Array2<f64>, f: impl Fn(f64) -> f64 + Sync) -> Array2<f64> {
    let mut out = room(a.nrows(), a.ncols());
    let entries = out.as_slice_mut().expect("a new array is row-major");
    let task = |(to, from): (&mut [f64], &[f64])| {
        to.iter_mut().zip(from).for_each(|(t, &x)| *t = f(x));
    };
    if entries.len() <= TASK {
        task((entries, flat(a)));
    } else {
        entries.par_chunks_mut(TASK).zip(flat(a).par_chunks(TASK)).for_each(task);
    }
    out
}

pub(super) fn zip_cpu(a: &Array2<f64>, b: &Array2<f64>, op: Zip) -> Array2<f64> {
    match op {
        Zip::Add => pairs(a, b, |x, y| x + y),
        Zip::Sub => pairs(a, b, |x, y| x - y),
        Zip::Mul => pairs(a, b, |x, y| x * y),
        Zip::Div => pairs(a, b, |x, y| x / y),
    }
}

fn pairs(a: &Array2<f64>, b: &Array2<f64>, f: impl Fn(f64, f64) -> f64 + Sync) -> Array2<f64> {
    let m = a.ncols();
    let wide = b.broadcast(a.dim()).expect("the caller has checked the shapes");
    let mut out = copy(a.view());
    let entries = out.as_slice_mut().expect("host matrices are stored row after row");
    let rows = (TASK / m).max(1); // of one task
    let task = |(block, to): (usize, &mut [f64])| {
        for (i, to) in to.chunks_exact_mut(m).enumerate() {
            to.iter_mut().zip(wide.row(block * rows + i)).for_each(|(x, &y)| *x = f(*x, y));
        }
    };
    if a.nrows() <= rows {
        task((0, entries));
    } else {
        entries.par_chunks_mut(rows * m).enumerate().for_each(task);
    }
    out
}
