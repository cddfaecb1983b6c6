//! What principal component analysis has learned, and what it does with data.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::Components;
use super::routes::Spectrum;
use crate::models::latent::axes::fix_signs;
use crate::models::latent::centred::project;
use crate::check::{columns, numbers, require};
use crate::{Device, Error, Result};

/// The principal components of a data set.
#[derive(Debug, Clone)]
pub struct FittedPca {
    /// The mean of the rows.
    pub mean: Array1<f64>,
    /// `k x d`: one orthonormal component a row, the one of largest variance first.
    pub components: Array2<f64>,
    /// The variance of the scores along each component.
    pub explained_variance: Array1<f64>,
    /// The sum of the variances along all directions, kept or not.
    pub total_variance: f64,
    /// Rows it was fitted to.
    pub count: usize,
    /// Products with the data, if it was decomposed by Lanczos.
    pub iterations: Option<usize>,
    /// Most components that could have been: `min(n, d)`.
    rank: usize,
    whiten: bool,
    device: Device,
}

impl FittedPca {
    pub(super) fn new(
        device: &Device,
        spectrum: Spectrum,
        wanted: Components,
        whiten: bool,
        ddof: usize,
    ) -> Result<Self> {
        let Spectrum { count, mean, squares, axes, total, rank, iterations } = spectrum;
        let scale = 1.0 / (count - ddof) as f64;
        let k = match wanted {
            Components::All => squares.len(),
            Components::Count(k) => k,
            Components::Variance(share) => enough(&squares, share * total),
        };
        let mut components = axes.slice(s![..k, ..]).to_owned();
        fix_signs(&mut components);
        let explained_variance = squares.slice(s![..k]).to_owned() * scale;
        let rounding = f64::EPSILON * count.max(mean.len()) as f64 * total * scale;
        if let Some(index) = explained_variance.iter().position(|v| whiten && *v <= rounding) {
            let value = explained_variance[index];
            return Err(Error::Singular { op: "Pca::fit, whitening", index, value });
        }
        let (total_variance, device) = (total * scale, device.clone());
        Ok(FittedPca {
            mean,
            components,
            explained_variance,
            total_variance,
            count,
            iterations,
            rank,
            whiten,
            device,
        })
    }

    /// The same components, with scores computed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The share of the total variance along each component; zero if the data does not vary.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = if self.total_variance > 0.0 { self.total_variance } else { 1.0 };
        &self.explained_variance / total
    }

    /// The mean variance along the directions that were left out, of the `min(n, d)` that carry any; zero if none was.
    pub fn noise_variance(&self) -> f64 {
        let rest = self.rank - self.components.nrows();
        let left = (self.total_variance - self.explained_variance.sum()).max(0.0);
        if rest > 0 { left / rest as f64 } else { 0.0 }
    }

    /// `Z = (X - 1 m^T) V`, over the standard deviations if whitening: `n x k` for `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the columns do not fit, [`Error::NotFinite`]; those of the device.
    pub fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedPca::transform", x, self.mean.len())?;
        numbers("FittedPca::transform", "x", x)?;
        let scores = project(&self.device, x, self.mean.view(), self.components.t())?;
        Ok(if self.whiten { scores / &self.deviations() } else { scores })
    }

    /// `X = 1 m^T + Z V^T`: `n x d` for `z`, `n x k`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the columns do not fit, [`Error::NotFinite`]; those of the device.
    pub fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.components.nrows();
        let what = || format!("z has {} columns for {k} components", z.ncols());
        require("FittedPca::inverse_transform", z.ncols() == k, what)?;
        numbers("FittedPca::inverse_transform", "x", z)?;
        let z = if self.whiten { &z * &self.deviations() } else { z.to_owned() };
        let zero = Array1::zeros(k);
        Ok(project(&self.device, z.view(), zero.view(), self.components.view())? + &self.mean)
    }

    /// The nearest points in the subspace of the components: `1 m^T + (X - 1 m^T) V V^T`.
    ///
    /// # Errors
    /// As [`FittedPca::transform`].
    pub fn reconstruct(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.inverse_transform(self.transform(x)?.view())
    }

    /// `‖x_i - reconstruct(x_i)‖²` of each row.
    ///
    /// # Errors
    /// As [`FittedPca::transform`].
    pub fn reconstruction_errors(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let lost = &x - &self.reconstruct(x)?;
        Ok(lost.map_axis(Axis(1), |row| row.dot(&row)))
    }

    fn deviations(&self) -> Array1<f64> {
        self.explained_variance.mapv(f64::sqrt)
    }
}

/// The fewest leading squares that add up to `wanted`, but for rounding.
fn enough(squares: &Array1<f64>, wanted: f64) -> usize {
    let mut sum = 0.0;
    let reached = squares.iter().position(|s| {
        sum += s;
        sum >= wanted * (1.0 - 1e-12)
    });
    reached.map_or(squares.len(), |last| last + 1)
}
