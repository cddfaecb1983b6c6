//! Kernel Fisher discriminant analysis. Checked in `tests/svm/risk.rs` against the discriminant of explicit features.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::expansion::Expansion;
use super::risk::root_features;
use crate::check::{finite, positive, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Classes, Decision, Fit, Label, Labels, Predict, Transform};
use crate::linalg::eigh;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// Kernel discriminant analysis: directions v of the feature space with the largest `vᵀS_B v / vᵀ(S_W + εI) v`.
///
/// `S_W` is the mean scatter within the classes and `S_B` that of their means; ε is relative to the mean eigenvalue of
/// `S_W`. There are at most one direction fewer than classes, of unit within-class variance; a row goes to the class whose
/// mean is nearest along them, less the logarithm of its share. It runs on the CPU whatever the device, and decomposes
/// the `n x n` matrix.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[-1.0], [-0.8], [0.0], [0.1], [0.9], [1.1]];
/// let y = ["outer", "outer", "inner", "inner", "outer", "outer"];
/// let fitted = KernelDiscriminant::new(Kernel::rbf(0.5), 0.01).fit(&Device::cpu(), &x, y)?;
/// assert_eq!(fitted.predict(array![[0.05], [1.0]])?, ["inner", "outer"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelDiscriminant {
    kernel: Kernel,
    shrinkage: f64,
}

impl KernelDiscriminant {
    /// With this kernel and ε > 0.
    pub fn new(kernel: Kernel, shrinkage: f64) -> Self {
        KernelDiscriminant { kernel, shrinkage }
    }
}

setters!(KernelDiscriminant {
    /// The kernel.
    kernel: Kernel,
    /// What is added to the within-class scatter, relative to its mean eigenvalue.
    shrinkage: f64,
});

fits!(KernelDiscriminant: Classify -> FittedKernelDiscriminant);

const OP: &str = "KernelDiscriminant::fit";

impl<L: Ord + Clone> Fit<[L]> for KernelDiscriminant {
    type Fitted = FittedKernelDiscriminant<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedKernelDiscriminant<L>> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        positive("shrinkage", self.shrinkage)?;
        let (labels, index) = Labels::of_classes(y)?;
        let (n, k) = (y.len(), labels.classes().len());
        let phi = root_features(OP, &self.kernel, x)?;
        let rank = phi.ncols();
        let mean = phi.mean_axis(Axis(0)).expect("there are rows");
        let mut means = Array2::<f64>::zeros((k, rank));
        let mut shares = Array1::<f64>::zeros(k);
        for (row, &c) in phi.rows().into_iter().zip(&index) {
            means.row_mut(c).scaled_add(1.0, &row);
            shares[c] += 1.0;
        }
        means /= &shares.view().insert_axis(Axis(1));
        shares /= n as f64;
        let within = &phi - &means.select(Axis(0), &index);
        let mut scatter = within.t().dot(&within) / n as f64;
        let apart = &means - &mean;
        let between = (&apart * &shares.view().insert_axis(Axis(1))).t().dot(&apart);
        // Classes that are points each have no scatter: then that of their means is the unit.
        let trace = if scatter.diag().sum() > 1e-12 * between.diag().sum() {
            scatter.diag().sum()
        } else {
            between.diag().sum()
        };
        let ridge = self.shrinkage * trace / rank as f64;
        crate::check::parameter(
            "the scatter of the data",
            trace,
            ridge > 0.0,
            "must be positive: all rows are one point",
        )?;
        scatter.diag_mut().mapv_inplace(|v| v + ridge);
        let eigen = eigh(scatter.view())?;
        let whiten = &eigen.vectors / &eigen.values.mapv(|v| v.max(ridge).sqrt());
        let inner = eigh(whiten.t().dot(&between).dot(&whiten).view())?;
        let directions = (k - 1).min(rank);
        let map = whiten.dot(&inner.vectors.slice(s![.., ..directions]));
        // φ(x) = Λ^-½ Vᵀ k_x, and Φ = VΛ^½: the coefficients are Φ Λ⁻¹ times the map.
        let values = phi.mapv(|v| v * v).sum_axis(Axis(0));
        let coefficients = (&phi / &values).dot(&map);
        let offset = -mean.dot(&map);
        let centres = apart.dot(&map);
        let expansion = Expansion { kernel: self.kernel.clone(), points: x.to_owned(), coefficients };
        let ratios = inner.values.slice(s![..directions]).to_owned();
        Ok(FittedKernelDiscriminant { format: Format, labels, expansion, offset, centres, shares, ratios })
    }
}

/// A fitted [`KernelDiscriminant`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelDiscriminant<L = usize> {
    format: Format,
    labels: Labels<L>,
    expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offset: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    centres: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    shares: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    ratios: Array1<f64>,
}

getters!(FittedKernelDiscriminant<L> {
    /// The ratio of scatters along each direction, descending.
    ratios: &Array1<f64>,
    /// The mean of each class along the directions, k x directions.
    centres: &Array2<f64>,
    /// The coefficients of the directions, n x directions.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelDiscriminant<L: Label>: Predict -> Vec<L>, Decision, Transform, Accuracy);

impl<L> FittedKernelDiscriminant<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// `ln π_c - ½‖z - m_c‖²` of every class.
    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let z = self.expansion.at("FittedKernelDiscriminant::decision", &Device::cpu(), x)? + &self.offset;
        let k = self.centres.nrows();
        Ok(Array2::from_shape_fn((z.nrows(), k), |(i, c)| {
            let apart = &z.row(i) - &self.centres.row(c);
            self.shares[c].ln() - 0.5 * apart.dot(&apart)
        }))
    }
}

impl<L> Classes for FittedKernelDiscriminant<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L: Label> Transform for FittedKernelDiscriminant<L> {
    /// Coordinates along the directions, the mean of the data at zero.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.expansion.at("FittedKernelDiscriminant::transform", &Device::cpu(), x)? + &self.offset)
    }
}

impl<L: Label> Decision for FittedKernelDiscriminant<L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let scores = self.scores(x)?;
        if scores.ncols() > 2 {
            return Ok(scores);
        }
        Ok((&scores.column(1) - &scores.column(0)).insert_axis(Axis(1)))
    }
}

impl<L: Label> Predict for FittedKernelDiscriminant<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&crate::learn::labels::most_probable(self.scores(x)?.view()))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelDiscriminant<L>);

#[cfg(feature = "serde")]
impl<L: Label> crate::saved::Checked for FittedKernelDiscriminant<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKernelDiscriminant";
        self.expansion.check()?;
        let (k, m) = (self.classes().len(), self.expansion.coefficients.ncols());
        let fits = self.centres.dim() == (k, m) && self.shares.len() == k && self.offset.len() == m;
        require(OP, fits && k > 1, || "its classes and directions do not fit together".to_owned())?;
        finite(OP, "the centres", self.centres.view())?;
        self.shares.iter().try_for_each(|v| positive("a share", *v))
    }
}
