//! Several quantiles of one target, which may be asked not to cross.

use ndarray::{Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix1};

use super::joint::joint;
use super::model::{FittedQuantileRegression, QuantileRegression};
use crate::check::{not_negative, pairs, parameter, require, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Inputs, Predict};
use crate::saved::Format;
use crate::{Device, Progress, Result};

const OP: &str = "Quantiles::fit";

/// Several quantiles `τ_1 < τ_2 < ...` of one target, each by [`QuantileRegression`]; predictions are `m x q`.
///
/// Lines of different slopes cross somewhere. [`FittedQuantiles::crossings`] counts the rows where they do. With
/// `non_crossing(true)` all are fitted together, in one linear program in which no line is above the next at any row of the
/// fit, and so nowhere between these; beyond them predictions of each row are put in ascending order. Without an intercept
/// all lines meet at the origin, and order is all there is.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 10.0);
/// let y = ndarray::Array1::from_shape_fn(60, |i| x[[i, 0]] * (1.0 + (37.0 * i as f64).sin()));
/// let fit = Quantiles::new(&[0.1, 0.5, 0.9]).non_crossing(true).fit(&Device::cpu(), &x, &y)?;
/// let said = fit.predict(&x)?;
/// assert!(said.rows().into_iter().all(|r| r[0] <= r[1] && r[1] <= r[2]));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// Those of [`QuantileRegression`], and [`Error::Parameter`](crate::Error::Parameter) for quantiles that do not ascend.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quantiles {
    levels: Vec<f64>,
    non_crossing: bool,
    one: QuantileRegression,
}

impl Quantiles {
    /// These quantiles, ascending, without a penalty, with an intercept, as they come.
    pub fn new(quantiles: &[f64]) -> Self {
        Quantiles { levels: quantiles.to_vec(), non_crossing: false, one: QuantileRegression::new(0.5) }
    }

    /// Whether there is an intercept b.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.one = self.one.intercept(intercept);
        self
    }

    /// The penalty λ ≥ 0 of absolute values.
    #[must_use]
    pub fn penalty(mut self, penalty: f64) -> Self {
        self.one = self.one.penalty(penalty);
        self
    }

    /// Called after every iteration; it can cancel the fit.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.one = self.one.progress(progress);
        self
    }

    /// All together, if that was asked for and there is an intercept; else each by itself.
    fn run(
        &self,
        (x, y): (ArrayView2<f64>, &ArrayRef<f64, Ix1>),
        w: Option<ArrayView1<f64>>,
        one: impl Fn(QuantileRegression) -> Result<FittedQuantileRegression<Ix1>>,
    ) -> Result<FittedQuantiles> {
        let (penalty, intercept, progress) = self.one.shape();
        if !self.non_crossing || !intercept || self.levels.len() < 2 {
            return self.each(one);
        }
        self.checked()?;
        pairs(OP, x, y.view().insert_axis(Axis(1)))?;
        not_negative("penalty", penalty)?;
        let (lines, report) = joint(&self.levels, penalty, progress, (x, y.view()), w)?;
        let fit = |(linear, &tau)| {
            FittedQuantileRegression::new(linear, tau, Array2::zeros((0, 1)), report.clone())
        };
        let fits = lines.into_iter().zip(&self.levels).map(fit).collect();
        Ok(FittedQuantiles { format: Format, fits, non_crossing: true })
    }

    fn checked(&self) -> Result<()> {
        require(OP, !self.levels.is_empty(), || "there are no quantiles".to_owned())?;
        if let Some(pair) = self.levels.windows(2).find(|p| p[0] >= p[1]) {
            parameter("quantile", pair[1], false, "quantiles must ascend")?;
        }
        let within =
            |tau: &f64| parameter("quantile", *tau, *tau > 0.0 && *tau < 1.0, "must lie between 0 and 1");
        self.levels.iter().try_for_each(within)
    }

    fn each(
        &self,
        one: impl Fn(QuantileRegression) -> Result<FittedQuantileRegression<Ix1>>,
    ) -> Result<FittedQuantiles> {
        self.checked()?;
        let fits: Result<Vec<_>> =
            self.levels.iter().map(|&tau| one(self.one.clone().quantile(tau))).collect();
        Ok(FittedQuantiles { format: Format, fits: fits?, non_crossing: self.non_crossing })
    }
}

setters!(Quantiles {
    /// Whether all quantiles are fitted together, so that none is above the next; not unless said otherwise.
    non_crossing: bool,
});

fits!(Quantiles: Numbers -> FittedQuantiles, NumbersWeighted -> FittedQuantiles);

impl Fit<ArrayRef<f64, Ix1>> for Quantiles {
    type Fitted = FittedQuantiles;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, Ix1>) -> Result<FittedQuantiles> {
        self.run((x, y), None, |one| Fit::fit(&one, device, x, y))
    }
}

impl FitWeighted<ArrayRef<f64, Ix1>> for Quantiles {
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, Ix1>,
        w: ArrayView1<f64>,
    ) -> Result<FittedQuantiles> {
        weights(OP, w, x.nrows())?;
        self.run((x, y), Some(w), |one| FitWeighted::fit_weighted(&one, device, x, y, w))
    }
}

/// A linear function for each quantile.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedQuantiles {
    format: Format,
    fits: Vec<FittedQuantileRegression<Ix1>>,
    non_crossing: bool,
}

getters!(FittedQuantiles {
    /// The fit of each quantile.
    fits: &[FittedQuantileRegression<Ix1>],
});

inherent!(FittedQuantiles: Predict -> Array2<f64>);

impl Predict for FittedQuantiles {
    type Output = Array2<f64>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = self.lines(x)?;
        if self.non_crossing {
            for mut row in out.rows_mut() {
                let mut sorted = row.to_vec();
                sorted.sort_by(f64::total_cmp);
                row.iter_mut().zip(sorted).for_each(|(to, from)| *to = from);
            }
        }
        Ok(out)
    }
}

impl FittedQuantiles {
    /// How many rows of `x` have a quantile above a higher one, before any ordering.
    ///
    /// # Errors
    /// As `predict`.
    pub fn crossings(&self, x: impl Inputs) -> Result<usize> {
        let lines = self.lines(x.inputs().view())?;
        let crosses = |row: &ArrayView1<f64>| row.windows(2).into_iter().any(|p| p[0] > p[1]);
        Ok(lines.rows().into_iter().filter(crosses).count())
    }

    fn lines(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((x.nrows(), self.fits.len()));
        for (fit, mut column) in self.fits.iter().zip(out.axis_iter_mut(Axis(1))) {
            column.assign(&Predict::predict(fit, x)?);
        }
        Ok(out)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedQuantiles);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedQuantiles {
    fn check(&self) -> Result<()> {
        let widths: Vec<usize> = self.fits.iter().map(|f| f.coefficients().nrows()).collect();
        let fits = !widths.is_empty() && widths.windows(2).all(|w| w[0] == w[1]);
        require("a saved FittedQuantiles", fits, || "its parts are of different sizes".to_owned())
    }
}
