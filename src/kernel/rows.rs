//! Single rows of a Gram matrix, for methods that need some of them and never all: `K[i, j] = k(x_i, x_j)` of one data set.
//!
//! In f64 on the CPU, on every core if a row is long. Checked in `tests/svm/rows.rs` through machines whose cache holds one
//! row, against those whose cache holds all.

use std::ops::Range;

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::{Kernel, Packed, Points, Program, Scratch};
use crate::Result;

/// Columns that one task computes.
const WIDTH: usize = 512;
/// Multiply-adds of a row from which several cores share it.
const SHARED: usize = 1 << 17;

/// Points made ready for rows of their Gram matrix.
#[derive(Debug)]
pub(crate) struct GramRows {
    program: Program,
    points: Points,
    packed: Packed,
}

impl GramRows {
    /// Prepares the points `x`, `n x d`.
    ///
    /// # Errors
    /// As [`gram`](crate::ops::gram()).
    pub fn new(op: &'static str, kernel: &Kernel, x: ArrayView2<f64>) -> Result<Self> {
        let program = kernel.program_for(op, x.ncols())?;
        let points = program.points(op, x)?;
        let packed = Packed::new(&points);
        Ok(GramRows { program, points, packed })
    }

    /// `k(x_i, x_i)`, white noise included.
    pub fn diagonal(&self) -> Vec<f64> {
        self.program.diagonal(&self.points, true)
    }

    /// `K[i, columns]` into `out`, white noise included where i is among the columns.
    pub fn fill(&self, i: usize, columns: Range<usize>, out: &mut [f64]) {
        let tile = |part: Range<usize>, out: &mut [f64], scratch: &mut Scratch| {
            self.program.tile(&self.points, i..i + 1, &self.packed, part, true, out, scratch);
        };
        if columns.len() * (self.packed.dz + 8) < SHARED {
            return tile(columns, out, &mut Scratch::default());
        }
        // Parts begin where whole panels of points do, so that no pair is computed twice.
        let head = columns.start.next_multiple_of(WIDTH).min(columns.end);
        let (first, rest) = out.split_at_mut(head - columns.start);
        if !first.is_empty() {
            tile(columns.start..head, first, &mut Scratch::default());
        }
        rest.par_chunks_mut(WIDTH).enumerate().for_each_init(Scratch::default, |scratch, (c, part)| {
            let from = head + c * WIDTH;
            tile(from..from + part.len(), part, scratch);
        });
    }
}
