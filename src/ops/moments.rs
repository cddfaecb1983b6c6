//! Weighted moments of the rows about K centres: masses, first and second moments.
//!
//! On the CPU all components together are one product of the weights with the products of features, about one common
//! centre; a component that this would cost too many digits is summed again about its own. Checked against the
//! definition in `tests/ops/moments.rs`.

mod on_gpu;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::gaussian_log_density::CHUNK;
use super::gaussian_log_density::quadratic::{MOST_FEATURES, expand, width};
use super::gemm::accumulate_alone;
use super::half::single;
use super::reduce::flat;
use super::require;
use crate::matrix::Shared;
use crate::matrix::window::windows;
use crate::{Matrix, Result};
pub(crate) use on_gpu::Pending as PendingMoments;

/// Rows that are added up before a new partial sum starts: the same bits however many threads there are.
const BLOCK: usize = 4096;
/// A pivot of a covariance, relative to the second moment about the common centre, below which digits are missing.
const LOST: f64 = 1e-5;

/// Which second moments are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// All products of two features.
    Full,
    /// The squares alone.
    Diagonal,
}

/// Weighted moments about centres, on the host in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// `sum_i r_ik`, of length K.
    pub mass: Array1<f64>,
    /// `sum_i r_ik (x_i - c_k)`, `K x d`.
    pub first: Array2<f64>,
    /// `sum_i r_ik (x_i - c_k)(x_i - c_k)^T`, one below the other, `(K d) x d`; or their diagonals, `K x d`.
    pub second: Array2<f64>,
}

/// `N_k = sum_i r_ik`, `sum_i r_ik (x_i - c_k)` and `sum_i r_ik (x_i - c_k)(x_i - c_k)^T`.
///
/// `x` is `n x d`, `r`, whose entries must not be negative, `n x K`, `centres` `K x d`. Centres near the weighted means
/// keep a variance that is small beside its mean. On a GPU the result is read back.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the operands do not fit together.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Second, moments}};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[1.0, 3.0, 10.0])?;
/// let r = Matrix::from_array(&cpu, ndarray::array![[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]].view())?;
/// let sums = moments(&x, &r, &Matrix::column(&cpu, &[2.0, 9.0])?, Second::Full)?;
/// assert_eq!(sums.mass.to_vec(), [2.0, 2.0]);
/// assert_eq!(sums.first, ndarray::array![[0.0], [2.0]]);
/// assert_eq!(sums.second, ndarray::array![[2.0], [2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn moments(x: &Matrix, r: &Matrix, centres: &Matrix, second: Second) -> Result<Moments> {
    let ((n, d), k) = (x.shape(), r.cols());
    require("moments", r.rows() == n, || format!("x has {n} rows, r {}", r.rows()))?;
    let wanted = (k, d);
    require("moments", centres.shape() == wanted, || {
        format!("centres are {:?}, not {wanted:?}", centres.shape())
    })?;
    match x.shared("moments", &[r, centres])? {
        Shared::Cpu => Ok(cpu(x.cpu(), r.cpu(), centres.cpu(), second)),
        Shared::Gpu(gpu) => {
            let found =
                gpu.guard("moments", || on_gpu::on_gpu(gpu, &*single(x)?, &*single(r)?, centres, second))?;
            Ok(found.read(&Matrix::to_arrays(&found.matrices())?))
        }
    }
}

/// [`moments()`] of operands on a GPU, not yet read back; nothing on the CPU.
///
/// # Errors
/// As [`moments()`].
pub(crate) fn moments_pending(
    x: &Matrix,
    r: &Matrix,
    centres: &Matrix,
    second: Second,
) -> Result<Option<PendingMoments>> {
    match x.shared("moments", &[r, centres])? {
        Shared::Cpu => Ok(None),
        Shared::Gpu(gpu) => gpu
            .guard("moments", || on_gpu::on_gpu(gpu, &*single(x)?, &*single(r)?, centres, second))
            .map(Some),
    }
}

fn cpu(x: &Array2<f64>, r: &Array2<f64>, centres: &Array2<f64>, second: Second) -> Moments {
    let (x, r) = (x.as_standard_layout(), r.as_standard_layout());
    let (x, r) = (x.view(), r.view());
    let full = second == Second::Full;
    let (k, d) = centres.dim();
    let mut sums = Moments {
        mass: Array1::zeros(k),
        first: Array2::zeros((k, d)),
        second: Array2::zeros((if full { k * d } else { k }, d)),
    };
    let mut poor: Vec<usize> = (0..k).collect();
    if !full || d <= MOST_FEATURES {
        poor = together(x, r, centres, full, &mut sums);
    }
    for k in poor {
        alone(x, r, centres, k, full, &mut sums);
    }
    sums
}

/// All components by one product, about the mean of the centres, then moved; returns those that lost digits by it.
fn together(
    x: ArrayView2<f64>,
    r: ArrayView2<f64>,
    centres: &Array2<f64>,
    full: bool,
    sums: &mut Moments,
) -> Vec<usize> {
    let (k, d) = centres.dim();
    let middle = centres.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d)).to_vec();
    let width = width(d, full);
    let blocks = flat(&x).par_chunks(BLOCK * d).zip(flat(&r).par_chunks(BLOCK * k));
    let parts: Vec<(Array2<f64>, Array1<f64>)> = blocks
        .map(|(x, r)| {
            let (mut sum, mut mass) = (Array2::zeros((k, width)), Array1::zeros(k));
            let mut features = vec![0.0; CHUNK * width];
            for (x, r) in x.chunks(CHUNK * d).zip(r.chunks(CHUNK * k)) {
                let (n, fit) = (x.len() / d, "a chunk is whole rows");
                let features = &mut features[..n * width];
                expand(x, &middle, full, features);
                let features = ArrayView2::from_shape((n, width), &*features).expect(fit);
                let r = ArrayView2::from_shape((n, k), r).expect(fit);
                accumulate_alone(1.0, r.t(), features, sum.view_mut());
                for row in r.rows() {
                    mass += &row;
                }
            }
            (sum, mass)
        })
        .collect();
    let mut about = Array2::<f64>::zeros((k, width));
    for (sum, mass) in parts {
        about += &sum;
        sums.mass += &mass;
    }
    let mut poor = Vec::new();
    for k in 0..k {
        let (mass, about) = (sums.mass[k], about.row(k));
        let first = about.slice(s![..d]);
        let by = &centres.row(k) - &ndarray::ArrayView1::from(&middle);
        sums.first.row_mut(k).assign(&(&first - &(mass * &by)));
        // sum r (z - by)(z - by)^T = sum r z z^T - first by^T - by first^T + mass by by^T
        let at = |i: usize, j: usize| {
            let raw = about[d + if full { i * (i + 1) / 2 + j } else { i }];
            raw - first[i] * by[j] - by[i] * first[j] + mass * by[i] * by[j]
        };
        for i in 0..d {
            if full {
                for j in 0..=i {
                    sums.second[[k * d + i, j]] = at(i, j);
                    sums.second[[k * d + j, i]] = at(i, j);
                }
            } else {
                sums.second[[k, i]] = at(i, i);
            }
        }
        let raw = |i: usize| about[d + if full { i * (i + 1) / 2 + i } else { i }];
        if lost(sums, k, full, raw) {
            poor.push(k);
        }
    }
    poor
}

/// Whether a variance, in some direction, is so small beside the second moment about the common centre (`raw`) that the
/// subtraction of the two has cost too many digits: the pivots of the covariance tell.
fn lost(sums: &Moments, k: usize, full: bool, raw: impl Fn(usize) -> f64) -> bool {
    let (d, mass, first) = (sums.first.ncols(), sums.mass[k], sums.first.row(k));
    // A NaN is poor as well.
    let poor = |left: f64, raw: f64| left.partial_cmp(&(LOST * raw)) != Some(std::cmp::Ordering::Greater);
    if mass <= 0.0 {
        return false;
    }
    if !full {
        return (0..d).any(|i| poor(sums.second[[k, i]] - first[i] * first[i] / mass, raw(i)));
    }
    let mut c = sums.second.slice(s![k * d..(k + 1) * d, ..]).to_owned();
    for i in 0..d {
        for j in 0..=i {
            c[[i, j]] -= first[i] * first[j] / mass;
        }
    }
    for i in 0..d {
        for j in 0..=i {
            let dot = (0..j).map(|l| c[[i, l]] * c[[j, l]]).sum::<f64>();
            let left = c[[i, j]] - dot;
            if i == j {
                if poor(left, raw(i)) {
                    return true;
                }
                c[[i, i]] = left.sqrt();
            } else {
                c[[i, j]] = left / c[[j, j]];
            }
        }
    }
    false
}

/// The definition, for one component: differences from its own centre come first.
fn alone(
    x: ArrayView2<f64>,
    r: ArrayView2<f64>,
    centres: &Array2<f64>,
    k: usize,
    full: bool,
    sums: &mut Moments,
) {
    let ((n, d), centre) = (x.dim(), centres.row(k));
    let starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
    let parts: Vec<(f64, Array1<f64>, Array2<f64>)> = starts
        .into_par_iter()
        .map(|from| {
            let (mut mass, mut first) = (0.0, Array1::zeros(d));
            let mut second = Array2::zeros((if full { d } else { 1 }, d));
            for rows in windows(n.min(from + BLOCK) - from, CHUNK) {
                let rows = from + rows.start..from + rows.end;
                let z = &x.slice(s![rows.clone(), ..]) - &centre;
                let weights = r.slice(s![rows, k]);
                let weighted = &z * &weights.insert_axis(Axis(1));
                mass += weights.sum();
                first += &weighted.sum_axis(Axis(0));
                if full {
                    accumulate_alone(1.0, weighted.t(), z.view(), second.view_mut());
                } else {
                    second += &(weighted * z).sum_axis(Axis(0));
                }
            }
            (mass, first, second)
        })
        .collect();
    sums.mass[k] = 0.0;
    sums.first.row_mut(k).fill(0.0);
    let mut own = sums.second.slice_mut(if full { s![k * d..(k + 1) * d, ..] } else { s![k..=k, ..] });
    own.fill(0.0);
    for (mass, first, second) in parts {
        sums.mass[k] += mass;
        let mut row = sums.first.row_mut(k);
        row += &first;
        own += &second;
    }
    if full {
        // Rounding knows no symmetry.
        for i in 0..d {
            for j in 0..i {
                own[[j, i]] = own[[i, j]];
            }
        }
    }
}
