//! Log-determinants of matrices that can only be applied: stochastic Lanczos quadrature.
//!
//! `log det A = tr log A = E[zᵀ log(A) z]` for random signs z, and m steps of Lanczos from z give the m-point Gauss
//! quadrature of `zᵀ log(A) z`. With `M ≈ A` the same is done for `M^-½ A M^-½`, whose logarithm is small, and
//! `log det M` is added. Checked in `tests/linalg/lanczos_log_det.rs` against the dense determinant.

use ndarray::{Array1, Array2, Axis};

use super::operator::Operator;
use super::preconditioner::Covariance;
use crate::Progress;
use crate::check::parameter;
use crate::configure::setters;
use crate::linalg::decompose::eigh::eigh;
use crate::linalg::solve::norm::dots;
use crate::{Error, Precision, Result};

/// Steps between two looks at the quadrature.
const LOOK: usize = 4;

/// How a log-determinant is estimated.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogDetParams {
    pub(crate) probes: usize,
    pub(crate) max_steps: usize,
    pub(crate) tolerance: f64,
    pub(crate) accept_unconverged: bool,
    pub(crate) seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) progress: Progress,
}

impl Default for LogDetParams {
    fn default() -> Self {
        LogDetParams {
            probes: 16,
            max_steps: 200,
            tolerance: 0.01,
            accept_unconverged: false,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

impl LogDetParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(LogDetParams {
    /// Number of random vectors, at least two; 16 unless said otherwise. The standard error falls with its root.
    probes: usize,
    /// Most products with A, of all the vectors at once; 200 unless said otherwise.
    max_steps: usize,
    /// Part of the standard error by which four more steps may move a quadrature that has converged; 0.01 unless said
    /// otherwise.
    tolerance: f64,
    /// Whether to return what was reached if the quadrature has not converged, instead of an error.
    accept_unconverged: bool,
    /// Seed of the random signs.
    seed: u64,
    /// Callback after every step with the last change of the estimate, which can stop it.
    progress: Progress,
});

/// A log-determinant and how far to trust it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogDet {
    /// The estimate of `log det A`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub value: f64,
    /// Its standard error, from the spread of the probes and the rounding. Of the former nothing is left if
    /// `M^-½ A M^-½` is diagonal: then nothing is random.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub standard_error: f64,
    /// What rounding may have done to it: `ε Σ_i a_ii [A⁻¹]_ii`, an estimate. Entries of A that are off by ε move the
    /// determinant by no more, and no product in this precision knows them better. That of `log det M` is added. It is large where A has
    /// eigenvalues near `ε ‖A‖`: more noise helps, more probes do not.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub rounding: f64,
    /// Products with A.
    pub steps: usize,
    /// How much the last few steps moved the estimate: the size of the error of the quadrature.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub change: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

/// `log det A` from products with A, with its standard error.
///
/// One product with a block of `probes` vectors a step and O(n probes) memory: the vectors are not kept for
/// reorthogonalisation, because Lanczos without it repeats nodes of the quadrature but does not spoil their weights. A
/// good preconditioner saves steps and, more so, variance. From a GPU's f32 products comes an answer of f32: noise below
/// about `1e-7 ‖M⁻¹A‖` cannot be told from zero.
///
/// # Errors
/// [`Error::Parameter`] for fewer than two probes, no steps or a tolerance that is not positive;
/// [`Error::NotPositiveDefinite`] with the Ritz value if A is seen to be none; [`Error::NoConvergence`], unless
/// `accept_unconverged`; [`Error::Cancelled`]; those of the device.
///
/// ```
/// use mercer::linalg::{Identity, LogDetParams, Stored, lanczos_log_det};
/// use mercer::{Device, Matrix};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[2.0, 0.0], [0.0, 8.0]].view())?;
/// let found = lanczos_log_det(&Stored::new(&a)?, &Identity, &LogDetParams::default())?;
/// assert!((found.value - 16f64.ln()).abs() < 1e-14); // exact for a diagonal matrix
/// assert!(found.standard_error < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn lanczos_log_det(
    op: &dyn Operator,
    preconditioner: &dyn Covariance,
    params: &LogDetParams,
) -> Result<LogDet> {
    let (tolerance, n) = (params.tolerance, op.dim());
    parameter("probes", params.probes as f64, params.probes >= 2, "an error estimate takes at least two")?;
    parameter("max_steps", params.max_steps as f64, params.max_steps > 0, "must be at least 1")?;
    parameter("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
    let _watch = params.progress.between_submissions("lanczos_log_det");
    let known = preconditioner.log_det()?;
    let mut run = Lanczos::new(op, preconditioner, params)?;
    let (mut last, mut change, mut steps) = (f64::INFINITY, f64::INFINITY, 0);
    loop {
        run.step()?;
        steps += 1;
        let ended = run.live.is_empty();
        if ended || steps % LOOK == 0 || steps == params.max_steps {
            let Estimate { value, standard_error, rounding } = run.estimate(preconditioner.rounding())?;
            change = if ended { 0.0 } else { (value - last).abs() };
            last = value;
            // Below this there is only rounding.
            let least = if op.precision() == Precision::Double { 1e-11 } else { 1e-6 };
            let converged = change <= tolerance * standard_error + least * (n as f64 + value.abs());
            if converged || steps >= params.max_steps {
                if !converged && !params.accept_unconverged {
                    let (residual, tolerance) = (change, tolerance * standard_error);
                    let op = "lanczos_log_det";
                    return Err(Error::NoConvergence { op, iterations: steps, residual, tolerance });
                }
                let value = known + value + n as f64 * run.unit.ln();
                return Ok(LogDet { value, standard_error, rounding, steps, change, converged });
            }
        }
        params.progress.report("lanczos_log_det", steps, None, change)?;
    }
}

/// What the probes say so far, in the unit of the run.
struct Estimate {
    value: f64,
    standard_error: f64,
    rounding: f64,
}

/// Lanczos on `M^-½ A M^-½` for all probes side by side. With `u = M^½ q` and `s = M^-½ q` for each Lanczos vector q,
/// no root of M is needed: `A s` is `M^½` times the product, and `s = M⁻¹ u`.
struct Lanczos<'a> {
    op: &'a dyn Operator,
    preconditioner: &'a dyn Covariance,
    /// The rounding of a product.
    epsilon: f64,
    /// `Σ_i a_ii s_i²` of each probe, whose mean is that of `Σ_i a_ii [M⁻¹]_ii`.
    weights: Vec<f64>,
    /// A power of two about as large as `M^-½ A M^-½`, which is divided by it: its squares must stay within f64.
    unit: f64,
    /// `zᵀ M⁻¹ z` of each probe.
    sizes: Vec<f64>,
    /// The tridiagonal matrix of each probe: its diagonal, and beside it what precedes each entry.
    diagonal: Vec<Vec<f64>>,
    beside: Vec<Vec<f64>>,
    /// Probes whose Krylov space is not exhausted; the columns of the three blocks are theirs.
    live: Vec<usize>,
    before: Array2<f64>,
    u: Array2<f64>,
    s: Array2<f64>,
}

impl<'a> Lanczos<'a> {
    fn new(op: &'a dyn Operator, m: &'a dyn Covariance, params: &LogDetParams) -> Result<Self> {
        let mut u = m.draw(op.dim(), params.probes, params.seed)?;
        let mut s = m.solve(u.view())?;
        let sizes: Vec<f64> = dots(&u, &s).to_vec();
        let diagonal = op.diagonal()?.insert_axis(Axis(1));
        let weights = dots(&(&s * &diagonal), &s).to_vec();
        let roots = Array1::from_iter(sizes.iter().map(|v| v.sqrt()));
        u /= &roots;
        s /= &roots;
        Ok(Lanczos {
            op,
            preconditioner: m,
            epsilon: if op.precision() == Precision::Double { f64::EPSILON } else { f64::from(f32::EPSILON) },
            weights,
            unit: 1.0,
            diagonal: vec![Vec::new(); sizes.len()],
            beside: vec![Vec::new(); sizes.len()],
            live: (0..sizes.len()).collect(),
            before: Array2::zeros(u.raw_dim()),
            sizes,
            u,
            s,
        })
    }

    fn step(&mut self) -> Result<()> {
        let noise = (self.op.dim() as f64).sqrt() * self.epsilon;
        let mut w = self.op.apply(self.s.view())?;
        let mut along = dots(&self.s, &w);
        if self.diagonal.iter().all(Vec::is_empty) {
            let largest = along.iter().fold(0f64, |m, v| m.max(v.abs()));
            let power = largest.log2().round();
            self.unit = if power.is_finite() { power.exp2() } else { 1.0 };
        }
        w /= self.unit;
        along /= self.unit;
        w -= &(&self.u * &along);
        let back =
            Array1::from_iter(self.live.iter().map(|&p| self.beside[p].last().copied().unwrap_or(0.0)));
        w -= &(&self.before * &back);
        let t = self.preconditioner.solve(w.view())?;
        let next = dots(&w, &t).mapv(|v| v.max(0.0).sqrt());
        let mut going = Vec::new();
        for (at, &p) in self.live.iter().enumerate() {
            self.diagonal[p].push(along[at]);
            let scale = self.diagonal[p].iter().chain(&self.beside[p]).fold(0f64, |s, v| s.max(v.abs()));
            // What is left is rounding: the probe has met no more eigenvectors than this. A NaN stays, to be seen.
            if next[at] > noise * scale || next[at].is_nan() {
                going.push(at);
            }
        }
        for &at in &going {
            self.beside[self.live[at]].push(next[at]);
        }
        let lengths = next.select(Axis(0), &going);
        self.before = self.u.select(Axis(1), &going);
        self.u = w.select(Axis(1), &going) / &lengths;
        self.s = t.select(Axis(1), &going) / &lengths;
        self.live = going.iter().map(|&at| self.live[at]).collect();
        Ok(())
    }

    /// The mean of the quadratures of all probes, its standard error, and the rounding in both, with what is known of that
    /// of the preconditioner.
    fn estimate(&self, known: f64) -> Result<Estimate> {
        let each: Vec<(f64, f64)> =
            (0..self.sizes.len()).map(|p| self.quadrature(p)).collect::<Result<_>>()?;
        let count = each.len() as f64;
        let value = each.iter().map(|(v, _)| v).sum::<f64>() / count;
        let spread = each.iter().map(|(v, _)| (v - value).powi(2)).sum::<f64>() / (count - 1.0);
        let inverse =
            each.iter().zip(&self.weights).map(|((_, i), w)| i * (w / self.unit)).sum::<f64>() / count;
        let rounding = self.epsilon * inverse + known;
        Ok(Estimate { value, standard_error: (spread / count).sqrt().hypot(rounding), rounding })
    }

    /// `‖q‖² e₁ᵀ log(T) e₁`, and `e₁ᵀ T⁻¹ e₁`.
    fn quadrature(&self, p: usize) -> Result<(f64, f64)> {
        let (diagonal, beside) = (&self.diagonal[p], &self.beside[p]);
        let t = Array2::from_shape_fn((diagonal.len(), diagonal.len()), |(i, j)| match i.abs_diff(j) {
            0 => diagonal[i],
            1 => beside[i.min(j)],
            _ => 0.0,
        });
        let nodes = eigh(t.view())?;
        if let Some(value) = nodes.values.iter().copied().find(|v| *v <= 0.0) {
            let (pivot, value) = (diagonal.len() - 1, value * self.unit);
            return Err(Error::NotPositiveDefinite { op: "lanczos_log_det", pivot, value });
        }
        let weights = nodes.vectors.row(0);
        let sum =
            |f: fn(f64) -> f64| nodes.values.iter().zip(weights).map(|(v, w)| w * w * f(*v)).sum::<f64>();
        Ok((self.sizes[p] * sum(f64::ln), sum(f64::recip)))
    }
}
