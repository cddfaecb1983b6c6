//! The diagonal of a Gram matrix: `k(x_i, x_i)`, without the rest of it.
//!
//! Checked in `tests/ops/gram_diagonal.rs` against the stored matrix.

use ndarray::Array2;

use super::gram::{Loaded, Params, TILE};
use crate::gpu::{Gpu, Pass};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Kernel, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/gram_diagonal.wgsl");

/// `out[i] = k(x_i, x_i)`, white noise included: `n x 1` from `x` (`n x d`).
///
/// # Errors
/// As [`gram`](super::gram()).
///
/// ```
/// use mercer::{Device, Kernel, Matrix, ops::gram_diagonal};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 3.0])?;
/// let d = gram_diagonal(&(Kernel::linear() + Kernel::white(0.5)), &x)?.to_array()?;
/// assert_eq!(d.column(0).to_vec(), [0.5, 9.5]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gram_diagonal(kernel: &Kernel, x: &Matrix) -> Result<Matrix> {
    match x.place() {
        Shared::Cpu => cpu(kernel, x.cpu()).map(Matrix::from_host),
        Shared::Gpu(gpu) => gpu.guard("gram_diagonal", || on_gpu(gpu, kernel, x)),
    }
}

fn cpu(kernel: &Kernel, x: &Array2<f64>) -> Result<Array2<f64>> {
    let program = kernel.program_for("gram_diagonal", x.ncols())?;
    let points = program.points("gram_diagonal", x.view())?;
    let diagonal = program.diagonal(&points, true);
    Ok(ndarray::Array1::from(diagonal).insert_axis(ndarray::Axis(1)))
}

fn on_gpu(gpu: &Gpu, kernel: &Kernel, x: &Matrix) -> Result<Matrix> {
    let loaded = Loaded::new("gram_diagonal", gpu, kernel, x, None, false)?;
    let out = Matrix::alloc(gpu, "gram_diagonal.out", (x.rows(), 1), Precision::Single)?;
    let parts = loaded.parts(&[SHADER]);
    for rows in windows(x.rows(), step(&gpu.limits(), TILE, &[&loaded.x, &out])?) {
        let [theta, xs, ys] = loaded.binds(&rows, &rows);
        let params = Params { stride: 1, ..loaded.params(&rows, &rows) };
        gpu.run(&Pass {
            op: "gram_diagonal",
            shader: loaded.shader(&loaded.key, &parts),
            entry: "main",
            constants: &[],
            binds: &[theta, xs, ys, out.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [rows.len().div_ceil(TILE) as u32, 1, 1],
            work: 0.0,
        })?;
    }
    Ok(out)
}
