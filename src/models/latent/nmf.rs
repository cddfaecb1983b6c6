//! Non-negative matrix factorisation. Checked in `tests/neural/nmf.rs` against scikit-learn.

use ndarray::{Array2, ArrayView2};

use crate::check::{finite, inputs, not_negative, parameter, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, InverseTransform, Report, Reported, Transform};
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
    progress: Progress,
}

impl Nmf {
    /// With k components.
    pub fn new(components: usize) -> Self {
        Nmf { components, max_iterations: 1000, tolerance: 1e-9, seed: 0, progress: Progress::none() }
    }
}

setters!(Nmf {
    /// The most iterations; 1000 by default.
    max_iterations: usize,
    /// The gain, relative to the first objective, that counts as none; 1e-9 by default.
    tolerance: f64,
    /// Seed of the factors to begin with.
    seed: u64,
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
        let mut uniform = uniforms(self.seed, 0);
        let scale = (x.mean().unwrap_or(0.0) / k as f64).sqrt();
        let mut draw = |shape| Array2::from_shape_simple_fn(shape, || scale * (0.5 + uniform()));
        let (mut w, mut h) = (draw((x.nrows(), k)), draw((k, x.ncols())));
        let value = |w: &Array2<f64>, h: &Array2<f64>| 0.5 * (&x - &w.dot(h)).mapv(|v| v * v).sum();
        let mut trace = vec![value(&w, &h)];
        let (mut iterations, mut converged) = (0, false);
        while !converged && iterations < self.max_iterations {
            sweep(&mut w, x, &h);
            let mut across = h.t().to_owned();
            sweep(&mut across, x.t(), &w.t().to_owned());
            h = across.t().to_owned();
            let reached = value(&w, &h);
            converged = trace[trace.len() - 1] - reached <= self.tolerance * trace[0];
            trace.push(reached);
            iterations += 1;
            self.progress.report(OP, iterations, self.max_iterations, reached)?;
        }
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

/// Each column of `w` in turn: `w_k ← max(0, w_k + ((XHᵀ)_k - W(HHᵀ)_k) / (HHᵀ)_kk)`.
fn sweep(w: &mut Array2<f64>, x: ArrayView2<f64>, h: &Array2<f64>) {
    let (gram, inner) = (h.dot(&h.t()), x.dot(&h.t()));
    for k in 0..w.ncols() {
        if gram[[k, k]] <= 0.0 {
            continue;
        }
        let step = (&inner.column(k) - &w.dot(&gram.column(k))) / gram[[k, k]];
        let mut column = w.column_mut(k);
        column += &step;
        column.mapv_inplace(|v| v.max(0.0));
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
        for _ in 0..SWEEPS {
            let before = w.clone();
            sweep(&mut w, x, &self.components);
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
