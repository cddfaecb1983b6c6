//! Moments of classes and log densities of rows on a device: f32 there, judged in f64 here.
//!
//! What f32 cannot tell is told by the CPU: a class so narrow beside the range of the data that its variance loses digits,
//! and rows whose two best classes are as near as rounding. Checked on every adapter in `tests/classify/generative_adapters.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::learn::classify::Task;
use crate::learn::ranks::Meeting;
use crate::matrix::{Origin, Points};
use crate::ops::{Second, Trans, Whitening, gaussian_log_density, gemm, moments};
use crate::{Device, Matrix, Result};

/// Half the distance from 1 to the next number of f32.
const HALF: f64 = f32::EPSILON as f64 / 2.0;
/// Deviation of a feature within a class, in units of the farthest point, below which its variance is summed in f64.
const NARROW: f64 = 1e-2;
/// Rounding of a standardised feature beyond which densities are computed in f64.
const COARSE: f64 = 1e-4;

/// Masses, means and scatters about these means.
pub(super) struct Sums {
    pub mass: Array1<f64>,
    pub means: Array2<f64>,
    /// `(K d) x d`, or the squares alone, `K x d`.
    pub scatter: Array2<f64>,
}

/// The moments of the classes, or none if the CPU has to sum them.
///
/// The sums of classes come first, then [`moments`] about the means that they give, which corrects these.
pub(super) fn class_moments(
    op: &'static str,
    all: &Meeting,
    device: &Device,
    task: &Task,
    second: Second,
) -> Result<Option<Sums>> {
    let ((n, d), k) = (task.x.dim(), task.classes);
    let full = second == Second::Full;
    let flops = 2.0 * (n * d * k) as f64 * if full { d as f64 } else { 1.0 };
    if !all.alone() || !device.suited_to(flops).is_gpu() {
        return Ok(None);
    }
    let points = Points::new(op, device, task.x.view(), Origin::Free, flops)?;
    if !points.device().is_gpu() {
        return Ok(None);
    }
    // Weights in units of the largest: f32 holds their squares.
    let unit = task.weights.fold(0f64, |m, w| m.max(*w));
    let x = points.matrix()?;
    let r = Matrix::from_array(points.device(), (task.weighted_one_hot() / unit).view())?;
    let mass = task.mass();
    let share = (&mass / unit).insert_axis(Axis(1));
    let sums = gemm(1.0, &r, Trans::Yes, x, Trans::No)?.to_array()?;
    let about = (sums / &share).mapv(|v| f64::from(v as f32));
    let found = moments(x, &r, &Matrix::from_array(points.device(), about.view())?, second)?;
    let missed = &found.first / &share;
    let mut scatter = found.second;
    let each = if full { d } else { 1 };
    for c in 0..k {
        let (m, own) = (missed.row(c), share[[c, 0]]);
        let mut block = scatter.slice_mut(s![c * each..(c + 1) * each, ..]);
        for ((i, j), v) in block.indexed_iter_mut() {
            *v -= own * m[if full { i } else { j }] * m[j];
        }
    }
    let reach = reach(x_away(task.x.view(), points.shift()).view());
    let wide = |c: usize, j: usize| {
        let square = scatter[[c * each + if full { j } else { 0 }, j]];
        square > share[[c, 0]] * (NARROW * reach[j]).powi(2)
    };
    let resolved = (0..k).all(|c| (0..d).all(|j| wide(c, j))) && scatter.iter().all(|v| v.is_finite());
    let means = about + missed + points.shift();
    Ok(resolved.then(|| Sums { mass, means, scatter: scatter * unit }))
}

/// What makes differences from means standard.
pub(super) enum White<'a> {
    /// `d x d`, the same for all classes.
    Shared(ArrayView2<'a, f64>),
    /// `(K d) x d`, one below the other.
    Each(ArrayView2<'a, f64>),
    /// `K x d`: factors.
    Diagonal(ArrayView2<'a, f64>),
}

/// `offset_k - ½‖W_k (x - m_k)‖²` of all rows and classes, or none if that is for the CPU.
///
/// `exact` says the same of some rows in f64: it is asked for those whose best two classes f32 does not tell apart.
pub(super) fn log_densities(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    means: &Array2<f64>,
    white: &White,
    offset: &Array1<f64>,
    exact: impl Fn(ArrayView2<f64>) -> Array2<f64>,
) -> Result<Option<Array2<f64>>> {
    let ((n, d), k) = (x.dim(), offset.len());
    let (White::Shared(w) | White::Each(w) | White::Diagonal(w)) = white;
    let flops = 2.0 * (n * d) as f64 * if let White::Shared(_) = white { k + d } else { w.nrows() } as f64;
    if n == 0 || !device.suited_to(flops).is_gpu() {
        return Ok(None);
    }
    let points = Points::new(op, device, x, Origin::Free, flops)?;
    if !points.device().is_gpu() {
        return Ok(None);
    }
    let (far, near) = (x_away(x, points.shift()), x_away(means.view(), points.shift()));
    let mut reach = reach(far.view());
    reach.zip_mut_with(&self::reach(near.view()), |a, b| *a = a.max(*b));
    // A row of W against points that are all as far as the farthest.
    let sizes = w.mapv(f64::abs) * &reach;
    let widest = if let White::Diagonal(_) = white {
        sizes.fold(0f64, |m, v| m.max(*v))
    } else {
        sizes.sum_axis(Axis(1)).fold(0f64, |m, v| m.max(*v))
    };
    let rounding = HALF * widest;
    if rounding.is_nan() || rounding > COARSE || offset.iter().any(|v| v.abs() > 1e30) {
        return Ok(None);
    }
    let there = |a: ArrayView2<f64>| Matrix::from_array(points.device(), a);
    let constants = there(offset.view().insert_axis(Axis(0)))?;
    let joint = match white {
        White::Shared(w) => {
            let z = gemm(1.0, points.matrix()?, Trans::No, &there(*w)?, Trans::Yes)?;
            let (m, ones) = (there(near.dot(&w.t()).view())?, there(Array2::ones((k, d)).view())?);
            gaussian_log_density(&z, &m, Whitening::Diagonal(&ones), &constants)?
        }
        White::Each(w) => {
            let (m, w) = (there(near.view())?, there(*w)?);
            gaussian_log_density(points.matrix()?, &m, Whitening::Full(&w), &constants)?
        }
        White::Diagonal(w) => {
            let (m, w) = (there(near.view())?, there(*w)?);
            gaussian_log_density(points.matrix()?, &m, Whitening::Diagonal(&w), &constants)?
        }
    };
    let top = offset.fold(0f64, |m, v| m.max(v.abs()));
    let doubt = |_: usize, second: f64| {
        let square = 2.0 * (top - second).max(0.0);
        8.0 * (rounding * (d as f64 * square).sqrt() + HALF * (square + top))
    };
    Ok(Some(settled(joint.to_array()?, x, doubt, exact)))
}

/// `x tᵀ` of counts x and a table t, `K x d`, with a constant for each class: or none if that is for the CPU.
pub(super) fn linear_scores(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    table: &Array2<f64>,
    constant: &Array1<f64>,
    exact: impl Fn(ArrayView2<f64>) -> Array2<f64>,
) -> Result<Option<Array2<f64>>> {
    let ((n, d), k) = (x.dim(), table.nrows());
    let flops = 2.0 * (n * d * k) as f64;
    let largest = table.iter().chain(constant).fold(0f64, |m, v| m.max(v.abs()));
    if n == 0 || largest > 1e15 || !device.suited_to(flops).is_gpu() {
        return Ok(None);
    }
    let points = Points::new(op, device, x, Origin::Fixed, flops)?;
    if !points.device().is_gpu() {
        return Ok(None);
    }
    let table = Matrix::from_array(points.device(), table.view())?;
    let scores = gemm(1.0, points.matrix()?, Trans::No, &table, Trans::Yes)?.to_array()? + constant;
    let counts = x.sum_axis(Axis(1));
    let doubt = |i: usize, _: f64| HALF * (8.0 + (d as f64).sqrt()) * largest * (1.0 + counts[i]);
    Ok(Some(settled(scores, x, doubt, exact)))
}

/// Scores of f32, with those of f64 for the rows whose two best are nearer than a doubt, or where f32 has no number.
fn settled(
    mut scores: Array2<f64>,
    x: ArrayView2<f64>,
    doubt: impl Fn(usize, f64) -> f64,
    exact: impl Fn(ArrayView2<f64>) -> Array2<f64>,
) -> Array2<f64> {
    let unsure = |&i: &usize| {
        let (mut best, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for &v in scores.row(i) {
            (best, second) = if v > best { (v, best) } else { (best, second.max(v)) };
        }
        let (gap, doubt) = (best - second, doubt(i, second));
        gap <= doubt || gap.is_nan() || doubt.is_nan() || scores.row(i).iter().any(|v| !v.is_finite())
    };
    let rows: Vec<usize> = (0..scores.nrows()).filter(unsure).collect();
    if !rows.is_empty() {
        let better = exact(x.select(Axis(0), &rows).view());
        for (&i, row) in rows.iter().zip(better.rows()) {
            scores.row_mut(i).assign(&row);
        }
    }
    scores
}

fn x_away(x: ArrayView2<f64>, shift: &Array1<f64>) -> Array2<f64> {
    &x - shift
}

/// The farthest value of each column from zero.
fn reach(x: ArrayView2<f64>) -> Array1<f64> {
    x.map_axis(Axis(0), |column| column.fold(0f64, |m, v| m.max(v.abs())))
}

/// `placed!(FittedModel: found.gaussians)`: `device` and `on` of a fitted classifier whose part there has a device.
macro_rules! placed {
    ($own:ident: $($part:ident).+) => {
        $crate::learn::configure::getters!($own<L> {
            /// Where densities of many rows are computed.
            device => $($part).+.device: &$crate::Device,
        });

        impl<L> $own<L> {
            /// The classifier on another device.
            #[must_use]
            pub fn on(mut self, device: &$crate::Device) -> Self {
                self.$($part).+.device = device.clone();
                self
            }
        }
    };
}

pub(super) use placed;
