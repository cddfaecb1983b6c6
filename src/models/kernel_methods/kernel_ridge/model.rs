//! What kernel ridge regression is to fit, and how.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::fitted::FittedKernelRidge;
use crate::check::{positive, require};
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::plan::BUDGET;
use crate::learn::ranks::{Meeting, fits_across};
use crate::models::kernel_methods::expansion::Expansion;
use crate::models::kernel_methods::split_kernel::gathered;
use crate::saved::Checkpoint;
use crate::{Device, Kernel, Progress, Result};

pub(super) const OP: &str = "KernelRidge::fit";

/// How the system is to be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum KernelSolver {
    /// Dense if that fits the memory budget, else matrix-free.
    #[default]
    Auto,
    /// The n x n matrix is stored and factored, or refused if it does not fit the memory budget.
    Dense,
    /// Conjugate gradients with a low-rank preconditioner: O(n) memory, O(n²) operations an iteration.
    MatrixFree,
}

/// Kernel ridge regression: `f(x) = Σ_i a_i k(x_i, x)` with `a = (K + λ S⁻¹)⁻¹ y`.
///
/// f minimises `Σ_i s_i (y_i - f(x_i))² + λ‖f‖²` over the kernel's function space. The weights S are one unless given.
/// There is no intercept: centre y, or add a constant to the kernel. White noise that is part of the kernel adds to λ.
/// f is also the posterior mean of a Gaussian process with noise variance λ.
///
/// A matrix that does not fit the memory budget is not stored; [`KernelRidge::plan`] tells beforehand.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[-2.0], [-1.0], [0.5], [2.0]];
/// let y = array![0.5_f64, 1.0, -0.3, -1.0];
/// let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
/// let fit = model.fit(&Device::best(), &x, &y)?;
/// assert!((fit.predict(array![[1.0]])?[0] + 0.6571569038).abs() < 1e-9);
/// assert!(fit.report().relative_residual() < 1e-12);
/// println!("{}", model.plan(&Device::cpu(), 1_000_000, 8, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if λ is nothing beside the rounding of K, or the kernel
/// is indefinite; [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated if [`KernelSolver::Dense`]
/// passes the memory budget; [`Error::NoConvergence`](crate::Error::NoConvergence) or
/// [`Error::Cancelled`](crate::Error::Cancelled) if matrix-free.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelRidge {
    pub(super) kernel: Kernel,
    pub(super) penalty: f64,
    pub(super) solver: KernelSolver,
    pub(super) budget: u64,
    pub(super) tolerance: Option<f64>,
    pub(super) max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) checkpoint: Option<Checkpoint>,
}

impl KernelRidge {
    /// With this kernel and the penalty λ > 0.
    pub fn new(kernel: Kernel, penalty: f64) -> Self {
        let (solver, progress) = (KernelSolver::Auto, Progress::none());
        KernelRidge {
            kernel,
            penalty,
            solver,
            budget: BUDGET,
            tolerance: None,
            max_iterations: 1000,
            progress,
            checkpoint: None,
        }
    }
}

setters!(KernelRidge {
    /// The penalty λ > 0.
    penalty: f64,
    /// The kernel.
    kernel: Kernel,
    /// How to solve; by default whatever fits.
    solver: KernelSolver,
    /// Bytes that a fit may allocate, 2 GiB by default; beyond that the matrix is not stored, and [`KernelSolver::Dense`] is
    /// an error.
    memory_budget => budget: u64,
    /// The relative residual that conjugate gradients must reach; 1e-10 by default.
    tolerance: into Option<f64>,
    /// The most iterations of conjugate gradients; 1000 by default.
    max_iterations: usize,
    /// Called after every iteration of conjugate gradients, and within one that keeps a GPU busy for long; it can cancel the
    /// fit.
    progress: Progress,
    /// A file from which conjugate gradients go on after an interruption; none by default.
    checkpoint: into Option<Checkpoint>,
});

fits_across!(KernelRidge: Regress -> FittedKernelRidge);

impl KernelRidge {
    /// Among several ranks by conjugate gradients: every rank has all points and all coefficients, and makes a share of the
    /// rows of K at each iteration, on its device.
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedKernelRidge<D>> {
        positive("penalty", self.penalty)?;
        let part = all.pairs(OP, x, y)?;
        if !all.alone() {
            require(OP, !self.kernel.has_white_noise(), || {
                "white noise in the kernel: add its variance to the penalty".to_owned()
            })?;
        }
        let (x, y, w) = gathered(all, OP, part, (x, y, w), self.budget)?;
        let (x, y, w) = (x.view(), y.view(), w.as_ref().map(|w| w.view()));
        // An observation of no weight has no coefficient, and λ/s has no value.
        let weighed: Option<Vec<usize>> = w
            .filter(|w| w.iter().any(|w| *w == 0.0))
            .map(|w| w.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, _)| i).collect());
        let _watch = self.progress.between_submissions(OP);
        let (coefficients, how) = match weighed {
            None => self.solve(all, device, x, y, w)?,
            Some(rows) => {
                let w = w.map(|w| w.select(Axis(0), &rows));
                let (x, some) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
                let w = w.as_ref().map(|w| w.view());
                let (found, how) = self.solve(all, device, x.view(), some.view(), w)?;
                let mut all = Array2::zeros(y.raw_dim());
                rows.iter().zip(found.rows()).for_each(|(&i, row)| all.row_mut(i).assign(&row));
                (all, how)
            }
        };
        let expansion = Expansion { kernel: self.kernel.clone(), points: x.to_owned(), coefficients };
        Ok(FittedKernelRidge::new(expansion, self.penalty, how))
    }
}
