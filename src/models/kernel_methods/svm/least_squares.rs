//! Least-squares support vector machines: equality constraints, one linear system, no sparsity.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

#[cfg(feature = "serde")]
use crate::check::require as need;
use crate::check::{finite, positive, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::labels::decided;
use crate::learn::{Classes, Decision, Label, Labels, Predict};
use crate::linalg::{Certificate, Noise, SpdFactor, SpdParams};
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// Least-squares support vector machine: `min ½‖f‖² + (γ/2) Σ_i s_i (y_i - f(x_i) - b)²` on labels ±1.
///
/// The optimality conditions are one linear system, `[0 1ᵀ; 1 K + (γS)⁻¹] [b; a] = [0; y]`, and every observation is a support
/// vector. More than two classes are fitted one against the rest, with one factor for all. It stores the `n x n` matrix.
/// A GPU solves it; decisions are computed on the CPU unless [`FittedLeastSquaresSvm::on`] says otherwise.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0]];
/// let fitted = LeastSquaresSvm::new(Kernel::linear(), 10.0).fit(&Device::cpu(), &x, [false, false, true, true])?;
/// assert_eq!(fitted.predict(array![[0.5], [2.5]])?, [false, true]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSquaresSvm {
    kernel: Kernel,
    gamma: f64,
}

impl LeastSquaresSvm {
    /// With the price γ > 0 of a squared error.
    pub fn new(kernel: Kernel, gamma: f64) -> Self {
        LeastSquaresSvm { kernel, gamma }
    }
}

setters!(LeastSquaresSvm {
    /// The kernel.
    kernel: Kernel,
    /// The price γ > 0 of a squared error.
    gamma: f64,
});

fits!(LeastSquaresSvm: Classification -> FittedLeastSquaresSvm);

const OP: &str = "LeastSquaresSvm::fit";

impl LeastSquaresSvm {
    fn run<L: Ord + Clone>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        w: ArrayView1<f64>,
    ) -> Result<FittedLeastSquaresSvm<L>> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        positive("gamma", self.gamma)?;
        let (rows, labels, index) = Labels::of_weighed(y, w)?;
        let x = x.select(Axis(0), &rows);
        let (n, k) = (rows.len(), labels.classes().len());
        let machines = if k == 2 { 1 } else { k };
        let targets = Array2::from_shape_fn((n, machines), |(i, c)| {
            let own = if machines == 1 { 1 } else { c };
            if index[i] == own { 1.0 } else { -1.0 }
        });
        let noise = Noise::Each(rows.iter().map(|&i| 1.0 / (self.gamma * w[i])).collect());
        let device = device.suited_to((n * n) as f64 * n as f64 / 3.0);
        let factor = SpdFactor::of_kernel(&device, &self.kernel, x.view(), noise, &SpdParams::default())?;
        // a = (K + D)⁻¹(y - b 1), and 1ᵀa = 0 says what b is.
        let right =
            concatenate(Axis(1), &[Array2::ones((n, 1)).view(), targets.view()]).expect("n rows both");
        let solution = factor.solve(right.view())?;
        let (ones, found) = (solution.x.column(0), solution.x.slice(s![.., 1..]));
        let offsets = found.sum_axis(Axis(0)) / ones.sum();
        let coefficients = &found - &(&ones.insert_axis(Axis(1)) * &offsets);
        let expansion = Expansion { kernel: self.kernel.clone(), points: x, coefficients };
        let (format, device) = (Format, Device::cpu());
        Ok(FittedLeastSquaresSvm {
            format,
            labels,
            expansion,
            offsets,
            certificate: solution.certificate,
            device,
        })
    }
}

/// A fitted [`LeastSquaresSvm`]: `f(x) = Σ a_i k(x_i, x) + b` for each machine.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLeastSquaresSvm<L = usize> {
    format: Format,
    labels: Labels<L>,
    expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offsets: Array1<f64>,
    certificate: Certificate,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedLeastSquaresSvm<L> {
    /// The coefficients a, n x machines: one column for two classes, else one for each class against the rest.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The offset b of each machine.
    intercept => offsets: &Array1<f64>,
    /// How well the system was solved.
    certificate: &Certificate,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// Where decisions are computed.
    device: &Device,
});

inherent!(FittedLeastSquaresSvm<L: Label>: Predict -> Vec<L>, Decision, Accuracy);

impl<L> FittedLeastSquaresSvm<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The same machine, with decisions computed on another device: on a GPU in f32.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The weights w of each machine, machines x d, if the kernel is linear.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }
}

impl<L> Classes for FittedLeastSquaresSvm<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L: Label> Decision for FittedLeastSquaresSvm<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.expansion.at("FittedLeastSquaresSvm::decision", &self.device, x)? + &self.offsets)
    }
}

impl<L: Label> Predict for FittedLeastSquaresSvm<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&decided(Decision::decision(self, x)?.view()))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLeastSquaresSvm<L>);

#[cfg(feature = "serde")]
impl<L: Label> crate::saved::Checked for FittedLeastSquaresSvm<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLeastSquaresSvm";
        self.expansion.check()?;
        let (k, machines) = (self.classes().len(), self.expansion.coefficients.ncols());
        let wanted = if k == 2 { 1 } else { k };
        need(OP, k > 1 && machines == wanted && self.offsets.len() == machines, || {
            format!("{machines} machines of {k} classes")
        })?;
        crate::check::numbers(OP, "an offset", self.offsets.view().insert_axis(Axis(1)))
    }
}
