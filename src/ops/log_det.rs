//! The log-determinant of a matrix from its Cholesky factor.
//!
//! Checked against the sum of the logarithms in f64 in `tests/ops/log_det.rs`.

use super::{diagonal, require};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Result};

const SHADER: &str = include_str!("../../shaders/log_det.wgsl");
const BLOCK: usize = 1024; // entries per workgroup

/// Mirrors `Params` in `shaders/log_det.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    first: u32,
    out_first: u32,
}

/// `log det A = 2 sum_i log L[i, i]` for `A = L L^T`.
///
/// `l` is the `n x n` lower triangular factor; only its diagonal is read. From a GPU one word in a thousand of the
/// diagonal comes back: sums of 1024 logarithms, added up in f64.
///
/// # Errors
/// [`Error::Shape`] if `l` is not square, [`Error::Singular`] with the first diagonal entry that is not positive.
///
/// ```
/// use mercer::{Device, Matrix, ops::log_det};
/// let l = Matrix::from_array(&Device::cpu(), ndarray::array![[2.0, 0.0], [1.0, 3.0]].view())?;
/// assert!((log_det(&l)? - 36f64.ln()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn log_det(l: &Matrix) -> Result<f64> {
    let (n, m) = l.shape();
    require("log_det", n == m, || format!("l is {n} x {m} and should be square"))?;
    match l.place() {
        Shared::Cpu => cpu(l),
        Shared::Gpu(gpu) => gpu.guard("log_det", || on_gpu(gpu, l)),
    }
}

fn cpu(l: &Matrix) -> Result<f64> {
    let mut sum = 0.0;
    for (index, &value) in l.cpu().diag().iter().enumerate() {
        if value <= 0.0 || value.is_nan() {
            return Err(Error::Singular { op: "log_det", index, value });
        }
        sum += value.ln();
    }
    Ok(2.0 * sum)
}

fn on_gpu(gpu: &Gpu, l: &Matrix) -> Result<f64> {
    let d = diagonal(l)?;
    let n = d.rows();
    let most = step(&gpu.limits(), BLOCK, &[&d])?;
    // A window starts a block of its own.
    let blocks: usize = windows(n, most).map(|rows| rows.len().div_ceil(BLOCK)).sum();
    let out = gpu.alloc("log_det.out", 16 * blocks as u64)?;
    let mut out_first = 0;
    for rows in windows(n, most) {
        let groups = rows.len().div_ceil(BLOCK) as u32;
        let params = Params { rows: rows.len() as u32, first: rows.start as u32, out_first };
        gpu.run(&Pass {
            op: "log_det",
            shader: Shader::new("log_det", &[SHADER]),
            entry: "main",
            constants: &[],
            binds: &[d.rows_bind(rows.start, rows.end), out.whole()],
            params: bytemuck::bytes_of(&params),
            grid: [groups, 1, 1],
            work: 0.0,
        })?;
        out_first += groups;
    }
    let raw = gpu.download(&out, 0, 16 * blocks as u64)?;
    let mut sum = 0.0;
    for block in raw.chunks_exact(16) {
        let [bits, index, value, _]: [u32; 4] = bytemuck::pod_read_unaligned(block);
        // What only pretends has written nothing.
        if index != u32::MAX && !gpu.pretends() {
            let value = f64::from(f32::from_bits(value));
            return Err(Error::Singular { op: "log_det", index: index as usize, value });
        }
        sum += f64::from(f32::from_bits(bits));
    }
    Ok(2.0 * sum)
}
