//! One quantile: least absolute deviations for ½.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView1, ArrayView2, Axis, Ix2, concatenate, s};

use super::errors::Sandwich;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{not_negative, pairs, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Predict, Report, Reported, TargetDim};
use crate::models::linear::centred::Centred;
use crate::models::linear::function::Linear;
use crate::optim::{PiecewiseLinear, PiecewiseMinimum};
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// Quantile regression: the `w` and `b` that minimise `Σ_i s_i max(τ r_i, (τ - 1) r_i)/Σ_i s_i + λ‖w‖₁`, `r_i = y_i - wᵀx_i - b`.
///
/// The fitted function has the share τ of the observations below it. For τ = ½ these are least absolute deviations, which
/// outliers do not move. scikit-learn's `alpha` is λ. A linear program, solved by an interior point method in f64 on the
/// CPU, whatever the device.
///
/// Standard errors are those of statsmodels: of the density of the residuals at zero, by Epanechnikov's kernel with Hall and
/// Sheather's bandwidth, and of the squares of the rows on either side of the line.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0]];
/// let y = array![0.0_f64, 1.0, 2.0, 3.0, 400.0]; // one outlier
/// let fit = QuantileRegression::new(0.5).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[0, 0]] - 1.0).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if features depend on each other beyond what rounding
/// hides: a penalty makes the answer one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuantileRegression {
    quantile: f64,
    penalty: f64,
    intercept: bool,
    identical: bool,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl QuantileRegression {
    /// The quantile τ in (0, 1), without a penalty, with an intercept.
    pub fn new(quantile: f64) -> Self {
        QuantileRegression {
            quantile,
            penalty: 0.0,
            intercept: true,
            identical: false,
            max_iterations: 200,
            progress: Progress::none(),
        }
    }
}

setters!(QuantileRegression {
    /// The quantile τ, between 0 and 1.
    quantile: f64,
    /// The penalty λ ≥ 0 of absolute values; none unless said otherwise.
    penalty: f64,
    /// Whether there is an intercept b.
    intercept: bool,
    /// Whether standard errors take residuals to be distributed alike at all rows; not unless said otherwise.
    identical: bool,
    /// Most iterations of the interior point method; 200 unless said otherwise.
    max_iterations: usize,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits!(QuantileRegression: Regression -> FittedQuantileRegression);

impl QuantileRegression {
    /// The penalty, whether there is an intercept, and whom to tell.
    pub(super) fn shape(&self) -> (f64, bool, &Progress) {
        (self.penalty, self.intercept, &self.progress)
    }

    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedQuantileRegression<D>> {
        const OP: &str = "QuantileRegression::fit";
        pairs(OP, x, y)?;
        not_negative("penalty", self.penalty)?;
        let tau = self.quantile;
        parameter("quantile", tau, tau > 0.0 && tau < 1.0, "must lie between 0 and 1")?;
        let data = Centred::new(x, y, None, self.intercept);
        let (d, t) = (x.ncols(), y.ncols());
        let mut coefficients = Array2::zeros((d, t));
        let mut centre = Array1::zeros(t);
        let mut found = Vec::new();
        let mut errors = Array2::zeros((if self.penalty > 0.0 { 0 } else { d + 1 }, t));
        let (rows, targets) = (data.rows(), data.targets());
        let (mean, intercept, identical) = (&data.x_mean, self.intercept, self.identical);
        let sandwich = Sandwich { rows: &rows, mean, intercept, weights: w, identical };
        for k in 0..t {
            let minimum = self.solve(&rows, &targets.column(k).to_owned(), w)?;
            if errors.nrows() > 0 {
                match sandwich.errors(tau, targets.column(k), minimum.point.view())? {
                    Some(own) => errors.column_mut(k).assign(&own),
                    None => errors = Array2::zeros((0, t)),
                }
            }
            coefficients.column_mut(k).assign(&minimum.point.slice(s![..d]));
            centre[k] = if self.intercept { minimum.point[d] } else { 0.0 };
            found.push(minimum);
        }
        let intercept = data.intercept(&coefficients) + centre;
        let iterations = found.iter().map(|f| f.iterations).max().unwrap_or(0);
        let converged = found.iter().all(|f| f.converged);
        let starts: Vec<f64> = found.iter().map(|f| f.objective).collect();
        let report = Report::new(found[0].gaps.clone(), iterations, converged, starts);
        let linear = Linear::new(OP, coefficients, intercept)?;
        Ok(FittedQuantileRegression::new(linear, tau, errors, report))
    }

    pub(super) fn solve(
        &self,
        x: &Array2<f64>,
        y: &Array1<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<PiecewiseMinimum> {
        let tau = self.quantile;
        let weighed: Vec<usize> = (0..y.len()).filter(|&i| w.is_none_or(|w| w[i] > 0.0)).collect();
        let (mut rows, mut t) = (x.select(Axis(0), &weighed), y.select(Axis(0), &weighed));
        let n = weighed.len();
        let total = w.map_or(n as f64, |w| w.sum());
        let share: Array1<f64> = weighed.iter().map(|&i| w.map_or(1.0, |w| w[i]) / total).collect();
        let (mut high, mut low) = (tau * &share, (1.0 - tau) * &share);
        if self.intercept {
            rows = concatenate![Axis(1), rows, Array2::ones((n, 1))];
        }
        if self.penalty > 0.0 {
            // |w_j| is the deviation of a row e_j from zero.
            let (d, p) = (x.ncols(), rows.ncols());
            let own = Array2::from_shape_fn((d, p), |(i, j)| f64::from(u8::from(i == j)));
            let price = Array1::from_elem(d, self.penalty);
            rows = concatenate![Axis(0), rows, own];
            t = concatenate![Axis(0), t, Array1::zeros(d)];
            high = concatenate![Axis(0), high, price];
            low = concatenate![Axis(0), low, price];
        }
        let squares = Array1::zeros(rows.ncols());
        PiecewiseLinear::new().max_iterations(self.max_iterations).progress(self.progress.clone()).run(
            rows.view(),
            t.view(),
            high.view(),
            low.view(),
            squares.view(),
        )
    }
}

/// A linear function `x ↦ Wᵀx + b` that has the share τ of the observations below it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedQuantileRegression<D = Ix2> {
    format: Format,
    linear: Linear,
    quantile: f64,
    /// Of the coefficients and, in the last row, of the intercept; no rows if there are none.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    errors: Array2<f64>,
    report: Report,
    targets: PhantomData<D>,
}

impl<D> FittedQuantileRegression<D> {
    pub(super) fn new(linear: Linear, quantile: f64, errors: Array2<f64>, report: Report) -> Self {
        FittedQuantileRegression { format: Format, linear, quantile, errors, report, targets: PhantomData }
    }

    /// Standard errors of the coefficients, d x t. None with a penalty, for quantiles that were fitted together, with too few
    /// rows for so extreme a quantile, and if the line meets nearly all rows.
    pub fn standard_errors(&self) -> Option<Array2<f64>> {
        let d = self.errors.nrows().checked_sub(1)?;
        Some(self.errors.slice(s![..d, ..]).to_owned())
    }

    /// Standard errors of the intercept, one for each target; zero if there is none. None where coefficients have none.
    pub fn intercept_standard_errors(&self) -> Option<Array1<f64>> {
        self.errors.rows().into_iter().next_back().map(|row| row.to_owned())
    }
}

getters!(FittedQuantileRegression<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The quantile τ.
    quantile: f64,
    /// How the fit went: its trace is the duality gap of the first target, its starts are the objectives of all.
    report: &Report,
});

inherent!(FittedQuantileRegression<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> Reported for FittedQuantileRegression<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> Predict for FittedQuantileRegression<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.linear.at("FittedQuantileRegression::predict", x).map(D::shaped)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedQuantileRegression<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedQuantileRegression<D> {
    fn check(&self) -> Result<()> {
        self.linear.check::<D>("a saved FittedQuantileRegression")?;
        let (rows, targets) = self.errors.dim();
        let (d, t) = self.linear.coefficients.dim();
        require("a saved FittedQuantileRegression", rows == 0 || (rows, targets) == (d + 1, t), || {
            format!("{rows} x {targets} standard errors of {d} x {t} coefficients")
        })?;
        if rows > 0 {
            finite("a saved FittedQuantileRegression", "the standard errors", self.errors.view())?;
        }
        let tau = self.quantile;
        parameter("quantile", tau, tau > 0.0 && tau < 1.0, "must lie between 0 and 1")
    }
}
