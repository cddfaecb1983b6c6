//! The relevance vector machine for two classes: Laplace's approximation, and a prior for each coefficient.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::evidence::{Statistics, best_change};
use super::laplace_mode::laplace;
use super::relevance_columns::{ascending, columns, columns_at};
#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{positive, require, room};
use crate::learn::classify::{Body, Probable, Task, classifier_fits, fitted_classifier, sigmoid};
use crate::learn::configure::{getters, setters};
use crate::learn::{Inputs, Report, Reported};
use crate::{Device, Kernel, Progress, Result};

/// Sparse Bayesian classification: `p(second | x) = σ(w_0 + Σ_i w_i k(x_i, x))` with `w_i ~ N(0, 1/α_i)`, the α from the evidence.
///
/// Given α, the weights are at the mode of their posterior, and Laplace's approximation about it gives the evidence `ln p(t | w) -
/// ½wᵀAw - ½ ln|I + A^-½ΦᵀBΦA^-½|` (Tipping, 2001), `B = diag σ(1 - σ)`. It is largest where most α are infinite: points enter,
/// change and leave one at a time, each time the one that raises it most (Tipping and Faul, 2003). Two classes alone; put it
/// in [`OneVsRest`](crate::learn::OneVsRest) for more. The kernel need not be positive definite. It runs on the CPU whatever
/// the device, and stores the `n x n` matrix of the kernel.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 2), |(i, j)| {
///     let (r, t) = (if i < 30 { 1.0 } else { 2.5 }, i as f64);
///     r * if j == 0 { t.cos() } else { t.sin() }
/// });
/// let y: Vec<&str> = (0..60).map(|i| if i < 30 { "inner" } else { "outer" }).collect();
/// let fitted = RelevanceVectorClassifier::new(Kernel::rbf(1.0)).fit(&Device::cpu(), &x, &y)?;
/// assert!(fitted.relevance().len() < 10);
/// assert_eq!(fitted.predict(ndarray::array![[0.0, 0.2], [2.0, 2.0]])?, ["inner", "outer"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelevanceVectorClassifier {
    kernel: Kernel,
    tolerance: f64,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl RelevanceVectorClassifier {
    /// With this kernel.
    pub fn new(kernel: Kernel) -> Self {
        RelevanceVectorClassifier {
            kernel,
            tolerance: 1e-6,
            max_iterations: 2000,
            progress: Progress::none(),
        }
    }
}

setters!(RelevanceVectorClassifier {
    /// The kernel.
    kernel: Kernel,
    /// Largest change of an `ln α` at which the search ends; 1e-6 by default.
    tolerance: f64,
    /// Most changes of one α; 2000 by default.
    max_iterations: usize,
    /// Callback after every change, which can cancel the fit.
    progress: Progress,
});

classifier_fits!(RelevanceVectorClassifier: FittedRelevanceVectorClassifier);

const OP: &str = "RelevanceVectorClassifier::fit";

impl RelevanceVectorClassifier {
    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        positive("tolerance", self.tolerance)?;
        require(OP, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        let (n, d) = task.x.dim();
        room("observations", n, 32 * (n + 1))?;
        let basis = columns(OP, &self.kernel, task.x.view())?;
        let squares = &basis * &basis;

        // With no weights all scores are zero: the column that gains most by itself comes first.
        let half = Array1::from_shape_fn(n, |i| task.weights[i] * (task.index[i] as f64 - 0.5));
        let (own, slope) = (squares.t().dot(&task.weights) * 0.25, basis.t().dot(&half));
        let share = |j: usize| slope[j] * slope[j] / own[j];
        let first =
            (0..=n).filter(|&j| own[j] > 0.0).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0);
        let excess = share(first) - 1.0;
        let mut used = vec![first];
        let mut alpha = vec![own[first] / if excess > 0.0 { excess } else { 1e-3 }];
        // The weights of all columns: what is found once is where the next search begins.
        let mut weights: Array1<f64> = Array1::zeros(n + 1);
        let (mut trace, mut iterations, mut converged) = (Vec::new(), 0, false);
        let found = loop {
            let phi = basis.select(Axis(1), &used);
            let now = laplace(&phi, task, &alpha, &weights.select(Axis(0), &used))?;
            trace.push(now.log_evidence);
            if converged || iterations == self.max_iterations {
                break now;
            }
            self.progress.report(OP, iterations + 1, self.max_iterations, now.log_evidence)?;
            let curved = &phi * &now.curvature.view().insert_axis(Axis(1));
            let all = Statistics {
                own: squares.t().dot(&now.curvature),
                cross: basis.t().dot(&curved),
                slope: basis.t().dot(&now.slope),
            };
            used.iter().zip(&now.mean).for_each(|(&j, w)| weights[j] = *w);
            let change = best_change(&all, &now.covariance, &used, &alpha);
            let moved = change.map_or(0.0, |(change, _)| change.make(&mut used, &mut alpha));
            iterations += 1;
            converged = moved < self.tolerance;
        };
        let (order, rows) = ascending(&used);
        let given = |i: usize| task.kept.as_ref().map_or(i, |kept| kept[i]);
        Ok(Found {
            kernel: self.kernel.clone(),
            points: task.x.select(Axis(0), &rows),
            relevance: rows.into_iter().map(given).collect(),
            constant: used.contains(&0),
            weights: found.mean.select(Axis(0), &order),
            covariance: found.covariance.select(Axis(0), &order).select(Axis(1), &order),
            precisions: order.iter().map(|&i| alpha[i]).collect(),
            features: d,
            report: Report::new(trace, iterations, converged, vec![found.log_evidence]),
        })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    kernel: Kernel,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    relevance: Vec<usize>,
    constant: bool,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    weights: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    covariance: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    precisions: Array1<f64>,
    features: usize,
    report: Report,
}

impl Found {
    /// The columns that remain, at new rows.
    fn columns(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns_at(&self.kernel, self.constant, &self.points, x)
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.features
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.columns(x)?.dot(&self.weights).insert_axis(Axis(1)))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let k = self.weights.len();
        let fits = self.relevance.len() + usize::from(self.constant) == k
            && self.points.nrows() == self.relevance.len()
            && self.covariance.dim() == (k, k)
            && self.precisions.len() == k
            && (self.points.is_empty() || self.points.ncols() == self.features);
        require(op, fits && k > 0 && classes == 2, || {
            "its weights and points do not fit together".to_owned()
        })?;
        finite(op, "the weights", self.weights.view().insert_axis(Axis(1)))?;
        finite(op, "the covariance", self.covariance.view())?;
        self.precisions.iter().try_for_each(|&a| positive("precision", a))
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let scores = self.columns(x)?.dot(&self.weights);
        Ok(ndarray::stack![Axis(1), scores.mapv(|a| sigmoid(-a)), scores.mapv(sigmoid)])
    }
}

fitted_classifier! {
    /// A fitted [`RelevanceVectorClassifier`]. `decision` is the log-odds of the second class at the mode of the weights, and
    /// `predict_proba` its logistic function.
    FittedRelevanceVectorClassifier(Found): Probable
}

getters!(FittedRelevanceVectorClassifier<L> {
    /// The rows of the data that remain, ascending.
    relevance => found.relevance: &[usize],
    /// Whether the constant `w_0` remains; then it is the first of the weights.
    has_constant => found.constant: bool,
    /// The posterior mode of the weights that remain.
    coefficients => found.weights: &Array1<f64>,
    /// Their posterior covariance, by Laplace's approximation.
    covariance => found.covariance: &Array2<f64>,
    /// Their prior precisions α.
    precisions => found.precisions: &Array1<f64>,
    /// Changes made, why they ended, and the log-evidence before each.
    report => found.report: &Report,
    /// The kernel.
    kernel => found.kernel: &Kernel,
});

impl<L> FittedRelevanceVectorClassifier<L> {
    /// The logarithm of the evidence of the data, by Laplace's approximation.
    pub fn log_evidence(&self) -> f64 {
        self.found.report.objective()
    }

    /// Mean and variance of the log-odds at each row of `x`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn decision_with_variance(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        crate::check::inputs("FittedRelevanceVectorClassifier::decision", x.view(), self.found.features)?;
        let phi = self.found.columns(x.view())?;
        let variance = (phi.dot(&self.found.covariance) * &phi).sum_axis(Axis(1)).mapv(|v| v.max(0.0));
        Ok((phi.dot(&self.found.weights), variance))
    }
}

impl<L> Reported for FittedRelevanceVectorClassifier<L> {
    fn report(&self) -> &Report {
        &self.found.report
    }
}
