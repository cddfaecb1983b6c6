//! Logistic regression with a kernel's and a graph's penalty.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::classifier::{Machine, decided};
use super::deformed::{Function, Penalties};
use super::manifold_setters;
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Classes, Decision, Fit, Label, Labels, Predict, PredictProba, Report};
use crate::linalg::{SpdParams, solve_spd};
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// `min_f Σ_i log(1 + exp(-y_i f(x_i))) + λ ‖f‖² + η fᵀLf`, where the last term runs over labelled and unlabelled points.
///
/// By Newton's method, without an offset. More classes than two are each told from the rest, and their probabilities scaled
/// to sum to one. It runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let more = array![[0.5], [1.0], [3.0], [3.5]];
/// let model = LaplacianLogistic::new(Kernel::rbf(1.0), 0.1, 0.1).neighbourhood(Neighbourhood::nearest(1)).unlabelled(more);
/// let fit = model.fit(&Device::cpu(), array![[0.0], [4.0]], [false, true])?;
/// assert!(fit.predict_proba(array![[0.9]])?[[0, 0]] > 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LaplacianLogistic {
    penalties: Penalties,
    tolerance: f64,
    max_iterations: usize,
    progress: Progress,
}

impl LaplacianLogistic {
    /// With this kernel, the penalty λ > 0 of the norm and the penalty η >= 0 of the graph.
    pub fn new(kernel: Kernel, penalty: f64, manifold: f64) -> Self {
        let penalties = Penalties::new(kernel, penalty, manifold);
        LaplacianLogistic { penalties, tolerance: 1e-12, max_iterations: 100, progress: Progress::none() }
    }

    /// `min_a Σ log(1 + exp(-y f)) + aᵀKa` with `f = K a`.
    fn newton(&self, k: ArrayView2<f64>, y: &[f64]) -> Result<(Array1<f64>, Report)> {
        const OP: &str = "LaplacianLogistic::fit";
        let n = y.len();
        let objective = |a: &Array1<f64>, f: &Array1<f64>| {
            let loss: f64 = (0..n).map(|i| softplus(-y[i] * f[i])).sum();
            loss + a.dot(f)
        };
        let (mut a, mut f) = (Array1::<f64>::zeros(n), Array1::<f64>::zeros(n));
        let mut trace = vec![objective(&a, &f)];
        let mut converged = false;
        while !converged && trace.len() <= self.max_iterations {
            let p = f.mapv(sigmoid);
            let root = p.mapv(|p| (p * (1.0 - p)).sqrt());
            // With the covariance K/2: b = W f + (t - p), a = b - W^½ (I + W^½ K/2 W^½)⁻¹ W^½ (K/2) b, halved.
            let b: Array1<f64> =
                (0..n).map(|i| root[i] * root[i] * f[i] + f64::from(u8::from(y[i] > 0.0)) - p[i]).collect();
            let mut system = Array2::from_shape_fn((n, n), |(i, j)| 0.5 * root[i] * k[[i, j]] * root[j]);
            system.diag_mut().mapv_inplace(|v| v + 1.0);
            let right = (&root * &(k.dot(&b) * 0.5)).insert_axis(Axis(1));
            let inner = solve_spd(&Device::cpu(), system.view(), right.view(), &SpdParams::default())?.x;
            let next = (&b - &(&root * &inner.index_axis(Axis(1), 0))) * 0.5;
            let (step, now) = (&next - &a, trace[trace.len() - 1]);
            let mut share = 1.0;
            let (to, at, value) = loop {
                let to = &a + &(&step * share);
                let at = k.dot(&to);
                let value = objective(&to, &at);
                if value <= now + 1e-12 * now.abs() || share < 1e-6 {
                    break (to, at, value);
                }
                share *= 0.5;
            };
            (a, f) = (to, at);
            trace.push(value);
            self.progress.report(OP, trace.len() - 1, self.max_iterations, value)?;
            converged = now - value <= self.tolerance * now.abs();
        }
        let iterations = trace.len() - 1;
        let last = trace[iterations];
        Ok((a, Report::new(trace, iterations, converged, vec![last])))
    }
}

fn sigmoid(f: f64) -> f64 {
    if f >= 0.0 { 1.0 / (1.0 + (-f).exp()) } else { f.exp() / (1.0 + f.exp()) }
}

fn softplus(v: f64) -> f64 {
    v.max(0.0) + (-v.abs()).exp().ln_1p()
}

manifold_setters!(LaplacianLogistic);

setters!(LaplacianLogistic {
    /// The relative gain of a step that ends the iteration; 1e-12 by default.
    tolerance: f64,
    /// Most steps of Newton's method; 100 by default.
    max_iterations: usize,
    /// Called after every step; it can cancel the fit.
    progress: Progress,
});

fits!(LaplacianLogistic: Classify -> FittedLaplacianLogistic);

impl<L: Label> Fit<[L]> for LaplacianLogistic {
    type Fitted = FittedLaplacianLogistic<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedLaplacianLogistic<L>> {
        let mut reports = Vec::new();
        let machine = Machine::learn("LaplacianLogistic::fit", &self.penalties, x, y, |deformed, signs| {
            let (a, report) = self.newton(deformed.small.view(), signs)?;
            reports.push(report);
            Ok(a)
        })?;
        let Machine { labels, function } = machine;
        Ok(FittedLaplacianLogistic { format: Format, labels, function, reports })
    }
}

/// Fitted [`LaplacianLogistic`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLaplacianLogistic<L = usize> {
    format: Format,
    labels: Labels<L>,
    function: Function,
    reports: Vec<Report>,
}

getters!(FittedLaplacianLogistic<L> {
    /// The coefficients of all points, labelled ones first; one column for each function.
    dual_coefficients => function.coefficients: &Array2<f64>,
    /// All points, labelled ones first.
    points => function.points: &Array2<f64>,
    /// The kernel.
    kernel => function.kernel: &Kernel,
    /// How the fit of each function went: one for two classes, else one for each against the rest.
    reports: &[Report],
});

inherent!(FittedLaplacianLogistic<L: Label>: Predict -> Vec<L>, PredictProba, Decision, Accuracy);

impl<L: Label> Decision for FittedLaplacianLogistic<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.function.at("FittedLaplacianLogistic::decision", x)
    }
}

impl<L: Label> PredictProba for FittedLaplacianLogistic<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let f = Decision::decision(self, x)?;
        if f.ncols() == 1 {
            return Ok(Array2::from_shape_fn((f.nrows(), 2), |(i, c)| {
                sigmoid(if c == 1 { f[[i, 0]] } else { -f[[i, 0]] })
            }));
        }
        let mut p = f.mapv(sigmoid);
        for mut row in p.rows_mut() {
            let (total, classes) = (row.sum(), row.len() as f64);
            if total > 0.0 { row /= total } else { row.fill(1.0 / classes) }
        }
        Ok(p)
    }
}

impl<L: Label> Predict for FittedLaplacianLogistic<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        decided(&self.labels, &Decision::decision(self, x)?)
    }
}

impl<L> FittedLaplacianLogistic<L> {
    /// The classes in ascending order: the columns of `predict_proba`.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Classes for FittedLaplacianLogistic<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLaplacianLogistic<L>);

#[cfg(feature = "serde")]
impl<L> crate::saved::Checked for FittedLaplacianLogistic<L> {
    fn check(&self) -> Result<()> {
        super::classifier::check("a saved FittedLaplacianLogistic", &self.labels, &self.function)
    }
}
