//! What independent component analysis has learned, and what it does with data.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::models::latent::axes::sign;
use crate::models::latent::centred::project;
use crate::check::{columns, numbers, require};
use crate::models::latent::pca::FittedPca;
use crate::models::latent::report::Report;
use crate::linalg::small_cholesky::Small;
use crate::{Device, Result};

/// A fitted mixing of independent sources.
#[derive(Debug, Clone)]
pub struct FittedIca {
    /// m.
    pub mean: Array1<f64>,
    /// `k x d`: sources from data.
    pub unmixing: Array2<f64>,
    /// A, `d x k`: data from sources.
    pub mixing: Array2<f64>,
    /// How the fit went. The trace of `FastICA` is how far the unmixing turned, that of `InfoMax` the log-likelihood per
    /// row of the white data.
    pub report: Report,
    device: Device,
}

impl FittedIca {
    /// `w` unmixes what `white` has whitened.
    pub(super) fn new(device: &Device, white: FittedPca, w: Array2<f64>, report: Report) -> Result<Self> {
        let deviations = white.explained_variance.mapv(f64::sqrt);
        // White data has the identity for its covariance, so a source has the variance of its row.
        let lengths = w.map_axis(Axis(1), |row| row.dot(&row).sqrt());
        let w = &w / &lengths.insert_axis(Axis(1));
        // W⁻¹ = (W^T W)⁻¹ W^T.
        let inverse =
            Small::new("Ica::fit, mixing", w.t().dot(&w).view())?.solve_rows(w.view()).reversed_axes();
        let mut unmixing = (&w / &deviations).dot(&white.components);
        let mut mixing = white.components.t().dot(&(&inverse * &deviations.insert_axis(Axis(1))));
        let power = mixing.map_axis(Axis(0), |c| c.dot(&c));
        let mut order: Vec<usize> = (0..power.len()).collect();
        order.sort_by(|&i, &j| power[j].total_cmp(&power[i]));
        (unmixing, mixing) = (unmixing.select(Axis(0), &order), mixing.select(Axis(1), &order));
        for (mut column, mut row) in mixing.columns_mut().into_iter().zip(unmixing.rows_mut()) {
            if sign(column.view()) < 0.0 {
                column *= -1.0;
                row *= -1.0;
            }
        }
        Ok(FittedIca { mean: white.mean, unmixing, mixing, report, device: device.clone() })
    }

    /// The sources `s = B (x - m)`, `n x k` for `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit, [`Error::NotFinite`](crate::Error::NotFinite); those of the device.
    pub fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedIca::transform", x, self.mean.len())?;
        numbers("FittedIca::transform", "x", x)?;
        project(&self.device, x, self.mean.view(), self.unmixing.t())
    }

    /// `x = A s + m`, `n x d` for `s`, `n x k`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn inverse_transform(&self, sources: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.mixing.ncols();
        let what = || format!("there are {} columns for {k} sources", sources.ncols());
        require("FittedIca::inverse_transform", sources.ncols() == k, what)?;
        numbers("FittedIca::inverse_transform", "x", sources)?;
        Ok(sources.dot(&self.mixing.t()) + &self.mean)
    }
}
