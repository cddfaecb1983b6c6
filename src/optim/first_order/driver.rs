//! The loops around a rule: all data at every step, or a batch at a time.

use super::batches::Batches;
use super::early_stopping::EarlyStopping;
use super::rule::StepRule;
use crate::check::{entries, largest, not_negative, require};
use crate::optim::{Minimum, Stop};
use crate::{Error, Progress, Result};

/// A [`StepRule`] and how long to follow it.
///
/// ```
/// use mercer::optim::{Batches, FirstOrder, Schedule, Sgd};
/// // The mean of four numbers: with γ_i = 1/i the iterate is exactly the mean of what was seen.
/// let data = [1.0, 5.0, 3.0, 7.0];
/// let rule = Sgd::new(Schedule::Power { rate: 1.0, exponent: 1.0 });
/// let one = |theta: &[f64], rows: &[usize]| {
///     let away = theta[0] - data[rows[0]];
///     Ok((0.5 * away * away, vec![away]))
/// };
/// let found = FirstOrder::new(rule).max_iterations(1).run_batches(&[0.0], &Batches::new(4, 1), one)?;
/// assert!((found.parameters[0] - 4.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FirstOrder<R> {
    rule: R,
    max_iterations: usize,
    tolerance: f64,
    progress: Progress,
}

/// The mean loss of a batch of rows, and its gradient.
type BatchLoss<'f> = dyn FnMut(&[f64], &[usize]) -> Result<(f64, Vec<f64>)> + 'f;

/// What [`FirstOrder::run_batches`] has found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trained {
    /// θ.
    pub parameters: Vec<f64>,
    /// The mean of the batches' losses in each epoch.
    pub trace: Vec<f64>,
    /// Steps made.
    pub steps: usize,
}

impl<R: StepRule + Clone> FirstOrder<R> {
    /// At most 1000 iterations or epochs, to a gradient of 1e-8.
    pub fn new(rule: R) -> Self {
        FirstOrder { rule, max_iterations: 1000, tolerance: 1e-8, progress: Progress::none() }
    }

    /// Most steps over all data, or most epochs of batches; 1000 unless said otherwise.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// Largest entry of the gradient at which [`FirstOrder::run`] ends; 1e-8 unless said otherwise.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Callback after every step over all data, or every epoch; it can stop the search.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Minimises `f`, which gives a value and its gradient, from `start`.
    ///
    /// # Errors
    /// Those of `f`; [`Error::NoConvergence`] if the values leave all bounds, which a smaller rate cures;
    /// [`Error::Cancelled`]; [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for a bad start, gradient or
    /// setting.
    pub fn run(
        &self,
        start: &[f64],
        mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Minimum> {
        self.check(start)?;
        let (mut rule, mut point) = (self.rule.clone(), start.to_vec());
        rule.reset();
        let (mut trace, mut stop) = (Vec::new(), Stop::Iterations);
        let mut steps = 0;
        for i in 0..self.max_iterations {
            let at = rule.look_ahead(&point);
            let (value, gradient) = f(&at)?;
            self.bounded(value, i)?;
            whole(&at, &gradient)?;
            trace.push(value);
            if largest(&gradient) <= self.tolerance {
                (point, stop) = (at, Stop::Gradient);
                break;
            }
            rule.step(&mut point, &gradient)?;
            steps += 1;
            self.progress.report("FirstOrder::run", i + 1, self.max_iterations, value)?;
        }
        let (value, gradient) = f(&point)?;
        self.bounded(value, steps)?;
        whole(&point, &gradient)?;
        if stop == Stop::Iterations {
            trace.push(value);
        }
        let evaluations = trace.len() + usize::from(stop == Stop::Gradient);
        let at_bounds = Vec::new();
        Ok(Minimum {
            point,
            value,
            gradient,
            iterations: steps,
            evaluations,
            failures: 0,
            trace,
            stop,
            at_bounds,
        })
    }

    /// Minimises a mean over rows: `f` gives the mean loss of a batch of rows and its gradient.
    ///
    /// # Errors
    /// As [`FirstOrder::run`], and those of the batches.
    pub fn run_batches(
        &self,
        start: &[f64],
        batches: &Batches,
        mut f: impl FnMut(&[f64], &[usize]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Trained> {
        self.epochs(start, batches, &mut f, &mut |_| Ok(false))
    }

    /// [`FirstOrder::run_batches`] until the validation loss has not fallen for as many epochs as the watch is patient;
    /// the parameters are those of the lowest validation loss seen, of which the start is one.
    ///
    /// # Errors
    /// As [`FirstOrder::run_batches`], and those of `validation`.
    pub fn run_validated(
        &self,
        start: &[f64],
        batches: &Batches,
        mut f: impl FnMut(&[f64], &[usize]) -> Result<(f64, Vec<f64>)>,
        mut validation: impl FnMut(&[f64]) -> Result<f64>,
        watch: &mut EarlyStopping,
    ) -> Result<Trained> {
        watch.look(validation(start)?, start);
        let mut found =
            self.epochs(start, batches, &mut f, &mut |theta| Ok(watch.look(validation(theta)?, theta)))?;
        if let Some((_, best)) = watch.best() {
            found.parameters = best.to_vec();
        }
        Ok(found)
    }

    fn epochs(
        &self,
        start: &[f64],
        batches: &Batches,
        f: &mut BatchLoss,
        enough: &mut dyn FnMut(&[f64]) -> Result<bool>,
    ) -> Result<Trained> {
        self.check(start)?;
        let (mut rule, mut parameters) = (self.rule.clone(), start.to_vec());
        rule.reset();
        let mut trace = Vec::new();
        for epoch in 0..self.max_iterations {
            let (mut sum, mut count) = (0.0, 0);
            for rows in batches.epoch(epoch)?.into_iter().filter(|rows| !rows.is_empty()) {
                let (value, gradient) = f(&rule.look_ahead(&parameters), &rows)?;
                self.bounded(value, rule.steps())?;
                rule.step(&mut parameters, &gradient)?;
                sum += value * rows.len() as f64;
                count += rows.len();
            }
            trace.push(if count > 0 { sum / count as f64 } else { f64::NAN });
            self.progress.report("FirstOrder::run", epoch + 1, self.max_iterations, trace[epoch])?;
            if enough(&parameters)? {
                break;
            }
        }
        Ok(Trained { parameters, trace, steps: rule.steps() })
    }

    fn check(&self, start: &[f64]) -> Result<()> {
        not_negative("tolerance", self.tolerance)?;
        require("FirstOrder::run", !start.is_empty(), || "a start of no variables".to_owned())?;
        entries("FirstOrder::run", "the start", start)
    }

    fn bounded(&self, value: f64, iterations: usize) -> Result<()> {
        if value.is_finite() {
            return Ok(());
        }
        let tolerance = self.tolerance;
        Err(Error::NoConvergence { op: "FirstOrder::run", iterations, residual: value, tolerance })
    }
}

/// A gradient of as many finite numbers as there are variables.
fn whole(point: &[f64], gradient: &[f64]) -> Result<()> {
    let (n, m) = (point.len(), gradient.len());
    require("FirstOrder::run", n == m, || format!("{n} variables, a gradient of {m}"))?;
    entries("FirstOrder::run", "the gradient", gradient)
}
