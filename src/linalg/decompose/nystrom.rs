//! Nyström's approximation: `A ≈ C W⁻¹ C^T` from the columns C of some landmarks and the block W where they cross.

use ndarray::{Array2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::low_rank::LowRank;
use crate::check::{parameter, require, room};
use crate::linalg::iterative::operator::{Operator, has_columns};
use crate::linalg::solve::factor::Factor;
use crate::linalg::solve::jitter::Jitter;
use crate::ops::{Side, Trans, Triangle, solve_triangular};
use crate::{Error, Matrix, Result};

/// `F = C L⁻ᵀ`, `L L^T = W + jitter I`, so that `F F^T = C (W + jitter I)⁻¹ C^T ≈ A`: `n x m` from m landmarks.
///
/// Exact if every point is a landmark and there is no jitter; `A - F F^T` is positive semi-definite in any case.
/// Landmarks that are near each other make W singular: allow a jitter, above all on a GPU, whose columns carry the
/// rounding of f32.
///
/// # Errors
/// [`Error::Shape`] if there are no landmarks, or one that is out of range or listed twice;
/// [`Error::NotPositiveDefinite`] if W is not, and no jitter allowed makes it so.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, linalg::{Jitter, KernelOperator, nystrom}};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 0.1, 2.0, 2.1])?;
/// let k = KernelOperator::new(&Kernel::rbf(1.0), &x, 0.0)?;
/// assert!(nystrom(&k, &[0, 2], Jitter::Never)?.residual < 0.01);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn nystrom(op: &dyn Operator, landmarks: &[usize], jitter: Jitter) -> Result<LowRank> {
    let n = op.dim();
    has_columns("nystrom", landmarks, n)?;
    let mut seen = vec![false; n];
    let twice = landmarks.iter().find(|&&i| std::mem::replace(&mut seen[i], true));
    require("nystrom", twice.is_none(), || format!("landmark {} is listed twice", twice.unwrap_or(&0)))?;
    let c = op.columns(landmarks)?;
    let mut w = c.select(Axis(0), landmarks);
    // What f32 has rounded differently on the two sides of the diagonal.
    w = (&w + &w.t()) * 0.5;
    let mean = w.diag().mean().unwrap_or(0.0).abs();
    let (factor, added) = jitter
        .climb(mean, |added| {
            let mut shifted = w.clone();
            shifted.diag_mut().mapv_inplace(|v| v + added);
            Ok((Factor::in_f64(shifted)?, added))
        })
        .map_err(|e| match e {
            Error::NotPositiveDefinite { pivot, value, .. } => {
                Error::NotPositiveDefinite { op: "nystrom", pivot, value }
            }
            other => other,
        })?;
    finish(op, c, &factor.l, landmarks, added)
}

fn finish(
    op: &dyn Operator,
    c: Array2<f64>,
    l: &Matrix,
    landmarks: &[usize],
    jitter: f64,
) -> Result<LowRank> {
    let factor =
        solve_triangular(l, Triangle::Lower, Trans::Yes, Side::Right, &Matrix::from_host(c))?.to_array()?;
    let diagonal = op.diagonal()?;
    let kept = factor.map_axis(Axis(1), |row| row.dot(&row));
    let total = diagonal.sum();
    let residual = if total > 0.0 { ((diagonal - kept).sum() / total).max(0.0) } else { 0.0 };
    Ok(LowRank { factor, pivots: landmarks.to_vec(), residual, trace: Vec::new(), jitter })
}

/// `m` different indices below `n`, uniformly, the same for the same seed.
///
/// # Errors
/// [`Error::Parameter`] if `m` is zero or above `n`, or memory has no room for n numbers.
pub fn landmarks(n: usize, m: usize, seed: u64) -> Result<Vec<usize>> {
    parameter("landmarks", m as f64, (1..=n).contains(&m), "must be between 1 and the number of points")?;
    room("points", n, size_of::<usize>())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut all: Vec<usize> = (0..n).collect();
    for i in 0..m {
        all.swap(i, rng.random_range(i..n));
    }
    all.truncate(m);
    // Whoever keeps them keeps no room for the others.
    all.shrink_to_fit();
    Ok(all)
}
