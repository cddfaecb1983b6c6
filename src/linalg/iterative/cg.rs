//! Preconditioned conjugate gradients: `A X = B` from products with A alone.
//!
//! Every right-hand side has its own recurrence; all of them share each product. When the recurrences say that they
//! are done the residual is measured, and if it is larger than they thought they start again from it: with an f32
//! operator and an f64 one to measure by, that is iterative refinement. Checked in `tests/linalg/cg.rs`.

use ndarray::{Array2, ArrayView2, Axis};

use super::cg_cycle::{Outer, Run};
use super::operator::Operator;
use super::preconditioner::Preconditioner;
use crate::check::{block, parameter, require};
use crate::configure::setters;
use crate::linalg::solve::norm::length;
use crate::linalg::solve::scaling::unit_columns;
use crate::saved::Checkpoint;
use crate::{Error, Precision, Progress, Result};

/// A restart that leaves more than this share of the residual has gained nothing: the precision is exhausted.
const GAIN: f64 = 0.9;

/// How far above the tolerance a residual may be that no restart can lower.
const SLACK: f64 = 2.0;

/// How conjugate gradients go about it.
#[derive(Debug, Clone)]
pub struct CgParams {
    pub(crate) tolerance: Option<f64>,
    pub(crate) max_iterations: usize,
    pub(crate) accept_unconverged: bool,
    pub(crate) progress: Progress,
    pub(crate) checkpoint: Option<Checkpoint>,
}

impl Default for CgParams {
    fn default() -> Self {
        CgParams {
            tolerance: None,
            max_iterations: 1000,
            accept_unconverged: false,
            progress: Progress::none(),
            checkpoint: None,
        }
    }
}

impl CgParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(CgParams {
    /// Residual `‖b - Ax‖₂ / ‖b‖₂` to reach; by default 1e-10 if it is measured in f64 and 1e-4 if in f32.
    tolerance: into Option<f64>,
    /// Most products with A; 1000 unless said otherwise.
    max_iterations: usize,
    /// Whether to return what was reached if that is not the tolerance, instead of an error.
    accept_unconverged: bool,
    /// Callback after every iteration, which can stop it.
    progress: Progress,
    /// A file from which an interrupted solve goes on; none by default. It is known by b, by the diagonal and the first
    /// column of A, and by what [`Checkpoint::of`] names, such as the preconditioner. It is left for the caller to remove.
    checkpoint: into Option<Checkpoint>,
});

/// The solution, and what happened.
#[derive(Debug, Clone, PartialEq)]
pub struct CgSolution {
    /// `n x r`.
    pub x: Array2<f64>,
    /// What happened.
    pub info: CgInfo,
}

/// What happened in a run of conjugate gradients.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CgInfo {
    /// Products with A (a block of right-hand sides counts once).
    pub iterations: usize,
    /// Times the residual was measured instead of updated, the last time included.
    pub restarts: usize,
    /// `‖b - Ax‖₂ / ‖b‖₂` of each right-hand side, measured at the end, in the precision of the operator.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub relative_residuals: Vec<f64>,
    /// Whether all of them are within the tolerance, or within twice the tolerance where `stagnated`.
    pub converged: bool,
    /// Whether it ended because a restart gained nothing: the precision of the operator is exhausted.
    pub stagnated: bool,
    /// The largest relative residual after each iteration, as the recurrences have it.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub trace: Vec<f64>,
}

/// `X` with `A X = B`, for `b`, `n x r`.
///
/// The products of a GPU operator are f32, and so is the residual it can measure: about `1e-7 condition` at best. For
/// f64 accuracy use [`refined_conjugate_gradients`].
///
/// # Errors
/// [`Error::NoConvergence`], unless `accept_unconverged`; [`Error::NotPositiveDefinite`] if A is seen to be
/// indefinite, with the iteration as the pivot; [`Error::Cancelled`]; [`Error::Shape`] or [`Error::NotFinite`] for a
/// bad `b`.
///
/// ```
/// use mercer::linalg::{CgParams, Identity, Stored, conjugate_gradients};
/// use mercer::{Device, Matrix};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[4.0, 1.0], [1.0, 3.0]].view())?;
/// let b = ndarray::array![[6.0], [7.0]];
/// let found = conjugate_gradients(&Stored::new(&a)?, b.view(), &Identity, &CgParams::default())?;
/// assert_eq!(found.info.iterations, 2); // as many as A has different eigenvalues
/// assert!((found.x[[1, 0]] - 2.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn conjugate_gradients(
    op: &dyn Operator,
    b: ArrayView2<f64>,
    preconditioner: &dyn Preconditioner,
    params: &CgParams,
) -> Result<CgSolution> {
    refined_conjugate_gradients(op, op, b, preconditioner, params)
}

/// [`conjugate_gradients`] with the products of `op` and the residual of `exact`: A on a GPU and the same A on the CPU.
///
/// Each restart gains the four or so digits that f32 recurrences are good for, until the residual is small in f64.
///
/// # Errors
/// As [`conjugate_gradients`], and [`Error::Shape`] if the two operators differ in size.
pub fn refined_conjugate_gradients(
    op: &dyn Operator,
    exact: &dyn Operator,
    b: ArrayView2<f64>,
    preconditioner: &dyn Preconditioner,
    params: &CgParams,
) -> Result<CgSolution> {
    let n = exact.dim();
    require("conjugate_gradients", op.dim() == n, || format!("op is of size {}, exact of {n}", op.dim()))?;
    block("conjugate_gradients", "b", b, n)?;
    let usual = if exact.precision() == Precision::Double { 1e-10 } else { 1e-4 };
    let tolerance = params.tolerance.unwrap_or(usual);
    parameter("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
    // How far a recurrence can be followed before rounding has made it fiction.
    let depth = if op.precision() == Precision::Double { 1e-12 } else { 1e-4 };
    // Squares of its entries must stay within f64.
    let mut b = b.to_owned();
    let back = unit_columns(&mut b);
    let sizes: Vec<f64> = b.columns().into_iter().map(length).collect();
    let _watch = params.progress.between_submissions("conjugate_gradients");
    let name = format!("conjugate_gradients {n} {tolerance:e} {}", params.max_iterations);
    let known = |file: &Checkpoint| -> Result<Checkpoint> {
        let (diagonal, first) = (exact.diagonal()?, exact.columns(&[0])?);
        Ok(file.clone().of_rows(b.view()).of_rows(diagonal.view().insert_axis(Axis(1))).of_rows(first.view()))
    };
    let file = params.checkpoint.as_ref().map(known).transpose()?;
    let mut run = Run { op, preconditioner, params, iterations: 0, trace: Vec::new(), name, file };
    let error: Vec<f64> = sizes.iter().map(|s| if *s > 0.0 { 1.0 } else { 0.0 }).collect();
    let open: Vec<usize> = (0..b.ncols()).filter(|&c| error[c] > tolerance).collect();
    let mut outer = Outer { x: Array2::zeros(b.raw_dim()), rest: b.clone(), error, open, restarts: 0 };
    let mut resumed = None;
    if let Some((kept, inner, iterations, trace)) = run.found()? {
        (outer, run.iterations, run.trace, resumed) = (kept, iterations, trace, Some(inner));
    }
    while !outer.open.is_empty() && run.iterations < params.max_iterations {
        let open = outer.open.clone();
        // What the recurrences believe to be just within the tolerance may be just outside: a restart aims lower.
        let aim = if outer.restarts == 0 { 0.9 * tolerance } else { 0.1 * tolerance };
        let goals = open.iter().map(|&c| sizes[c] * aim.max(depth * outer.error[c])).collect();
        let unit = open.iter().map(|&c| sizes[c]).collect();
        let step = run.cycle(&outer, resumed.take(), goals, unit)?;
        let next: Array2<f64> = outer.x.select(Axis(1), &open) + step;
        if next.iter().any(|v| !v.is_finite()) {
            break;
        }
        let left = b.select(Axis(1), &open) - exact.apply(next.view())?;
        outer.restarts += 1;
        let mut going = Vec::new();
        for (at, &c) in open.iter().enumerate() {
            let now = length(left.column(at)) / sizes[c];
            if now > tolerance && now <= GAIN * outer.error[c] {
                going.push(c);
            }
            if now < outer.error[c] {
                outer.error[c] = now;
                outer.x.column_mut(c).assign(&next.column(at));
                outer.rest.column_mut(c).assign(&left.column(at));
            }
        }
        outer.open = going;
    }
    let Outer { mut x, error, restarts, .. } = outer;
    let worst = error.iter().copied().fold(0.0, f64::max);
    let iterations = run.iterations;
    let exhausted = iterations < params.max_iterations;
    // Where the precision ends just above the tolerance nothing better is to be had, and what was reached is said.
    let converged = worst <= if exhausted { SLACK * tolerance } else { tolerance };
    if !converged && !params.accept_unconverged {
        return Err(Error::NoConvergence {
            op: "conjugate_gradients",
            iterations,
            residual: worst,
            tolerance,
        });
    }
    let stagnated = worst > tolerance && exhausted;
    let info =
        CgInfo { iterations, restarts, relative_residuals: error, converged, stagnated, trace: run.trace };
    x *= &back;
    Ok(CgSolution { x, info })
}
