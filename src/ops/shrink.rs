//! Proximal steps of lassos by the thousand, one a row, as sparse coding asks for.
//!
//! Checked in `tests/ops/shrink.rs` against the formulas and against the conditions of the lasso.

use ndarray::{Array2, Zip};

use super::half::single;
use super::reduce::{GROUP, Split};
use super::require;
use crate::check::not_negative;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Result};

const SHADER: &str = include_str!("../../shaders/shrink.wgsl");

/// Codes on their way to `argmin_z ½ zᵀGz - bᵀz + λ‖z‖₁`, a row a problem.
#[derive(Debug, Clone)]
pub struct Shrinking {
    /// z, `n x k`.
    pub codes: Matrix,
    /// y, `n x k`: where the next step is taken from.
    pub ahead: Matrix,
    /// `n x 3`: the momentum's t, how far the last step moved a row's largest entry relative to it, and `‖z‖₁`.
    pub state: Matrix,
}

impl Shrinking {
    /// Codes without momentum.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(codes: Matrix) -> Result<Self> {
        let state = Array2::from_shape_fn((codes.rows(), 3), |(_, j)| if j == 0 { 1.0 } else { 0.0 });
        let state = Matrix::upload("Shrinking::new", &codes.device(), state.view())?;
        Ok(Shrinking { ahead: codes.clone(), codes, state })
    }
}

/// Mirrors `Params` in `shaders/shrink.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    across: u32,
    vec4s: u32,
    threshold: f32,
}

/// `z' = S(y - (p - b), θ)` with `S(u, θ) = sign(u) max(|u| - θ, 0)`, then `y' = z' + β(z' - z)`: one step of ISTA (β = 0) or
/// of FISTA (`β = (t - 1)/t'`, `t' = ½(1 + √(1 + 4t²))`), in the memory of the codes before it on a GPU.
///
/// With `p = yG/L`, `b` the linear terms over L and `θ = λ/L`, for the largest eigenvalue L of G, each step goes down. A
/// row whose momentum would lead it up, `(y - z')·(z' - z) > 0`, begins again with t = 1. All matrices are `n x k`; hand
/// over the only handles on them.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the shapes differ, [`Error::Parameter`](crate::Error::Parameter) for a negative
/// threshold, [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Shrinking, shrink}};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let zero = on(ndarray::array![[0.0, 0.0]])?; // G is the identity: one step is enough
/// let at = shrink(Shrinking::new(zero.clone())?, zero, &on(ndarray::array![[3.0, -0.2]])?, 0.5, true)?;
/// assert_eq!(at.codes.to_array()?, ndarray::array![[2.5, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn shrink(
    mut at: Shrinking,
    mut product: Matrix,
    linear: &Matrix,
    threshold: f64,
    momentum: bool,
) -> Result<Shrinking> {
    // Somebody else's handle would see its matrix change.
    for own in [&mut at.codes, &mut at.ahead, &mut at.state, &mut product] {
        let wide = single(own)?.into_owned();
        *own = wide;
        own.make_own()?;
    }
    let shape = at.codes.shape();
    let fit = [&at.ahead, &product, linear].iter().all(|m| m.shape() == shape);
    require("shrink", fit && at.state.shape() == (shape.0, 3), || {
        format!("codes of {shape:?}, linear terms of {:?}, states of {:?}", linear.shape(), at.state.shape())
    })?;
    not_negative("threshold", threshold)?;
    match at.codes.shared("shrink", &[&at.ahead, &at.state, &product, linear])? {
        Shared::Cpu => cpu(&mut at, product.into_array()?, linear.cpu(), threshold, momentum)?,
        Shared::Gpu(gpu) => {
            gpu.guard("shrink", || on_gpu(gpu, &at, &product, &*single(linear)?, threshold, momentum))?;
        }
    }
    Ok(at)
}

fn cpu(
    at: &mut Shrinking,
    mut next: Array2<f64>,
    linear: &Array2<f64>,
    threshold: f64,
    momentum: bool,
) -> Result<()> {
    let take = |m: &mut Matrix| std::mem::replace(m, Matrix::from_host(Array2::zeros((0, 0)))).into_array();
    let (mut codes, mut ahead, mut state) =
        (take(&mut at.codes)?, take(&mut at.ahead)?, take(&mut at.state)?);
    let rows = next.rows_mut().into_iter().zip(linear.rows()).zip(codes.rows_mut());
    for (((mut p, b), mut z), (mut y, mut s)) in rows.zip(ahead.rows_mut().into_iter().zip(state.rows_mut()))
    {
        let (mut uphill, mut size, mut gone, mut top) = (0.0, 0.0, 0f64, 0f64);
        Zip::from(&mut p).and(b).and(&z).and(&y).for_each(|p, b, z, y| {
            let u = y - (*p - b);
            let now = u.signum() * (u.abs() - threshold).max(0.0);
            uphill += (y - now) * (now - z);
            size += now.abs();
            gone = gone.max((now - z).abs());
            top = top.max(now.abs());
            *p = now;
        });
        let mut beta = 0.0;
        if momentum {
            let t = if uphill > 0.0 { 1.0 } else { s[0] };
            s[0] = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
            beta = (t - 1.0) / s[0];
        }
        (s[1], s[2]) = (gone / top.max(f64::MIN_POSITIVE), size);
        Zip::from(&mut y).and(&mut z).and(&p).for_each(|y, z, now| {
            *y = now + beta * (now - *z);
            *z = *now;
        });
    }
    (at.codes, at.ahead, at.state) =
        (Matrix::from_host(codes), Matrix::from_host(ahead), Matrix::from_host(state));
    Ok(())
}

fn on_gpu(
    gpu: &Gpu,
    at: &Shrinking,
    product: &Matrix,
    linear: &Matrix,
    threshold: f64,
    momentum: bool,
) -> Result<()> {
    let lanes = Split::of(product.vec4s()).lanes;
    let all = [product, linear, &at.codes, &at.ahead, &at.state];
    for rows in windows(product.rows(), step(&gpu.limits(), GROUP / lanes, &all)?) {
        let groups = rows.len().div_ceil(GROUP / lanes);
        let across = groups.min(gpu.limits().groups_per_axis as usize);
        let params = Params {
            rows: rows.len() as u32,
            across: across as u32,
            vec4s: product.vec4s() as u32,
            threshold: threshold as f32,
        };
        gpu.run(&Pass {
            op: "shrink",
            shader: Shader::new("shrink", &[SHADER]),
            entry: "main",
            constants: &[("LANES", lanes as f64), ("MOMENTUM", f64::from(u8::from(momentum)))],
            binds: &all.map(|m| m.rows_bind(rows.start, rows.end)),
            params: bytemuck::bytes_of(&params),
            grid: [across as u32, groups.div_ceil(across) as u32, 1],
            work: 0.0,
        })?;
    }
    Ok(())
}
