//! A part of the data on a device: rows and their weights, checked.

use ndarray::{Array1, ArrayView2};

use crate::{Device, Error, Matrix, Result};

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
    if w.len() != n {
        let what = format!("{} weights for {n} rows", w.len());
        return Err(Error::Shape { op: "sample weights", what });
    }
    let bad = |name: String, value, requirement| Err(Error::Parameter { name, value, requirement });
    if let Some((i, &v)) = w.iter().enumerate().find(|(_, v)| !(v.is_finite() && **v >= 0.0)) {
        return bad(format!("weights[{i}]"), v, "must be finite and not negative");
    }
    if w.iter().sum::<f64>() <= 0.0 {
        return bad("sum of weights".to_owned(), 0.0, "must be positive");
    }
    Ok(Array1::from(w.to_vec()))
}

/// `Ok` if there are between 1 and n components.
pub(crate) fn check_components(name: &str, k: usize, n: usize) -> Result<()> {
    if (1..=n).contains(&k) {
        return Ok(());
    }
    let requirement = "must be at least 1 and at most the number of observations";
    Err(Error::Parameter { name: name.to_owned(), value: k as f64, requirement })
}
