//! The k nearest rows of each row, ties by index, and how much each of them counts.

use ndarray::{Array2, ArrayView2};

use crate::matrix::{Origin, Points};
use crate::ops::nearest_k;
use crate::{Device, Result};

/// How much a neighbour counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Vote {
    /// All the same.
    #[default]
    Uniform,
    /// By the inverse of its distance; if some lie on the row itself, these alone.
    Distance,
}

impl Vote {
    /// One weight for each squared distance, ascending.
    pub(super) fn weights(self, squares: &[f64]) -> Vec<f64> {
        let on_it = squares.first() == Some(&0.0);
        let of = |s: &f64| match self {
            Vote::Uniform => 1.0,
            Vote::Distance if on_it => f64::from(u8::from(*s == 0.0)),
            Vote::Distance => (squares[0] / s).sqrt(),
        };
        squares.iter().map(of).collect()
    }
}

/// The indices of the k nearest rows of `data` for each row of `x`, nearest first, the lower index of equals, and their
/// squared distances: both `m x k`.
pub(super) fn neighbours(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    data: ArrayView2<f64>,
    k: usize,
) -> Result<(Array2<usize>, Array2<f64>)> {
    let work = 3.0 * x.len() as f64 * data.nrows() as f64;
    let points = Points::new(op, device, data, Origin::Free, work)?;
    let found = nearest_k(&points.like(op, x)?, points.matrix()?, k)?;
    Ok((found.index, found.squared_distance))
}
