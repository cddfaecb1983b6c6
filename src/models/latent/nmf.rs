//! Non-negative matrix factorisation. Checked in `tests/neural/nmf.rs` against scikit-learn.

use ndarray::{Array2, ArrayView2, Zip};
use pulp::Arch;
use rayon::prelude::*;

use crate::check::{finite, inputs, not_negative, parameter, require, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, InverseTransform, Report, Reported, Transform};
use crate::ops::product;
use crate::random::uniforms;
use crate::saved::Format;
use crate::{Device, Progress, Result};

const OP: &str = "Nmf::fit";

/// Non-negative factorisation: `min ½‖X - WH‖²` over `W ≥ 0`, n x k, and `H ≥ 0`, k x d.
///
/// One column of W, or one row of H, after another is solved for exactly (hierarchical alternating least squares), so
/// the objective never rises. It is not convex; the seed decides where it starts. Runs on the CPU in f64.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 1.0, 3.0]]; // of rank two, with two parts
/// let fitted = Nmf::new(2).fit(&Device::cpu(), &x)?;
/// assert!(fitted.report().objective() < 1e-6);
/// assert!(fitted.components().iter().all(|v| *v >= 0.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) for a negative entry.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nmf {
    components: usize,
    max_iterations: usize,
    tolerance: f64,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    start: Option<(Array2<f64>, Array2<f64>)>,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Nmf {
    /// With k components.
    pub fn new(components: usize) -> Self {
        let progress = Progress::none();
        Nmf { components, max_iterations: 1000, tolerance: 1e-9, seed: 0, start: None, progress }
    }
}

setters!(Nmf {
    /// The most iterations; 1000 by default.
    max_iterations: usize,
    /// The gain, relative to the first objective, that counts as none; 1e-9 by default.
    tolerance: f64,
    /// Seed of the factors to begin with.
    seed: u64,
    /// Factors W, n x k, and H, k x d, to begin with; drawn by default.
    start: into Option<(Array2<f64>, Array2<f64>)>,
    /// Called after every iteration with the objective; it can cancel the fit.
    progress: Progress,
});

fits!(Nmf: Fit -> FittedNmf);

impl Fit for Nmf {
    type Fitted = FittedNmf;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedNmf> {
        not_negative_entries(OP, x)?;
        not_negative("tolerance", self.tolerance)?;
        let k = self.components;
        parameter("components", k as f64, k > 0, "must be at least 1")?;
        room("components", k, 8 * (x.nrows() + x.ncols()))?;
        room("components", k, 8usize.saturating_mul(k))?;
        // H is kept as its transpose, so that both halves of an iteration are the same.
        let (mut w, mut across) = self.begin(x)?;
        let half_norm = 0.5 * x.iter().map(|v| v * v).sum::<f64>();
        let mut gram = square(&across);
        let mut trace = vec![value(x, &w, &across)];
        let (mut iterations, mut converged) = (0, false);
        while !converged && iterations < self.max_iterations {
            sweep(&mut w, &gram, &times(x, across.view()));
            let (own, inner) = (square(&w), times(x.t(), w.view()));
            sweep(&mut across, &own, &inner);
            gram = square(&across);
            // ½‖X - WH‖² by products that are there; what cancels is found as it is written.
            let dot = |a: &Array2<f64>, b: &Array2<f64>| Zip::from(a).and(b).fold(0.0, |s, a, b| s + a * b);
            let short = half_norm - dot(&across, &inner) + 0.5 * dot(&own, &gram);
            let reached = if short < CANCELS * half_norm { value(x, &w, &across) } else { short };
            converged = trace[trace.len() - 1] - reached <= self.tolerance * trace[0];
            trace.push(reached);
            iterations += 1;
            self.progress.report(OP, iterations, self.max_iterations, reached)?;
        }
        let h = across.reversed_axes().as_standard_layout().into_owned();
        finite(OP, "the components", h.view())?;
        let last = trace[trace.len() - 1];
        Ok(FittedNmf {
            format: Format,
            components: h,
            report: Report::new(trace, iterations, converged, vec![last]),
        })
    }
}

fn not_negative_entries(op: &'static str, x: ArrayView2<f64>) -> Result<()> {
    finite(op, "x", x)?;
    let least = x.fold(0f64, |m, v| m.min(*v));
    parameter("least entry of x", least, least >= 0.0, "there must be no negative entry")
}

impl Nmf {
    /// W and the transpose of H to begin with.
    fn begin(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array2<f64>)> {
        let ((n, d), k) = (x.dim(), self.components);
        let Some((w, h)) = &self.start else {
            let mut uniform = uniforms(self.seed, 0);
            let scale = (x.mean().unwrap_or(0.0) / k as f64).sqrt();
            let mut draw = |shape| Array2::from_shape_simple_fn(shape, || scale * (0.5 + uniform()));
            let (w, h): (Array2<f64>, Array2<f64>) = (draw((n, k)), draw((k, d)));
            return Ok((w, h.t().as_standard_layout().into_owned()));
        };
        require(OP, w.dim() == (n, k) && h.dim() == (k, d), || {
            format!("a start of {:?} and {:?} for {k} components of {n} x {d}", w.dim(), h.dim())
        })?;
        not_negative_entries(OP, w.view())?;
        not_negative_entries(OP, h.view())?;
        Ok((w.as_standard_layout().into_owned(), h.t().as_standard_layout().into_owned()))
    }
}

/// Share of ½‖X‖² below which an objective that was found by subtracting from it has lost too many digits.
const CANCELS: f64 = 1e-4;

/// `½‖X - W H‖²`.
fn value(x: ArrayView2<f64>, w: &Array2<f64>, across: &Array2<f64>) -> f64 {
    let mut rest = times(w.view(), across.t());
    rest -= &x;
    0.5 * rest.iter().map(|v| v * v).sum::<f64>()
}

/// `A B`.
fn times(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut out = crate::host::memory::room(a.nrows(), b.ncols());
    product(1.0, a, b, 0.0, out.view_mut());
    out
}

/// `AᵀA`.
fn square(a: &Array2<f64>) -> Array2<f64> {
    times(a.t(), a.view())
}

/// Rows that are solved for side by side: one a lane.
const LANES: usize = 8;

/// Each column of `w` in turn: `w_k ← max(0, w_k + ((XHᵀ)_k - W(HHᵀ)_k) / (HHᵀ)_kk)`, for the `HHᵀ` and `XHᵀ` given.
fn sweep(w: &mut Array2<f64>, gram: &Array2<f64>, inner: &Array2<f64>) {
    let k = gram.nrows();
    let flat = "products are row-major";
    let (gram, inner) = (gram.as_slice().expect(flat), inner.as_slice().expect(flat));
    let w = w.as_slice_mut().expect("factors are row-major");
    let task = |(w, inner): (&mut [f64], &[f64])| {
        let mut side = vec![[0.0; LANES]; k];
        for (w, inner) in w.chunks_mut(LANES * k).zip(inner.chunks(LANES * k)) {
            Arch::new().dispatch(|| lanes(w, inner, gram, &mut side));
        }
    };
    w.par_chunks_mut(32 * LANES * k).zip(inner.par_chunks(32 * LANES * k)).for_each(task);
}

/// At most [`LANES`] rows of `w`, through `side`, where a column of them is one vector.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn lanes(w: &mut [f64], inner: &[f64], gram: &[f64], side: &mut [[f64; LANES]]) {
    let k = side.len();
    for (l, row) in w.chunks_exact(k).enumerate() {
        side.iter_mut().zip(row).for_each(|(s, v)| s[l] = *v);
    }
    let mut wanted = [0.0; LANES];
    for (t, row) in gram.chunks_exact(k).enumerate() {
        if row[t] <= 0.0 {
            continue;
        }
        for (to, row) in wanted.iter_mut().zip(inner.chunks_exact(k)) {
            *to = row[t];
        }
        for (g, s) in row.iter().zip(side.iter()) {
            for l in 0..LANES {
                wanted[l] -= g * s[l];
            }
        }
        for l in 0..LANES {
            side[t][l] = (side[t][l] + wanted[l] / row[t]).max(0.0);
        }
    }
    for (l, row) in w.chunks_exact_mut(k).enumerate() {
        side.iter().zip(row).for_each(|(s, v)| *v = s[l]);
    }
}

/// A fitted [`Nmf`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedNmf {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    components: Array2<f64>,
    report: Report,
}

getters!(FittedNmf {
    /// H, k x d.
    components: &Array2<f64>,
    /// How the fit went; the trace is the objective.
    report: &Report,
});

inherent!(FittedNmf: Transform, InverseTransform);

/// Sweeps over the factors of new rows.
const SWEEPS: usize = 500;

impl Transform for FittedNmf {
    /// W: the non-negative least-squares factors of rows, given H.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedNmf::transform", x, self.components.ncols())?;
        not_negative_entries("FittedNmf::transform", x)?;
        let mut w = Array2::zeros((x.nrows(), self.components.nrows()));
        let h = self.components.view();
        let (gram, inner) = (times(h, h.t()), times(x, h.t()));
        for _ in 0..SWEEPS {
            let before = w.clone();
            sweep(&mut w, &gram, &inner);
            let size = w.iter().fold(f64::MIN_POSITIVE, |m: f64, v| m.max(v.abs()));
            if (&w - &before).iter().all(|d| d.abs() <= 1e-12 * size) {
                break;
            }
        }
        finite("FittedNmf::transform", "the factors", w.view())?;
        Ok(w)
    }
}

impl InverseTransform for FittedNmf {
    /// `W H`.
    fn inverse_transform(&self, w: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedNmf::inverse_transform", w, self.components.nrows())?;
        Ok(w.dot(&self.components))
    }
}

impl Reported for FittedNmf {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNmf);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedNmf {
    fn check(&self) -> Result<()> {
        not_negative_entries("a saved FittedNmf", self.components.view())
    }
}
