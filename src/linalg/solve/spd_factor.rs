//! A factored positive definite matrix, and refined solves with it. Which factorisation will do is found in `fallback.rs`.
//!
//! Checked in `tests/linalg/spd.rs` and `tests/linalg/spd_kernel.rs`.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::certificate::{Certificate, Fallback, Solution};
use super::factor::Factor;
use super::reference::Reference;
use super::refine::{Refined, refine};
use super::spd::SpdParams;
use crate::check::{block, finite, symmetric};
use crate::linalg::iterative::kernel_operator::Noise;
use crate::matrix::Points;
use crate::{Device, Error, Kernel, Matrix, Result};

/// `L L^T = S (A + jitter I) S`, ready to solve: f32 on a GPU, f64 on the CPU, the residual always f64 on the host.
///
/// S is the identity unless the diagonal of A is uneven; then it makes the diagonal about one, exactly, by powers of
/// two.
///
/// ```
/// use mercer::{Device, Kernel, linalg::{SpdFactor, SpdParams}};
/// let x = ndarray::array![[0.0], [1.0], [2.0]];
/// let y = ndarray::array![[0.1], [0.9], [2.1]];
/// let factor = SpdFactor::of_kernel(&Device::cpu(), &Kernel::rbf(1.0), x.view(), 0.01, &SpdParams::default())?;
/// let alpha = factor.solve(y.view())?;
/// let fit: f64 = -0.5 * (&alpha.x * &y).sum() - 0.5 * factor.log_det()?;
/// assert!(fit.is_finite() && alpha.certificate.relative_residual < 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct SpdFactor {
    /// A with its jitter, in f64.
    reference: Reference,
    factor: Factor,
    /// The f64 factorisation, once a solve has needed it.
    backup: OnceLock<Factor>,
    jitter: f64,
    condition: f64,
    fallback: Option<Fallback>,
    pub(in crate::linalg) params: SpdParams,
}

impl SpdFactor {
    /// Factors `a`, `n x n`, of which a copy is kept in f64.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is not square, [`Error::NotFinite`]; [`Error::Parameter`] if it is not symmetric to
    /// 1e-8 of its largest entry; [`Error::NotPositiveDefinite`] with the f64 pivot if it is not, numerically, and no
    /// jitter allowed makes it so. Without `fallback` the pivot is that of f32.
    pub fn new(device: &Device, a: ArrayView2<f64>, params: &SpdParams) -> Result<Self> {
        Self::of(device, Reference::of_matrix(symmetric("solve_spd", a)?, 0.0)?, params)
    }

    /// Factors `K + diag(noise)`, `K[i, j] = k(x_i, x_j)`: it is made where it is factored, the factor takes its place, and
    /// the f64 residual comes from products that never store it. `x` is `n x d`.
    ///
    /// # Errors
    /// As [`SpdFactor::new`] and [`gram`](crate::ops::gram).
    pub fn of_kernel(
        device: &Device,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        noise: impl Into<Noise>,
        params: &SpdParams,
    ) -> Result<Self> {
        const OP: &str = "SpdFactor::of_kernel";
        finite(OP, "x", x)?;
        Self::of(device, Reference::of_kernel(OP, device, kernel, x, noise)?, params)
    }

    /// [`SpdFactor::of_kernel`] over points that the caller has placed, and shares: they are uploaded once.
    pub(crate) fn of_points(
        kernel: &Kernel,
        points: &Points,
        noise: impl Into<Noise>,
        params: &SpdParams,
    ) -> Result<Self> {
        Self::of(points.device(), Reference::of_points(kernel, points.clone(), noise)?, params)
    }

    /// What every factor comes out of: with its reference around it, and the condition if the parameters ask for that.
    pub(in crate::linalg) fn around(
        reference: Reference,
        factor: Factor,
        jitter: f64,
        fallback: Option<Fallback>,
        params: &SpdParams,
    ) -> Result<Self> {
        let condition = if params.condition { reference.condition(&factor)? } else { f64::NAN };
        let (backup, params) = (OnceLock::new(), *params);
        Ok(SpdFactor { reference, factor, backup, jitter, condition, fallback, params })
    }

    /// The same of which more is known: what was added to the diagonal in all, and the condition.
    pub(in crate::linalg) fn known(self, jitter: f64, condition: f64) -> Self {
        SpdFactor { jitter, condition, ..self }
    }

    /// `(A + jitter I)⁻¹ b` for `b`, `n x r`, and how good it is.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`] for a bad `b`; [`Error::NoConvergence`] if the backward error stays
    /// above the tolerance and no fallback is allowed, or not even that helps; [`Error::NotPositiveDefinite`] if the
    /// fallback finds what f32 did not see.
    pub fn solve(&self, b: ArrayView2<f64>) -> Result<Solution> {
        block("solve_spd", "b", b, self.dim())?;
        let with = |factor| refine(&self.reference, factor, b, self.params.max_steps);
        let mut found = with(self.current())?;
        if found.backward_error > self.params.tolerance && !self.current().is_f64() && self.params.fallback {
            let backup = Factor::in_f64(self.reference.lower()?)?;
            found = with(self.backup.get_or_init(|| backup))?;
        }
        let Refined { x, steps, backward_error, relative_residual } = found;
        if backward_error > self.params.tolerance {
            return Err(Error::NoConvergence {
                op: "solve_spd",
                iterations: steps,
                residual: backward_error,
                tolerance: self.params.tolerance,
            });
        }
        let (jitter, condition, fallback) = (self.jitter, self.condition, self.fallback());
        let certificate =
            Certificate { steps, backward_error, relative_residual, jitter, condition, fallback };
        Ok(Solution { x, certificate })
    }

    /// n.
    pub fn dim(&self) -> usize {
        self.reference.dim()
    }

    /// `log det(A + jitter I)`, from the best factor at hand.
    ///
    /// An f32 factor is not refined for this, and the absolute error grows with the condition: for n = 90 the tests
    /// hold it below `1e-5 + 6e-8 condition` (1e-2 was seen at a condition of 1e6). Inputs of a kernel that f32 rounds
    /// add to that; where they would add much the factor is f64.
    ///
    /// # Errors
    /// Those of the device.
    pub fn log_det(&self) -> Result<f64> {
        self.current().log_det()
    }

    /// `L⁻¹ S b` for `b`, `n x r`: the squared norm of a column is `bᵀ(A + jitter I)⁻¹b`, as exact as the factor.
    ///
    /// It lives where the factor does; on the CPU in the memory of `b`, if nobody else has a handle on that.
    ///
    /// # Errors
    /// [`Error::Shape`] if `b` has not n rows; those of the device.
    pub fn whiten(&self, b: Matrix) -> Result<Matrix> {
        self.current().whiten(b)
    }

    /// L, lower triangular: on the device, or on the CPU after a fallback.
    pub fn factor(&self) -> &Matrix {
        &self.current().l
    }

    /// L alone, everything else dropped.
    pub(in crate::linalg) fn into_factor(self) -> Matrix {
        self.backup.into_inner().unwrap_or(self.factor).l
    }

    /// The diagonal of S, or none if it is the identity.
    pub fn scale(&self) -> Option<ArrayView1<'_, f64>> {
        self.current().s.as_ref().map(|s| s.view())
    }

    /// What was added to the diagonal, in absolute terms.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// An estimate of `‖SAS‖₁ ‖(SAS)⁻¹‖₁`, jitter included; NaN if it was not asked for.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// [`SpdFactor::condition`], estimated now if it was not asked for before.
    ///
    /// # Errors
    /// Those of the device.
    pub fn estimate_condition(&self) -> Result<f64> {
        if !self.condition.is_nan() {
            return Ok(self.condition);
        }
        self.reference.condition(self.current())
    }

    /// How far the rounding of inputs has moved the entries that a factor in f32 was made of, relative to the diagonal.
    pub(crate) fn moved(&self) -> f64 {
        self.current().moved
    }

    pub(in crate::linalg) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Why the factor is an f64 one on the CPU although a GPU was asked for, if it is.
    pub fn fallback(&self) -> Option<Fallback> {
        self.backup.get().map(|_| Fallback::Refinement).or(self.fallback)
    }

    /// `(A + jitter I)⁻¹`, refined like any other solution.
    ///
    /// # Errors
    /// As [`SpdFactor::solve`].
    pub fn inverse(&self) -> Result<Solution> {
        self.solve(Array2::eye(self.dim()).view())
    }

    /// The best factor at hand.
    pub(in crate::linalg) fn current(&self) -> &Factor {
        self.backup.get().unwrap_or(&self.factor)
    }
}
