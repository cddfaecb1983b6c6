//! The kernel perceptron. Checked in `tests/svm/perceptron.rs` against the perceptron itself and its bound on mistakes.

use ndarray::{Array2, ArrayView2, Axis};

use super::expansion::Expansion;
use crate::check::{finite, require, zeros};
use crate::kernel::GramRows;
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::labels::most_probable;
use crate::learn::{Classes, Decision, Fit, Label, Labels, Predict, Report, Reported};
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// The perceptron with inner products by a kernel: `f(x) = Σ_i a_i k(x_i, x)`, where a mistake on row i adds `y_i` to `a_i`.
///
/// Of several classes each has a function, and a mistake adds one to that of the right class and takes one from that of the
/// class that was said. There is no offset: add a constant to the kernel for one. If a function of norm one separates two
/// classes by γ and `k(x, x) ≤ R²`, it makes at most `(R/γ)²` mistakes and then ends; else it ends after
/// `max_passes`, and its report says that it has not converged. A row of the kernel matrix is made for each mistake, and no
/// matrix is stored. It runs on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
/// let y = ["same", "same", "other", "other"];
/// let fitted = KernelPerceptron::new(Kernel::rbf(0.5)).fit(&Device::cpu(), &x, y)?;
/// assert_eq!(fitted.predict(&x)?, y);
/// assert!(fitted.report().converged());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelPerceptron {
    kernel: Kernel,
    max_passes: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl KernelPerceptron {
    /// With this kernel.
    pub fn new(kernel: Kernel) -> Self {
        KernelPerceptron { kernel, max_passes: 100, progress: Progress::none() }
    }
}

setters!(KernelPerceptron {
    /// The kernel.
    kernel: Kernel,
    /// Most passes over the rows, in their order; 100 by default.
    max_passes: usize,
    /// Called after every pass with its number of mistakes; it can cancel the fit.
    progress: Progress,
});

fits!(KernelPerceptron: Classify -> FittedKernelPerceptron);

const OP: &str = "KernelPerceptron::fit";

impl<L: Ord + Clone> Fit<[L]> for KernelPerceptron {
    type Fitted = FittedKernelPerceptron<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedKernelPerceptron<L>> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        let (labels, index) = Labels::of_classes(y)?;
        let (n, k) = (y.len(), labels.classes().len());
        let columns = if k == 2 { 1 } else { k };
        let gram = GramRows::new(OP, &self.kernel, x)?;
        let mut f = zeros("observations", n, columns)?;
        let (mut a, mut row) = (f.clone(), vec![0.0; n]);
        let (mut trace, mut converged) = (Vec::new(), false);
        for pass in 0..self.max_passes {
            let mut mistakes = 0usize;
            for (i, &right) in index.iter().enumerate() {
                // What is added to each function, if this row is taken for another class.
                let by: Vec<(usize, f64)> = if k == 2 {
                    let sign = if right == 1 { 1.0 } else { -1.0 };
                    if sign * f[[i, 0]] > 0.0 { Vec::new() } else { vec![(0, sign)] }
                } else {
                    let others = (0..k).filter(|&c| c != right);
                    let rival = others.max_by(|&a, &b| f[[i, a]].total_cmp(&f[[i, b]]).then(b.cmp(&a)));
                    let rival = rival.filter(|&c| f[[i, c]] >= f[[i, right]]);
                    rival.map_or_else(Vec::new, |c| vec![(right, 1.0), (c, -1.0)])
                };
                if by.is_empty() {
                    continue;
                }
                mistakes += 1;
                gram.fill(i, 0..n, &mut row);
                for (c, by) in by {
                    a[[i, c]] += by;
                    f.column_mut(c).iter_mut().zip(&row).for_each(|(f, k)| *f += by * k);
                }
            }
            finite(OP, "a sum of kernel values", f.view())?;
            trace.push(mistakes as f64);
            self.progress.report(OP, pass + 1, self.max_passes, mistakes as f64)?;
            if mistakes == 0 {
                converged = true;
                break;
            }
        }
        let mut support: Vec<usize> = (0..n).filter(|&i| a.row(i).iter().any(|c| *c != 0.0)).collect();
        if support.is_empty() {
            support.push(0);
        }
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            points: x.select(Axis(0), &support),
            coefficients: a.select(Axis(0), &support),
        };
        let made = trace.iter().sum();
        let report = Report::new(trace.clone(), trace.len(), converged, vec![made]);
        Ok(FittedKernelPerceptron { format: Format, labels, expansion, support, report })
    }
}

/// A fitted [`KernelPerceptron`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelPerceptron<L = usize> {
    format: Format,
    labels: Labels<L>,
    expansion: Expansion,
    support: Vec<usize>,
    report: Report,
}

getters!(FittedKernelPerceptron<L> {
    /// The rows of the data that a mistake was made on, ascending.
    support: &[usize],
    /// Mistakes on these rows, with the sign that they add: one column for two classes, else one for each class.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// Passes made; the trace has the mistakes of each.
    report: &Report,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelPerceptron<L: Label>: Predict -> Vec<L>, Decision, Accuracy);

impl<L> FittedKernelPerceptron<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The weights w of each function, if the kernel is linear: `f(x) = wᵀx`.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }
}

impl<L> Classes for FittedKernelPerceptron<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Reported for FittedKernelPerceptron<L> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<L: Label> Decision for FittedKernelPerceptron<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.expansion.at("FittedKernelPerceptron::decision", &Device::cpu(), x)
    }
}

impl<L: Label> Predict for FittedKernelPerceptron<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        let scores = Decision::decision(self, x)?;
        let found = if scores.ncols() == 1 {
            scores.column(0).iter().map(|f| usize::from(*f > 0.0)).collect()
        } else {
            most_probable(scores.view())
        };
        self.labels.names(&found)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelPerceptron<L>);

#[cfg(feature = "serde")]
impl<L: Label> crate::saved::Checked for FittedKernelPerceptron<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKernelPerceptron";
        self.expansion.check()?;
        let (k, columns) = (self.classes().len(), self.expansion.coefficients.ncols());
        require(OP, k > 1 && columns == if k == 2 { 1 } else { k }, || {
            format!("{columns} functions of {k} classes")
        })?;
        require(OP, self.support.len() == self.expansion.points.nrows(), || "mistakes are missing".to_owned())
    }
}
