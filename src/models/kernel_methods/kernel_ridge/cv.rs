//! The choice of a kernel and a penalty by leave-one-out, in closed form. Checked in `tests/kernel_methods/cv.rs` against n
//! refits and against scikit-learn.

use ndarray::{Array, Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix2};

use super::fitted::FittedKernelRidge;
use super::model::KernelRidge;
use crate::check::{pairs, require, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::plan::{BUDGET, affords};
use crate::learn::{Fit, FitWeighted, Predict, TargetDim};
use crate::linalg::eigh;
#[cfg(feature = "serde")]
use crate::models::kernel_methods::choice::saved_grid;
use crate::models::kernel_methods::choice::{grid, least, skipped};
use crate::ops::{gram, product};
use crate::saved::Format;
use crate::{Device, Error, Kernel, Matrix, Result};

/// Matrices of n x n that an eigendecomposition holds at its peak.
const COPIES: f64 = 6.0;

/// [`KernelRidge`] over a list of kernels (bandwidths) and a list of penalties, chosen by leave-one-out.
///
/// With `G = K + λS⁻¹` and `a = G⁻¹y`, a fit without observation i misses it by `a_i / (G⁻¹)_ii`: nothing is refitted. One
/// eigendecomposition of `S^½KS^½` serves every penalty of a kernel; it is f64 on the CPU, `O(n³)` time and `O(n²)` memory.
/// The fit with the best pair then runs on the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 5.0);
/// let y = x.column(0).mapv(|x| x.sin() + 0.1 * (37.0 * x).cos());
/// let kernels = [0.1, 1.0, 10.0].map(Kernel::rbf);
/// let fit = KernelRidgeCv::new(kernels, &[1e-3, 1e-2, 0.1, 1.0]).fit(&Device::best(), &x, &y)?;
/// assert_eq!(fit.best().kernel(), &Kernel::rbf(1.0));
/// assert_eq!(fit.scores().dim(), (3, 4));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Shape`](crate::Error::Shape) for no kernel, no penalty or a single observation;
/// [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated; [`Error::Parameter`](crate::Error::Parameter)
/// if no score is finite; and those of [`KernelRidge`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelRidgeCv {
    kernels: Vec<Kernel>,
    penalties: Vec<f64>,
    budget: u64,
}

impl KernelRidgeCv {
    /// Over every pair of these kernels and these penalties, all positive.
    pub fn new(kernels: impl IntoIterator<Item = Kernel>, penalties: &[f64]) -> Self {
        let (kernels, penalties) = (kernels.into_iter().collect(), penalties.to_vec());
        KernelRidgeCv { kernels, penalties, budget: BUDGET }
    }
}

setters!(KernelRidgeCv {
    /// Bytes that a fit may allocate, 2 GiB by default.
    memory_budget => budget: u64,
});

fits!(KernelRidgeCv: Regress -> FittedKernelRidgeCv, RegressWeighted -> FittedKernelRidgeCv);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for KernelRidgeCv {
    type Fitted = FittedKernelRidgeCv<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<Self::Fitted> {
        self.run(device, x, y, None)
    }
}

impl<D: TargetDim> FitWeighted<ArrayRef<f64, D>> for KernelRidgeCv {
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, D>,
        w: ArrayView1<f64>,
    ) -> Result<Self::Fitted> {
        weights("KernelRidgeCv::fit", w, x.nrows())?;
        self.run(device, x, y, Some(w))
    }
}

impl KernelRidgeCv {
    fn run<D: TargetDim>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, D>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedKernelRidgeCv<D>> {
        const OP: &str = "KernelRidgeCv::fit";
        let columns = D::columns(y);
        pairs(OP, x, columns)?;
        grid(OP, &self.kernels, &self.penalties)?;
        let seen: Vec<usize> = (0..x.nrows()).filter(|&i| w.is_none_or(|w| w[i] > 0.0)).collect();
        require(OP, seen.len() > 1, || "one observation cannot be left out of one".to_owned())?;
        let need = (COPIES * 8.0 * (seen.len() as f64).powi(2)) as u64;
        affords(OP, need, self.budget, "choose on fewer rows, or by `FalkonCv`")?;
        let data = Rows {
            points: Matrix::from_host(x.select(Axis(0), &seen)),
            y: columns.select(Axis(0), &seen),
            weights: w.map_or_else(|| Array1::ones(seen.len()), |w| w.select(Axis(0), &seen)),
        };
        let mut scores = Array2::zeros((self.kernels.len(), self.penalties.len()));
        for (kernel, mut scores) in self.kernels.iter().zip(scores.rows_mut()) {
            let missed = match data.missed(kernel, &self.penalties) {
                Ok(missed) => missed,
                Err(Error::NoConvergence { .. }) => {
                    scores.fill(f64::NAN);
                    continue;
                }
                Err(e) => return Err(e),
            };
            for (missed, score) in missed.iter().zip(&mut scores) {
                let squares = missed.mapv(|r| r * r) * data.weights.view().insert_axis(Axis(1));
                *score = squares.sum() / (data.weights.sum() * columns.ncols() as f64);
            }
        }
        let (k, g) = least(&scores)?;
        let (kernel, penalty) = (&self.kernels[k], self.penalties[g]);
        let model = KernelRidge::new(kernel.clone(), penalty).memory_budget(self.budget);
        let fit = match w {
            None => Fit::fit(&model, device, x, y)?,
            Some(w) => FitWeighted::fit_weighted(&model, device, x, y, w)?,
        };
        // An observation of no weight was left out of every fit.
        let mut residuals = &columns - &D::columns(&Predict::predict(&fit, x)?);
        for (&i, row) in seen.iter().zip(data.missed(kernel, &[penalty])?[0].rows()) {
            residuals.row_mut(i).assign(&row);
        }
        let (kernels, penalties) = (self.kernels.clone(), self.penalties.clone());
        Ok(FittedKernelRidgeCv { format: Format, kernels, penalties, scores, fit, residuals })
    }
}

/// Observations that all have a weight.
struct Rows {
    points: Matrix,
    y: Array2<f64>,
    weights: Array1<f64>,
}

impl Rows {
    /// `a_i / (G⁻¹)_ii` of each observation and target, for each penalty.
    fn missed(&self, kernel: &Kernel, penalties: &[f64]) -> Result<Vec<Array2<f64>>> {
        let root = self.weights.mapv(f64::sqrt).insert_axis(Axis(1));
        let k = gram(kernel, &self.points, None)?.into_array()? * &root * root.t();
        let found = eigh(k.view())?;
        let (n, t) = self.y.dim();
        let times = |a: ArrayView2<f64>, b: &Array2<f64>| {
            let mut out = Array2::zeros((a.nrows(), b.ncols()));
            product(1.0, a, b.view(), 0.0, out.view_mut());
            out
        };
        let projected = times(found.vectors.t(), &(&self.y * &root));
        let squares = found.vectors.mapv(|v| v * v);
        let each = penalties.iter().map(|&penalty| {
            // A matrix that is not positive definite has no such fit: its score is not a number.
            let inverse =
                found.values.mapv(|v| if v + penalty > 0.0 { (v + penalty).recip() } else { f64::NAN });
            let inverse = inverse.insert_axis(Axis(1));
            let dual = times(found.vectors.view(), &(&projected * &inverse));
            let diagonal = times(squares.view(), &inverse);
            Array2::from_shape_fn((n, t), |(i, c)| dual[[i, c]] / (root[[i, 0]] * diagonal[[i, 0]]))
        });
        Ok(each.collect())
    }
}

/// The scores of every kernel and penalty, and the fit of the best.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "D: TargetDim")
)]
pub struct FittedKernelRidgeCv<D = Ix2> {
    format: Format,
    kernels: Vec<Kernel>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    penalties: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scores: Array2<f64>,
    fit: FittedKernelRidge<D>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    residuals: Array2<f64>,
}

getters!(FittedKernelRidgeCv<D> {
    /// The fit with the best kernel and penalty.
    best => fit: &FittedKernelRidge<D>,
    /// The kernels that were tried.
    kernels: &[Kernel],
    /// The penalties that were tried.
    penalties: &[f64],
    /// The mean squared error of leave-one-out for each kernel (rows) and penalty (columns); NaN for those without a fit,
    /// which are never chosen: see [`skipped`](Self::skipped).
    scores: &Array2<f64>,
    /// `y_i - f₋ᵢ(x_i)` under the best, n x t: by how much a fit without the observation misses it.
    leave_one_out_residuals => residuals: &Array2<f64>,
});

impl<D> FittedKernelRidgeCv<D> {
    /// The kernels and penalties, by their places, that have no fit and were left out of the choice: no matrix that is
    /// positive definite, or eigenvalues that did not converge.
    pub fn skipped(&self) -> Vec<(usize, usize)> {
        skipped(&self.scores)
    }
}

inherent!(FittedKernelRidgeCv<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedKernelRidgeCv<D> {
    type Output = Array<f64, D>;

    /// By the best fit, in f64 on the CPU.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Predict::predict(&self.fit, x)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelRidgeCv<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedKernelRidgeCv<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKernelRidgeCv";
        saved_grid(OP, &self.kernels, &self.penalties, &self.scores)?;
        let (shape, want) = (self.residuals.dim(), self.fit.dual_coefficients().dim());
        require(OP, shape == want, || format!("residuals of {shape:?} where {want:?} were to be"))?;
        crate::check::positive("penalty", self.fit.penalty())
    }
}
