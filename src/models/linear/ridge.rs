//! Ridge regression. Checked in `tests/ridge/linear.rs` against the augmented system, scikit-learn and every adapter.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::at_penalty::Decomposition;
use super::centred::Centred;
use super::normal_equations::{residual, solve};
use crate::linalg::SolveReport;
use crate::check::{inputs, pairs, positive, weights};
use crate::learn::plan::BUDGET;
use crate::learn::metrics::r_squared;
use crate::ops::product;
use crate::{Device, Error, Result};

/// The condition of a system up to which its solution has digits enough: beyond, X itself is decomposed, in a multiple
/// of the time.
const TRUSTED: f64 = 1e11;
/// Copies of X that a decomposition holds at its peak.
const COPIES: f64 = 10.0;

/// Which system was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// `(XᵀX + λI) w = Xᵀy`: as large as the features are many.
    Primal,
    /// `w = Xᵀ (XXᵀ + λI)⁻¹ y`: as large as the observations are many.
    Dual,
}

impl Form {
    /// The smaller one.
    pub(super) fn of(n: usize, d: usize) -> Self {
        if d <= n { Form::Primal } else { Form::Dual }
    }
}

/// Ridge regression: the `w` and `b` that minimise `Σ_i s_i (y_i - wᵀx_i - b)² + λ‖w‖²`.
///
/// The intercept b is not penalised. The weights `s_i` are one unless given. `XᵀX + λI` (primal) or `XXᵀ + λI` (dual),
/// whichever is smaller, is factored; the fit says which, and how good the solution is. Where that would lose too many
/// digits (a stray row, columns that nearly depend on each other) X itself is decomposed on the CPU, if ten copies of it
/// fit 2 GiB; if not, the certificate has the condition to doubt the solution by.
///
/// ```
/// use mercer::{Device, models::linear::Ridge};
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
/// let y = array![[3.0], [2.0], [4.0], [8.0], [3.0]]; // one column for each target
/// let fit = Ridge::new(1.0).fit(&Device::cpu(), x.view(), y.view())?;
/// assert!((fit.coefficients()[[1, 0]] - 1.241071429).abs() < 1e-9);
/// assert!((fit.intercept()[0] - 0.1071428571).abs() < 1e-9);
/// let at = fit.predict(array![[6.0, 0.0]].view())?;
/// assert!((at[[0, 0]] - 5.4107142857).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ridge {
    pub(super) penalty: f64,
    pub(super) intercept: bool,
}

impl Ridge {
    /// With the penalty λ > 0, and an intercept.
    pub fn new(penalty: f64) -> Self {
        Ridge { penalty, intercept: true }
    }

    /// Whether there is an intercept b; without one the function passes through the origin.
    #[must_use]
    pub fn intercept(mut self, yes: bool) -> Self {
        self.intercept = yes;
        self
    }

    /// Fits `x`, n x d, to `y`, n x t: one column for each target.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the penalty is not positive;
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data;
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if the penalty is nothing beside the rounding
    /// of a rank-deficient `XᵀX`, and X too large to decompose.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedRidge> {
        self.run(device, x, y, None)
    }

    /// [`Ridge::fit`] with a weight `s_i ≥ 0` for each observation.
    ///
    /// # Errors
    /// As [`Ridge::fit`], and for weights that are negative or all zero.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: ArrayView1<f64>,
    ) -> Result<FittedRidge> {
        weights("Ridge::fit", w, x.nrows())?;
        self.run(device, x, y, Some(w))
    }

    fn run(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedRidge> {
        positive("penalty", self.penalty)?;
        pairs("Ridge::fit", x, y)?;
        let data = Centred::new(x, y, w, self.intercept);
        let form = Form::of(x.nrows(), x.ncols());
        let fits = COPIES * 8.0 * x.len() as f64 <= BUDGET as f64;
        let condition = match solve(device, &data, self.penalty, form) {
            Ok((_, SolveReport::Direct(certificate))) if fits && certificate.condition > TRUSTED => {
                certificate.condition
            }
            Err(Error::NotPositiveDefinite { .. }) if fits => f64::INFINITY,
            other => {
                let (coefficients, report) = other?;
                let intercept = data.intercept(&coefficients);
                return Ok(FittedRidge::new(coefficients, intercept, self.penalty, form, Some(report)));
            }
        };
        let at = Decomposition::new(&data, self.intercept)?.at(self.penalty, &data, self.intercept);
        let relative_residual = residual(&data, self.penalty, &at.coefficients);
        let report = SolveReport::Decomposed { relative_residual, condition };
        Ok(FittedRidge::new(at.coefficients, at.intercept, self.penalty, form, Some(report)))
    }
}

/// A linear function `x ↦ Wᵀx + b`, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedRidge {
    coefficients: Array2<f64>,
    intercept: Array1<f64>,
    penalty: f64,
    form: Form,
    report: Option<SolveReport>,
}

impl FittedRidge {
    pub(super) fn new(
        coefficients: Array2<f64>,
        intercept: Array1<f64>,
        penalty: f64,
        form: Form,
        report: Option<SolveReport>,
    ) -> Self {
        FittedRidge { coefficients, intercept, penalty, form, report }
    }

    /// W, d x t: one column for each target.
    pub fn coefficients(&self) -> &Array2<f64> {
        &self.coefficients
    }

    /// b, one for each target; zero if there is no intercept.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.intercept
    }

    /// λ.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// Which system was solved.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How good the solution is; none if it came from the decomposition of a [`RidgeCv`](super::RidgeCv).
    pub fn report(&self) -> Option<&SolveReport> {
        self.report.as_ref()
    }

    /// `Wᵀx + b` for each row of `x`, m x d: m x t, in f64 whatever the device of the fit.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` has not the features of the fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedRidge::predict", x, self.coefficients.nrows())?;
        let mut out = Array2::zeros((x.nrows(), self.coefficients.ncols()));
        product(1.0, x, self.coefficients.view(), 0.0, out.view_mut());
        out += &self.intercept;
        Ok(out)
    }

    /// R², the mean over the targets.
    ///
    /// # Errors
    /// As [`predict`](FittedRidge::predict), and for a `y` that does not fit or has fewer than two rows.
    pub fn score(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        r_squared("FittedRidge::score", y, self.predict(x)?.view())
    }
}
