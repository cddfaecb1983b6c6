//! Derivatives by the points, and derivatives of the diagonal: what moves an inducing point or a candidate.
//!
//! Computed in f64 on the CPU, on every core. Checked in `src/kernel/tests/input_gradient.rs` against central
//! differences of the definition, over every kernel there is.

use ndarray::{Array2, ArrayView1, ArrayView2, s};
use rayon::prelude::*;

use super::custom::DIFFERENCE;
use super::points::LANES;
use super::program::{Derived, Function, Instr};
use super::{Kernel, Packed, Points, Program, Scratch};
use crate::{Error, Result};

/// Rows of a strip: one task.
const STRIP: usize = 8;
/// Points of y in a tile.
const WIDTH: usize = 512;
/// Points of the diagonal in one task.
const TASK: usize = 1024;

/// Derivatives by the points.
impl Kernel {
    /// `G[i, f] = Σ_j w_ij ∂k(x_i, y_j)/∂x_if`: `n x d` from `x` (`n x d`), `y` (`m x d`) and `weights` (`n x m`).
    ///
    /// Only the first argument moves. As k is symmetric, the sum `Σ_ij w_ij k(x_i, x_j)` over one data set with
    /// symmetric weights has twice this gradient (with `y = x`), and so `∂k(x, x)/∂x` is twice the derivative at
    /// `y = x` with the weight one. White noise has no derivative.
    ///
    /// Where k has a kink (Laplacian and Matérn-½ at equal coordinates) the derivative is taken as zero, the mean of
    /// both sides. Closures, that is custom kernels, warps and maps, are differentiated by central differences, to
    /// about ten digits; all else is exact. It runs on the CPU in f64, wherever the model runs.
    ///
    /// # Errors
    /// [`Error::Shape`] for operands that do not fit, [`Error::Parameter`] for a parameter out of its domain,
    /// [`Error::NotFinite`] for NaN or infinite points or weights, [`Error::Unsupported`] for a precomputed matrix, whose
    /// indices cannot move.
    ///
    /// ```
    /// use mercer::Kernel;
    /// use ndarray::array;
    ///
    /// let (x, y) = (array![[0.5]], array![[0.0], [2.0]]);
    /// let g = Kernel::rbf(1.0).input_gradient(x.view(), y.view(), array![[1.0, 3.0]].view())?;
    /// let by_hand = -0.5 * (-0.125_f64).exp() + 3.0 * 1.5 * (-1.125_f64).exp();
    /// assert!((g[[0, 0]] - by_hand).abs() < 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn input_gradient(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: ArrayView2<f64>,
    ) -> Result<Array2<f64>> {
        const OP: &str = "input_gradient";
        let (n, m) = (x.nrows(), y.nrows());
        if n == 0 || m == 0 || weights.dim() != (n, m) {
            let what = format!("the weights are {:?}, the points make {n} x {m} pairs", weights.dim());
            return Err(Error::Shape { op: OP, what });
        }
        if let Some(((row, col), &value)) = weights.indexed_iter().find(|(_, w)| !w.is_finite()) {
            return Err(Error::NotFinite { op: OP, what: "the weights", value, row, col });
        }
        let program = self.program_for(OP, x.ncols())?;
        if program.code.iter().any(|i| matches!(i, Instr::Lookup { .. })) {
            return Err(Error::Unsupported {
                op: OP,
                what: "the derivative of a precomputed kernel by its indices".to_owned(),
                device: "any device".to_owned(),
                instead: "keep the points where they are",
            });
        }
        let (points, packed) = (program.points(OP, x)?, Packed::new(&program.points(OP, y)?));
        let mut by_z = vec![0.0; n * program.dz];
        by_z.par_chunks_mut(STRIP * program.dz).enumerate().for_each_init(
            || (Scratch::default(), Vec::new()),
            |(scratch, tile), (strip, out)| {
                let rows = strip * STRIP..n.min((strip + 1) * STRIP);
                for first in (0..m).step_by(WIDTH) {
                    let cols = first..m.min(first + WIDTH);
                    tile.clear();
                    tile.extend(weights.slice(s![rows.clone(), cols.clone()]));
                    program.tile_inputs(&points, rows.clone(), &packed, cols, tile, out, scratch);
                }
            },
        );
        let by_z = Array2::from_shape_vec((n, program.dz), by_z)
            .map_err(|e| Error::Shape { op: OP, what: e.to_string() })?;
        program.pull_back(&points, by_z)
    }

    /// `Σ_i w_i ∂k(x_i, x_i)/∂p` for each of [`Kernel::params`], on the natural scale; white noise included.
    ///
    /// # Errors
    /// As [`Kernel::input_gradient`], but any kernel will do.
    ///
    /// ```
    /// use mercer::Kernel;
    /// use ndarray::array;
    ///
    /// let k = 2.0 * Kernel::rbf(0.7) + Kernel::white(0.1);
    /// let g = k.variance_gradient(array![[0.0], [5.0]].view(), array![1.0, 3.0].view())?;
    /// assert_eq!(g, [4.0, 0.0, 4.0]); // by the scale, the length scale and the noise
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn variance_gradient(&self, x: ArrayView2<f64>, weights: ArrayView1<f64>) -> Result<Vec<f64>> {
        const OP: &str = "variance_gradient";
        let n = x.nrows();
        if n == 0 || weights.len() != n {
            return Err(Error::Shape { op: OP, what: format!("{n} points, {} weights", weights.len()) });
        }
        if let Some((row, &value)) = weights.indexed_iter().find(|(_, w)| !w.is_finite()) {
            return Err(Error::NotFinite { op: OP, what: "the weights", value, row, col: 0 });
        }
        let program = self.program_for(OP, x.ncols())?;
        let points = program.points(OP, x)?;
        let packed = Packed::new(&points);
        let tasks: Vec<Vec<f64>> = (0..n.div_ceil(TASK))
            .into_par_iter()
            .map(|task| {
                let (mut grad, mut scratch) = (vec![0.0; program.params], Scratch::default());
                // A panel against its own rows, as in `Program::diagonal`.
                for first in (task * TASK..n.min((task + 1) * TASK)).step_by(LANES) {
                    let range = first..n.min(first + LANES);
                    let k = range.len();
                    let mut tile = [0.0; LANES * LANES];
                    range.clone().enumerate().for_each(|(i, at)| tile[i * k + i] = weights[at]);
                    let tile = &tile[..k * k];
                    program.tile_sum(
                        &points,
                        range.clone(),
                        &packed,
                        range,
                        true,
                        tile,
                        Some(&mut grad),
                        &mut scratch,
                    );
                }
                grad
            })
            .collect();
        let mut sum = vec![0.0; program.params];
        for grad in tasks {
            sum.iter_mut().zip(grad).for_each(|(s, g)| *s += g);
        }
        Ok(sum)
    }
}

impl Program {
    /// From derivatives by the columns of Z to derivatives by the features: the last derived columns first.
    fn pull_back(&self, points: &Points, mut by_z: Array2<f64>) -> Result<Array2<f64>> {
        for step in self.derived.iter().rev() {
            for i in 0..points.len() {
                let source: Vec<f64> = step.source.iter().map(|&c| points.row(i)[c]).collect();
                let mut row = by_z.row_mut(i);
                for (at, &c) in step.source.iter().enumerate() {
                    let slope = step.slope(&source, at)?;
                    row[c] += slope.iter().enumerate().map(|(o, s)| s * row[step.first + o]).sum::<f64>();
                }
            }
        }
        Ok(by_z.slice(s![.., ..self.d]).to_owned())
    }
}

impl Derived {
    /// The derivatives of all derived columns by entry `at` of the source.
    fn slope(&self, source: &[f64], at: usize) -> Result<Vec<f64>> {
        match &self.function {
            Function::Matrix(b) => Ok((0..b.rows).map(|o| b.at(o, at)).collect()),
            Function::Map(f) => {
                let step = DIFFERENCE * source[at].abs().max(1.0);
                let mut moved = source.to_vec();
                moved[at] = source[at] + step;
                let up = f.apply(&moved)?;
                let width = moved[at] - (source[at] - step);
                moved[at] = source[at] - step;
                let down = f.apply(&moved)?;
                Ok(up.iter().zip(down).map(|(u, d)| (u - d) / width).collect())
            }
        }
    }
}
