//! The Laplacian support vector machine.

use ndarray::{Array2, ArrayView2};

use super::classifier::{Machine, decided};
use super::deformed::{Function, Penalties};
use super::manifold_setters;
use super::margin::{MarginCertificate, hinge};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Classes, Decision, Fit, Label, Labels, Predict, Report};
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// `min_f Σ_i max(0, 1 - y_i f(x_i)) + λ ‖f‖² + η fᵀLf`, where the last term runs over labelled and unlabelled points.
///
/// Without an offset. With η = 0 it is the support vector machine with `C = 1 / (2 λ)`. More classes than two are each told
/// from the rest. It runs on the CPU in f64, whatever the device; a dual problem as large as the labelled points is solved
/// by coordinate ascent, and each fit says how far it is from the best: [`FittedLaplacianSvm::certificates`].
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let more = ndarray::Array2::from_shape_fn((20, 1), |(i, _)| if i < 10 { 0.1 * i as f64 } else { 2.0 + 0.1 * i as f64 });
/// let model = LaplacianSvm::new(Kernel::rbf(1.0), 0.01, 0.1).neighbourhood(Neighbourhood::nearest(3)).unlabelled(more);
/// let fit = model.fit(&Device::cpu(), array![[0.0], [3.9]], ["left", "right"])?;
/// assert_eq!(fit.predict(array![[0.8], [3.1]])?, ["left", "right"]);
/// assert!(fit.certificates()[0].gap() < 1e-8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LaplacianSvm {
    penalties: Penalties,
    tolerance: f64,
    max_iterations: usize,
    progress: Progress,
}

impl LaplacianSvm {
    /// With this kernel, the penalty λ > 0 of the norm and the penalty η >= 0 of the graph.
    pub fn new(kernel: Kernel, penalty: f64, manifold: f64) -> Self {
        let penalties = Penalties::new(kernel, penalty, manifold);
        LaplacianSvm { penalties, tolerance: 1e-9, max_iterations: 10_000, progress: Progress::none() }
    }
}

manifold_setters!(LaplacianSvm);

setters!(LaplacianSvm {
    /// The duality gap, relative to the objective, that is small enough; 1e-9 by default.
    tolerance: f64,
    /// Most passes over the labelled points; 10,000 by default.
    max_iterations: usize,
    /// Called after every pass; it can cancel the fit.
    progress: Progress,
});

fits!(LaplacianSvm: Classify -> FittedLaplacianSvm);

impl<L: Label> Fit<[L]> for LaplacianSvm {
    type Fitted = FittedLaplacianSvm<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedLaplacianSvm<L>> {
        const OP: &str = "LaplacianSvm::fit";
        let (mut certificates, mut reports) = (Vec::new(), Vec::new());
        let machine = Machine::learn(OP, &self.penalties, x, y, |deformed, signs| {
            let how = (self.tolerance, self.max_iterations);
            let (a, found, report) = hinge(OP, deformed.small.view(), signs, how, &self.progress)?;
            certificates.push(found);
            reports.push(report);
            Ok(a)
        })?;
        let Machine { labels, function } = machine;
        Ok(FittedLaplacianSvm { format: Format, labels, function, certificates, reports })
    }
}

/// Fitted [`LaplacianSvm`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLaplacianSvm<L = usize> {
    format: Format,
    labels: Labels<L>,
    function: Function,
    certificates: Vec<MarginCertificate>,
    reports: Vec<Report>,
}

getters!(FittedLaplacianSvm<L> {
    /// The coefficients of all points, labelled ones first; one column for each function.
    dual_coefficients => function.coefficients: &Array2<f64>,
    /// All points, labelled ones first.
    points => function.points: &Array2<f64>,
    /// The kernel.
    kernel => function.kernel: &Kernel,
    /// How good each function is: one for two classes, else one for each class against the rest.
    certificates: &[MarginCertificate],
    /// How the fit of each function went; the traces have the dual values.
    reports: &[Report],
});

inherent!(FittedLaplacianSvm<L: Label>: Predict -> Vec<L>, Decision, Accuracy);

impl<L: Label> Decision for FittedLaplacianSvm<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.function.at("FittedLaplacianSvm::decision", x)
    }
}

impl<L: Label> Predict for FittedLaplacianSvm<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        decided(&self.labels, &Decision::decision(self, x)?)
    }
}

impl<L> FittedLaplacianSvm<L> {
    /// The classes in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Classes for FittedLaplacianSvm<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLaplacianSvm<L>);

#[cfg(feature = "serde")]
impl<L> crate::saved::Checked for FittedLaplacianSvm<L> {
    fn check(&self) -> Result<()> {
        super::classifier::check("a saved FittedLaplacianSvm", &self.labels, &self.function)
    }
}
