//! The relevance vector machine: a prior for each coefficient, and most of them are certain to be zero.

use ndarray::{Array1, Array2, ArrayRef, ArrayView2, Axis, Ix1};

use super::evidence::{Statistics, best_change, posterior};
use super::relevance_columns::{ascending, columns, columns_at};
#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{inputs, pairs, positive};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, Predict, Report, Reported};
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// Sparse Bayesian regression: `f(x) = w_0 + Σ_i w_i k(x_i, x)` with `w_i ~ N(0, 1/α_i)`, the α and the noise from the evidence.
///
/// The evidence of the data is largest where most α are infinite: the points that remain are the relevance vectors, often far
/// fewer than the support vectors of [`SvmRegressor`](super::SvmRegressor). The kernel need not be positive definite. Points
/// enter, change and leave one at a time, each time the one that raises the evidence most (Tipping and Faul, 2003). It runs
/// on the CPU whatever the device, and stores the `n x n` matrix of the kernel.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 5.0 - 5.0);
/// let y = x.column(0).mapv(|x| if x == 0.0 { 1.0 } else { x.sin() / x });
/// let fitted = RelevanceVectorMachine::new(Kernel::rbf(1.6)).fit(&Device::cpu(), &x, &y)?;
/// assert!(fitted.relevance().len() < 15);
/// let (mean, variance) = fitted.predict_with_variance(ndarray::array![[0.1]])?;
/// assert!((mean[0] - 0.998).abs() < 0.02 && variance[0] > 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelevanceVectorMachine {
    kernel: Kernel,
    noise: Option<f64>,
    tolerance: f64,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl RelevanceVectorMachine {
    /// With this kernel.
    pub fn new(kernel: Kernel) -> Self {
        let progress = Progress::none();
        RelevanceVectorMachine { kernel, noise: None, tolerance: 1e-6, max_iterations: 5000, progress }
    }
}

setters!(RelevanceVectorMachine {
    /// The kernel.
    kernel: Kernel,
    /// The variance of the noise; learned by default.
    noise: into Option<f64>,
    /// Largest change of an `ln α` and of the noise's logarithm at which the search ends; 1e-6 by default.
    tolerance: f64,
    /// Most changes of one α; 5000 by default.
    max_iterations: usize,
    /// Callback after every change, which can cancel the fit.
    progress: Progress,
});

fits!(RelevanceVectorMachine: Numbers -> FittedRelevanceVectorMachine);

const OP: &str = "RelevanceVectorMachine::fit";
/// Least noise that is learned, relative to the mean square of the targets.
const LEAST_NOISE: f64 = 1e-10;

impl Fit<ArrayRef<f64, Ix1>> for RelevanceVectorMachine {
    type Fitted = FittedRelevanceVectorMachine;

    fn fit(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, Ix1>,
    ) -> Result<FittedRelevanceVectorMachine> {
        pairs(OP, x, y.view().insert_axis(Axis(1)))?;
        positive("tolerance", self.tolerance)?;
        self.noise.map_or(Ok(()), |v| positive("noise", v))?;
        let n = x.nrows();
        crate::check::room("observations", n, 16 * (n + 1))?;
        let basis = columns(OP, &self.kernel, x)?;
        let size = y.dot(y) / n as f64;
        let least = LEAST_NOISE * if size > 0.0 { size } else { 1.0 };
        let mut noise =
            self.noise.unwrap_or(0.1 * (size - y.mean().unwrap_or(0.0).powi(2)).max(10.0 * least));

        // The column that explains most by itself comes first.
        let squares = basis.map_axis(Axis(0), |c| c.dot(&c));
        let share = |j: usize| basis.column(j).dot(y).powi(2) / squares[j];
        let first =
            (0..=n).filter(|&j| squares[j] > 0.0).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0);
        let mut used = vec![first];
        let excess = share(first) / noise - 1.0;
        let mut alpha = vec![squares[first] / noise / if excess > 0.0 { excess } else { 1e-3 }];
        let (mut trace, mut iterations, mut converged) = (Vec::new(), 0, false);
        let found = loop {
            let phi = basis.select(Axis(1), &used);
            let now = posterior(&phi, y.view(), &alpha, noise)?;
            trace.push(now.log_evidence);
            if converged || iterations == self.max_iterations {
                break now;
            }
            self.progress.report(OP, iterations + 1, self.max_iterations, now.log_evidence)?;
            let all = Statistics {
                own: &squares / noise,
                cross: basis.t().dot(&phi) / noise,
                slope: basis.t().dot(&(&y.view() - &phi.dot(&now.mean))) / noise,
            };
            let change = best_change(&all, &now.covariance, &used, &alpha);
            let mut moved = change.map_or(0.0, |(change, _)| change.make(&mut used, &mut alpha));
            if self.noise.is_none() && moved < 1.0 {
                let next = (now.squares / (n as f64 - now.determined).max(1e-3)).max(least);
                moved = moved.max((next / noise).ln().abs());
                noise = next;
            }
            iterations += 1;
            converged = moved < self.tolerance;
        };
        let (order, relevance) = ascending(&used);
        let constant = used.contains(&0);
        let report = Report::new(trace, iterations, converged, vec![found.log_evidence]);
        Ok(FittedRelevanceVectorMachine {
            format: Format,
            kernel: self.kernel.clone(),
            points: x.select(Axis(0), &relevance),
            relevance,
            constant,
            weights: found.mean.select(Axis(0), &order),
            covariance: found.covariance.select(Axis(0), &order).select(Axis(1), &order),
            precisions: order.iter().map(|&i| alpha[i]).collect(),
            noise,
            features: x.ncols(),
            report,
        })
    }
}

/// A fitted [`RelevanceVectorMachine`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedRelevanceVectorMachine {
    format: Format,
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
    noise: f64,
    features: usize,
    report: Report,
}

getters!(FittedRelevanceVectorMachine {
    /// The rows of the data that remain, ascending.
    relevance: &[usize],
    /// Whether the constant `w_0` remains; then it is the first of the weights.
    has_constant => constant: bool,
    /// The posterior mean of the weights that remain.
    coefficients => weights: &Array1<f64>,
    /// Their posterior covariance.
    covariance: &Array2<f64>,
    /// Their prior precisions α.
    precisions: &Array1<f64>,
    /// The variance of the noise.
    noise: f64,
    /// Changes made, why they ended, and the log-evidence before each.
    report: &Report,
    /// The kernel.
    kernel: &Kernel,
});

inherent!(FittedRelevanceVectorMachine: Predict -> Array1<f64>);

impl FittedRelevanceVectorMachine {
    /// The logarithm of the evidence of the data.
    pub fn log_evidence(&self) -> f64 {
        self.report.objective()
    }

    /// Mean and variance of a new observation at each row of `x`, its noise included.
    ///
    /// # Errors
    /// As `predict`.
    pub fn predict_with_variance(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let phi = self.columns(x.inputs().view())?;
        let mean = phi.dot(&self.weights);
        let spread = phi.dot(&self.covariance);
        let variance =
            phi.rows().into_iter().zip(spread.rows()).map(|(p, s)| p.dot(&s).max(0.0) + self.noise);
        Ok((mean, variance.collect()))
    }

    fn columns(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedRelevanceVectorMachine::predict", x, self.features)?;
        columns_at(&self.kernel, self.constant, &self.points, x)
    }
}

impl Predict for FittedRelevanceVectorMachine {
    type Output = Array1<f64>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(self.columns(x)?.dot(&self.weights))
    }
}

impl Reported for FittedRelevanceVectorMachine {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRelevanceVectorMachine);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedRelevanceVectorMachine {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedRelevanceVectorMachine";
        let k = self.weights.len();
        let fits = self.relevance.len() + usize::from(self.constant) == k
            && self.points.nrows() == self.relevance.len()
            && self.covariance.dim() == (k, k)
            && self.precisions.len() == k
            && (self.points.is_empty() || self.points.ncols() == self.features);
        crate::check::require(OP, fits && k > 0, || "its weights and points do not fit together".to_owned())?;
        finite(OP, "the weights", self.weights.view().insert_axis(Axis(1)))?;
        finite(OP, "the covariance", self.covariance.view())?;
        positive("noise", self.noise)
    }
}
