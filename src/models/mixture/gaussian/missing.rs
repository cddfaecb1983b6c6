//! Missing values: the E-step when only some entries of a row are seen. In f64 on the CPU.
//!
//! With o the entries that are seen and m the others, given component k: `E[x_m] = μ_m + Σ_mo Σ_oo^-1 (x_o - μ_o)`, with
//! covariance `Σ_mm - Σ_mo Σ_oo^-1 Σ_om`, and the density of x is that of `x_o`. Rows that miss the same entries share
//! the factors. Checked in `tests/mixture/missing.rs`.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::model::GaussianParams;
use super::sufficient::GaussianStatistics;
use crate::inference::em::Statistics;
use crate::learn::ranks::Meeting;
use crate::models::mixture::factors::{log_weight, lower_cholesky};
use crate::ops::{Moments, Second, Side, Trans, Triangle, solve_triangular};
use crate::{Error, Matrix, Result};

/// Rows with missing values, grouped by what is missing.
pub(super) struct Incomplete {
    x: Array2<f64>,
    weights: Option<Array1<f64>>,
    /// Which entries are seen, and which rows are like that.
    groups: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Incomplete {
    pub fn new(op: &'static str, x: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> Result<Self> {
        if let Some(((row, col), &value)) = x.indexed_iter().find(|(_, v)| v.is_infinite()) {
            return Err(Error::NotFinite { op, what: "x", value, row, col });
        }
        let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (i, row) in x.rows().into_iter().enumerate() {
            let seen = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
            groups.entry(seen).or_default().push(i);
        }
        let weights = weights.map(|w| w.to_owned());
        Ok(Incomplete { x: x.to_owned(), weights, groups: groups.into_iter().collect() })
    }

    /// The rows with the mean of the column in place of what is missing.
    pub fn filled(&self, means: &[f64]) -> Array2<f64> {
        let mut filled = self.x.clone();
        for (mut column, mean) in filled.columns_mut().into_iter().zip(means) {
            column.mapv_inplace(|v| if v.is_nan() { *mean } else { v });
        }
        filled
    }

    /// `log π_k + log N(x_o | μ_o, Σ_oo)`, `n x K`.
    pub fn log_joint(&self, params: &GaussianParams) -> Result<Array2<f64>> {
        let mut log = Array2::zeros((self.x.nrows(), params.weights.len()));
        for (seen, rows) in &self.groups {
            for k in 0..params.weights.len() {
                let given = Given::new(params, k, seen)?;
                for &i in rows {
                    log[[i, k]] =
                        log_weight(params.weights[k]) + given.look(self.x.row(i).to_owned()).log_density;
                }
            }
        }
        Ok(log)
    }

    /// The expected statistics, of the rows as they would be with nothing missing.
    pub fn expect(&self, params: &GaussianParams, second: Second) -> Result<GaussianStatistics> {
        let ((k, d), full) = (params.means.dim(), second == Second::Full);
        let none = || {
            let second = Array2::zeros((if full { k * d } else { k }, d));
            let moments = Moments { mass: Array1::zeros(k), first: Array2::zeros((k, d)), second };
            GaussianStatistics::new(params.means.clone(), moments, 0.0)
        };
        let group = |(seen, rows): &(Vec<usize>, Vec<usize>)| {
            let given = (0..k).map(|own| Given::new(params, own, seen)).collect::<Result<Vec<_>>>()?;
            let mut sums = none();
            for &i in rows {
                self.add_row(i, params, &given, full, &mut sums);
            }
            for (own, given) in given.iter().enumerate() {
                let rest = &given.rest * sums.mass[own];
                if full {
                    let mut second = sums.second.slice_mut(s![own * d..(own + 1) * d, ..]);
                    second += &rest;
                } else {
                    let mut second = sums.second.row_mut(own);
                    second += &rest.diag();
                }
            }
            Ok(sums)
        };
        let parts = self.groups.par_iter().map(group).collect::<Result<Vec<_>>>()?;
        Ok(parts.into_iter().fold(none(), |mut all, part| {
            all.add(&part);
            all
        }))
    }

    fn add_row(
        &self,
        i: usize,
        params: &GaussianParams,
        given: &[Given],
        full: bool,
        sums: &mut GaussianStatistics,
    ) {
        let d = params.means.ncols();
        let looks: Vec<Look> = given.iter().map(|g| g.look(self.x.row(i).to_owned())).collect();
        let log = |own: usize| log_weight(params.weights[own]) + looks[own].log_density;
        let top = (0..given.len()).map(log).fold(f64::MIN, f64::max);
        let sum: f64 = (0..given.len()).map(|own| (log(own) - top).exp()).sum();
        let weight = self.weights.as_ref().map_or(1.0, |w| w[i]);
        sums.log_likelihood += weight * (top + sum.ln());
        for (own, look) in looks.iter().enumerate() {
            let r = weight * (log(own) - top).exp() / sum;
            let z = &look.difference;
            sums.mass[own] += r;
            sums.first.row_mut(own).scaled_add(r, z);
            for a in 0..d {
                if full {
                    sums.second.row_mut(own * d + a).scaled_add(r * z[a], z);
                } else {
                    sums.second[[own, a]] += r * z[a] * z[a];
                }
            }
        }
    }
}

/// The mean of what is seen of each column, on all ranks: every column must have something.
pub(super) fn column_means(all: &Meeting, op: &'static str, x: ArrayView2<f64>) -> Result<Vec<f64>> {
    let d = x.ncols();
    let seen = |j: usize| x.column(j).into_iter().copied().filter(|v| !v.is_nan());
    let sums = (0..d).map(|j| seen(j).sum()).chain((0..d).map(|j| seen(j).count() as f64));
    let sums = all.sum(op, sums.collect())?;
    let (totals, counts) = sums.split_at(d);
    if let Some(col) = counts.iter().position(|n| *n == 0.0) {
        let (what, value) = ("x, in a column without any other value,", f64::NAN);
        return Err(Error::NotFinite { op, what, value, row: 0, col });
    }
    Ok(totals.iter().zip(counts).map(|(total, n)| total / n).collect())
}

/// One component, as rows with these entries see it.
struct Given {
    seen: Vec<usize>,
    mean: Array1<f64>,
    /// `L^-1` with `L L^T = Σ_oo`.
    whiten: Array2<f64>,
    /// `Σ_:o L^-T`: from whitened differences to expected ones, for all entries.
    expand: Array2<f64>,
    /// `Σ_mm - Σ_mo Σ_oo^-1 Σ_om`, zero where something is seen, `d x d`.
    rest: Array2<f64>,
    constant: f64,
}

struct Look {
    log_density: f64,
    /// `E[x] - μ`.
    difference: Array1<f64>,
}

impl Given {
    fn new(params: &GaussianParams, k: usize, seen: &[usize]) -> Result<Self> {
        let d = params.means.ncols();
        let sigma = params.covariance.at(k, d);
        let across = sigma.select(Axis(1), seen);
        let mean = params.means.row(k).to_owned();
        if seen.is_empty() {
            let (whiten, expand) = (Array2::zeros((0, 0)), Array2::zeros((d, 0)));
            return Ok(Given { seen: Vec::new(), mean, whiten, expand, rest: sigma, constant: 0.0 });
        }
        let l = lower_cholesky(across.select(Axis(0), seen).view())?;
        let half_log_det: f64 = l.diag().iter().map(|v| v.ln()).sum();
        let one = Matrix::from_host(Array2::eye(seen.len()));
        let whiten = solve_triangular(&Matrix::from_host(l), Triangle::Lower, Trans::No, Side::Left, &one)?;
        let whiten = whiten.to_array()?;
        let expand = across.dot(&whiten.t());
        let mut rest = &sigma - &expand.dot(&expand.t());
        for &j in seen {
            rest.row_mut(j).fill(0.0);
            rest.column_mut(j).fill(0.0);
        }
        let constant = -half_log_det - 0.5 * seen.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        Ok(Given { seen: seen.to_vec(), mean, whiten, expand, rest, constant })
    }

    fn look(&self, row: Array1<f64>) -> Look {
        let z = row.select(Axis(0), &self.seen) - self.mean.select(Axis(0), &self.seen);
        let units = self.whiten.dot(&z);
        let mut difference = self.expand.dot(&units);
        // What is seen is what it is, to the last bit.
        for (&j, &z) in self.seen.iter().zip(&z) {
            difference[j] = z;
        }
        Look { log_density: self.constant - 0.5 * units.dot(&units), difference }
    }
}
