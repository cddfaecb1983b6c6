//! Solves with a symmetric positive definite matrix: factor, solve, refine against an f64 residual, say how good it is.
//!
//! Checked in `tests/linalg/spd.rs` against the f64 solution, over condition numbers from 10 to 1e12.

use ndarray::ArrayView2;

use super::certificate::Solution;
use super::jitter::Jitter;
use super::spd_factor::SpdFactor;
use crate::check::block;
use crate::configure::setters;
use crate::{Device, Result};

/// How a refined solve goes about it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpdParams {
    pub(crate) jitter: Jitter,
    pub(crate) tolerance: f64,
    pub(crate) max_steps: usize,
    pub(crate) fallback: bool,
    pub(crate) condition: bool,
    /// Whether a factor on a GPU is inverted at once.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) inverted: bool,
}

impl Default for SpdParams {
    fn default() -> Self {
        SpdParams {
            jitter: Jitter::Never,
            tolerance: 1e-14,
            max_steps: 40,
            fallback: true,
            condition: true,
            inverted: false,
        }
    }
}

impl SpdParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// On a GPU with `L⁻¹` beside the factor, for who will ask for the inverse: every solve is then two products instead of
    /// `4 n/64` that wait for each other.
    pub(crate) fn inverted(self) -> Self {
        SpdParams { inverted: true, ..self }
    }
}

setters!(SpdParams {
    /// What may be added to the diagonal if the matrix is not positive definite; nothing unless said otherwise.
    jitter: Jitter,
    /// Backward error that an answer must have. Refinement goes on to f64 level whatever this is.
    tolerance: f64,
    /// Most corrections of a solution; 40 unless said otherwise.
    max_steps: usize,
    /// Whether a matrix that is too much for f32 may be factored in f64 on the CPU; the certificate says so.
    fallback: bool,
    /// Whether to estimate the condition number: three solves with four right-hand sides, which a search that factors a
    /// matrix at every step may want to spare. Without it the condition is reported as NaN, and a factor in f32 is given
    /// up only when refinement with it fails.
    condition: bool,
});

/// `X = (A + jitter I)⁻¹ B` with its certificate, in one call.
///
/// `a` is `n x n`, symmetric positive definite, `b` is `n x r`. To solve again with the same matrix keep an
/// [`SpdFactor`].
///
/// # Errors
/// As [`SpdFactor::new`] and [`SpdFactor::solve`].
///
/// ```
/// use mercer::{Device, linalg::{SpdParams, solve_spd}};
/// let a = ndarray::array![[4.0, 1.0], [1.0, 3.0]];
/// let b = ndarray::array![[6.0], [7.0]];
/// let solution = solve_spd(&Device::cpu(), a.view(), b.view(), &SpdParams::default())?;
/// assert!((solution.x[[0, 0]] - 1.0).abs() < 1e-15 && (solution.x[[1, 0]] - 2.0).abs() < 1e-15);
/// assert!(solution.certificate.backward_error < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn solve_spd(
    device: &Device,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    params: &SpdParams,
) -> Result<Solution> {
    block("solve_spd", "b", b, a.nrows())?;
    SpdFactor::new(device, a, params)?.solve(b)
}
