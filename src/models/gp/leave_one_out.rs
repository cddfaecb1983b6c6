//! Leave-one-out predictions in closed form: n refits from one inverse.

use ndarray::{Array1, Array2, Axis};

use super::fitted::FittedGp;
use super::dense::Stored;
use crate::{Error, Matrix, Result};

/// What the model predicts for each observation from all the others, at the same hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaveOneOut {
    /// `n x q`.
    pub mean: Array2<f64>,
    /// Of the observation, noise included.
    pub variance: Array1<f64>,
    /// `log p(y_i | all others)`, `n x q`.
    pub log_density: Array2<f64>,
}

impl LeaveOneOut {
    /// The log predictive density: the sum of all entries, by which models may be compared.
    pub fn log_predictive_density(&self) -> f64 {
        self.log_density.sum()
    }
}

impl FittedGp {
    /// Leave-one-out predictions: `y_i - α_i / Q_ii` with variance `1 / [C⁻¹]_ii`.
    ///
    /// `Q = C⁻¹ - C⁻¹H(HᵀC⁻¹H)⁻¹HᵀC⁻¹`, which is C⁻¹ for a mean of zero: the coefficients of the mean are estimated anew
    /// without each point. This is the same as n refits, for the price of one inverse.
    ///
    /// # Errors
    /// [`Error::Singular`] if without some point the mean cannot be estimated; as [`FittedGp::factor`]; those of the
    /// device.
    pub fn leave_one_out(&self) -> Result<LeaveOneOut> {
        let stored = self.stored("FittedGp::leave_one_out", "judge by points that were held out")?;
        let inverse = inverse_diagonal(stored)?;
        let trend = self.trend();
        let mut q = inverse.clone();
        if let Some(normal) = &trend.normal {
            let whitened = normal.whiten(Matrix::from_host(trend.weighted.t().to_owned()))?.into_array()?;
            q -= &whitened.mapv(|v| v * v).sum_axis(Axis(0));
            // What is left of an entry that cancels is rounding.
            let lost = |i: &usize| q[*i] <= 1e-12 * inverse[*i];
            if let Some(index) = (0..q.len()).find(lost) {
                return Err(Error::Singular { op: "FittedGp::leave_one_out", index, value: q[index] });
            }
        }
        let variance = inverse.mapv(f64::recip);
        let shift = self.alpha() / &q.insert_axis(Axis(1));
        let mean = &self.y - &shift;
        let log_density = Array2::from_shape_fn(shift.dim(), |(i, j)| {
            let v = variance[i];
            -0.5 * (shift[[i, j]].powi(2) / v + (std::f64::consts::TAU * v).ln())
        });
        Ok(LeaveOneOut { mean, variance, log_density })
    }
}

/// The diagonal of C⁻¹, refined if the factor is in f32.
fn inverse_diagonal(stored: &Stored) -> Result<Array1<f64>> {
    let inverse = if stored.on_gpu() {
        stored.factor().inverse()?.x
    } else {
        stored.factor().inverse_lower()?.into_array()?
    };
    Ok(inverse.diag().to_owned())
}
