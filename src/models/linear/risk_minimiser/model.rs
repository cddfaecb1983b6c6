//! What is to be minimised, and the solver for each pair of a loss and a penalty.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::fitted::FittedRiskMinimiser;
use crate::check::pairs;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::loss::EmpiricalRisk;
use crate::learn::{Loss, Report, Stop, TargetDim};
use crate::models::linear::function::Linear;
use crate::optim::{Minimiser, Newton, Penalty, PiecewiseLinear, Proximal, Stop as Ended};
use crate::{Device, Error, Progress, Result};

/// `min_{w, b} Σ_i s_i L(y_i, wᵀx_i + b)/Σ_i s_i + Σ_j p(w_j)` for any loss L and any penalty p.
///
/// The intercept is not penalised. Losses of the margin take labels -1 and 1, and predictions are scores: their sign is the
/// label. Features come first: put [`Polynomial`](crate::learn::Polynomial) or another map before it in a
/// [`Pipeline`](crate::learn::Pipeline).
///
/// | loss | penalty | solver |
/// |---|---|---|
/// | with a second derivative | smooth | Newton |
/// | smooth | smooth | L-BFGS |
/// | smooth | with a kink, or `Power` | proximal gradients |
/// | piecewise linear | all but `Power` | interior point |
///
/// `Power` with q < 1 is not convex: what is found is a local minimum. In f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::optim::Penalty;
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], array![-1.0_f64, -1.0, 1.0, -1.0, 1.0, 1.0]);
/// let fit = RiskMinimiser::new(Loss::Logistic, Penalty::L2(0.5 / 6.0)).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[0, 0]] - 0.7670537228).abs() < 1e-8);
/// assert!((fit.objective()[0] - 0.4874431239).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Unsupported`] for losses that are not convex, and for piecewise linear losses with a power of coefficients;
/// [`Error::Separable`] for the logistic, exponential and probit loss without a penalty where a plane tells the labels apart.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RiskMinimiser {
    loss: Loss,
    penalty: Penalty,
    intercept: bool,
    max_iterations: usize,
    tolerance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl RiskMinimiser {
    /// Of this loss and this penalty, with an intercept.
    pub fn new(loss: Loss, penalty: Penalty) -> Self {
        RiskMinimiser {
            loss,
            penalty,
            intercept: true,
            max_iterations: 20_000,
            tolerance: 1e-11,
            progress: Progress::none(),
        }
    }
}

setters!(RiskMinimiser {
    /// The loss.
    loss: Loss,
    /// The penalty.
    penalty: Penalty,
    /// Whether there is an intercept b.
    intercept: bool,
    /// Most iterations of the solver; 20,000 unless said otherwise.
    max_iterations: usize,
    /// The tolerance of the solver, in its own terms; 1e-11 unless said otherwise.
    tolerance: f64,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits!(RiskMinimiser: Regression -> FittedRiskMinimiser);

/// What a solver has found: coefficients, trace, whether it converged.
struct Found {
    w: Vec<f64>,
    trace: Vec<f64>,
    converged: bool,
}

impl RiskMinimiser {
    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedRiskMinimiser<D>> {
        const OP: &str = "RiskMinimiser::fit";
        pairs(OP, x, y)?;
        self.loss.check()?;
        self.penalty.check()?;
        let ((n, d), t) = (x.dim(), y.ncols());
        let seen: Vec<usize> = (0..n).filter(|&i| w.is_none_or(|w| w[i] > 0.0)).collect();
        let (x, y) = (x.select(Axis(0), &seen), y.select(Axis(0), &seen));
        let weights: Array1<f64> = seen.iter().map(|&i| w.map_or(1.0, |w| w[i])).collect();
        let mean = if self.intercept { weights.dot(&x) / weights.sum() } else { Array1::zeros(d) };
        let mut rows = &x - &mean;
        if self.intercept {
            rows = concatenate![Axis(1), rows, Array2::ones((seen.len(), 1))];
        }
        let mut coefficients = Array2::zeros((d, t));
        let (mut intercept, mut objective) = (Array1::zeros(t), Array1::zeros(t));
        let (mut trace, mut iterations, mut converged) = (Vec::new(), 0, true);
        for k in 0..t {
            let risk = EmpiricalRisk::new(self.loss, rows.view(), y.column(k))?.weighted(weights.view())?;
            let found = self.solve(&risk, rows.view(), y.column(k), &weights, d)?;
            let w: Array1<f64> = found.w.into();
            self.attained(rows.dot(&w).view(), y.column(k))?;
            objective[k] = risk.value(w.view())? + self.penalty.value(&w.to_vec()[..d]);
            coefficients.column_mut(k).assign(&w.slice(s![..d]));
            intercept[k] = if self.intercept { w[d] - coefficients.column(k).dot(&mean) } else { 0.0 };
            iterations = iterations.max(found.trace.len().saturating_sub(1));
            converged = converged && found.converged;
            trace = found.trace;
        }
        let linear = Linear::new(OP, coefficients, intercept)?;
        let stop = if converged { Stop::Converged } else { Stop::Iterations };
        let report = Report { iterations, stop, trace, starts: objective.to_vec() };
        Ok(FittedRiskMinimiser::new(linear, self.loss, self.penalty, objective, report))
    }

    fn solve(
        &self,
        risk: &EmpiricalRisk,
        rows: ArrayView2<f64>,
        y: ArrayView1<f64>,
        weights: &Array1<f64>,
        d: usize,
    ) -> Result<Found> {
        let p = rows.ncols();
        let start = vec![0.0; p];
        let gradient = |w: &[f64]| -> Result<(f64, Vec<f64>)> {
            let (value, slope) = risk.value_and_gradient(ndarray::aview1(w))?;
            Ok((value, slope.to_vec()))
        };
        let parts = self.penalty.parts();
        match (self.loss.smooth(), parts) {
            _ if !self.loss.convex() => Err(self.refused("a loss that is not convex")),
            (true, Some((0.0, square))) => self.smooth(risk, square, d, p),
            (true, _) => {
                let value = |w: &[f64]| self.penalty.value(&w[..d]);
                let prox = |w: &mut [f64], step: f64| {
                    w.iter_mut().take(d).for_each(|w| *w = self.penalty.prox(*w, step));
                };
                let convex =
                    parts.is_some() || matches!(self.penalty, Penalty::Power { power, .. } if power >= 1.0);
                let solver = Proximal::new()
                    .accelerated(convex)
                    .max_iterations(self.max_iterations)
                    .tolerance(self.tolerance)
                    .progress(self.progress.clone());
                let found = solver.run(&start, gradient, value, prox)?;
                Ok(Found { w: found.point, trace: found.trace, converged: found.stop == Ended::Gradient })
            }
            (false, Some(parts)) => self.piecewise(rows, y, weights, d, parts),
            (false, None) => Err(self.refused("a piecewise linear loss with a power of coefficients")),
        }
    }

    fn refused(&self, what: &str) -> Error {
        Error::Unsupported {
            op: "RiskMinimiser::fit",
            what: format!("{what} ({:?}, {:?})", self.loss, self.penalty),
            device: "any device".to_owned(),
            instead: "use a convex surrogate, or `optim::EvolutionStrategy`",
        }
    }

    fn smooth(&self, risk: &EmpiricalRisk, square: f64, d: usize, p: usize) -> Result<Found> {
        let penalty = Penalty::L2(square);
        let value = |w: &[f64]| -> Result<(f64, Array1<f64>)> {
            let (value, mut slope) = risk.value_and_gradient(ndarray::aview1(w))?;
            slope.iter_mut().zip(w).take(d).for_each(|(g, w)| *g += penalty.slope(*w));
            Ok((value + penalty.value(&w[..d]), slope))
        };
        let start = vec![0.0; p];
        let found = if matches!(self.loss, Loss::Power(q) if q != 2.0) {
            // Its second derivative may be infinite.
            let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); p];
            Minimiser::new()
                .max_iterations(self.max_iterations)
                .tolerance(self.tolerance.max(1e-10))
                .progress(self.progress.clone())
                .run(&start, &bounds, |w| value(w).map(|(v, g)| (v, g.to_vec())))?
        } else {
            let solver = Newton::new().max_iterations(self.max_iterations).tolerance(self.tolerance);
            solver.progress(self.progress.clone()).run(&start, |w| {
                let (value, gradient) = value(w)?;
                let mut hessian = risk.hessian(ndarray::aview1(w))?;
                hessian.diag_mut().iter_mut().take(d).for_each(|h| *h += 2.0 * square);
                Ok((value, gradient, hessian))
            })?
        };
        Ok(Found {
            w: found.point,
            trace: found.trace,
            converged: matches!(found.stop, Ended::Gradient | Ended::Value),
        })
    }

    /// An error if the scores tell classes apart and nothing keeps them small: these losses then fall forever.
    fn attained(&self, scores: ArrayView1<f64>, y: ArrayView1<f64>) -> Result<()> {
        let falls = matches!(self.loss, Loss::Logistic | Loss::Exponential | Loss::Probit);
        // The intercept has no penalty: it alone separates a single class.
        let free =
            self.penalty.parts() == Some((0.0, 0.0)) || (self.intercept && y.iter().all(|v| *v == y[0]));
        let apart = scores.iter().zip(y).all(|(f, y)| f * y > 0.0);
        if falls && free && apart {
            return Err(Error::Separable { op: "RiskMinimiser::fit" });
        }
        Ok(())
    }

    /// Each loss as prices of the two sides of rows `t - aᵀw`, each absolute penalty as another row.
    fn piecewise(
        &self,
        rows: ArrayView2<f64>,
        y: ArrayView1<f64>,
        weights: &Array1<f64>,
        d: usize,
        (absolute, square): (f64, f64),
    ) -> Result<Found> {
        let share = weights / weights.sum();
        let none = Array1::zeros(y.len());
        let column = y.insert_axis(Axis(1));
        let (mut a, mut t, mut high, mut low) = match self.loss {
            Loss::Hinge => (&rows * &column, Array1::ones(y.len()), share.clone(), none),
            Loss::Perceptron => (&rows * &column, none.clone(), share.clone(), none),
            Loss::Pinball(tau) => {
                (rows.to_owned(), y.to_owned(), 2.0 * tau * &share, 2.0 * (1.0 - tau) * &share)
            }
            Loss::EpsilonInsensitive(epsilon) if epsilon > 0.0 => (
                concatenate![Axis(0), rows, rows],
                concatenate![Axis(0), &y - epsilon, &y + epsilon],
                concatenate![Axis(0), share, none],
                concatenate![Axis(0), none, share],
            ),
            _ => (rows.to_owned(), y.to_owned(), share.clone(), share.clone()),
        };
        if absolute > 0.0 {
            let p = rows.ncols();
            let own = Array2::from_shape_fn((d, p), |(i, j)| f64::from(u8::from(i == j)));
            a = concatenate![Axis(0), a, own];
            t = concatenate![Axis(0), t, Array1::zeros(d)];
            high = concatenate![Axis(0), high, Array1::from_elem(d, absolute)];
            low = concatenate![Axis(0), low, Array1::from_elem(d, absolute)];
        }
        let squares = Array1::from_shape_fn(rows.ncols(), |j| if j < d { 2.0 * square } else { 0.0 });
        let found = PiecewiseLinear::new()
            .max_iterations(self.max_iterations)
            .tolerance(self.tolerance)
            .progress(self.progress.clone())
            .run(a.view(), t.view(), high.view(), low.view(), squares.view())?;
        Ok(Found { w: found.point.to_vec(), trace: found.gaps, converged: found.converged })
    }
}
