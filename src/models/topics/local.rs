//! The hot loop of topics: `θ_k = exp E log θ_k`, `φ_wk ∝ θ_k exp E log β_kw`, `γ = α + Σ n φ`, without an exponential or a
//! logarithm for each word and topic. Checked in `tests/topics/variational.rs`.

use ndarray::Array2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::kernel::vector::{exp, fma};

/// Topics side by side in a vector register.
const LANES: usize = 8;
/// A word's sum over topics below which something may have underflowed.
const LEAST: f64 = 1e-250;

/// `E log β` word by word, relative to the word's largest, and its exponential; topics padded by zeros.
pub(super) struct Expected {
    pub width: usize,
    logs: Vec<f64>,
    exps: Vec<f64>,
}

impl Expected {
    /// Of `E log β`, topics x words.
    pub fn new(logs: &Array2<f64>) -> Self {
        let (k, words) = logs.dim();
        let width = k.next_multiple_of(LANES);
        let (mut shifted, mut exps) = (vec![0.0; words * width], vec![0.0; words * width]);
        shifted.par_chunks_mut(width).zip(exps.par_chunks_mut(width)).enumerate().for_each(|(w, (to, e))| {
            let own = logs.column(w);
            let top = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (t, v) in own.iter().enumerate() {
                to[t] = v - top;
                e[t] = to[t].exp();
            }
        });
        Expected { width, logs: shifted, exps }
    }

    /// What was gathered as `Σ n θ / norm`, words x width, becomes `Σ n φ`, added to topics x words.
    pub fn add_shares(&self, gathered: &[f64], sums: &mut Array2<f64>) {
        for (w, (own, e)) in
            gathered.chunks_exact(self.width).zip(self.exps.chunks_exact(self.width)).enumerate()
        {
            for (t, mut row) in sums.rows_mut().into_iter().enumerate() {
                row[w] += own[t] * e[t];
            }
        }
    }
}

/// Passes over one document: γ (padded) is moved, `Σ n θ / norm` gathered, and `-Σ n φ log φ` returned; nothing is touched
/// and nothing returned if something underflows.
pub(super) fn fast(
    document: &[(usize, f64)],
    expected: &Expected,
    alpha: f64,
    gamma: &mut [f64],
    most: usize,
    tolerance: f64,
    gathered: &mut [f64],
) -> Option<f64> {
    let width = expected.width;
    let mut own = vec![1.0; width];
    own[..gamma.len()].copy_from_slice(gamma);
    let scratch = [vec![0.0; width], vec![0.0; width]];
    let k = gamma.len();
    let run = Passes { document, expected, alpha, k, gamma: &mut own, scratch, most, tolerance, gathered };
    let entropy = Arch::new().dispatch(run)?;
    gamma.copy_from_slice(&own[..k]);
    Some(entropy)
}

struct Passes<'a> {
    document: &'a [(usize, f64)],
    expected: &'a Expected,
    alpha: f64,
    k: usize,
    gamma: &'a mut [f64],
    scratch: [Vec<f64>; 2],
    most: usize,
    tolerance: f64,
    gathered: &'a mut [f64],
}

impl WithSimd for Passes<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) -> Option<f64> {
        // Only x86 has machines without a fused multiply-add among those that matter.
        if S::IS_SCALAR && cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            self.run::<false>()
        } else {
            self.run::<true>()
        }
    }
}

/// `e^ψ(x)`: ψ(x) = ψ(x + 10) - Σ 1/(x + i), and the asymptotic series there, whose logarithm the exponential undoes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn exp_digamma<const FMA: bool>(x: f64) -> f64 {
    let mut below = 0.0;
    for i in 0..5 {
        let a = x + f64::from(2 * i);
        // 1/a + 1/(a + 1)
        below += (2.0 * a + 1.0) / (a * (a + 1.0));
    }
    let y = x + 10.0;
    let (u, t) = (1.0 / y, 1.0 / (y * y));
    let mut series = fma::<FMA>(t, -1.0 / 12.0, 691.0 / 32_760.0);
    for c in [1.0 / 132.0, 1.0 / 240.0, 1.0 / 252.0, 1.0 / 120.0, 1.0 / 12.0] {
        series = fma::<FMA>(-t, series, c);
    }
    y * exp::<FMA>(-(fma::<FMA>(t, series, 0.5 * u) + below))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn dot<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            sums[l] = fma::<FMA>(a[l], b[l], sums[l]);
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn add<const FMA: bool>(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.chunks_exact_mut(LANES).zip(from.chunks_exact(LANES)) {
        for l in 0..LANES {
            to[l] = fma::<FMA>(factor, from[l], to[l]);
        }
    }
}

impl Passes<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn run<const FMA: bool>(self) -> Option<f64> {
        let Expected { width, logs, exps } = self.expected;
        let row = |of: &'_ [f64], w: usize| -> std::ops::Range<usize> {
            debug_assert!(of.len() >= (w + 1) * width);
            w * width..(w + 1) * width
        };
        let [mut theta, mut next] = self.scratch;
        for _ in 0..self.most {
            for (t, g) in theta.iter_mut().zip(self.gamma.iter()) {
                *t = exp_digamma::<FMA>(*g);
            }
            next.fill(0.0);
            for (w, n) in self.document {
                let own = &exps[row(exps, *w)];
                let norm = dot::<FMA>(own, &theta);
                if norm < LEAST {
                    return None;
                }
                add::<FMA>(&mut next, n / norm, own);
            }
            let mut moved = 0.0;
            for t in 0..self.k {
                let to = fma::<FMA>(theta[t], next[t], self.alpha);
                moved += (to - self.gamma[t]).abs();
                self.gamma[t] = to;
            }
            if moved <= self.tolerance * self.k as f64 {
                break;
            }
        }
        // φ of the last pass: -Σ φ log φ = log norm - Σ φ (log θ + log β).
        let log_theta = &mut next;
        for (l, t) in log_theta.iter_mut().zip(&theta) {
            *l = if *t > 0.0 { t.ln() } else { 0.0 };
        }
        let mut entropy = 0.0;
        for (w, n) in self.document {
            let place = row(exps, *w);
            let (own, log) = (&exps[place.clone()], &logs[place.clone()]);
            let (mut norm, mut sum) = (0.0, 0.0);
            for t in 0..self.k {
                let part = theta[t] * own[t];
                norm += part;
                sum += part * (log_theta[t] + log[t]);
            }
            entropy += n * (norm.ln() - sum / norm);
            add::<FMA>(&mut self.gathered[place], n / norm, &theta);
        }
        Some(entropy)
    }
}
