//! Rows with holes, and the posterior of their latents: every row has a covariance of its own.
//!
//! With `w̃_j = (w_j, m_j)` and `z̃_i = (z_i, 1)` an entry is `x_ij = w̃_j^T z̃_i + e`. What a row needs of W is the sum of
//! `w̃_j w̃_j^T` over the entries that were seen: with S the `n x d` matrix of ones and zeros that says which, one product
//! of S with a matrix of products of pairs.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use rayon::prelude::*;

use super::Params;
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::models::latent::centred::{blocks, place};
use crate::models::latent::gaussian::constant;
use crate::ops::{Trans, gemm};
use crate::{Device, Matrix, Result};

/// Rows with holes, on a device.
pub(super) struct Holes {
    /// Less the centre; zero where nothing was seen.
    pub x: Matrix,
    /// One where something was seen.
    pub seen: Matrix,
    /// How many entries of each row were.
    pub entries: Vec<f64>,
    /// `Σ_j x_ij²` of each row, and `Σ_i x_ij²` of each column.
    row_squares: Vec<f64>,
    pub column_squares: Array1<f64>,
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
    pub outer: Array2<f64>,
    /// `log p` of what was seen of each row.
    pub log_likelihood: Array1<f64>,
}

fn pairs(k: usize) -> usize {
    k * (k + 1) / 2
}

/// The place of `(a, b)`, `b <= a`, in a lower triangle row after row.
pub(super) fn at(a: usize, b: usize) -> usize {
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
        let log_det = cholesky(&mut m, k).map_err(|pivot| pivot.error("Ppca::fit, posterior"))?;
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
