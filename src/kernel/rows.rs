//! Single rows of a Gram matrix, for methods that need some of them and never all: `K[i, j] = k(x_i, x_j)` of one data set.
//!
//! In f64 on the CPU, on every core if a row is long. Checked in `tests/svm/rows.rs` through machines whose cache holds one
//! row, against those whose cache holds all.

use std::ops::Range;

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;

use super::{Kernel, Packed, Points, Program, Scratch};
use crate::Result;

/// Columns that one task computes.
const WIDTH: usize = 512;
/// Rows that one task computes together: the packed points pass through the caches once for all of them.
const TOGETHER: usize = 16;
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

    /// `K[i, :]` for each i of `which` into the row of the same place, white noise included: many rows at a time cost a
    /// fraction of one after another.
    pub fn fill_many(&self, which: &[usize], out: &mut [Vec<f64>]) {
        let n = self.packed.n;
        let groups = which.par_chunks(TOGETHER).zip(out.par_chunks_mut(TOGETHER));
        groups.for_each_init(
            || (Scratch::default(), vec![0.0; TOGETHER * WIDTH]),
            |(scratch, tile), (which, out)| {
                let some = Points { z: self.points.z.select(Axis(0), which) };
                for from in (0..n).step_by(WIDTH) {
                    let part = from..n.min(from + WIDTH);
                    let tile = &mut tile[..which.len() * part.len()];
                    let rows = 0..which.len();
                    self.program.tile(&some, rows, &self.packed, part.clone(), false, tile, scratch);
                    for (tile, out) in tile.chunks_exact(part.len()).zip(out.iter_mut()) {
                        out[part.clone()].copy_from_slice(tile);
                    }
                }
                // White noise is of a point with itself, which the tile of chosen rows does not know.
                for (&i, out) in which.iter().zip(out) {
                    let mut own = [0.0];
                    self.program.tile(
                        &self.points,
                        i..i + 1,
                        &self.packed,
                        i..i + 1,
                        true,
                        &mut own,
                        scratch,
                    );
                    out[i] = own[0];
                }
            },
        );
    }

    /// Rows of the Gram matrix of some of the points.
    pub fn some(&self, which: &[usize]) -> GramRows {
        let points = Points { z: self.points.z.select(Axis(0), which) };
        let packed = Packed::new(&points);
        GramRows { program: self.program.clone(), points, packed }
    }
}
