//! The mean and the scatter of each class, in two passes over the rows on every core.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, s};
use rayon::prelude::*;

use super::on_device::{Sums, class_moments};
use crate::learn::classify::Task;
use crate::learn::ranks::{self, Meeting};
use crate::ops::{Second, accumulate_lower_alone};
use crate::{Device, Result};

/// The weighted mean of rows, about the middle of their range: exact far from the origin.
pub(super) fn mean(x: ArrayView2<f64>, w: ArrayView1<f64>) -> Array1<f64> {
    let total = w.sum();
    let each = |column: ArrayView1<f64>| {
        let least = column.fold(f64::INFINITY, |m, v| m.min(*v));
        let middle = 0.5 * least + 0.5 * column.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        middle + column.iter().zip(w).map(|(v, w)| w * (v - middle)).sum::<f64>() / total
    };
    x.axis_iter(Axis(1)).map(each).collect()
}

/// The mass and the mean of groups of rows over all ranks: `G` and `G x d`.
pub(super) fn group_means(
    all: &Meeting,
    op: &'static str,
    task: &Task,
    groups: &[Vec<usize>],
) -> Result<(Array1<f64>, Array2<f64>)> {
    let d = task.x.ncols();
    let one = |rows: &Vec<usize>| {
        let (x, w) = (task.x.select(Axis(0), rows), task.weights.select(Axis(0), rows));
        (w.sum(), if rows.is_empty() { Array1::zeros(d) } else { mean(x.view(), w.view()) })
    };
    let own: Vec<(f64, Array1<f64>)> = groups.iter().map(one).collect();
    let found = all.together(op, own, |a, b| {
        for (a, b) in a.iter_mut().zip(b).filter(|(_, b)| b.0 > 0.0) {
            let whole = a.0 + b.0;
            let gap = &b.1 - &a.1;
            a.1.scaled_add(b.0 / whole, &gap);
            a.0 = whole;
        }
        Ok(())
    })?;
    let mut means = Array2::zeros((groups.len(), d));
    means.rows_mut().into_iter().zip(&found).for_each(|(mut to, (_, m))| to.assign(m));
    Ok((found.into_iter().map(|(mass, _)| mass).collect(), means))
}

/// The mean and scatter of each class, and the class weights.
pub(super) struct Moments {
    pub means: Array2<f64>,
    pub scatters: Vec<Array2<f64>>,
    pub mass: Array1<f64>,
    /// The rows of each class, if the CPU has made the sums.
    members: Vec<Vec<usize>>,
}

/// Rows that are centred and multiplied at a time.
const ROWS: usize = 512;
/// Separate sums of one class, added in order: the bits are the same on any number of threads.
const SUMS: usize = 8;

const OP: &str = "a discriminant";

impl Moments {
    /// Those of the classes over all ranks.
    pub fn of(all: &Meeting, task: &Task) -> Result<Self> {
        let d = task.x.ncols();
        let mut members = vec![Vec::new(); task.classes];
        task.index.iter().enumerate().for_each(|(i, &k)| members[k].push(i));
        let of = |rows: &Vec<usize>| moments_of(task, rows);
        // Many classes keep the threads busy by themselves; of few each is shared.
        let each: Vec<_> = if task.classes >= SUMS {
            members.par_iter().map(of).collect()
        } else {
            members.iter().map(of).collect()
        };
        let mut means = Array2::zeros((task.classes, d));
        let mut scatters = Vec::with_capacity(task.classes);
        let each = all.together(OP, each, |a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| a.merge(b));
            Ok(())
        })?;
        let mass = each.iter().map(|k| k.mass).collect();
        for (mut to, k) in means.rows_mut().into_iter().zip(each) {
            to.assign(&k.mean);
            // Merging rounds differently on the two sides of the diagonal.
            scatters.push(if all.alone() { k.scatter } else { 0.5 * &k.scatter + 0.5 * &k.scatter.t() });
        }
        let overflow = scatters.iter().flatten().chain(&means).any(|v| !v.is_finite());
        if overflow {
            return Err(crate::check::blame(OP, task.x.view()));
        }
        Ok(Moments { means, scatters, mass, members })
    }

    /// The same by sums on a device, or none if the CPU has to make them.
    pub fn on_device(all: &Meeting, device: &Device, task: &Task) -> Result<Option<Self>> {
        let Some(Sums { mass, means, scatter }) = class_moments(OP, all, device, task, Second::Full)? else {
            return Ok(None);
        };
        let scatters = scatter.axis_chunks_iter(Axis(0), task.x.ncols()).map(|s| s.to_owned()).collect();
        Ok(Some(Moments { means, scatters, mass, members: Vec::new() }))
    }

    /// The covariance of each class, divided by `N_k` and shrunk as Ledoit and Wolf have it, in units of the deviations of
    /// the features: `(1 - s) S + s (tr S/d) I`, where `s = Σ_i w_i ‖z_i zᵢᵀ - S‖² / (N² ‖S - (tr S/d) I‖²)`, at most one.
    pub fn shrunk_covariances(&self, all: &Meeting, task: &Task) -> Result<Vec<Array2<f64>>> {
        let units: Vec<Array1<f64>> =
            self.scatters.iter().zip(&self.mass).map(|(s, n)| unit(s, *n)).collect();
        let fourths = |(k, rows): (usize, &Vec<usize>)| {
            let fourth = |&i: &usize| {
                let (x, m) = (task.x.row(i), self.means.row(k));
                let each = x.iter().zip(m).zip(&units[k]).map(|((x, m), u)| ((x - m) / u).powi(2));
                task.weights[i] * each.sum::<f64>().powi(2)
            };
            rows.iter().map(fourth).sum::<f64>()
        };
        let fourths = all.sum(OP, self.members.iter().enumerate().map(fourths).collect())?;
        let each = |(k, fourth): (usize, f64)| {
            let (n, d, unit) = (self.mass[k], task.x.ncols() as f64, &units[k]);
            let covariance = &self.scatters[k] / n;
            let units = Array2::from_shape_fn(covariance.dim(), |(i, j)| unit[i] * unit[j]);
            let standard = covariance / &units;
            let (trace, size) = (standard.diag().sum(), standard.iter().map(|v| v * v).sum::<f64>());
            let mean = trace / d;
            let away = (size - 2.0 * mean * trace + d * mean * mean) / d;
            let noise = (fourth / n - size) / (d * n);
            let s = if noise > 0.0 { (noise / away).min(1.0) } else { 0.0 };
            super::gaussians::shrunk(standard, s) * units
        };
        Ok(fourths.into_iter().enumerate().map(each).collect())
    }
}

/// The deviations of features; one where there is none.
fn unit(scatter: &Array2<f64>, mass: f64) -> Array1<f64> {
    scatter.diag().mapv(|v| if v > 0.0 { (v / mass).sqrt() } else { 1.0 })
}

/// The weighted mean of some rows, and their scatter about it.
///
/// First the mean about the first row, then sums and squares about that mean, which correct it: exact far from the origin.
fn moments_of(task: &Task, rows: &[usize]) -> ranks::Moments {
    let (x, d) = (&task.x, task.x.ncols());
    if rows.is_empty() {
        return ranks::Moments { mass: 0.0, mean: Array1::zeros(d), scatter: Array2::zeros((d, d)) };
    }
    let mass: f64 = rows.iter().map(|&i| task.weights[i]).sum();
    let first = x.row(rows[0]);
    let parts: Vec<&[usize]> = rows.chunks(rows.len().div_ceil(SUMS).max(1)).collect();
    let sum = |part: &&[usize]| {
        let mut sum = Array1::<f64>::zeros(d);
        for &i in *part {
            let w = task.weights[i];
            Zip::from(&mut sum).and(x.row(i)).and(first).for_each(|s, x, f| *s += w * (x - f));
        }
        sum
    };
    let sums: Vec<Array1<f64>> = parts.par_iter().map(sum).collect();
    let about = &first + &(sums.iter().fold(Array1::zeros(d), |all: Array1<f64>, s| all + s) / mass);
    let square = |part: &&[usize]| {
        let (mut sum, mut square) = (Array1::<f64>::zeros(d), Array2::zeros((d, d)));
        let mut block = Array2::zeros((ROWS.min(part.len()), d));
        for rows in part.chunks(ROWS) {
            for (&i, mut to) in rows.iter().zip(block.rows_mut()) {
                let (w, root) = (task.weights[i], task.weights[i].sqrt());
                Zip::from(&mut to).and(x.row(i)).and(&about).and(&mut sum).for_each(|to, x, m, sum| {
                    let away = x - m;
                    *sum += w * away;
                    *to = root * away;
                });
            }
            let block = block.slice(s![..rows.len(), ..]);
            accumulate_lower_alone(block.t(), block, square.view_mut());
        }
        (sum, square)
    };
    let parts: Vec<(Array1<f64>, Array2<f64>)> = parts.par_iter().map(square).collect();
    let (mut missed, mut scatter) = (Array1::<f64>::zeros(d), Array2::<f64>::zeros((d, d)));
    for (sum, square) in &parts {
        missed += sum;
        scatter += square;
    }
    missed /= mass;
    for i in 0..d {
        for j in 0..=i {
            let value = scatter[[i, j]] - mass * missed[i] * missed[j];
            (scatter[[i, j]], scatter[[j, i]]) = (value, value);
        }
    }
    ranks::Moments { mass, mean: about + missed, scatter }
}
