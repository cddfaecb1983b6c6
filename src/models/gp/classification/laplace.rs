//! Laplace's approximation for any log-concave likelihood: the mode by Newton's method, the evidence and its gradient.
//!
//! With `g = ∇ ln p(y|f)` and `W = -∇∇ ln p(y|f)` the mode is the root of `a = g(Ka)`, `f = Ka`, and a Newton step is
//!
//! ```text
//! a <- a + (I + WK)⁻¹ (g - a)
//! ```
//!
//! the step `a = (I + WK)⁻¹(Wf + g)` of the books, written as a correction: where it stops moving a equals g whatever
//! the rounding of the factor, so that steps in f32 lead to the f64 mode. f64 takes the last of them, and is what is left.
//! K is never inverted and may be singular.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, s};

use crate::matrix::Points;
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
/// Entries of the covariance between data and new points that are held at a time.
const CROSS_ENTRIES: usize = 1 << 22;

/// Observed labels under a likelihood: latent values are `n x c`.
pub(super) trait Observed {
    type Curvature: Curvature;

    /// Latent functions.
    fn functions(&self) -> usize;
    /// `ln p(y | f)` and its gradient.
    fn slope(&self, f: ArrayView2<f64>) -> (f64, Array2<f64>);
    /// The factors for W at `f`, in f64 on the CPU.
    fn curvature(&self, k: &Matrix, f: ArrayView2<f64>) -> Result<Self::Curvature>;
    /// `(I + WK)⁻¹ v` at `f`, roughly, in f32 where a resident K lives; `kv` is `Kv` in f64. None if there is no such way.
    fn rough_step(
        &self,
        _resident: &Matrix,
        _f: ArrayView2<f64>,
        _v: ArrayView2<f64>,
        _kv: Array2<f64>,
    ) -> Result<Option<Array2<f64>>> {
        Ok(None)
    }
}

/// Factors of `I + WK` at one f, in f64 on the CPU.
pub(super) trait Curvature {
    /// `(I + WK)⁻¹ v`, n x c.
    fn shrink(&self, k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>>;
    /// `ln |I + WK|`.
    fn log_det(&self) -> Result<f64>;
    /// `(I + WK)⁻¹ s` with `s = -½ d ln|I + WK|/df`, n x c: with `a` it is the gradient of `ln Z` by a mean that is added to f.
    fn drift(&self, k: &Matrix) -> Result<Array2<f64>>;
    /// The symmetric `n x n` weights M of `d ln Z = Σ M_ij dK_ij`; `a` is at the mode.
    fn weights(&self, k: &Matrix, a: ArrayView2<f64>) -> Result<Matrix>;
}

/// A kernel and its matrix at some points.
pub(super) struct Problem<'a> {
    pub kernel: &'a Kernel,
    pub points: &'a Points,
    /// K in f64 on the CPU.
    pub k: Matrix,
    /// K in f32 on a GPU, if that is where Newton's method is to begin.
    pub resident: Option<Matrix>,
}

impl<'a> Problem<'a> {
    pub fn new(kernel: &'a Kernel, points: &'a Points) -> Result<Self> {
        let k = gram(kernel, points.on_host(), None)?;
        let on_gpu = points.device().is_gpu().then(|| gram(kernel, points.matrix()?, None));
        let resident = match on_gpu {
            // A kernel that only the CPU can evaluate.
            Some(Err(Error::Unsupported { .. })) => None,
            other => other.transpose()?,
        };
        Ok(Problem { kernel, points, k, resident })
    }
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
    /// The new points' rows.
    pub rows: Range<usize>,
    /// Their latent means, b x c.
    pub mean: Array2<f64>,
    /// `K(x, new)`, n x b, in f64 on the CPU.
    pub cross: &'a Matrix,
    /// `k(new, new)`.
    pub prior: Vec<f64>,
}

impl<C: Curvature> Laplace<C> {
    pub fn new(problem: &Problem, observed: &impl Observed<Curvature = C>) -> Result<Self> {
        let Mode { f, a, curvature, trace } = mode(problem, observed)?;
        let psi = trace.last().copied().unwrap_or(f64::NEG_INFINITY);
        let log_evidence = psi - 0.5 * curvature.log_det()?;
        let (kernel, x) = (problem.kernel.clone(), problem.points.on_host().clone());
        Ok(Laplace { kernel, x, f, a, curvature, log_evidence, trace })
    }

    /// `d ln Z/dp` for each of [`Kernel::params`], on the natural scale, contracted inside the tile loop.
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

fn mode<O: Observed>(problem: &Problem, observed: &O) -> Result<Mode<O::Curvature>> {
    let k = &problem.k;
    let mut resident = problem.resident.as_ref();
    let mut a = Array2::zeros((k.rows(), observed.functions()));
    let mut f = a.clone();
    let (mut psi, mut g) = observed.slope(f.view());
    let mut trace = vec![psi];
    let mut residual = largest(&(&g - &a));
    let mut stalled = false;
    loop {
        let rest = &g - &a;
        let rough = match resident {
            Some(on_gpu) => observed.rough_step(on_gpu, f.view(), rest.view(), times(k, rest.view())?),
            None => Ok(None),
        };
        let sound = |step: &Array2<f64>| step.iter().all(|v| v.is_finite());
        let (step, curvature) = match rough.map(|step| step.filter(sound)) {
            Ok(Some(step)) => (step, None),
            // What f32 has made indefinite or infinite need not be.
            Ok(None)
            | Err(Error::NotPositiveDefinite { .. } | Error::NotFinite { .. } | Error::Overflow { .. }) => {
                resident = None;
                let curvature = observed.curvature(k, f.view())?;
                (curvature.shrink(k, rest.view())?, Some(curvature))
            }
            Err(other) => return Err(other),
        };
        let moved = times(k, step.view())?;
        let settled = residual <= RESIDUAL && largest(&moved) <= SETTLED;
        if settled || stalled {
            match curvature {
                // Steps in f32 that lead no further: f64 goes on from here, and has the last word.
                None => {
                    (stalled, resident) = (false, None);
                    continue;
                }
                Some(curvature) if settled || residual <= ROUNDED * (1.0 + largest(&a)) => {
                    return Ok(Mode { f, a, curvature, trace });
                }
                Some(_) => {}
            }
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
