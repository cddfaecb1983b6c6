//! The mean and the scatter of each class, in two passes over the rows on every core.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, s};
use rayon::prelude::*;

use crate::Result;
use crate::learn::classify::Task;
use crate::ops::accumulate_lower_alone;

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

/// The mean and scatter of each class, and the class weights.
pub(super) struct Moments {
    pub means: Array2<f64>,
    pub scatters: Vec<Array2<f64>>,
    pub mass: Array1<f64>,
    /// The rows of each class.
    members: Vec<Vec<usize>>,
}

/// Rows that are centred and multiplied at a time.
const ROWS: usize = 512;
/// Separate sums of one class, added in order: the bits are the same on any number of threads.
const SUMS: usize = 8;

impl Moments {
    pub fn of(task: &Task) -> Result<Self> {
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
        for (mut to, (mean, scatter)) in means.rows_mut().into_iter().zip(each) {
            to.assign(&mean);
            scatters.push(scatter);
        }
        let overflow = scatters.iter().flatten().chain(&means).any(|v| !v.is_finite());
        if overflow {
            return Err(crate::check::blame("a discriminant", task.x.view()));
        }
        Ok(Moments { means, scatters, mass: task.mass(), members })
    }

    /// The covariance of each class, divided by `N_k` and shrunk as Ledoit and Wolf have it, in units of the deviations of
    /// the features: `(1 - s) S + s (tr S/d) I`, where `s = Σ_i w_i ‖z_i zᵢᵀ - S‖² / (N² ‖S - (tr S/d) I‖²)`, at most one.
    pub fn shrunk_covariances(&self, task: &Task) -> Vec<Array2<f64>> {
        let each = |(k, rows): (usize, &Vec<usize>)| {
            let (n, d) = (self.mass[k], task.x.ncols() as f64);
            let covariance = &self.scatters[k] / n;
            let unit = covariance.diag().mapv(|v| if v > 0.0 { v.sqrt() } else { 1.0 });
            let fourth = |&i: &usize| {
                let (x, m) = (task.x.row(i), self.means.row(k));
                let square: f64 = x.iter().zip(m).zip(&unit).map(|((x, m), u)| ((x - m) / u).powi(2)).sum();
                task.weights[i] * square * square
            };
            let units = Array2::from_shape_fn(covariance.dim(), |(i, j)| unit[i] * unit[j]);
            let standard = covariance / &units;
            let (trace, size) = (standard.diag().sum(), standard.iter().map(|v| v * v).sum::<f64>());
            let mean = trace / d;
            let away = (size - 2.0 * mean * trace + d * mean * mean) / d;
            let noise = (rows.iter().map(fourth).sum::<f64>() / n - size) / (d * n);
            let s = if noise > 0.0 { (noise / away).min(1.0) } else { 0.0 };
            super::gaussians::shrunk(standard, s) * units
        };
        self.members.iter().enumerate().map(each).collect()
    }
}

/// The weighted mean of some rows, and their scatter about it.
///
/// First the mean about the first row, then sums and squares about that mean, which correct it: exact far from the origin.
fn moments_of(task: &Task, rows: &[usize]) -> (Array1<f64>, Array2<f64>) {
    let (x, d) = (&task.x, task.x.ncols());
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
    (about + missed, scatter)
}
