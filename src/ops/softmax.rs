//! Softmax of each row.
//!
//! The largest entry and the sum come from `logsumexp`'s shader. Checked against the shifted definition in f64 in
//! `tests/ops/softmax.rs`.

use ndarray::Array2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::logsumexp;
use super::map::{TASK, grid};
use super::reduce::{GROUP, operand};
use crate::gpu::{Gpu, Pass, Shader};
use crate::host::memory::copy;
use crate::kernel::vector;
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/softmax.wgsl");

/// Mirrors `Params` in `shaders/softmax.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
}

/// `out[i, j] = exp(a[i, j]) / sum_k exp(a[i, k])`.
///
/// `a` and the result are `n x m`; every row of the result sums to one, whatever the magnitude of the entries. At
/// least one entry of each row must be finite.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::softmax};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1e6, 1e6], [0.0, -1e6]].view())?;
/// assert_eq!(softmax(&a)?.to_array()?, ndarray::array![[0.5, 0.5], [1.0, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn softmax(a: &Matrix) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu().clone()).0)),
        Shared::Gpu(gpu) => gpu.guard("softmax", || on_gpu(gpu, a)),
    }
}

/// [`softmax`], and [`logsumexp`](super::logsumexp()) of the same rows (`n x 1`), at the price of one; on the CPU in the
/// memory of `a`, if nobody else holds it.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::softmax_logsumexp};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[3f64.ln(), 0.0]].view())?;
/// let (parts, whole) = softmax_logsumexp(a)?;
/// assert!((parts.to_array()?[[0, 0]] - 0.75).abs() < 1e-15);
/// assert!((whole.to_array()?[[0, 0]] - 4f64.ln()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn softmax_logsumexp(a: Matrix) -> Result<(Matrix, Matrix)> {
    match a.place() {
        Shared::Cpu => {
            let (parts, whole) = cpu(a.into_array()?);
            Ok((Matrix::from_host(parts), Matrix::from_host(whole)))
        }
        Shared::Gpu(gpu) => {
            gpu.guard("softmax", || Ok((on_gpu(gpu, &a)?, logsumexp::on_gpu(gpu, &a, true)?)))
        }
    }
}

fn cpu(mut out: Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    if !out.is_standard_layout() {
        out = copy(out.view());
    }
    let (n, m) = out.dim();
    let mut whole = Array2::zeros((n, 1));
    let rows = (TASK / m).max(1); // of one task
    let fresh = "host matrices are stored row after row";
    let (entries, sums) = (out.as_slice_mut().expect(fresh), whole.as_slice_mut().expect(fresh));
    entries.par_chunks_mut(rows * m).zip(sums.par_chunks_mut(rows)).for_each(|(block, sums)| {
        Arch::new().dispatch(Rows { block, sums });
    });
    (out, whole)
}

/// The same of a few rows on the calling thread, as many as there are sums.
pub(crate) fn softmax_block(block: &mut [f64], sums: &mut [f64]) {
    Arch::new().dispatch(Rows { block, sums });
}

/// Some rows, in place, and their logarithms of sums.
struct Rows<'a> {
    block: &'a mut [f64],
    sums: &'a mut [f64],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) {
        // Only x86 has machines without a fused multiply-add among those that matter.
        if S::IS_SCALAR && cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            self.run::<false>();
        } else {
            self.run::<true>();
        }
    }
}

impl Rows<'_> {
    /// In three passes: the exponentials of short rows are then as long a vector loop as those of long ones.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn run<const FMA: bool>(self) {
        let m = self.block.len() / self.sums.len();
        for (row, top) in self.block.chunks_exact_mut(m).zip(self.sums.iter_mut()) {
            // A finite start: the difference of two infinities is not a number.
            *top = row.iter().fold(f64::MIN, |top, x| if *x > top { *x } else { top });
            for x in row.iter_mut() {
                *x -= *top;
            }
        }
        for x in self.block.iter_mut() {
            *x = vector::exp::<FMA>(*x);
        }
        for (row, whole) in self.block.chunks_exact_mut(m).zip(self.sums) {
            let sum: f64 = row.iter().sum();
            let share = 1.0 / sum;
            for x in row.iter_mut() {
                *x *= share;
            }
            *whole += sum.ln();
        }
    }
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    let pairs = logsumexp::on_gpu(gpu, a, false)?;
    let out = Matrix::alloc(gpu, "softmax.out", a.shape(), Precision::Single)?;
    let (key, source) = operand("softmax", a);
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &[a, &pairs, &out])?) {
        let count = rows.len() * a.vec4s();
        let (grid, stride) = grid(count);
        let params = Params { count: count as u32, stride, cols: a.cols() as u32, vec4s: a.vec4s() as u32 };
        gpu.run(&Pass {
            op: "softmax",
            shader: Shader::new(&key, &[&source, SHADER]),
            entry: "main",
            constants: &[],
            binds: &[a, &pairs, &out].map(|m| m.rows_bind(rows.start, rows.end)),
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}
