//! Log densities of Gaussians: `offset_k - |W_k (x_i - m_k)|^2 / 2`, for all rows and all components.
//!
//! On the CPU the quadratic form is expanded over the products of features, where the expansion loses nothing that
//! matters ([`quadratic`]): one matrix product instead of K. Elsewhere, and on a GPU, differences come first.
//! Checked against the definition in `tests/ops/gaussian_log_density.rs`.

pub(super) mod quadratic;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use self::quadratic::Expansion;
use super::gemm::product_alone;
use super::half::single;
use super::reduce::{GROUP, flat};
use super::require;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Error, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/gaussian_log_density.wgsl");
/// Rows that one thread takes at a time on the CPU.
pub(super) const CHUNK: usize = 128;
/// Vec4s of a row that a workgroup of the GPU stages at most: 64 rows of them are 16 KiB.
const STAGED: usize = 16;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;

/// What turns a difference from a mean into standard units: `W^T W` is the inverse covariance.
#[derive(Debug, Clone, Copy)]
pub enum Whitening<'a> {
    /// K square matrices, one below the other: `(K d) x d`.
    Full(&'a Matrix),
    /// A factor for each feature: `K x d`.
    Diagonal(&'a Matrix),
}

impl<'a> Whitening<'a> {
    fn matrix(self) -> &'a Matrix {
        match self {
            Whitening::Full(w) | Whitening::Diagonal(w) => w,
        }
    }
}

/// Mirrors `Params` in `shaders/gaussian_log_density.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    n: u32,
    k: u32,
    d: u32,
    d4: u32,
    out_stride: u32,
    out_col: u32,
    first: u32,
    end: u32,
}

/// `out[i, k] = offset[k] - |W_k (x_i - m_k)|^2 / 2`.
///
/// `x` is `n x d`, `means` `K x d`, `offset` `1 x K`; the result is `n x K`. With
/// `offset[k] = log π_k + log |det W_k| - (d / 2) log 2π` it is the logarithm of the k-th term of a mixture density.
///
/// # Errors
/// [`Error::Shape`] if the operands do not fit together.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Whitening, gaussian_log_density}};
/// let cpu = Device::cpu();
/// let x = Matrix::from_array(&cpu, ndarray::array![[3.0, 4.0]].view())?;
/// let origin = Matrix::from_array(&cpu, ndarray::array![[0.0, 0.0]].view())?;
/// let units = Matrix::from_array(&cpu, ndarray::array![[1.0, 0.5]].view())?;
/// let zero = Matrix::from_array(&cpu, ndarray::array![[0.0]].view())?;
/// let log = gaussian_log_density(&x, &origin, Whitening::Diagonal(&units), &zero)?;
/// assert_eq!(log.to_array()?[[0, 0]], -0.5 * (9.0 + 4.0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gaussian_log_density(
    x: &Matrix,
    means: &Matrix,
    whitening: Whitening,
    offset: &Matrix,
) -> Result<Matrix> {
    const OP: &str = "gaussian_log_density";
    let ((n, d), k, w) = (x.shape(), means.rows(), whitening.matrix());
    require(OP, means.cols() == d, || format!("x has {d} columns, means {}", means.cols()))?;
    require(OP, offset.shape() == (1, k), || format!("offset is {:?}, for {k} means", offset.shape()))?;
    let wanted = match whitening {
        Whitening::Full(_) => (k * d, d),
        Whitening::Diagonal(_) => (k, d),
    };
    require(OP, w.shape() == wanted, || format!("the whitening is {:?}, not {wanted:?}", w.shape()))?;
    match x.shared(OP, &[means, w, offset])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu(x.cpu(), means.cpu(), whitening, offset.cpu()))),
        Shared::Gpu(gpu) => gpu.guard(OP, || {
            let out = Matrix::alloc(gpu, "gaussian_log_density.out", (n, k), Precision::Single)?;
            on_gpu(gpu, &*single(x)?, means, whitening, offset, &out)?;
            Ok(out)
        }),
    }
}

fn cpu(x: &Array2<f64>, means: &Array2<f64>, whitening: Whitening, offset: &Array2<f64>) -> Array2<f64> {
    let ((n, d), k) = (x.dim(), means.nrows());
    let x = x.as_standard_layout();
    let mut out = Array2::zeros((n, k));
    let expansion = Expansion::of(flat(&x), means, whitening);
    let entries = out.as_slice_mut().expect("a fresh array is contiguous");
    let rows = flat(&x).par_chunks(CHUNK * d);
    entries.par_chunks_mut(CHUNK * k).zip(rows).for_each_init(Vec::new, |scratch, (out, rows)| {
        for row in out.chunks_exact_mut(k) {
            row.iter_mut().zip(offset).for_each(|(o, v)| *o = *v);
        }
        if let Some(expansion) = &expansion {
            expansion.subtract(rows, scratch, out);
        } else {
            let (len, fit) = (rows.len() / d, "a chunk is whole rows");
            let rows = ArrayView2::from_shape((len, d), rows).expect(fit);
            by_difference(rows, means, whitening, ArrayViewMut2::from_shape((len, k), out).expect(fit));
        }
    });
    out
}

/// The definition: differences, then standard units, then squares. Loses nothing however far the points are.
fn by_difference(x: ArrayView2<f64>, means: &Array2<f64>, whitening: Whitening, mut out: ArrayViewMut2<f64>) {
    let d = x.ncols();
    let mut units = Array2::zeros(x.raw_dim());
    for (k, mean) in means.rows().into_iter().enumerate() {
        let difference = &x - &mean;
        match whitening {
            Whitening::Full(w) => {
                let w = w.cpu().slice(s![k * d..(k + 1) * d, ..]);
                product_alone(1.0, difference.view(), w.t(), units.view_mut());
            }
            Whitening::Diagonal(w) => units = difference * w.cpu().row(k),
        }
        for (out, row) in out.column_mut(k).iter_mut().zip(units.axis_iter(Axis(0))) {
            *out -= 0.5 * row.dot(&row);
        }
    }
}

fn on_gpu(
    gpu: &Gpu,
    x: &Matrix,
    means: &Matrix,
    whitening: Whitening,
    offset: &Matrix,
    out: &Matrix,
) -> Result<()> {
    let (d, d4, k) = (x.cols(), x.vec4s(), means.rows());
    let w = whitening.matrix();
    let (entry, each) = match whitening {
        Whitening::Full(_) => ("full", d),
        Whitening::Diagonal(_) => ("diagonal", 1),
    };
    let (dk, limits) = (components(gpu, means, w, each)?, gpu.limits());
    // Rows of W_k in one dispatch: four components, eight rows of each at a time.
    let depth = (ITERATIONS / (4 * d4) * 8).max(8);
    // A row against all components in one dispatch.
    let work = dk.min(k) as f64 * (depth.min(each) * 4 * d4) as f64;
    let dn = step(&limits, GROUP, &[x, out])?.min(affordable(gpu.budget(), work, GROUP));
    for rows in windows(x.rows(), dn) {
        for parts in windows(k, dk) {
            for of in windows(each, depth) {
                let params = Params {
                    n: rows.len() as u32,
                    k: parts.len() as u32,
                    d: d as u32,
                    d4: d4 as u32,
                    out_stride: out.vec4s() as u32,
                    out_col: (parts.start / 4) as u32,
                    first: of.start as u32,
                    end: of.end as u32,
                };
                gpu.run(&Pass {
                    op: "gaussian_log_density",
                    shader: Shader::new("gaussian_log_density", &[SHADER]),
                    entry,
                    constants: &[("STAGED", d4.min(STAGED) as f64)],
                    binds: &[
                        x.rows_bind(rows.start, rows.end),
                        means.rows_bind(parts.start, parts.end),
                        w.rows_bind(parts.start * each, parts.end * each),
                        offset.bind(),
                        out.rows_bind(rows.start, rows.end),
                    ],
                    params: bytemuck::bytes_of(&params),
                    grid: [rows.len().div_ceil(GROUP) as u32, parts.len().div_ceil(4) as u32, 1],
                    work: rows.len() as f64 * (parts.len() * of.len() * 4 * d4) as f64,
                })?;
            }
        }
    }
    Ok(())
}

/// Most components whose means and whitening fit one binding, in steps that both can be bound at.
fn components(gpu: &Gpu, means: &Matrix, w: &Matrix, each: usize) -> Result<usize> {
    let (k, limits) = (means.rows(), gpu.limits());
    let per = w.bytes() / k as u64;
    if w.bytes() <= limits.binding_bytes && means.bytes() <= limits.binding_bytes {
        return Ok(k);
    }
    let align = means.row_align().max(4);
    let unit = if each.is_multiple_of(w.row_align()) { align } else { align.max(w.row_align()) };
    let most = (limits.binding_bytes / per.max(means.bytes() / k as u64)) as usize / unit * unit;
    if most == 0 {
        let what = format!("the whitening of {unit} components");
        return Err(Error::TooLarge { what, need: per * unit as u64, limit: limits.binding_bytes });
    }
    Ok(most)
}
