//! What a mixture of PPCA has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::model::{Component, responsibilities};
use crate::models::latent::axes::fix_signs;
use crate::models::latent::centred;
use crate::check::{columns, numbers, require};
use crate::models::latent::report::Report;
use crate::{Device, Result};

/// A fitted mixture of probabilistic PCAs.
#[derive(Debug, Clone)]
pub struct FittedPpcaMixture {
    /// `Σ log p(x_i)` of the data it was fitted to.
    pub log_likelihood: f64,
    /// How the fit went.
    pub report: Report,
    /// Means relative to the centre, which keeps f32 in its range.
    parts: Vec<Component>,
    centre: Array1<f64>,
    device: Device,
}

impl FittedPpcaMixture {
    pub(super) fn new(
        device: &Device,
        mut parts: Vec<Component>,
        centre: &Array1<f64>,
        log_likelihood: f64,
        report: Report,
    ) -> Self {
        for part in &mut parts {
            fix_signs(&mut part.gaussian.axes);
        }
        FittedPpcaMixture { log_likelihood, report, parts, centre: centre.clone(), device: device.clone() }
    }

    /// K.
    pub fn components(&self) -> usize {
        self.parts.len()
    }

    /// π, which sums to one.
    pub fn weights(&self) -> Array1<f64> {
        self.parts.iter().map(|p| p.weight).collect()
    }

    /// `m_c` of every component, `K x d`.
    pub fn means(&self) -> Array2<f64> {
        let mut out = Array2::zeros((self.parts.len(), self.centre.len()));
        for (mut row, part) in out.rows_mut().into_iter().zip(&self.parts) {
            row.assign(&(&part.gaussian.mean + &self.centre));
        }
        out
    }

    /// `W_c`, `d x k`, of a component: orthogonal columns, the longest first.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn loadings(&self, component: usize) -> Result<Array2<f64>> {
        Ok(self.part(component)?.gaussian.loadings())
    }

    /// `W_c W_c^T + σ_c² I` of a component.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn covariance(&self, component: usize) -> Result<Array2<f64>> {
        Ok(self.part(component)?.gaussian.covariance())
    }

    /// `σ_c²` of every component.
    pub fn noise_variances(&self) -> Array1<f64> {
        self.parts.iter().map(|p| p.gaussian.noise).collect()
    }

    /// The components whose noise would have fallen below the floor: they have collapsed onto few points.
    pub fn floored(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|&c| self.parts[c].floored).collect()
    }

    /// The probability that each row of `x` came from each component: `n x K`, rows sum to one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite); those of the device.
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.look("FittedPpcaMixture::predict_proba", x)?.0)
    }

    /// The most probable component of each row of `x`.
    ///
    /// # Errors
    /// As [`FittedPpcaMixture::predict_proba`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let shares = self.look("FittedPpcaMixture::predict", x)?.0;
        let best = |row: ndarray::ArrayView1<f64>| {
            row.iter()
                .enumerate()
                .fold((0, f64::NEG_INFINITY), |b, (i, v)| if *v > b.1 { (i, *v) } else { b })
                .0
        };
        Ok(shares.rows().into_iter().map(best).collect())
    }

    /// `log p(x_i)` of each row of `x`.
    ///
    /// # Errors
    /// As [`FittedPpcaMixture::predict_proba`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(self.look("FittedPpcaMixture::score_samples", x)?.1)
    }

    /// `E[z | x, c]` of each row of `x` in the subspace of a component: `n x k`.
    ///
    /// # Errors
    /// As [`FittedPpcaMixture::predict_proba`], and [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn transform(&self, x: ArrayView2<f64>, component: usize) -> Result<Array2<f64>> {
        columns("FittedPpcaMixture::transform", x, self.centre.len())?;
        numbers("FittedPpcaMixture::transform", "x", x)?;
        let gaussian = &self.part(component)?.gaussian;
        let mean = &gaussian.mean + &self.centre;
        centred::project(&self.device, x, mean.view(), gaussian.encoder().view())
    }

    /// n draws, each from a component drawn by its weight, and which: `n x d` and n.
    pub fn sample(&self, n: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || {
            let mut left = rng.random::<f64>();
            let found = self.parts.iter().position(|p| {
                left -= p.weight;
                left < 0.0
            });
            found.unwrap_or(self.parts.len() - 1)
        };
        let labels: Vec<usize> = (0..n).map(|_| draw()).collect();
        let mut out = Array2::zeros((n, self.centre.len()));
        for (c, part) in self.parts.iter().enumerate() {
            let own: Vec<usize> = (0..n).filter(|&i| labels[i] == c).collect();
            let rows = part.gaussian.sample(own.len(), seed.wrapping_add(1 + c as u64)) + &self.centre;
            own.iter().zip(rows.rows()).for_each(|(&i, row)| out.row_mut(i).assign(&row));
        }
        (out, labels)
    }

    /// `-2 log L + p log n` for `n` rows, the smaller the better.
    pub fn bic(&self, n: usize) -> f64 {
        let (k, d) = self.parts.first().map_or((0, 0), |p| p.gaussian.axes.dim());
        let each = d * k + 1 + d - k * k.saturating_sub(1) / 2;
        let free = self.parts.len() * each + self.parts.len() - 1;
        -2.0 * self.log_likelihood + free as f64 * (n as f64).ln()
    }

    fn part(&self, c: usize) -> Result<&Component> {
        let k = self.parts.len();
        require("FittedPpcaMixture", c < k, || format!("there is no component {c} of {k}"))?;
        Ok(&self.parts[c])
    }

    fn look(&self, op: &'static str, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        columns(op, x, self.centre.len())?;
        numbers(op, "x", x)?;
        let (n, d) = x.dim();
        let (mut shares, mut scores) = (Array2::zeros((n, self.parts.len())), Array1::zeros(n));
        for rows in centred::blocks(&self.device, n, d) {
            let block = centred::on(&self.device, x.slice(s![rows.clone(), ..]), self.centre.view())?;
            let (own, log_p) = responsibilities(&self.parts, &block)?;
            shares.slice_mut(s![rows.clone(), ..]).assign(&own);
            scores.slice_mut(s![rows]).assign(&log_p);
        }
        Ok((shares, scores))
    }
}
