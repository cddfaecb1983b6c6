//! Kernel matrices on the CPU: the kernel's program over strips of rows, on every core.

use ndarray::Array2;
use rayon::prelude::*;

use crate::check::is_finite;
use crate::host::memory::{Scattered, room};
use crate::kernel::{Packed, Points, Program, Scratch};
use crate::{Error, Kernel, Result};

/// Rows of a strip on the CPU: one cache line of a column, so that mirroring a strip writes whole lines.
pub(in crate::ops) const STRIP: usize = 8;

/// Both operands made ready for the tile loops of the CPU.
pub(in crate::ops) struct Ready {
    pub program: Program,
    pub x: Points,
    pub y: Packed,
    /// Whether x and y are one data set.
    pub same: bool,
}

impl Ready {
    pub fn new(op: &'static str, kernel: &Kernel, x: &Array2<f64>, y: Option<&Array2<f64>>) -> Result<Self> {
        let program = kernel.program_for(op, x.ncols())?;
        let points = program.points(op, x.view())?;
        let packed = match y {
            None => Packed::new(&points),
            Some(y) => Packed::new(&program.points(op, y.view())?),
        };
        Ok(Ready { program, x: points, y: packed, same: y.is_none() })
    }
}

pub(super) fn cpu(kernel: &Kernel, x: &Array2<f64>, y: Option<&Array2<f64>>) -> Result<Array2<f64>> {
    let ready = Ready::new("gram", kernel, x, y)?;
    let (n, m) = (ready.x.len(), ready.y.n);
    let mut out = room(n, m);
    let slice = out.as_slice_mut().expect("a new array is row-major");
    let sound = if ready.same {
        symmetric(&ready, slice, n, true)
    } else {
        let strips = slice.par_chunks_mut(STRIP * m).enumerate();
        let made = strips.map_init(Scratch::default, |scratch, (s, strip)| {
            let rows = s * STRIP..s * STRIP + strip.len() / m;
            ready.program.tile(&ready.x, rows, &ready.y, 0..m, false, strip, scratch);
            is_finite(strip)
        });
        // Every strip is made, whatever the others hold.
        made.reduce(|| true, |a, b| a & b)
    };
    if sound { Ok(out) } else { Err(overflow(&out, ready.same)) }
}

/// The error of the first value that is no number; of one data set, on or below the diagonal.
fn overflow(k: &Array2<f64>, same: bool) -> Error {
    let first = k.indexed_iter().find(|((row, col), v)| !v.is_finite() && (!same || col <= row));
    let ((row, col), value) = first.map_or(((0, 0), f64::NAN), |(at, v)| (at, *v));
    Error::Overflow { op: "gram", what: "the kernel", value, row, col }
}

/// K of one data set on the host, on and below its diagonal; what is above it is not to be read.
pub(crate) fn gram_lower(kernel: &Kernel, x: &Array2<f64>) -> Result<Array2<f64>> {
    let ready = Ready::new("gram", kernel, x, None)?;
    let n = ready.x.len();
    let mut out = room(n, n);
    let sound = symmetric(&ready, out.as_slice_mut().expect("a new array is row-major"), n, false);
    if sound { Ok(out) } else { Err(overflow(&out, true)) }
}

/// Strips of rows up to the diagonal, each stored as it is and, where the whole is wanted, mirrored. Whether all are finite.
fn symmetric(ready: &Ready, out: &mut [f64], n: usize, whole: bool) -> bool {
    let shared = Scattered::new(out);
    let strips = n.div_ceil(STRIP);
    // Long strips first: the short ones fill the gaps at the end.
    let made = (0..strips).into_par_iter().rev().with_max_len(1).map_init(
        || (Scratch::default(), Vec::new()),
        |(scratch, tile), s| {
            let shared = &shared;
            let rows = s * STRIP..n.min((s + 1) * STRIP);
            let width = rows.end;
            tile.resize(rows.len() * width, 0.0);
            ready.program.tile(&ready.x, rows.clone(), &ready.y, 0..width, true, tile, scratch);
            let mut sound = true;
            for (i, row) in rows.clone().zip(tile.chunks_exact(width)) {
                sound &= is_finite(&row[..=i]);
                // SAFETY: entries (i, 0..=i) with i in this strip belong to this strip alone.
                unsafe { shared.put_row(i * n, &row[..=i]) };
            }
            if !whole {
                return sound;
            }
            for j in 0..width {
                for i in rows.clone().filter(|&i| i > j) {
                    // SAFETY: entries (j, i) with i in this strip and j < i belong to this strip alone.
                    unsafe { shared.put(j * n + i, tile[(i - rows.start) * width + j]) };
                }
            }
            sound
        },
    );
    made.reduce(|| true, |a, b| a & b)
}
