//! What logistic and probit regression are to fit, and by which of four routes.

use ndarray::{Array1, Array2, Axis};

use super::fitted::{FittedLogisticRegression, FittedProbitRegression, Found};
use super::newton::{self as search, Control, covariance, newton, quasi_newton};
use super::on_device::Resident;
use super::passes::Order;
use super::problem::{Link, Problem, Shape};
use super::proximal::{proximal_gradient, proximal_newton};
use super::sampled::sampled;
use crate::check::{finite, not_negative, require};
use crate::learn::classify::Task;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{ClassWeights, Report, Weights};
use crate::models::linear::scores::LinearScores;
use crate::{Device, Progress, Result};

/// Parameters up to which the Hessian is made and factored.
const FEW: usize = 400;

/// The weights of rows, by their class.
fn weighed(all: &Meeting, by: &ClassWeights, op: &'static str, task: &Task) -> Result<Array1<f64>> {
    let factors = by.factors(op, &task.mass_across(all, op)?.to_vec())?;
    Ok(task.index.iter().zip(&task.weights).map(|(&k, w)| factors[k] * w).collect())
}

/// Without a feature that varies and without an intercept there is nothing to fit.
fn nothing(problem: &Problem) -> Result<search::Found> {
    let w = Array2::zeros((0, problem.columns));
    let loss = problem.at(w.view(), Order::Value)?.loss;
    Ok(search::Found { w, rank: 0, report: Report::direct(loss), loss, hessian: None })
}

/// What both links have in common.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Settings {
    l2: f64,
    l1: f64,
    intercept: bool,
    class_weights: ClassWeights,
    offset: Option<Vec<f64>>,
    max_iterations: usize,
    tolerance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Settings {
    fn new(l2: f64) -> Self {
        Settings {
            l2,
            l1: 0.0,
            intercept: true,
            class_weights: ClassWeights::Equal,
            offset: None,
            max_iterations: 200,
            tolerance: 1e-14,
            progress: Progress::none(),
        }
    }

    fn run(
        &self,
        all: &Meeting,
        op: &'static str,
        link: Link,
        device: &Device,
        task: &Task,
    ) -> Result<Found> {
        not_negative("penalty", self.l2)?;
        not_negative("l1", self.l1)?;
        not_negative("tolerance", self.tolerance)?;
        let given = task.kept.as_ref().map_or(task.index.len(), |kept| kept.last().map_or(0, |i| i + 1));
        let offset = self.offset.as_ref().map(|all| {
            let all = Array1::from(all.clone());
            finite(op, "the offset", all.view().insert_axis(Axis(1)))?;
            require(op, task.classes == 2, || "an offset is for two classes".to_owned())?;
            let enough = if task.kept.is_some() { all.len() >= given } else { all.len() == given };
            require(op, enough, || format!("{given} rows, {} offsets", all.len()))?;
            Ok(task.kept.as_ref().map_or(all.clone(), |kept| all.select(Axis(0), kept)))
        });
        let weights = weighed(all, &self.class_weights, op, task)?;
        let shape = Shape { l1: self.l1, l2: self.l2, intercept: self.intercept };
        let problem = Problem::new(all, task, weights, offset.transpose()?, link, shape)?;
        let (p, c) = (problem.width(), problem.columns);
        let (max_iterations, tolerance) = (self.max_iterations, self.tolerance);
        let control = Control { op, max_iterations, tolerance, progress: &self.progress };
        let few = p * c <= FEW;
        let search::Found { w, rank, report, loss, hessian } = match (self.l1 > 0.0, few) {
            _ if p == 0 => nothing(&problem)?,
            (false, true) => {
                let there = Resident::new(op, &problem, device, true)?;
                let near = there.map_or(Ok(None), |there| there.newton(&problem, &control))?;
                let near = if near.is_some() { near } else { sampled(&problem, &control) };
                newton(&problem, &control, near)?
            }
            (false, false) => {
                let there = Resident::new(op, &problem, device, false)?;
                let near = there.map(|there| there.quasi_newton(&problem, &control)).transpose()?;
                quasi_newton(&problem, &control, near)?
            }
            (true, true) => proximal_newton(&problem, &control)?,
            (true, false) => proximal_gradient(&problem, &control)?,
        };
        let log_likelihood = -loss;
        let covariance = match hessian.filter(|_| p > 0) {
            Some(h) => Some(problem.restored_covariance(covariance(&problem, h)?.view())),
            None => None,
        };
        let (coefficients, intercept) = problem.restored(w.view());
        let scores = LinearScores::of(op, coefficients, intercept)?;
        let probit = link == Link::Probit;
        let (has_intercept, mass) = (self.intercept, all.total(op, task.weights.sum())?);
        Ok(Found { scores, probit, covariance, has_intercept, log_likelihood, mass, rank, report })
    }
}

/// `p(k | x) ∝ exp(w_kᵀx + b_k)`: minimises `-Σ_i s_i ln p(y_i | x_i) + ½ λ₂ ‖W‖² + λ₁ ‖W‖₁`; of two classes
/// `p(second | x) = σ(wᵀx + b)`.
///
/// The intercept is not penalised. A penalty λ₂ is a normal prior of that precision; scikit-learn's C is `1/λ₂`. More
/// than two classes have a column each, and without a penalty the columns sum to zero.
///
/// Up to 400 parameters by Newton's method (iteratively reweighted least squares) with its standard errors, more by
/// L-BFGS; with an absolute penalty by proximal Newton steps or accelerated proximal gradients. Columns that do not vary
/// get the coefficient 0, columns that depend on each other share theirs, and
/// [`rank`](FittedLogisticRegression::rank) says so.
///
/// On a GPU the rows stay there, scaled, and each iteration moves coefficients up and sums down; where f32 ends, the last
/// steps are made with gradients of f64 on the CPU, as is a fit with an absolute penalty or of columns that nearly depend
/// on each other.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
/// let y = ["no", "no", "yes", "no", "yes", "yes"];
/// let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, y)?;
/// assert!((fit.coefficients()[[0, 0]] - 1.2140275859).abs() < 1e-9);
/// assert!((fit.intercept()[0] + 3.0350689646).abs() < 1e-9);
/// assert_eq!(fit.predict(array![[0.5], [4.5]])?, ["no", "yes"]);
/// assert!((fit.predict_proba(array![[2.5]])?[[0, 1]] - 0.5).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Separable`](crate::Error::Separable) if there is no penalty and a linear function tells the classes apart.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogisticRegression {
    settings: Settings,
}

impl LogisticRegression {
    /// With the squared penalty λ₂ ≥ 0, and an intercept; 0 is maximum likelihood.
    pub fn new(penalty: f64) -> Self {
        LogisticRegression { settings: Settings::new(penalty) }
    }

    /// What is added to the score `wᵀx + b` of each row of the fit; two classes alone. Predictions are without it.
    #[must_use]
    pub fn offset(mut self, offset: impl Weights) -> Self {
        self.settings.offset = Some(offset.weights().to_vec());
        self
    }

    /// An offset is of this rank's rows.
    fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
        self.settings.run(all, "LogisticRegression::fit", Link::Logistic, device, task)
    }
}

setters!(LogisticRegression {
    /// The squared penalty λ₂ ≥ 0.
    penalty => settings.l2: f64,
    /// The absolute penalty λ₁ ≥ 0, which makes coefficients exactly zero; with λ₂ the elastic net. None by default.
    l1 => settings.l1: f64,
    /// Whether there is an intercept.
    intercept => settings.intercept: bool,
    /// How much classes weigh, besides their rows.
    class_weights => settings.class_weights: ClassWeights,
    /// Most iterations; 200 by default.
    max_iterations => settings.max_iterations: usize,
    /// What a step gains at least, in units of log-likelihood a row; 1e-14 by default.
    tolerance => settings.tolerance: f64,
    /// Called after every iteration with the objective; it can cancel.
    progress => settings.progress: Progress,
});

fits_across!(LogisticRegression: Classify -> FittedLogisticRegression);

/// `p(second class | x) = Φ(wᵀx + b)`, Φ the distribution function of a standard normal variable: maximises the likelihood
/// less `½ λ‖w‖²`, by Newton's method.
///
/// Two classes alone. It is computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
/// let fit = ProbitRegression::new(0.0).fit(&Device::cpu(), &x, [false, false, true, false, true, true])?;
/// assert!((fit.predict_proba(array![[2.5]])?[[0, 1]] - 0.5).abs() < 1e-9);
/// assert!(fit.standard_errors().is_some());
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// As those of [`LogisticRegression`]; [`Error::Shape`](crate::Error::Shape) for more than two classes.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProbitRegression {
    settings: Settings,
}

impl ProbitRegression {
    /// With the squared penalty λ ≥ 0, and an intercept; 0 is maximum likelihood.
    pub fn new(penalty: f64) -> Self {
        ProbitRegression { settings: Settings::new(penalty) }
    }

    fn run(&self, all: &Meeting, device: &Device, task: &Task) -> Result<Found> {
        let op = "ProbitRegression::fit";
        require(op, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        self.settings.run(all, op, Link::Probit, device, task)
    }
}

setters!(ProbitRegression {
    /// The squared penalty λ ≥ 0.
    penalty => settings.l2: f64,
    /// Whether there is an intercept.
    intercept => settings.intercept: bool,
    /// How much classes weigh, besides their rows.
    class_weights => settings.class_weights: ClassWeights,
    /// Most iterations; 200 by default.
    max_iterations => settings.max_iterations: usize,
    /// What a step gains at least, in units of log-likelihood a row; 1e-14 by default.
    tolerance => settings.tolerance: f64,
    /// Called after every iteration with the objective; it can cancel.
    progress => settings.progress: Progress,
});

fits_across!(ProbitRegression: Classify -> FittedProbitRegression);
