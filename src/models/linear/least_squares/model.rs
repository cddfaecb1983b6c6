//! What least squares is to fit.

use ndarray::{ArrayView1, ArrayView2, Axis};

use super::fitted::{FittedLeastSquares, Inference};
use crate::check::pairs;
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::models::linear::centred::Centred;
use crate::models::linear::function::Linear;
use crate::models::linear::reduced::Reduced;
use crate::models::linear::spectrum::Spectrum;
use crate::{Device, Result};

const OP: &str = "LeastSquares::fit";

/// Least squares: the `w` and `b` that minimise `Σ_i s_i (y_i - wᵀx_i - b)²`, with standard errors, tests, intervals,
/// leverages and information criteria.
///
/// Of several minima it is the one of least `‖w‖`, and [`FittedLeastSquares::rank`] says what rank the centred X was taken to
/// have. X itself is decomposed, not `XᵀX`, in f64 on the CPU whatever the device; [`Ridge`](super::super::Ridge) is faster
/// for many rows, and says less. A weight of 2 counts as two observations in every degree of freedom.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
/// let y = array![3.0_f64, 2.0, 4.0, 8.0, 3.0];
/// let fit = LeastSquares::new().fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[0, 0]] - 1.021978022).abs() < 1e-9);
/// assert!((fit.intercept()[0] + 0.4725274725).abs() < 1e-9);
/// assert!(fit.p_values()?[[1, 0]] < 0.05 && fit.r_squared()[0] > 0.9);
/// let (low, high) = fit.prediction_interval(array![[3.0, 1.0]], 0.95)?;
/// assert!(low[0] < 4.0 && 4.0 < high[0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSquares {
    intercept: bool,
}

impl Default for LeastSquares {
    fn default() -> Self {
        LeastSquares { intercept: true }
    }
}

impl LeastSquares {
    /// With an intercept.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(LeastSquares {
    /// Whether there is an intercept b; without one the function passes through the origin.
    intercept: bool,
});

fits_across!(LeastSquares: Regress -> FittedLeastSquares);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl LeastSquares {
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedLeastSquares<D>> {
        if !all.alone() {
            return self.run_across(all, x, y, w);
        }
        pairs(OP, x, y)?;
        let data = Centred::new(x, y, w, self.intercept);
        let spectrum = Spectrum::of(&data, self.intercept)?;
        let targets = spectrum.project(data.targets());
        let coefficients = spectrum.coefficients(0.0, &targets);
        let intercept = data.intercept(&coefficients);
        let residuals = spectrum.residuals(0.0, &targets);
        let squares = |a: ndarray::Array2<f64>| a.mapv(|v| v * v).sum_axis(Axis(0));
        let inference = Inference {
            intercept: self.intercept,
            rank: spectrum.rank,
            total: w.map_or(x.nrows() as f64, |w| w.sum()),
            inverse: spectrum.inverse_of_squares(),
            mean: data.x_mean.clone(),
            residual_squares: squares(residuals.clone()),
            total_squares: squares(data.targets()),
            free: spectrum.freedoms(0.0).mapv(|v| v.clamp(0.0, 1.0)),
            residuals,
        };
        FittedLeastSquares::new(Linear::new(OP, coefficients, intercept)?, inference)
    }

    /// Residuals and leverages are those of this rank's rows.
    fn run_across<D: TargetDim>(
        &self,
        all: &Meeting,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedLeastSquares<D>> {
        let few = Reduced::new(all, OP, x, y, w, self.intercept)?;
        let data = Centred::new(few.x.view(), few.y.view(), None, false);
        let spectrum = Spectrum::of(&data, false)?;
        let targets = spectrum.project(data.targets());
        let coefficients = spectrum.coefficients(0.0, &targets);
        let intercept = few.intercept(&coefficients);
        let squares = |a: ndarray::Array2<f64>| a.mapv(|v| v * v).sum_axis(Axis(0));
        let inverse = spectrum.inverse_of_squares();
        let away = &x - &few.x_mean;
        let base = if self.intercept { 1.0 / few.total } else { 0.0 };
        let mut leverage = (&away.dot(&inverse) * &away).sum_axis(Axis(1)) + base;
        let mut residuals = &y - &few.y_mean - away.dot(&coefficients);
        if let Some(w) = w {
            leverage *= &w;
            residuals *= &w.mapv(f64::sqrt).insert_axis(Axis(1));
        }
        let inference = Inference {
            intercept: self.intercept,
            rank: spectrum.rank,
            total: few.total,
            residual_squares: squares(spectrum.residuals(0.0, &targets)),
            total_squares: squares(data.targets()),
            free: leverage.mapv(|h| (1.0 - h).clamp(0.0, 1.0)),
            residuals,
            inverse,
            mean: few.x_mean,
        };
        FittedLeastSquares::new(Linear::new(OP, coefficients, intercept)?, inference)
    }
}
