//! What can be fitted to weighted numbers, and what a mixture or a generative classifier can be made of.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::{
    Bernoulli, Beta, Exponential, Gamma, InverseGamma, Laplace, Normal, Poisson, StudentT, Univariate,
    VonMises,
};
use crate::Result;
use crate::check::{inputs, numbers, require, weights};

/// A distribution of one number that can be fitted by maximum likelihood.
///
/// ```
/// use mercer::probability::distributions::{Learned, Poisson, Univariate};
/// let calls = Poisson::fit(&[3.0, 5.0, 4.0])?;
/// assert_eq!(calls.mean(), Some(4.0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait Learned: Univariate + Sized {
    /// `argmax_θ Σ_i w_i ln p(x_i | θ)`; a weight of 2 is that number twice.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no numbers or other than one weight for each,
    /// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for numbers outside the
    /// support or without a maximum (all equal, for a distribution with a width).
    fn fit_weighted(x: &[f64], weights: &[f64]) -> Result<Self>;

    /// `argmax_θ Σ_i ln p(x_i | θ)`.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`].
    fn fit(x: &[f64]) -> Result<Self> {
        Self::fit_weighted(x, &vec![1.0; x.len()])
    }

    /// `Σ_i w_i ln p(x_i)`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other than one weight for each number.
    fn log_likelihood(&self, x: &[f64], weights: &[f64]) -> Result<f64> {
        require("log_likelihood", x.len() == weights.len(), || {
            format!("{} numbers, {} weights", x.len(), weights.len())
        })?;
        Ok(x.iter().zip(weights).map(|(&x, &w)| if w == 0.0 { 0.0 } else { w * self.log_density(x) }).sum())
    }
}

/// A density over rows that can be drawn from and fitted again to weighted rows: one component of a
/// mixture, or one class of a generative classifier.
pub trait Component: Clone {
    /// Number of columns of a row.
    fn features(&self) -> usize;

    /// `ln p(x_i)` for each row, m numbers.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of columns, [`Error::NotFinite`](crate::Error::NotFinite).
    fn log_densities(&self, x: ArrayView2<f64>) -> Result<Array1<f64>>;

    /// The member of this family that maximises `Σ_i w_i ln p(x_i)`.
    ///
    /// # Errors
    /// For data without a maximum, or outside the support.
    fn refit(&self, x: ArrayView2<f64>, weights: ArrayView1<f64>) -> Result<Self>;

    /// Independent rows, `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
    fn sample_rows(&self, count: usize, seed: u64) -> Result<Array2<f64>>;

    /// Number of free parameters.
    fn parameters(&self) -> usize;
}

/// Numbers and their weights, checked.
pub(super) fn weighted(op: &'static str, x: &[f64], w: &[f64]) -> Result<()> {
    require(op, !x.is_empty(), || "there are no numbers".to_owned())?;
    numbers(op, "x", ArrayView1::from(x).insert_axis(Axis(0)))?;
    weights(op, ArrayView1::from(w), x.len())
}

/// `Σ w`, `Σ w x / Σ w` and `Σ w (x - mean)² / Σ w`.
pub(super) fn moments(x: &[f64], w: &[f64]) -> (f64, f64, f64) {
    let total: f64 = w.iter().sum();
    let mean = x.iter().zip(w).map(|(x, w)| w * x).sum::<f64>() / total;
    let variance = x.iter().zip(w).map(|(x, w)| w * (x - mean) * (x - mean)).sum::<f64>() / total;
    (total, mean, variance)
}

macro_rules! components_of_one_column {
    ($($name:ident: $parameters:literal),+) => { $(
        impl Component for $name {
            fn features(&self) -> usize {
                1
            }

            fn log_densities(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
                inputs(concat!(stringify!($name), "::log_densities"), x, 1)?;
                Ok(x.column(0).mapv(|x| self.log_density(x)))
            }

            fn refit(&self, x: ArrayView2<f64>, weights: ArrayView1<f64>) -> Result<Self> {
                inputs(concat!(stringify!($name), "::refit"), x, 1)?;
                Self::fit_weighted(&x.column(0).to_vec(), &weights.to_vec())
            }

            fn sample_rows(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
                Ok(self.sample(count, seed)?.insert_axis(Axis(1)))
            }

            fn parameters(&self) -> usize {
                $parameters
            }
        }
    )+ };
}

components_of_one_column!(
    Normal: 2, StudentT: 3, Laplace: 2, Exponential: 1, Gamma: 2, InverseGamma: 2, Beta: 2, VonMises: 2, Bernoulli: 1,
    Poisson: 1
);
