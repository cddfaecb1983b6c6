//! The second pass over the data: the gradient of F by everything it depends on.
//!
//! With `α = Λ⁻¹(y - Aᵀβ)` and `g_i` the diagonal of `½(ααᵀ - (Q + Λ)⁻¹)`, the derivatives of F by the entries of
//! `K_zx`, `K_zz` and `diag K` are
//!
//! ```text
//! W_zx = L⁻ᵀ (β αᵀ - B⁻¹AΛ⁻¹ - 2A diag(h)),  W_zz = -½ W_zx Aᵀ L⁻¹,  h = g for FITC, -1/(2 noise) for the bound, else 0
//! ```
//!
//! and the kernel's own derivatives are contracted with these weights, tile by tile. Outputs add up.

use ndarray::{Array1, Array2, Axis, s};

use super::data::{Data, row};
use super::first_pass::{Factors, Hyper, scaled};
use super::model::SparseMethod;
use crate::ops::{
    Along, Reduction, Side, Trans, Triangle, Weights, Zip, gemm, gemm_add, gram_sum_grad, reduce,
    solve_triangular, zip,
};
use crate::{Matrix, Result};

/// F and its gradient.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SparseEvidence {
    /// The bound (or, for DTC and FITC, the log marginal likelihood of that model), of all outputs together.
    pub value: f64,
    /// The derivative by each of [`Kernel::params`](crate::Kernel::params), on the natural scale.
    pub by_params: Vec<f64>,
    /// The derivative by the variance of the noise.
    pub by_noise: f64,
    /// The derivative by the inducing inputs, `m x d`.
    pub by_inducing: Array2<f64>,
}

/// The gradient; that by the inducing inputs only if it is wanted, else zeros.
pub(super) fn gradient(at: &Hyper, data: &Data, f: &Factors, inducing: bool) -> Result<SparseEvidence> {
    let (n, m, p) = (data.n(), at.z.nrows(), data.p() as f64);
    let root = solve(&f.lb, Trans::No, Array2::eye(m))?;
    let inverse = product(&root, Trans::Yes, &root, Trans::No)?;
    let r = solve(&f.l, Trans::Yes, Array2::eye(m))?;
    let on = |a: &Array2<f64>| Matrix::upload("SparseGpRegressor", data.device(), a.view());
    let (beta, u) = (on(&f.beta)?, on(&product(&r, Trans::No, &f.beta, Trans::No)?)?);
    // Without FITC all noise is the same, and so is h: then one matrix does it all.
    let same = if at.method == SparseMethod::Variational { -p / (2.0 * at.noise) } else { 0.0 };
    let fitc = at.method == SparseMethod::Fitc;
    let (inverse_on, r_on) = (on(&inverse)?, on(&r)?);
    let both = &inverse * (p / at.noise) + Array2::<f64>::eye(m) * (2.0 * same);
    let joined = on(&product(&r, Trans::No, &both, Trans::No)?)?;
    let mut by_params = vec![0.0; at.kernel.params().len()];
    let mut by_inducing = Array2::zeros(at.z.raw_dim());
    let mut h = Array1::from_elem(n, same);
    let (mut squares, mut residual) = (0.0, 0.0);
    let (mut trace, mut turned) = (0.0, Array2::<f64>::zeros((m, m)));
    for part in &data.parts {
        let a = f.whitened(at.kernel, part)?;
        let lambda = f.lambda.slice(s![part.rows.clone()]);
        let fit = gemm(1.0, &a, Trans::Yes, &beta, Trans::No)?.to_array()?;
        let alpha = (&data.y.slice(s![part.rows.clone(), ..]) - fit) / lambda.insert_axis(Axis(1));
        let power = (&alpha * &alpha).sum_axis(Axis(1));
        squares += power.sum();
        residual += (&power * &lambda).sum();
        let outer = gemm(1.0, &u, Trans::No, &on(&alpha)?, Trans::Yes)?;
        let w = if fitc {
            let t = gemm(1.0, &inverse_on, Trans::No, &a, Trans::No)?;
            let leverage = reduce(&zip(&a, &t, Zip::Mul)?, Along::EachColumn, Reduction::Sum)?.to_array()?;
            // The diagonal of (Q + Λ)⁻¹.
            let own = lambda.recip() - &(&leverage.row(0) / &(&lambda * &lambda));
            trace += own.sum();
            let g = (&power - &(own * p)) * 0.5;
            h.slice_mut(s![part.rows.clone()]).assign(&g);
            let bent = scaled(&a, &g * 2.0)?;
            turned += &gemm(0.5, &bent, Trans::No, &a, Trans::Yes)?.to_array()?;
            let inside =
                zip(&zip(&t, &row(data.device(), lambda.mapv(|l| p / l))?, Zip::Mul)?, &bent, Zip::Add)?;
            gemm_add(-1.0, &r_on, Trans::No, &inside, Trans::No, 1.0, &outer)?
        } else {
            gemm_add(-1.0, &joined, Trans::No, &a, Trans::No, 1.0, &outer)?
        };
        let sum = gram_sum_grad(at.kernel, &f.z, Some(&part.x), Weights::Dense(&w))?;
        add(&mut by_params, &sum.gradient);
        if inducing {
            let x = data.points.host().slice_move(s![part.rows.clone(), ..]);
            by_inducing += &at.kernel.input_gradient(at.z.view(), x, w.to_array()?.view())?;
        }
    }
    if !fitc {
        trace = (n as f64 - m as f64 + inverse.diag().sum()) / at.noise;
        turned = (&f.b - &Array2::<f64>::eye(m)) * (same * at.noise);
    }
    add(&mut by_params, &at.kernel.variance_gradient(data.points.host(), h.view())?);
    let w = within(at, f, &inverse, &r, &turned, p)?;
    let z = Matrix::from_host(at.z.clone());
    let sum = gram_sum_grad(at.kernel, &z, None, Weights::Symmetric(&Matrix::from_host(w.clone())))?;
    add(&mut by_params, &sum.gradient);
    if inducing {
        by_inducing.scaled_add(2.0, &at.kernel.input_gradient(at.z.view(), at.z.view(), w.view())?);
    }
    let penalty = if at.method == SparseMethod::Variational { f.gap / at.noise.powi(2) } else { 0.0 };
    let by_noise = 0.5 * (squares - p * trace + p * penalty);
    Ok(SparseEvidence { value: f.value_of(residual), by_params, by_noise, by_inducing })
}

/// `W_zz`, with what reaches the diagonal of `K_zz` through the jitter, which follows its mean.
fn within(
    at: &Hyper,
    f: &Factors,
    inverse: &Array2<f64>,
    r: &Array2<f64>,
    turned: &Array2<f64>,
    p: f64,
) -> Result<Array2<f64>> {
    let m = at.z.nrows();
    let outer = product(&f.beta, Trans::No, &f.beta, Trans::Yes)?;
    let inside = outer - (Array2::<f64>::eye(m) - inverse) * p - turned * 2.0;
    let half = product(r, Trans::No, &inside, Trans::No)?;
    let w = product(&half, Trans::No, r, Trans::Yes)? * -0.5;
    let mut w = (&w + &w.t()) * 0.5;
    let through = at.jitter * w.diag().sum() / m as f64;
    w.diag_mut().mapv_inplace(|v| v + through);
    Ok(w)
}

/// `op(L)⁻¹ b` on the CPU.
fn solve(l: &Matrix, t: Trans, b: Array2<f64>) -> Result<Array2<f64>> {
    solve_triangular(l, Triangle::Lower, t, Side::Left, &Matrix::from_host(b))?.to_array()
}

/// `op(a) op(b)` on every core of the CPU.
fn product(a: &Array2<f64>, ta: Trans, b: &Array2<f64>, tb: Trans) -> Result<Array2<f64>> {
    gemm(1.0, &Matrix::from_host(a.clone()), ta, &Matrix::from_host(b.clone()), tb)?.to_array()
}

fn add(sum: &mut [f64], part: &[f64]) {
    sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
}
