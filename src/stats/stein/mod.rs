//! Kernel Stein discrepancy: does a sample come from a density that is known up to its constant?
//!
//! Checked in `tests/stats/stein.rs` against the explicit double loop, Stein's identity and the closed form for Gaussians.

mod kernel;

use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;

use crate::check::{level, parameter, require, sample};
use super::null::{p_value, threshold};
use super::outcome::{Done, KernelOutcome, TestOutcome};
use super::permutations::stream;
use super::steps::Steps;
use crate::Progress;
use crate::ops::{gram_diagonal, gram_vec};
use crate::{Device, Error, Matrix, Result};

pub use kernel::SteinBase;
use kernel::SteinKernel;

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
/// use mercer::{Device, stats::{KernelStein, SteinBase}};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| (i as f64 + 0.5) / 60.0 * 2.0); // uniform on [0, 2]
/// let stein = KernelStein::new(SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 });
/// let outcome = stein.run(&Device::cpu(), x.view(), |x| vec![-x[0]])?; // is it a standard normal?
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelStein {
    /// The kernel below the Stein kernel.
    pub base: SteinBase,
    /// Bootstrap samples.
    pub bootstraps: usize,
    /// The probability that a sign differs from the one before it: one half for independent observations, less for the
    /// states of a Markov chain (Chwialkowski, Strathmann and Gretton 2016), whose dependence the bootstrap then keeps.
    pub flip: f64,
    /// The level of the test.
    pub alpha: f64,
    /// The seed of the signs.
    pub seed: u64,
    /// Whether to return the bootstrap sample.
    pub keep_null: bool,
    /// Called after each part of the bootstrap samples.
    pub progress: Progress,
}

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
        KernelStein {
            base,
            bootstraps: 1000,
            flip: 0.5,
            seed: 0,
            alpha: 0.05,
            keep_null: false,
            progress: Progress::none(),
        }
    }

    /// The U- and the V-statistic of `x`, `n x d`; `score` gives `∇ log p` of a point. Memory is O(n d).
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than two observations or a score of the wrong length, [`Error::NotFinite`] for an
    /// observation or a score that is not finite, [`Error::Parameter`] for a bad parameter of the base kernel.
    pub fn discrepancy(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        score: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<SteinDiscrepancy> {
        let (h, on) = self.prepare(device, x, score)?;
        let ones = Matrix::from_array(device, Array2::<f64>::ones((x.nrows(), 1)).view())?;
        let total = gram_vec(&h.kernel, &on, None, &ones)?.to_array()?.sum();
        let trace = gram_diagonal(&h.kernel, &on)?.to_array()?.sum();
        Ok(estimates(x.nrows(), total, trace))
    }

    /// Whether the sample comes from the density with this score: the V-statistic and its wild bootstrap.
    ///
    /// The U-statistic gives the same p-value: the two differ by the diagonal, which no signs change. Memory is O(n)
    /// times the lesser of the bootstrap samples and 256.
    ///
    /// # Errors
    /// As [`KernelStein::discrepancy`]; [`Error::Parameter`] for no bootstrap samples, or a level or a probability
    /// outside of (0, 1); [`Error::Cancelled`].
    pub fn run(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        score: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<TestOutcome> {
        level(self.alpha)?;
        let count = self.bootstraps;
        parameter("bootstraps", count as f64, count > 0, "there must be a bootstrap sample")?;
        let inside = self.flip > 0.0 && self.flip < 1.0;
        parameter("flip", self.flip, inside, "a probability must lie between 0 and 1")?;
        let (h, on) = self.prepare(device, x, score)?;
        let n = x.nrows();
        let squares = (n * n) as f64;
        // Column 0 is the data's own: all signs positive.
        let mut values = Vec::with_capacity(count + 1);
        let mut steps = Steps::new("KernelStein", &self.progress, (count + 1).div_ceil(BLOCK));
        for first in (0..=count).step_by(BLOCK) {
            let columns: Vec<Vec<f64>> = (first..=count.min(first + BLOCK - 1))
                .map(|b| if b == 0 { vec![1.0; n] } else { sign_chain(n, self.flip, self.seed, b - 1) })
                .collect();
            let w = Array2::from_shape_fn((n, columns.len()), |(i, b)| columns[b][i]);
            let hw = gram_vec(&h.kernel, &on, None, &Matrix::from_array(device, w.view())?)?.to_array()?;
            values.extend((&w * &hw).sum_axis(Axis(0)).iter().map(|sum| sum / squares));
            steps.made()?;
        }
        let null = values.split_off(1);
        let statistic = values[0];
        let p = p_value(statistic, &null);
        let bytes = 3 * 8 * (n * BLOCK.min(count + 1)) as u64;
        let own = KernelOutcome { kernels: vec![h.kernel], statistic, p_value: p, rejects: p <= self.alpha };
        Ok(TestOutcome {
            statistic,
            p_value: p,
            alpha: self.alpha,
            threshold: threshold(self.alpha, &null),
            null: self.keep_null.then_some(null),
            kernels: vec![own],
            fired: 0,
            done: Done::new(
                "kernel Stein V-statistic, wild bootstrap",
                count,
                Some(self.seed),
                device,
                bytes,
            ),
        })
    }

    fn prepare(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        score: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<(SteinKernel, Matrix)> {
        const OP: &str = "KernelStein";
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
        let h = self.base.stein(x, s.view());
        let on = Matrix::from_array(device, h.features.view())?;
        Ok((h, on))
    }
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
