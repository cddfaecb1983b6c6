//! EM where entries are missing.
//!
//! The mean is part of `W̃ = (W, m)`, so it is estimated with W and not before it. What a column needs of the posteriors is
//! the sum of `E[z̃_i z̃_i^T]` over the rows where it was seen: one product, as in the E-step, with S transposed.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::ard::{self, Ard};
use super::holes::{Holes, at, posteriors};
use super::{FittedPpca, Params, Ppca, PpcaSolver, finish};
use crate::inference::em::{EmModel, Statistics};
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::matrix::points::suited;
use crate::models::latent::centred::place;
use crate::ops::{Trans, gemm};
use crate::{Device, Error, Result};

pub(super) fn fit(ppca: &Ppca, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpca> {
    let (n, d) = x.dim();
    let (centre, variance) = seen_moments(x)?;
    let k = ppca.components as f64;
    let device = &suited(device, x, 2.0 * x.len() as f64 * k * k * ppca.em.max_iterations as f64);
    let automatic = ppca.solver == PpcaSolver::Automatic;
    let model = Missing { ard: automatic.then(|| Ard::new(variance)), variance, gpu: device.is_gpu() };
    let data = |device: &Device| Holes::of(device, x, &centre, ppca.components);
    let exact = device.is_gpu().then(|| data(&Device::cpu())).transpose()?;
    let outcome = ppca.em.run_exactly(&model, &data(device)?, exact.as_ref(), |seed| {
        let mut start = ppca.random_start(d, variance, seed);
        start.alpha = model.ard.map(|ard| ard.precisions(&start.w));
        Ok(start)
    })?;
    let log_likelihood = outcome.stats.log_likelihood;
    Ok(finish(outcome, &centre, log_likelihood, n)?.on(device).with_holes())
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
            cholesky(&mut a, k + 1).map_err(|pivot| pivot.error("Ppca::fit, loadings"))?;
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
        let noisy = noise > 1e-13 * self.variance;
        if !noisy {
            return Err(Error::Singular { op: "Ppca::fit, noise variance", index: k, value: noise });
        }
        let (w, alpha) = ard::update(self.ard, w)?;
        Ok(Params { w, shift, noise, alpha })
    }

    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior = match (&self.ard, &params.alpha) {
            (Some(ard), Some(alpha)) => ard.log_prior(&params.w, alpha),
            _ => 0.0,
        };
        sums.log_likelihood + prior
    }

    fn rounding(&self, _: &Self::Params) -> f64 {
        if self.gpu { 1e-4 } else { 1e-10 }
    }
}
