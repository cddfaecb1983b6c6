//! Laplace's approximation for any log-concave likelihood: the mode by Newton's method, the evidence and its gradient.
//!
//! With `g = ∇ ln p(y|f)` and `W = -∇∇ ln p(y|f)` the mode is the root of `a = g(Ka)`, `f = Ka`, and a Newton step is
//!
//! ```text
//! a <- a + (I + WK)⁻¹ (g - a)
//! ```
//!
//! the step `a = (I + WK)⁻¹(Wf + g)` of the books, written as a correction: where it stops moving a equals g whatever
//! the rounding of the factor, so an f32 factor gives the f64 mode. K is never inverted and may be singular.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, s};

use crate::ops::{Trans, Weights, gemm, gram, gram_diagonal, gram_sum_grad};
use crate::{Device, Error, Kernel, Matrix, Result};

/// `‖a - g‖∞` at the mode.
const RESIDUAL: f64 = 1e-10;
/// What Newton's next step would move f by at the mode: under a large amplitude a, which is g, is small, and a residual
/// that is smaller than 1e-10 may still be all of it.
const SETTLED: f64 = 1e-8;
/// What is accepted when rounding lets ψ rise no more, relative to `1 + ‖a‖∞`.
const ROUNDED: f64 = 1e-6;
/// Newton's method needs five to ten steps; each of these may be halved.
const MOST_STEPS: usize = 100;
/// The shortest step, as a part of Newton's.
const SHORTEST: f64 = 1e-12;
/// What `ln |I + WK|` by factors in f32 is off by, relative to their condition ([`SpdFactor::log_det`]).
///
/// [`SpdFactor::log_det`]: crate::linalg::SpdFactor::log_det
const LOST: f64 = 6e-8;
/// The part of `ln Z` that may be lost before the factors are made again in f64.
const DOUBT: f64 = 1e-5;
/// Entries of the covariance between data and new points that are held at a time.
const CROSS_ENTRIES: usize = 1 << 22;

/// Observed labels under a likelihood: latent values are `n x c`.
pub(super) trait Observed {
    type Curvature: Curvature;

    /// Latent functions.
    fn functions(&self) -> usize;
    /// `ln p(y | f)` and its gradient.
    fn slope(&self, f: ArrayView2<f64>) -> (f64, Array2<f64>);
    /// The factors for W at `f`.
    fn curvature(&self, device: &Device, k: &Matrix, f: ArrayView2<f64>) -> Result<Self::Curvature>;
}

/// Factors of `I + WK` at one f.
pub(super) trait Curvature {
    /// `(I + WK)⁻¹ v`, n x c.
    fn shrink(&self, k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>>;
    /// `ln |I + WK|`.
    fn log_det(&self) -> Result<f64>;
    /// The worst condition of the factors, if any of them is in f32.
    fn single(&self) -> Option<f64>;
    /// Whether predictions by factors in f32 know what those have lost.
    const GUARDED: bool;
    /// The symmetric `n x n` weights M of `d ln Z = Σ M_ij dK_ij`, by factors in f64; `a` is at the mode.
    fn weights(&self, k: &Matrix, a: ArrayView2<f64>) -> Result<Matrix>;
}

/// The approximation `N(f̂, (K⁻¹ + W)⁻¹)` of the posterior.
#[derive(Debug)]
pub(super) struct Laplace<C> {
    pub kernel: Kernel,
    /// n x d, on the CPU.
    pub x: Matrix,
    /// f̂, n x c.
    pub f: Array2<f64>,
    /// `K⁻¹ f̂ = g(f̂)`, n x c.
    pub a: Array2<f64>,
    pub curvature: C,
    /// `ln Z ≈ ψ(f̂) - ½ ln |I + WK|`.
    pub log_evidence: f64,
    /// `ψ = ln p(y|f) - ½ fᵀK⁻¹f` before the first step and after each.
    pub trace: Vec<f64>,
}

/// A block of new points as the latent functions see it.
pub(super) struct Block<'a> {
    /// Which of the new points.
    pub rows: Range<usize>,
    /// Their latent means, b x c.
    pub mean: Array2<f64>,
    /// `K(x, new)`, n x b, in f64 on the CPU.
    pub cross: &'a Matrix,
    /// `k(new, new)`.
    pub prior: Vec<f64>,
}

impl<C: Curvature> Laplace<C> {
    /// With `k`, the Gram matrix of `kernel` at `x`, in f64 on the CPU. To predict with, factors in f32 will do that know
    /// what they have lost; for the evidence and its gradient they are made once more in f64: a search that sees the
    /// rounding of f32 takes five times the evaluations.
    pub fn new(
        device: &Device,
        kernel: &Kernel,
        x: &Matrix,
        observed: &impl Observed<Curvature = C>,
        k: &Matrix,
        predicts: bool,
    ) -> Result<Self> {
        let Mode { f, a, mut curvature, trace } = mode(device, k, observed)?;
        let psi = trace.last().copied().unwrap_or(f64::NEG_INFINITY);
        // Written so that a NaN is not enough.
        let enough = |condition: f64| LOST * condition <= DOUBT * (1.0 + psi.abs());
        if curvature.single().is_some_and(|c| !(predicts && C::GUARDED && enough(c))) {
            curvature = observed.curvature(&Device::cpu(), k, f.view())?;
        }
        let log_evidence = psi - 0.5 * curvature.log_det()?;
        Ok(Laplace { kernel: kernel.clone(), x: x.clone(), f, a, curvature, log_evidence, trace })
    }

    /// `d ln Z/dp` for each of [`Kernel::params`], on the natural scale, contracted inside the tile loop, if this was not
    /// made to predict with.
    pub fn gradient(&self, k: &Matrix) -> Result<Vec<f64>> {
        let weights = self.curvature.weights(k, self.a.view())?;
        Ok(gram_sum_grad(&self.kernel, &self.x, None, Weights::Symmetric(&weights))?.gradient)
    }

    /// Calls `f` on the new points block by block: K(x, new) is never whole.
    pub fn blocks(&self, new: ArrayView2<f64>, mut f: impl FnMut(Block) -> Result<()>) -> Result<()> {
        let a = Matrix::from_host(self.a.clone());
        let step = (CROSS_ENTRIES / self.x.rows()).max(1);
        for first in (0..new.nrows()).step_by(step) {
            let rows = first..new.nrows().min(first + step);
            let block = Matrix::upload("GpClassifier", &Device::cpu(), new.slice(s![rows.clone(), ..]))?;
            // These are cheap beside the variances: they are made in f64 whatever the device.
            let cross = &gram(&self.kernel, &self.x, Some(&block))?;
            let mean = gemm(1.0, cross, Trans::Yes, &a, Trans::No)?.into_array()?;
            let prior = gram_diagonal(&self.kernel, &block)?.into_array()?.into_iter().collect();
            f(Block { rows, mean, cross, prior })?;
        }
        Ok(())
    }
}

/// `K v` in f64.
pub(super) fn times(k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>> {
    gemm(1.0, k, Trans::No, &Matrix::from_host(v.to_owned()), Trans::No)?.into_array()
}

struct Mode<C> {
    f: Array2<f64>,
    a: Array2<f64>,
    curvature: C,
    trace: Vec<f64>,
}

fn mode<O: Observed>(device: &Device, k: &Matrix, observed: &O) -> Result<Mode<O::Curvature>> {
    let mut a = Array2::zeros((k.rows(), observed.functions()));
    let mut f = a.clone();
    let (mut psi, mut g) = observed.slope(f.view());
    let mut trace = vec![psi];
    let mut residual = largest(&(&g - &a));
    let (mut stalled, mut place) = (false, device.clone());
    loop {
        let curvature = match observed.curvature(&place, k, f.view()) {
            // What f32 has made indefinite need not be.
            Err(Error::NotPositiveDefinite { .. }) if place.is_gpu() => {
                place = Device::cpu();
                continue;
            }
            other => other?,
        };
        let step = curvature.shrink(k, (&g - &a).view())?;
        let moved = times(k, step.view())?;
        let settled = residual <= RESIDUAL && largest(&moved) <= SETTLED;
        if !settled && stalled && place.is_gpu() {
            // Factors in f32 that lead no further: f64 goes on from here.
            (stalled, place) = (false, Device::cpu());
            continue;
        }
        if settled || (stalled && residual <= ROUNDED * (1.0 + largest(&a))) {
            return Ok(Mode { f, a, curvature, trace });
        }
        let iterations = trace.len() - 1;
        if stalled || iterations == MOST_STEPS {
            return Err(Error::NoConvergence {
                op: "GpClassifier",
                iterations,
                residual,
                tolerance: RESIDUAL,
            });
        }
        // ψ is concave: a short enough step raises it, unless it is at its top but for rounding.
        let slack = 1e-13 * (1.0 + psi.abs());
        let mut t = 1.0;
        let (next_a, next_f, next_g, next_psi) = loop {
            let next_a = &a + &(&step * t);
            let next_f = &f + &(&moved * t);
            let (log, next_g) = observed.slope(next_f.view());
            let next_psi = log - 0.5 * (&next_a * &next_f).sum();
            if next_psi >= psi - slack || t < SHORTEST {
                break (next_a, next_f, next_g, next_psi);
            }
            t *= 0.5;
        };
        let next_residual = largest(&(&next_g - &next_a));
        stalled = next_psi <= psi + slack && next_residual > 0.5 * residual;
        (a, f, g, psi, residual) = (next_a, next_f, next_g, next_psi, next_residual);
        trace.push(psi);
    }
}

fn largest(v: &Array2<f64>) -> f64 {
    // A NaN must not pass for a small number.
    v.iter().fold(0f64, |s, x| if x.is_nan() { f64::INFINITY } else { s.max(x.abs()) })
}
