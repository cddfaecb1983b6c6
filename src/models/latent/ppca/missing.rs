//! EM where entries are missing: every row has its own posterior covariance, and products do the sums over rows.
//!
//! With `w̃_j = (w_j, m_j)` and `z̃_i = (z_i, 1)` an entry is `x_ij = w̃_j^T z̃_i + e`, and both steps need only sums over
//! the entries that were seen: of `w̃_j w̃_j^T` in each row, of `E[z̃_i z̃_i^T]` in each column. With S the `n x d` matrix
//! of ones and zeros that says which, those are `S` and `S^T` times matrices of products of pairs. The mean is part of
//! W̃, so it is estimated with W and not before it.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rayon::prelude::*;

use super::ard::Ard;
use super::{FittedPpca, Params, Ppca, Solver, finish};
use crate::models::em::{EmModel, Statistics};
use crate::models::latent::centred::{blocks, place};
use crate::models::latent::gaussian::constant;
use crate::models::latent::small::{cholesky, solve};
use crate::ops::{Trans, gemm};
use crate::{Device, Error, Matrix, Result};

/// Rows with holes, on a device.
pub(super) struct Holes {
    /// Less the centre; zero where nothing was seen.
    x: Matrix,
    /// One where something was seen.
    seen: Matrix,
    /// How many entries of each row were.
    entries: Vec<f64>,
    /// `Σ_j x_ij²` of each row, and `Σ_i x_ij²` of each column.
    row_squares: Vec<f64>,
    column_squares: Array1<f64>,
}

impl Holes {
    pub fn new(device: &Device, x: ArrayView2<f64>, centre: &Array1<f64>) -> Result<Self> {
        let seen = x.mapv(|v| if v.is_nan() { 0.0 } else { 1.0 });
        let filled = (&x - centre).mapv(|v| if v.is_nan() { 0.0 } else { v });
        let squares = filled.mapv(|v| v * v);
        Ok(Holes {
            entries: seen.sum_axis(Axis(1)).to_vec(),
            row_squares: squares.sum_axis(Axis(1)).to_vec(),
            column_squares: squares.sum_axis(Axis(0)),
            x: place(device, filled)?,
            seen: place(device, seen)?,
        })
    }

    /// Blocks of rows small enough that the products of pairs of k latents fit.
    pub fn of(device: &Device, x: ArrayView2<f64>, centre: &Array1<f64>, k: usize) -> Result<Vec<Self>> {
        let (n, d) = x.dim();
        let each = |rows| Self::new(device, x.slice(s![rows, ..]), centre);
        blocks(device, n, d.max(pairs(k + 1))).map(each).collect()
    }
}

/// The posterior of each row.
pub(super) struct Posteriors {
    /// `(E[z_i], 1)`, `n x (k + 1)`.
    pub means: Array2<f64>,
    /// `E[z̃_i z̃_i^T]`, the lower triangle row after row.
    outer: Array2<f64>,
    /// `log p` of what was seen of each row.
    pub log_likelihood: Array1<f64>,
}

fn pairs(k: usize) -> usize {
    k * (k + 1) / 2
}

/// The place of `(a, b)`, `b <= a`, in a lower triangle row after row.
fn at(a: usize, b: usize) -> usize {
    a * (a + 1) / 2 + b
}

pub(super) fn posteriors(params: &Params, rows: &Holes) -> Result<Posteriors> {
    let (device, noise) = (rows.x.device(), params.noise);
    let (n, k) = (rows.x.rows(), params.w.ncols());
    let shift = params.shift.view().insert_axis(Axis(1));
    let wide = concatenate![Axis(1), params.w, shift];
    let mut products = Array2::zeros((wide.nrows(), pairs(k + 1)));
    for (mut to, w) in products.rows_mut().into_iter().zip(wide.rows()) {
        for a in 0..=k {
            (0..=a).for_each(|b| to[at(a, b)] = w[a] * w[b]);
        }
    }
    let along = gemm(1.0, &rows.x, Trans::No, &place(&device, wide)?, Trans::No)?.to_array()?;
    let inner = gemm(1.0, &rows.seen, Trans::No, &place(&device, products)?, Trans::No)?.to_array()?;
    let each = |i: usize| -> Result<(Vec<f64>, Vec<f64>, f64)> {
        let (along, inner) = (along.row(i), inner.row(i));
        let mut m = vec![0.0; k * k];
        for a in 0..k {
            (0..=a).for_each(|b| m[a * k + b] = inner[at(a, b)]);
            m[a * k + a] += noise;
        }
        let pivots = Error::NotPositiveDefinite { op: "Ppca::fit, posterior", pivot: 0, value: f64::NAN };
        let log_det = cholesky(&mut m, k).ok_or(pivots)?;
        let v: Vec<f64> = (0..k).map(|a| along[a] - inner[at(k, a)]).collect();
        let mut z = v.clone();
        solve(&m, &mut z);
        let squares = rows.row_squares[i] - 2.0 * along[k] + inner[at(k, k)];
        let explained: f64 = v.iter().zip(&z).map(|(v, z)| v * z).sum();
        let entries = rows.entries[i];
        let log_det = (entries - k as f64) * noise.ln() + log_det;
        let log_likelihood = -0.5 * (constant(entries) + log_det + (squares - explained) / noise);
        z.push(1.0);
        let mut outer = vec![0.0; pairs(k + 1)];
        for a in 0..=k {
            (0..=a).for_each(|b| outer[at(a, b)] = z[a] * z[b]);
        }
        let mut unit = vec![0.0; k];
        for b in 0..k {
            unit.fill(0.0);
            unit[b] = noise;
            solve(&m, &mut unit);
            (b..k).for_each(|a| outer[at(a, b)] += unit[a]);
        }
        Ok((z, outer, log_likelihood))
    };
    let found: Vec<_> = (0..n).into_par_iter().with_min_len(16).map(each).collect::<Result<_>>()?;
    let mut means = Array2::zeros((n, k + 1));
    let mut outer = Array2::zeros((n, pairs(k + 1)));
    let mut log_likelihood = Array1::zeros(n);
    for (i, (z, o, l)) in found.into_iter().enumerate() {
        means.row_mut(i).assign(&Array1::from(z));
        outer.row_mut(i).assign(&Array1::from(o));
        log_likelihood[i] = l;
    }
    Ok(Posteriors { means, outer, log_likelihood })
}

pub(super) fn fit(ppca: &Ppca, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpca> {
    let (_, d) = x.dim();
    let (centre, variance) = seen_moments(x)?;
    let automatic = ppca.solver == Solver::Automatic;
    let model = Missing { ard: automatic.then(|| Ard::new(variance)), variance, gpu: device.is_gpu() };
    let data = Holes::of(device, x, &centre, ppca.components)?;
    let outcome = ppca.em.run(&model, &data, |seed| {
        let mut start = ppca.random_start(d, variance, seed);
        start.alpha = model.ard.map(|ard| ard.precisions(&start.w));
        Ok(start)
    })?;
    let log_likelihood = outcome.stats.log_likelihood;
    Ok(finish(outcome, &centre, log_likelihood)?.on(device).with_holes())
}

/// The mean of what was seen of each column, and the mean over columns of its variance.
fn seen_moments(x: ArrayView2<f64>) -> Result<(Array1<f64>, f64)> {
    const OP: &str = "Ppca::fit";
    if let Some(((row, col), &value)) = x.indexed_iter().find(|(_, v)| v.is_infinite()) {
        return Err(Error::NotFinite { op: OP, what: "x", value, row, col });
    }
    let mut means = Array1::zeros(x.ncols());
    let mut variance = 0.0;
    for (col, column) in x.columns().into_iter().enumerate() {
        let seen: Array1<f64> = column.iter().copied().filter(|v| !v.is_nan()).collect();
        let what = "x, a column of which nothing was observed,";
        let mean = seen.mean().ok_or(Error::NotFinite { op: OP, what, value: f64::NAN, row: 0, col })?;
        means[col] = mean;
        variance += seen.mapv(|v| (v - mean).powi(2)).mean().unwrap_or(0.0) / x.ncols() as f64;
    }
    if variance > 0.0 && variance.is_finite() {
        Ok((means, variance))
    } else {
        Err(Error::Singular { op: "Ppca::fit, variance", index: 0, value: variance })
    }
}

struct Missing {
    ard: Option<Ard>,
    variance: f64,
    gpu: bool,
}

/// Sums over the rows, for each column: `Σ x_ij E[z̃_i]` and `Σ E[z̃_i z̃_i^T]`.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    rows: f64,
    entries: f64,
    cross: Array2<f64>,
    outer: Array2<f64>,
    squares: Array1<f64>,
    pub log_likelihood: f64,
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.entries += other.entries;
        self.cross += &other.cross;
        self.outer += &other.outer;
        self.squares += &other.squares;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.rows *= by;
        self.entries *= by;
        self.cross *= by;
        self.outer *= by;
        self.squares *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.rows
    }
}

impl EmModel for Missing {
    const NAME: &'static str = "Ppca::fit";
    type Batch = Holes;
    type Params = Params;
    type Stats = Sums;

    fn expect(&self, params: &Params, rows: &Holes) -> Result<Sums> {
        let found = posteriors(params, rows)?;
        let device = rows.x.device();
        let log_likelihood = found.log_likelihood.sum();
        let (means, outer) = (place(&device, found.means)?, place(&device, found.outer)?);
        Ok(Sums {
            rows: rows.x.rows() as f64,
            entries: rows.entries.iter().sum(),
            cross: gemm(1.0, &rows.x, Trans::Yes, &means, Trans::No)?.to_array()?,
            outer: gemm(1.0, &rows.seen, Trans::Yes, &outer, Trans::No)?.to_array()?,
            squares: rows.column_squares.clone(),
            log_likelihood,
        })
    }

    fn maximise(&self, params: &Params, sums: &Sums) -> Result<Params> {
        let k = params.w.ncols();
        let (mut w, mut shift, mut left) = (params.w.clone(), params.shift.clone(), 0.0);
        for j in 0..w.nrows() {
            let (outer, cross) = (sums.outer.row(j), sums.cross.row(j).to_vec());
            let mut a = vec![0.0; (k + 1) * (k + 1)];
            for p in 0..=k {
                (0..=p).for_each(|q| a[p * (k + 1) + q] = outer[at(p, q)]);
                let prior = params.alpha.as_ref().filter(|_| p < k).map_or(0.0, |alpha| alpha[p]);
                a[p * (k + 1) + p] += params.noise * prior;
            }
            let refused = Error::NotPositiveDefinite { op: "Ppca::fit, loadings", pivot: j, value: f64::NAN };
            cholesky(&mut a, k + 1).ok_or(refused)?;
            let mut row = cross.clone();
            solve(&a, &mut row);
            let twice = |p: usize, q: usize| if p == q { 1.0 } else { 2.0 };
            let quadratic: f64 = (0..=k)
                .flat_map(|p| (0..=p).map(move |q| (p, q)))
                .map(|(p, q)| twice(p, q) * row[p] * row[q] * outer[at(p, q)])
                .sum();
            let along: f64 = row.iter().zip(&cross).map(|(r, c)| r * c).sum();
            left += sums.squares[j] - 2.0 * along + quadratic;
            shift[j] = row[k];
            w.row_mut(j).assign(&Array1::from(row).slice(s![..k]));
        }
        let noise = left / sums.entries;
        if !(noise > 1e-13 * self.variance) {
            return Err(Error::Singular { op: "Ppca::fit, noise variance", index: k, value: noise });
        }
        let alpha = self.ard.map(|ard| ard.precisions(&w));
        Ok(Params { w, shift, noise, alpha })
    }

    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior = match (&self.ard, &params.alpha) {
            (Some(ard), Some(alpha)) => ard.log_prior(&params.w, alpha),
            _ => 0.0,
        };
        sums.log_likelihood + prior
    }

    fn rounding(&self) -> f64 {
        if self.gpu { 1e-4 } else { 1e-10 }
    }
}
