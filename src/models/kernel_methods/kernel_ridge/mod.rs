//! Kernel ridge regression. Checked in `tests/ridge/kernel.rs`, `oracle.rs`, `plan.rs` and `adapters.rs`.

mod plan;
#[cfg(feature = "serde")]
mod saved;
mod solve;


use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::expansion::Expansion;
use crate::linalg::SolveReport;
use crate::Progress;
use crate::check::{pairs, positive, weights};
use crate::learn::plan::{BUDGET, Method, Plan};
use crate::learn::score::r_squared;
use crate::{Device, Kernel, Result};

/// How the system is to be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Solver {
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
/// use mercer::{Device, Kernel, models::kernel_methods::KernelRidge};
/// use ndarray::array;
/// let x = array![[-2.0], [-1.0], [0.5], [2.0]];
/// let y = array![[0.5], [1.0], [-0.3], [-1.0]];
/// let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
/// let fit = model.fit(&Device::best(), x.view(), y.view())?;
/// assert!((fit.predict(array![[1.0]].view())?[[0, 0]] + 0.6571569038).abs() < 1e-9);
/// assert!(fit.report().relative_residual() < 1e-12);
/// println!("{}", model.plan(&Device::cpu(), 1_000_000, 8, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelRidge {
    kernel: Kernel,
    penalty: f64,
    solver: Solver,
    budget: u64,
    tolerance: Option<f64>,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl KernelRidge {
    /// With this kernel and the penalty λ > 0.
    pub fn new(kernel: Kernel, penalty: f64) -> Self {
        let (solver, budget) = (Solver::Auto, BUDGET);
        KernelRidge { kernel, penalty, solver, budget, tolerance: None, max_iterations: 1000, progress: Progress::none() }
    }

    /// How to solve; by default whatever fits.
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// Bytes that a fit may allocate, 2 GiB by default; beyond that the matrix is not stored, and [`Solver::Dense`] is
    /// an error.
    #[must_use]
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// The relative residual that conjugate gradients must reach; 1e-10 by default.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// The most iterations of conjugate gradients; 1000 by default.
    #[must_use]
    pub fn max_iterations(mut self, most: usize) -> Self {
        self.max_iterations = most;
        self
    }

    /// Called after every iteration of conjugate gradients; it can cancel the fit.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Fits `x`, n x d, to `y`, n x t: one column for each target.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the penalty is not positive or the kernel is not in order;
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data;
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if λ is nothing beside the rounding of K, or
    /// the kernel is indefinite; [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated if
    /// [`Solver::Dense`] passes the memory budget; [`Error::NoConvergence`](crate::Error::NoConvergence) or
    /// [`Error::Cancelled`](crate::Error::Cancelled) if matrix-free.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedKernelRidge> {
        self.run(device, x, y, None)
    }

    /// [`KernelRidge::fit`] with a weight `s_i ≥ 0` for each observation.
    ///
    /// # Errors
    /// As [`KernelRidge::fit`], and for weights that are negative or all zero.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: ArrayView1<f64>,
    ) -> Result<FittedKernelRidge> {
        weights("KernelRidge::fit", w, x.nrows())?;
        self.run(device, x, y, Some(w))
    }

    fn run(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedKernelRidge> {
        positive("penalty", self.penalty)?;
        pairs("KernelRidge::fit", x, y)?;
        // An observation of no weight has no coefficient, and λ/s has no value.
        let seen: Option<Vec<usize>> = w
            .filter(|w| w.iter().any(|w| *w == 0.0))
            .map(|w| w.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, _)| i).collect());
        let (coefficients, plan, report) = match seen {
            None => self.solve(device, x, y, w)?,
            Some(seen) => {
                let w = w.map(|w| w.select(Axis(0), &seen));
                let (x, some) = (x.select(Axis(0), &seen), y.select(Axis(0), &seen));
                let (found, plan, report) =
                    self.solve(device, x.view(), some.view(), w.as_ref().map(|w| w.view()))?;
                let mut all = Array2::zeros(y.raw_dim());
                seen.iter().zip(found.rows()).for_each(|(&i, row)| all.row_mut(i).assign(&row));
                (all, plan, report)
            }
        };
        let expansion = Expansion { kernel: self.kernel.clone(), points: x.to_owned(), coefficients };
        Ok(FittedKernelRidge { expansion, penalty: self.penalty, plan, report })
    }
}

/// The function `x ↦ Σ_i a_i k(x_i, x)`, and how it was found.
#[derive(Debug, Clone)]
pub struct FittedKernelRidge {
    expansion: Expansion,
    penalty: f64,
    plan: Plan,
    report: SolveReport,
}

impl FittedKernelRidge {
    /// a, n x t: one column for each target.
    pub fn dual_coefficients(&self) -> &Array2<f64> {
        &self.expansion.coefficients
    }

    /// The points `x_i`, n x d.
    pub fn points(&self) -> &Array2<f64> {
        &self.expansion.points
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.expansion.kernel
    }

    /// λ.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// What was done, and what it took.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How the system was solved.
    pub fn method(&self) -> Method {
        self.plan.method
    }

    /// How good the solution is.
    pub fn report(&self) -> &SolveReport {
        &self.report
    }

    /// f at each row of `x`, m x d: m x t, in f64 on the CPU.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` has not the features of the fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.predict_on(&Device::cpu(), x)
    }

    /// [`predict`](FittedKernelRidge::predict) on a device. On a GPU the sum is f32: its error is about
    /// `1e-7 ‖a‖₂` times the kernel's size, which for a small penalty is much more than 1e-7 of the prediction.
    ///
    /// # Errors
    /// As [`predict`](FittedKernelRidge::predict), and those of the device.
    pub fn predict_on(&self, device: &Device, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.expansion.at("FittedKernelRidge::predict", device, x)
    }

    /// R², the mean over the targets.
    ///
    /// # Errors
    /// As [`predict`](FittedKernelRidge::predict), and for a `y` that does not fit or has fewer than two rows.
    pub fn score(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        r_squared("FittedKernelRidge::score", y, self.predict(x)?.view())
    }
}
