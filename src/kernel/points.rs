//! Data made ready for one kernel: Z = [X | derived columns], and its packing for the tile loops.

use ndarray::{Array2, ArrayView2, s};

use super::program::{Function, Program};
use crate::{Error, Result};

/// Columns in one panel of [`Packed`]: two AVX2 registers, one of AVX-512.
pub(crate) const LANES: usize = 8;

/// Prepared data of one kernel: Z = [X | derived columns], row-major, n x dz.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    /// The matrix Z.
    pub z: Array2<f64>,
}

impl Program {
    /// Z = [X | derived columns].
    pub(crate) fn points(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Points> {
        let (n, d) = x.dim();
        if d != self.d {
            let what = format!("the points have {d} features, the kernel was lowered for {}", self.d);
            return Err(Error::Shape { op, what });
        }
        let mut z = Array2::zeros((n, self.dz));
        z.slice_mut(s![.., ..d]).assign(&x);
        for (row, mut z) in z.outer_iter_mut().enumerate() {
            let z = z.as_slice_mut().expect("a new array is row-major");
            finite(op, "the data", row, 0, &z[..d])?;
            for step in &self.derived {
                let source: Vec<f64> = step.source.iter().map(|&c| z[c]).collect();
                let values = match &step.function {
                    Function::Map(f) => f.apply(&source)?,
                    Function::Matrix(b) => b.times(&source),
                };
                z[step.first..step.first + values.len()].copy_from_slice(&values);
                finite(op, "a mapped point", row, step.first, &values)?;
            }
            for &(col, table) in &self.indices {
                self.tables[table].index(op, z[col], row, col)?;
            }
        }
        Ok(Points { z })
    }
}

fn finite(op: &'static str, what: &'static str, row: usize, first: usize, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(Error::NotFinite { op, what, value: values[i], row, col: first + i }),
        None => Ok(()),
    }
}

impl Points {
    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.z.nrows()
    }

    /// One point.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        let dz = self.z.ncols();
        &self.z.as_slice().expect("Z is row-major")[i * dz..(i + 1) * dz]
    }
}

/// Z of the right-hand points, feature-major in panels of [`LANES`] points, so that the inner loops run along
/// points. Packed once for an operation, not for each tile.
///
/// The last panel is filled up with copies of the last point: what is computed there is discarded, and a copy
/// cannot overflow where the original does not.
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    pub n: usize,
    pub dz: usize,
    pub data: Vec<f64>,
}

impl Packed {
    /// Packs prepared points.
    pub(crate) fn new(y: &Points) -> Self {
        let (n, dz) = y.z.dim();
        let mut data = vec![0.0; n.div_ceil(LANES) * dz * LANES];
        for (p, panel) in data.chunks_exact_mut(dz * LANES).enumerate() {
            for lane in 0..LANES {
                let row = y.row((p * LANES + lane).min(n - 1));
                for (f, &v) in row.iter().enumerate() {
                    panel[f * LANES + lane] = v;
                }
            }
        }
        Packed { n, dz, data }
    }

    pub(crate) fn panel(&self, p: usize) -> &[f64] {
        &self.data[p * self.dz * LANES..(p + 1) * self.dz * LANES]
    }

    /// One feature of one point.
    pub(crate) fn at(&self, i: usize, f: usize) -> f64 {
        self.data[(i / LANES * self.dz + f) * LANES + i % LANES]
    }
}
