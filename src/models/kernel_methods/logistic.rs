//! Kernel logistic regression, of two classes and of more. Checked in `tests/svm/risk.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::expansion::Expansion;
use super::risk::{minimise, root_features};
use crate::check::{finite, positive, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Classes, Decision, Label, Labels, Predict, PredictProba};
use crate::optim::{Minimiser, Minimum};
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// Kernel logistic regression: `min_f -Σ_i s_i ln p(y_i | f(x_i)) + (λ/2)‖f‖²`.
///
/// For two classes `p(second | f) = σ(f)`; for more `p(c | f) = exp f_c / Σ exp f_c'` with a function for each class. At the
/// minimum `λ a = y - p` for the coefficients of `f = Σ_i a_i k(x_i, ·)`, y one for the class that is and zero for the others.
/// There is no offset: add a constant to the kernel. It is the mode of a Gaussian process classifier with kernel `k/λ`,
/// without its average over what is not known. It runs on the CPU whatever the device, and decomposes the `n x n` matrix.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0]];
/// let fitted = KernelLogistic::new(Kernel::rbf(1.0), 0.1).fit(&Device::cpu(), &x, ["a", "a", "b", "b"])?;
/// assert_eq!(fitted.predict(array![[0.2], [2.9]])?, ["a", "b"]);
/// assert!(fitted.predict_proba(array![[0.2]])?[[0, 0]] > 0.8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelLogistic {
    kernel: Kernel,
    penalty: f64,
    search: Minimiser,
}

impl KernelLogistic {
    /// With this kernel and the penalty λ > 0.
    pub fn new(kernel: Kernel, penalty: f64) -> Self {
        KernelLogistic { kernel, penalty, search: Minimiser::new().tolerance(1e-10).max_iterations(2000) }
    }

    fn run<L: Ord + Clone>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        w: ArrayView1<f64>,
    ) -> Result<FittedKernelLogistic<L>> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        positive("penalty", self.penalty)?;
        let (rows, labels, index) = Labels::of_weighed(y, w)?;
        let (x, w) = (x.select(Axis(0), &rows), w.select(Axis(0), &rows));
        let k = labels.classes().len();
        let columns = if k == 2 { 1 } else { k };
        let features = root_features(OP, &self.kernel, x.view())?;
        let risk = |f: &Array2<f64>| {
            let p = probabilities(f);
            let mut slope = f.clone();
            let mut value = 0.0;
            for i in 0..f.nrows() {
                value -= w[i] * log_probability(f.row(i), index[i]);
                for c in 0..columns {
                    let own = if columns == 1 { index[i] == 1 } else { index[i] == c };
                    let at = if columns == 1 { 1 } else { c };
                    slope[[i, c]] = w[i] * (p[[i, at]] - f64::from(u8::from(own)));
                }
            }
            (value, slope)
        };
        let found = minimise(&self.search, &features, columns, 0.5 * self.penalty, risk)?;
        let beta = Array2::from_shape_vec((features.ncols(), columns), found.point.clone()).expect("as many");
        let (_, slope) = risk(&features.dot(&beta));
        let coefficients = slope / -self.penalty;
        let expansion = Expansion { kernel: self.kernel.clone(), points: x, coefficients };
        Ok(FittedKernelLogistic { format: Format, labels, expansion, penalty: self.penalty, found })
    }
}

setters!(KernelLogistic {
    /// The kernel.
    kernel: Kernel,
    /// The penalty λ > 0.
    penalty: f64,
    /// How the minimum is searched.
    search: Minimiser,
});

fits!(KernelLogistic: Classification -> FittedKernelLogistic);

const OP: &str = "KernelLogistic::fit";

/// `ln p` of one class.
fn log_probability(f: ArrayView1<f64>, class: usize) -> f64 {
    if f.len() == 1 {
        let z = if class == 1 { f[0] } else { -f[0] };
        return z.min(0.0) - (-z.abs()).exp().ln_1p();
    }
    let top = f.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    f[class] - top - f.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

/// Probabilities of all classes, one row for each of f.
fn probabilities(f: &Array2<f64>) -> Array2<f64> {
    let k = if f.ncols() == 1 { 2 } else { f.ncols() };
    Array2::from_shape_fn((f.nrows(), k), |(i, c)| log_probability(f.row(i), c).exp())
}

/// A fitted [`KernelLogistic`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelLogistic<L = usize> {
    format: Format,
    labels: Labels<L>,
    expansion: Expansion,
    penalty: f64,
    found: Minimum,
}

getters!(FittedKernelLogistic<L> {
    /// The coefficients a, n x 1 for two classes, else n x k.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The penalty λ.
    penalty: f64,
    /// How the search went; its value is the penalised negative log-likelihood.
    search => found: &Minimum,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelLogistic<L: Label>: Predict -> Vec<L>, PredictProba, Decision, Accuracy);

impl<L> FittedKernelLogistic<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The weights w of each function, functions x d, if the kernel is linear: `f(x) = wᵀx`.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }
}

impl<L> Classes for FittedKernelLogistic<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L: Label> Decision for FittedKernelLogistic<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.expansion.at("FittedKernelLogistic::decision", &Device::cpu(), x)
    }
}

impl<L: Label> PredictProba for FittedKernelLogistic<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(probabilities(&Decision::decision(self, x)?))
    }
}

impl<L: Label> Predict for FittedKernelLogistic<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        let p = PredictProba::predict_proba(self, x)?;
        self.labels.names(&crate::learn::labels::most_probable(p.view()))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelLogistic<L>);

#[cfg(feature = "serde")]
impl<L: Label> crate::saved::Checked for FittedKernelLogistic<L> {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        let (k, columns) = (self.classes().len(), self.expansion.coefficients.ncols());
        let fits = k > 1 && columns == if k == 2 { 1 } else { k };
        require("a saved FittedKernelLogistic", fits, || format!("{columns} functions of {k} classes"))?;
        positive("penalty", self.penalty)
    }
}
