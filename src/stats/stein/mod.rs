//! Kernel Stein discrepancy: does a sample come from a density that is known up to its constant?
//!
//! Checked in `tests/stats/stein.rs` against the explicit double loop, Stein's identity and the closed form for Gaussians.

mod kernel;

use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;

use super::outcome::{Run, TestOutcome};
use super::resample::{
    Combine, Null, Resampling, Steps, Values, combine, finite, resampling_setters, rounding, stream, trusted,
};
use crate::check::{parameter, require, room, sample};
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::matrix::{Origin, Points};
use crate::ops::{gram_diagonal, gram_vec};
use crate::{Device, Error, Matrix, Progress, Result};

pub use kernel::SteinBase;
use kernel::SteinKernel;

const OP: &str = "KernelStein";
/// Columns of signs that are multiplied at a time: n times this is the memory of the bootstrap.
const BLOCK: usize = 256;

/// The kernel Stein discrepancy of a sample from a density p, of which only the score `s(x) = ∇ log p(x)` is needed.
///
/// `KSD² = E h(X, X')` with the Stein kernel h of a base kernel k,
///
/// `h(x, x') = s(x)·s(x') k + s(x)·∇' k + s(x')·∇ k + tr ∇∇' k`,
///
/// is zero if the sample comes from p, and positive otherwise. The constant of p drops out of the score.
///
/// The p-value is that of the wild bootstrap, `(1/n²) Σ_ij W_i W_j h_ij` with random signs W. For a Markov chain the
/// signs follow one another: see [`KernelStein::flip`].
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| (i as f64 + 0.5) / 60.0 * 2.0); // uniform on [0, 2]
/// let stein = KernelStein::new(SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 });
/// let outcome = stein.run(&Device::cpu(), &x, |x| vec![-x[0]])?; // is it a standard normal?
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelStein {
    base: SteinBase,
    flip: f64,
    resampling: Resampling,
}

setters!(KernelStein {
    /// Probability that a sign differs from the one before it: one half for independent observations, less for the
    /// states of a Markov chain (Chwialkowski, Strathmann and Gretton 2016), whose dependence the bootstrap then keeps.
    flip: f64,
});

resampling_setters!(KernelStein);

/// Both estimates of the squared discrepancy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteinDiscrepancy {
    /// `1/(n (n-1)) Σ_{i≠j} h_ij`: no bias; it may be negative.
    pub u_statistic: f64,
    /// `1/n² Σ_ij h_ij`: never negative but for rounding.
    pub v_statistic: f64,
}

impl KernelStein {
    /// 1000 bootstrap samples of independent signs, level 0.05.
    pub fn new(base: SteinBase) -> Self {
        KernelStein { base, flip: 0.5, resampling: Resampling::new(Null::WildBootstrap(1000)) }
    }

    /// The U- and the V-statistic of `x`, `n x d`; `score` gives `∇ log p` of a point. Memory is O(n d).
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than two observations or a score of the wrong length, [`Error::NotFinite`] for an
    /// observation or a score that is not finite, [`Error::Parameter`] for a bad parameter of the base kernel, or for a
    /// result that is not finite.
    pub fn discrepancy(
        &self,
        device: &Device,
        x: impl Inputs,
        score: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<SteinDiscrepancy> {
        let h = self.prepare(x.inputs().view(), score)?;
        trusted(OP, device, |device| {
            let on = Self::points(device, &h, 1)?;
            let n = on.host().nrows();
            let ones = Matrix::upload(OP, on.device(), Array2::<f64>::ones((n, 1)).view())?;
            let total = gram_vec(&h.kernel, on.matrix()?, None, &ones)?.to_array()?.sum();
            let trace = gram_diagonal(&h.kernel, on.matrix()?)?.to_array()?.sum();
            if on.device().is_gpu() && !(total.is_finite() && trace.is_finite()) {
                return Ok(None);
            }
            finite(OP, total - trace)?;
            Ok(Some(estimates(n, total, trace)))
        })
    }

    /// Whether the sample comes from the density with this score: the V-statistic and its wild bootstrap.
    ///
    /// The U-statistic gives the same p-value: the two differ by the diagonal, which no signs change. Memory is O(n)
    /// times the lesser of the bootstrap samples and 256.
    ///
    /// # Errors
    /// As [`KernelStein::discrepancy`]; [`Error::Parameter`] for no bootstrap samples or more than memory holds, or a
    /// level or a probability outside of (0, 1); [`Error::Unsupported`] for another null; [`Error::Cancelled`].
    pub fn run(
        &self,
        device: &Device,
        x: impl Inputs,
        score: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<TestOutcome> {
        self.resampling.check()?;
        let Null::WildBootstrap(count) = self.resampling.null else {
            return Err(self.resampling.null.refused(OP, "use the wild bootstrap"));
        };
        parameter("bootstraps", count as f64, count > 0, "there must be a bootstrap sample")?;
        room("bootstraps", count.saturating_add(1), 8)?;
        let inside = self.flip > 0.0 && self.flip < 1.0;
        parameter("flip", self.flip, inside, "a probability must lie between 0 and 1")?;
        let h = self.prepare(x.inputs().view(), score)?;
        trusted(OP, device, |device| self.bootstrapped(device, &h, count))
    }

    fn bootstrapped(&self, device: &Device, h: &SteinKernel, count: usize) -> Result<Option<TestOutcome>> {
        let on = Self::points(device, h, count)?;
        let (device, n, seed) = (on.device(), on.host().nrows(), self.resampling.seed);
        let squares = (n * n) as f64;
        // Column 0 is the data's own: all signs positive.
        let mut all: Vec<f64> = Vec::with_capacity(count + 1);
        let mut steps = Steps::new(OP, &self.resampling.progress, (count + 1).div_ceil(BLOCK));
        for first in (0..=count).step_by(BLOCK) {
            let columns: Vec<Vec<f64>> = (first..=count.min(first + BLOCK - 1))
                .map(|b| if b == 0 { vec![1.0; n] } else { sign_chain(n, self.flip, seed, b - 1) })
                .collect();
            let w = Array2::from_shape_fn((n, columns.len()), |(i, b)| columns[b][i]);
            let on_device = Matrix::upload(OP, device, w.view())?;
            let hw = gram_vec(&h.kernel, on.matrix()?, None, &on_device)?.to_array()?;
            all.extend((&w * &hw).sum_axis(Axis(0)).iter().map(|sum| sum / squares));
            steps.made()?;
        }
        // Signs have made the null's deviation that of the terms themselves.
        let spread = deviation(&all[1..]);
        let bytes = 3 * 8 * (n * BLOCK.min(count + 1)) as u64;
        let run = Run::new("kernel Stein V-statistic, wild bootstrap", count, Some(seed), device, bytes);
        let values = [Values { error: spread * rounding(n), spread, all }];
        let kernels = vec![vec![h.kernel.clone()]];
        combine(OP, &values, kernels, Combine::MinP, &self.resampling, device.is_gpu(), run)
    }

    /// The features of the Stein kernel, on their way to a device.
    fn points(device: &Device, h: &SteinKernel, columns: usize) -> Result<Points> {
        let (n, d) = h.features.dim();
        let flops = (n * n) as f64 * (4 * d + 2 * columns) as f64;
        Points::new(OP, device, h.features.view(), Origin::Fixed, flops)
    }

    fn prepare(&self, x: ArrayView2<f64>, score: impl Fn(&[f64]) -> Vec<f64>) -> Result<SteinKernel> {
        sample(OP, "x", x, 2)?;
        self.base.check()?;
        let (n, d) = x.dim();
        let mut s = Array2::zeros((n, d));
        for (i, point) in x.rows().into_iter().enumerate() {
            let own = score(&point.to_vec());
            require(OP, own.len() == d, || {
                format!("the score of a point of {d} features has {}", own.len())
            })?;
            if let Some(col) = own.iter().position(|v| !v.is_finite()) {
                return Err(Error::NotFinite { op: OP, what: "the score", value: own[col], row: i, col });
            }
            s.row_mut(i).iter_mut().zip(own).for_each(|(to, v)| *to = v);
        }
        Ok(self.base.stein(x, s.view()))
    }
}

/// The standard deviation of some values.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}

fn estimates(n: usize, total: f64, trace: f64) -> SteinDiscrepancy {
    let n = n as f64;
    SteinDiscrepancy { u_statistic: (total - trace) / (n * (n - 1.0)), v_statistic: total / (n * n) }
}

/// `n` signs, each different from the one before it with probability `flip`: chain `index` of `seed`.
fn sign_chain(n: usize, flip: f64, seed: u64, index: usize) -> Vec<f64> {
    let mut rng = stream(seed, index);
    let mut sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
    (0..n)
        .map(|_| {
            if rng.random::<f64>() < flip {
                sign = -sign;
            }
            sign
        })
        .collect()
}
