//! Leave-one-out predictions in closed form: n refits from one inverse.

use ndarray::{Array, Array1, Array2, Axis, Ix2};

use super::fitted::FittedGp;
use crate::check::number;
use crate::learn::TargetDim;
use crate::linalg::SpdFactor;
use crate::{Error, Matrix, Result};

/// What the model predicts for each observation from all the others, at the same hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeaveOneOut<D: TargetDim = Ix2> {
    /// The means, of the form of y.
    pub mean: Array<f64, D>,
    /// The variance of each observation, noise included.
    pub variance: Array1<f64>,
    /// `log p(y_i | all others)`, of the form of y.
    pub log_density: Array<f64, D>,
}

impl<D: TargetDim> LeaveOneOut<D> {
    /// The log predictive density: the sum of all entries, by which models may be compared.
    pub fn log_predictive_density(&self) -> f64 {
        self.log_density.sum()
    }
}

impl<D: TargetDim> FittedGp<D> {
    /// Leave-one-out predictions: `y_i - α_i / Q_ii` with variance `1 / [C⁻¹]_ii`.
    ///
    /// `Q = C⁻¹ - C⁻¹H(HᵀC⁻¹H)⁻¹HᵀC⁻¹`, which is C⁻¹ for a mean of zero: the coefficients of the mean are estimated anew
    /// without each point. This is the same as n refits, for the price of one inverse.
    ///
    /// # Errors
    /// [`Error::Singular`] if without some point the mean cannot be estimated; as [`FittedGp::factor`]; those of the
    /// device.
    pub fn leave_one_out(&self) -> Result<LeaveOneOut<D>> {
        let factor = self.stored("FittedGp::leave_one_out", "judge by points that were held out")?;
        let inverse = inverse_diagonal(factor)?;
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
        number("FittedGp::leave_one_out", "the log density", log_density.sum())?;
        Ok(LeaveOneOut { mean: D::shaped(mean), variance, log_density: D::shaped(log_density) })
    }
}

/// The diagonal of C⁻¹, refined if the factor is in f32.
fn inverse_diagonal(factor: &SpdFactor) -> Result<Array1<f64>> {
    let inverse = if factor.factor().device().is_gpu() {
        factor.inverse()?.x
    } else {
        factor.inverse_lower()?.into_array()?
    };
    Ok(inverse.diag().to_owned())
}
