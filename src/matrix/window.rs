//! Splitting rows so that each part of a matrix fits one binding and one grid axis.

use std::ops::Range;

use super::row_bytes;
use crate::gpu::Limits;
use crate::{Error, Matrix, Result};

/// Consecutive windows of `step` rows that cover `0..rows`.
pub(crate) fn windows(rows: usize, step: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let step = step.max(1);
    (0..rows).step_by(step).map(move |from| from..rows.min(from + step))
}

/// Whole tiles of rows whose work stays within the budget, at least one; `each` is the work of a row.
pub(crate) fn affordable(budget: f64, each: f64, tile: usize) -> usize {
    ((budget / each.max(1.0) / tile as f64) as usize).max(1).saturating_mul(tile)
}

/// Most rows that fit one binding of each operand and, at `tile` rows a workgroup, one axis of the grid.
///
/// A multiple of every operand's row alignment, and of four, so that a window of rows is whole vec4s of columns in a
/// transposed operand.
///
/// # Errors
/// [`Error::TooLarge`] if not even one such window fits.
pub(crate) fn step(limits: &Limits, tile: usize, operands: &[&Matrix]) -> Result<usize> {
    let align = operands.iter().map(|m| m.row_align()).fold(4, usize::max);
    let mut most = limits.groups_per_axis as usize * tile;
    for m in operands {
        let row = row_bytes(m.cols(), m.precision());
        let fit = (limits.binding_bytes / row) as usize;
        if m.rows() > fit {
            if fit < align {
                let (need, limit) = (row * align as u64, limits.binding_bytes);
                return Err(Error::TooLarge {
                    what: format!("{align} rows of {} columns", m.cols()),
                    need,
                    limit,
                });
            }
            most = most.min(fit);
        }
    }
    Ok(most / align * align)
}
