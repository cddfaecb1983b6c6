//! Losses paired with output units: with each, `∂E/∂a = y - t`. Checked in `tests/neural/losses.rs`.

use std::f64::consts::TAU;
use std::fmt::Debug;

use ndarray::{Array2, ArrayView1, ArrayView2};
use statrs::function::gamma::ln_gamma;

use super::activation::{sigmoid, softplus};
use crate::Result;
use crate::check::require;

/// What the last layer's numbers `a` mean: the distribution of the targets. Each is paired with the output unit that
/// makes `∂E/∂a = y - t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum OutputLoss {
    /// `t ~ N(y, 1/β)`, `y = a`, `E = ½ Σ(y - t)²`. The precision β is found afterwards.
    #[default]
    Gaussian,
    /// `t ~ Bernoulli(y)`, `y = σ(a)`, `E = -Σ t ln y + (1 - t) ln(1 - y)`, independent for each output.
    Bernoulli,
    /// `t` one of the classes, `y = softmax(a)`, `E = -Σ t ln y`.
    Softmax,
    /// `t ~ Poisson(y)`, `y = e^a`, `E = Σ y - t a`.
    Poisson,
}

impl OutputLoss {
    /// The outputs y of the numbers a.
    pub fn outputs(self, a: ArrayView2<f64>) -> Array2<f64> {
        match self {
            OutputLoss::Gaussian => a.to_owned(),
            OutputLoss::Bernoulli => a.mapv(sigmoid),
            OutputLoss::Poisson => a.mapv(f64::exp),
            OutputLoss::Softmax => {
                let mut y = a.to_owned();
                for mut row in y.rows_mut() {
                    let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
                    row.mapv_inplace(|v| (v - top).exp());
                    let sum = row.sum();
                    row /= sum;
                }
                y
            }
        }
    }

    /// E of one row.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is one target for each output.
    pub fn row(self, a: ArrayView1<f64>, t: ArrayView1<f64>) -> Result<f64> {
        paired(a.dim(), t.dim(), None)?;
        Ok(self.of_row(a, t))
    }

    /// `Σ_n w_n E_n`, with weights of one if there are none.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless a and t have one shape, with a weight for each row.
    pub fn value(
        self,
        a: ArrayView2<f64>,
        t: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Result<f64> {
        paired(a.dim(), t.dim(), weights.map(|w| (w.len(), a.nrows())))?;
        Ok(self.total(a, t, weights))
    }

    /// `w_n ∂E_n/∂a`: `w (y - t)`.
    ///
    /// # Errors
    /// As [`OutputLoss::value`].
    pub fn delta(
        self,
        a: ArrayView2<f64>,
        t: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Result<Array2<f64>> {
        paired(a.dim(), t.dim(), weights.map(|w| (w.len(), a.nrows())))?;
        Ok(self.slope(a, t, weights))
    }

    /// `ln p(t | a)` of all rows with its constants; β is the precision of a Gaussian, and no other asks for it.
    ///
    /// # Errors
    /// As [`OutputLoss::value`].
    pub fn log_likelihood(self, a: ArrayView2<f64>, t: ArrayView2<f64>, precision: f64) -> Result<f64> {
        let e = self.value(a, t, None)?;
        Ok(match self {
            OutputLoss::Gaussian => 0.5 * t.len() as f64 * (precision / TAU).ln() - precision * e,
            OutputLoss::Bernoulli | OutputLoss::Softmax => -e,
            OutputLoss::Poisson => -e - t.iter().map(|t| ln_gamma(t + 1.0)).sum::<f64>(),
        })
    }

    /// [`OutputLoss::row`] of what is known to fit.
    pub(in crate::models::neural) fn of_row(self, a: ArrayView1<f64>, t: ArrayView1<f64>) -> f64 {
        let each = a.iter().zip(t);
        match self {
            OutputLoss::Gaussian => 0.5 * each.map(|(a, t)| (a - t) * (a - t)).sum::<f64>(),
            OutputLoss::Bernoulli => each.map(|(a, t)| softplus(*a) - t * a).sum(),
            OutputLoss::Poisson => each.map(|(a, t)| a.exp() - t * a).sum(),
            OutputLoss::Softmax => {
                let top = a.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
                let log_sum = top + a.iter().map(|v| (v - top).exp()).sum::<f64>().ln();
                each.map(|(a, t)| t * (log_sum - a)).sum()
            }
        }
    }

    /// [`OutputLoss::value`] of what is known to fit.
    pub(in crate::models::neural) fn total(
        self,
        a: ArrayView2<f64>,
        t: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> f64 {
        let rows = a.rows().into_iter().zip(t.rows()).enumerate();
        rows.map(|(n, (a, t))| weights.map_or(1.0, |w| w[n]) * self.of_row(a, t)).sum()
    }

    /// [`OutputLoss::delta`] of what is known to fit.
    pub(in crate::models::neural) fn slope(
        self,
        a: ArrayView2<f64>,
        t: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Array2<f64> {
        let mut delta = self.outputs(a);
        if self == OutputLoss::Softmax {
            // Targets that do not sum to one weigh the normaliser.
            for (mut row, t) in delta.rows_mut().into_iter().zip(t.rows()) {
                row *= t.sum();
            }
        }
        delta -= &t;
        if let Some(w) = weights {
            delta.rows_mut().into_iter().zip(w).for_each(|(mut row, w)| row *= *w);
        }
        delta
    }
}

/// An error unless numbers and targets have one shape, and weights (their number, the rows) fit.
fn paired<D: PartialEq + Debug>(a: D, t: D, weights: Option<(usize, usize)>) -> Result<()> {
    require("OutputLoss", a == t, || format!("outputs of {a:?}, targets of {t:?}"))?;
    require("OutputLoss", weights.is_none_or(|(held, rows)| held == rows), || {
        format!("weights and rows: {weights:?}")
    })
}

/// The precision of the noise: `1/β = Σ_n w_n‖y_n - t_n‖² / (K Σ_n w_n)`; infinite if every target is met.
pub(super) fn precision(y: ArrayView2<f64>, t: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> f64 {
    let total = weights.map_or(y.nrows() as f64, |w| w.sum());
    let square = 2.0 * OutputLoss::Gaussian.total(y, t, weights);
    total * y.ncols() as f64 / square
}
