//! A part of the data on a device: rows and their weights, checked.

use ndarray::{Array1, ArrayView2};

use crate::{Device, Matrix, Result};

/// Rows on a device, each with a weight (one, unless said otherwise).
#[derive(Debug, Clone)]
pub struct Observations {
    pub(crate) x: Matrix,
    pub(crate) weights: Option<Array1<f64>>,
}

impl Observations {
    /// Copies `x`, `n x d`, to `device`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` is empty or there are not n weights; [`Error::NotFinite`] for a NaN or an infinity;
    /// [`Error::Parameter`] for a weight that is negative or not finite, or if all of them are zero.
    pub fn new(device: &Device, x: ArrayView2<f64>, weights: Option<&[f64]>) -> Result<Self> {
        let x = Matrix::from_array(device, x)?;
        let weights = weights.map(|w| check_weights(w, x.rows()));
        Ok(Observations { x, weights: weights.transpose()? })
    }

    /// The weights as a column beside `x`.
    pub(crate) fn weight_column(&self) -> Result<Option<Matrix>> {
        self.weights.as_ref().map(|w| Matrix::column(&self.x.device(), &w.to_vec())).transpose()
    }
}

/// The weights, once they are known to be n numbers that are not negative, and not all zero.
pub(crate) fn check_weights(w: &[f64], n: usize) -> Result<Array1<f64>> {
    crate::check::weights("sample weights", w.into(), n)?;
    Ok(Array1::from(w.to_vec()))
}
