//! The k nearest rows of each row, ties by index, and how much each of them counts.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

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
    let _ = (op, device);
    let (m, data) = (x.nrows(), data.as_standard_layout());
    let each = |i: usize| {
        let mut all: Vec<(f64, usize)> = data
            .rows()
            .into_iter()
            .enumerate()
            .map(|(j, row)| (x.row(i).iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum(), j))
            .collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if k < all.len() {
            all.select_nth_unstable_by(k - 1, order);
            all.truncate(k);
        }
        all.sort_unstable_by(order);
        all
    };
    let found: Vec<_> = (0..m).into_par_iter().map(each).collect();
    let index = Array2::from_shape_fn((m, k), |(i, j)| found[i][j].1);
    Ok((index, Array2::from_shape_fn((m, k), |(i, j)| found[i][j].0)))
}
