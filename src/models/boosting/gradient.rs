//! Boosting by gradients of a loss. Checked in `tests/classify/boosting.rs` against scikit-learn.

use std::marker::PhantomData;

use ndarray::{Array, Array1, ArrayRef, ArrayView1, ArrayView2, Axis, Ix1};

use super::stump::{Sorted, Stump};
#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{inputs, pairs, parameter, require, room, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Predict, Report, Reported, Stop, TargetDim};
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// A loss: where it starts, its value, its gradient, and what the rows of one side of a stump are best moved by.
pub(super) struct Loss<V, S, U> {
    pub start: f64,
    pub at: V,
    pub slope: S,
    pub side: U,
}

/// Rounds, step and callback of either loss.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Settings {
    pub rounds: usize,
    pub rate: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Progress,
}

impl Settings {
    pub fn check(&self) -> Result<()> {
        parameter("rounds", self.rounds as f64, self.rounds > 0, "must be at least 1")?;
        room("rounds", self.rounds, 64)?;
        let requirement = "must be positive and at most 1";
        parameter("rate", self.rate, self.rate > 0.0 && self.rate <= 1.0, requirement)
    }

    /// Stumps that follow the negative gradient of the loss.
    pub fn boost<V, S, U>(
        &self,
        op: &'static str,
        x: ArrayView2<f64>,
        w: &Array1<f64>,
        of: &Loss<V, S, U>,
    ) -> Result<(Vec<Stump>, Report)>
    where
        V: Fn(&Array1<f64>) -> f64,
        S: Fn(&Array1<f64>) -> Array1<f64>,
        U: Fn(&Array1<f64>, &[usize]) -> f64,
    {
        let Loss { start, at: loss, slope, side } = of;
        let sorted = Sorted::new(x);
        let mut f = Array1::from_elem(x.nrows(), *start);
        let (mut stumps, mut trace, mut stop) = (Vec::new(), vec![loss(&f)], Stop::Iterations);
        for round in 0..self.rounds {
            let residual = -slope(&f);
            let Some(stump) = sorted.best(&residual, w) else {
                stop = Stop::Stalled;
                break;
            };
            let (mut sides, column) = ([Vec::new(), Vec::new()], x.column(stump.feature()));
            (0..x.nrows()).for_each(|i| sides[usize::from(column[i] > stump.threshold())].push(i));
            let stump = stump.with(|above| self.rate * side(&f, &sides[usize::from(above)]));
            f += &sorted.apply(&stump);
            stumps.push(stump);
            trace.push(loss(&f));
            self.progress.report(op, round + 1, self.rounds, trace[trace.len() - 1])?;
        }
        let starts = vec![trace[trace.len() - 1]];
        Ok((stumps, Report { iterations: trace.len() - 1, stop, trace, starts }))
    }
}

/// `f(x) = ȳ + Σ_m f_m(x)`: each stump is η times the one that fits what is left of y best, by least squares.
///
/// One target. It is computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 10.0);
/// let y = x.column(0).mapv(|v: f64| v.sin());
/// let fit = GradientBoosting::new(200).fit(&Device::cpu(), &x, &y)?;
/// assert!(fit.score(&x, &y)? > 0.95);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GradientBoosting {
    settings: Settings,
}

impl GradientBoosting {
    /// So many stumps, with the step η = 0.1.
    pub fn new(rounds: usize) -> Self {
        GradientBoosting { settings: Settings { rounds, rate: 0.1, progress: Progress::none() } }
    }

    fn run(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Array1<f64>,
    ) -> Result<FittedGradientBoosting<Ix1>> {
        let op = "GradientBoosting::fit";
        self.settings.check()?;
        pairs(op, x, y)?;
        let y = y.column(0);
        let total = w.sum();
        let start = y.iter().zip(&w).map(|(y, w)| w * y).sum::<f64>() / total;
        let squared = Loss {
            start,
            at: |f: &Array1<f64>| (&y - f).iter().zip(&w).map(|(e, w)| w * e * e).sum::<f64>() / total,
            slope: |f: &Array1<f64>| f - &y,
            side: |f: &Array1<f64>, rows: &[usize]| {
                let mass: f64 = rows.iter().map(|&i| w[i]).sum();
                rows.iter().map(|&i| w[i] * (y[i] - f[i])).sum::<f64>() / mass
            },
        };
        let (stumps, report) = self.settings.boost(op, x, &w, &squared)?;
        if report.trace.iter().any(|v| !v.is_finite()) {
            return Err(crate::check::blame(op, x));
        }
        let features = x.ncols();
        Ok(FittedGradientBoosting { format: Format, features, start, stumps, report, targets: PhantomData })
    }
}

setters!(GradientBoosting {
    /// How many stumps there are.
    rounds => settings.rounds: usize,
    /// The step η in (0, 1].
    rate => settings.rate: f64,
    /// Called after every stump with the mean squared error; it can cancel.
    progress => settings.progress: Progress,
});

fits!(GradientBoosting: Numbers -> FittedGradientBoosting, NumbersWeighted -> FittedGradientBoosting);

impl Fit<ArrayRef<f64, Ix1>> for GradientBoosting {
    type Fitted = FittedGradientBoosting<Ix1>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, Ix1>) -> Result<Self::Fitted> {
        self.run(x, Ix1::columns(y), Array1::ones(x.nrows()))
    }
}

impl FitWeighted<ArrayRef<f64, Ix1>> for GradientBoosting {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, Ix1>,
        w: ArrayView1<f64>,
    ) -> Result<Self::Fitted> {
        weights("GradientBoosting::fit", w, x.nrows())?;
        let rows: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        let y = Ix1::columns(y);
        require("GradientBoosting::fit", y.nrows() == x.nrows(), || {
            format!("x has {} rows, y has {}", x.nrows(), y.nrows())
        })?;
        let (x, y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        self.run(x.view(), y.view(), w.select(Axis(0), &rows))
    }
}

/// Fitted [`GradientBoosting`].
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedGradientBoosting<D = Ix1> {
    format: Format,
    features: usize,
    start: f64,
    stumps: Vec<Stump>,
    report: Report,
    targets: PhantomData<D>,
}

getters!(FittedGradientBoosting<D> {
    /// The mean of y, which stumps are added to.
    start: f64,
    /// The stumps, in the order in which they were found, times η.
    stumps: &[Stump],
    /// How the fit went; its objectives are mean squared errors.
    report: &Report,
});

inherent!(FittedGradientBoosting<D: TargetDim>: Predict -> Array<f64, D>, R2);

/// `start + Σ f_m` at each row.
pub(super) fn sums(x: ArrayView2<f64>, start: f64, stumps: &[Stump]) -> Array1<f64> {
    let at = |row: ArrayView1<f64>| start + stumps.iter().map(|s| s.at(row)).sum::<f64>();
    x.rows().into_iter().map(at).collect()
}

impl<D: TargetDim> Predict for FittedGradientBoosting<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        inputs("FittedGradientBoosting::predict", x, self.features)?;
        Ok(D::shaped(sums(x, self.start, &self.stumps).insert_axis(Axis(1))))
    }
}

impl<D> Reported for FittedGradientBoosting<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedGradientBoosting<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedGradientBoosting<D> {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedGradientBoosting";
        D::fits(op, 1)?;
        finite(op, "the start", ndarray::Array2::from_elem((1, 1), self.start).view())?;
        require(op, self.stumps.iter().all(|s| s.fits(self.features)), || "a stump of no feature".to_owned())
    }
}
