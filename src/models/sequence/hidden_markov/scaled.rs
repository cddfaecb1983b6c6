//! Forward and backward by scaling, states side by side in vector registers, both directions at once. Checked in
//! `tests/sequence/hidden_markov.rs` against the definition in logarithms.

use ndarray::{Array1, Array2, ArrayView2};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::forward_backward::{Smoothed, in_logs};
use crate::kernel::vector::{exp, fma};

/// States side by side in a vector register.
const LANES: usize = 8;
/// What a step may leave: below it, states that have underflowed may be those that count later.
const LEAST: f64 = 1e-100;
/// Steps of one task, where steps do not wait for each other.
const BLOCK: usize = 4096;

/// By scaling: `α_t` and `β_t` sum to one, and the product of what α was divided by is the likelihood. `O(TK²)` time,
/// `O(TK)` memory. The log densities of a step are shifted by their largest first, so that none underflows alone; where the
/// states that are possible are far below the largest, or nothing is left at all, the answer is that of [`in_logs`].
pub(super) fn scaled(initial: &Array1<f64>, transition: &Array2<f64>, log_b: ArrayView2<f64>) -> Smoothed {
    attempt(initial, transition, log_b).unwrap_or_else(|| in_logs(initial, transition, log_b))
}

fn attempt(initial: &Array1<f64>, transition: &Array2<f64>, log_b: ArrayView2<f64>) -> Option<Smoothed> {
    let (t, k) = log_b.dim();
    let width = k.next_multiple_of(LANES);
    let padded = |row: &mut [f64], from: &mut dyn Iterator<Item = f64>| {
        row.iter_mut().zip(from).for_each(|(a, b)| *a = b);
    };
    let mut b = vec![0.0; t * width];
    let mut shifts = vec![0.0; t.div_ceil(BLOCK)];
    b.par_chunks_mut(BLOCK * width).zip(&mut shifts).enumerate().for_each(|(block, (rows, shift))| {
        for (s, row) in rows.chunks_exact_mut(width).enumerate() {
            padded(row, &mut log_b.row(block * BLOCK + s).iter().copied());
        }
        *shift = Arch::new().dispatch(Shifted { rows, k, width });
    });
    let (mut forth, mut back) = (vec![0.0; k * width], vec![0.0; k * width]);
    for i in 0..k {
        padded(&mut forth[i * width..(i + 1) * width], &mut transition.row(i).iter().copied());
        padded(&mut back[i * width..(i + 1) * width], &mut transition.column(i).iter().copied());
    }
    let walk = |backward: bool| {
        let (mut out, mut scales) = (vec![0.0; t * width], vec![1.0; t]);
        let ends = if backward {
            padded(&mut out[(t - 1) * width..], &mut std::iter::repeat_n(1.0 / k as f64, k));
            true
        } else {
            padded(&mut out[..width], &mut initial.iter().zip(&b).map(|(p, b)| p * b));
            scales[0] = out[..k].iter().sum();
            out[..k].iter_mut().for_each(|a| *a /= scales[0]);
            scales[0] >= LEAST
        };
        let matrix = if backward { &back } else { &forth };
        let walk = Walk { matrix, b: &b, k, width, out: &mut out, scales: &mut scales, backward };
        (ends && Arch::new().dispatch(walk)).then_some((out, scales))
    };
    // Two threads are worth it where a step has something to do.
    let (forward, backward) = if t * k * k > 1 << 16 {
        rayon::join(|| walk(false), || walk(true))
    } else {
        (walk(false), walk(true))
    };
    let ((alpha, scales), (mut beta, ratios)) = (forward?, backward?);
    let log_likelihood = shifts.iter().sum::<f64>() + sum_of_logs(&scales);
    let joined: Vec<Option<Vec<f64>>> = (0..t.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let steps = block * BLOCK..t.min((block + 1) * BLOCK).min(t.saturating_sub(1));
            Arch::new().dispatch(Counts {
                alpha: &alpha,
                beta: &beta,
                b: &b,
                ratios: &ratios,
                k,
                width,
                steps,
            })
        })
        .collect();
    let mut counts = vec![0.0; k * width];
    for part in joined {
        counts.iter_mut().zip(part?).for_each(|(a, b)| *a += b);
    }
    let whole =
        beta.par_chunks_mut(BLOCK * width).zip(alpha.par_chunks(BLOCK * width)).map(|(beta, alpha)| {
            beta.chunks_exact_mut(width).zip(alpha.chunks_exact(width)).all(|(beta, alpha)| {
                let mut sum = 0.0;
                for (b, a) in beta.iter_mut().zip(alpha) {
                    *b *= a;
                    sum += *b;
                }
                for b in beta.iter_mut() {
                    *b /= sum;
                }
                sum >= LEAST
            })
        });
    let held = whole.collect::<Vec<bool>>().into_iter().all(|holds| holds);
    let narrow = |all: Vec<f64>| match Array2::from_shape_vec((t, width), all) {
        Ok(all) if width == k => all,
        Ok(all) => all.slice(ndarray::s![.., ..k]).to_owned(),
        Err(_) => Array2::zeros((0, k)),
    };
    let transitions = Array2::from_shape_fn((k, k), |(i, j)| transition[[i, j]] * counts[i * width + j]);
    held.then(|| Smoothed { states: narrow(beta), filtered: narrow(alpha), transitions, log_likelihood })
}

/// `Σ log v`: one logarithm for as many numbers as their product allows.
fn sum_of_logs(values: &[f64]) -> f64 {
    let (mut sum, mut product) = (0.0, 1.0f64);
    for v in values {
        product *= v;
        if !(1e-150..1e150).contains(&product) {
            sum += product.ln();
            product = 1.0;
        }
    }
    sum + product.ln()
}

/// Log densities become `exp(v - largest of the row)`; the result is the sum of the largest.
struct Shifted<'a> {
    rows: &'a mut [f64],
    k: usize,
    width: usize,
}

/// One direction: `v_t ∝ (Σ_i v_i row_i) ∘ b_t` forward, `v_t ∝ Σ_j (b ∘ v)_j row_j` backward; false if a sum is too small.
struct Walk<'a> {
    matrix: &'a [f64],
    b: &'a [f64],
    k: usize,
    width: usize,
    out: &'a mut [f64],
    scales: &'a mut [f64],
    backward: bool,
}

/// `Σ_t α_t (b ∘ β)_{t+1}ᵀ`, each of mass one with the transition between them.
struct Counts<'a> {
    alpha: &'a [f64],
    beta: &'a [f64],
    b: &'a [f64],
    ratios: &'a [f64],
    k: usize,
    width: usize,
    steps: std::ops::Range<usize>,
}

macro_rules! fused {
    ($name:ident -> $output:ty) => {
        impl WithSimd for $name<'_> {
            type Output = $output;

            #[inline(always)]
            #[allow(
                clippy::inline_always,
                reason = "what is not inlined loses the instruction set of its caller"
            )]
            fn with_simd<S: Simd>(self, _: S) -> $output {
                // Only x86 has machines without a fused multiply-add among those that matter.
                if S::IS_SCALAR && cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                    self.run::<false>()
                } else {
                    self.run::<true>()
                }
            }
        }
    };
}

fused!(Shifted -> f64);
fused!(Walk -> bool);
fused!(Counts -> Option<Vec<f64>>);

impl Shifted<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn run<const FMA: bool>(self) -> f64 {
        let mut sum = 0.0;
        for row in self.rows.chunks_exact_mut(self.width) {
            let top = row[..self.k].iter().fold(f64::NEG_INFINITY, |a, b| if *b > a { *b } else { a });
            let shift = if top == f64::NEG_INFINITY { 0.0 } else { top };
            sum += shift;
            for v in row.iter_mut() {
                *v = exp::<FMA>(*v - shift);
            }
            row[self.k..].fill(0.0);
        }
        sum
    }
}

impl Walk<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn run<const FMA: bool>(self) -> bool {
        let (k, width, t) = (self.k, self.width, self.scales.len());
        let mut from = vec![0.0; width];
        for step in 1..t {
            let (s, before) = if self.backward { (t - 1 - step, t - step) } else { (step, step - 1) };
            let (b, old) = (&self.b[before * width..][..width], &self.out[before * width..][..width]);
            for l in 0..width {
                from[l] = if self.backward { b[l] * old[l] } else { old[l] };
            }
            let b = &self.b[s * width..][..width];
            let to = &mut self.out[s * width..][..width];
            let mut totals = [0.0; LANES];
            for c in (0..width).step_by(LANES) {
                let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
                let mut i = 0;
                while i + 1 < k {
                    let (a, b) = (from[i], from[i + 1]);
                    let (x, y) = (
                        &self.matrix[i * width + c..][..LANES],
                        &self.matrix[(i + 1) * width + c..][..LANES],
                    );
                    for l in 0..LANES {
                        even[l] = fma::<FMA>(a, x[l], even[l]);
                        odd[l] = fma::<FMA>(b, y[l], odd[l]);
                    }
                    i += 2;
                }
                if i < k {
                    let (a, x) = (from[i], &self.matrix[i * width + c..][..LANES]);
                    for l in 0..LANES {
                        even[l] = fma::<FMA>(a, x[l], even[l]);
                    }
                }
                for l in 0..LANES {
                    let mut v = even[l] + odd[l];
                    if !self.backward {
                        v *= b[c + l];
                    }
                    to[c + l] = v;
                    totals[l] += v;
                }
            }
            let [a, b, c, d, e, f, g, h] = totals;
            let sum = ((a + e) + (c + g)) + ((b + f) + (d + h));
            // Written so that a NaN fails.
            if sum.is_nan() || sum < LEAST {
                return false;
            }
            let share = 1.0 / sum;
            for v in to.iter_mut() {
                *v *= share;
            }
            self.scales[s] = sum;
        }
        true
    }
}

impl Counts<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn run<const FMA: bool>(self) -> Option<Vec<f64>> {
        let (k, width) = (self.k, self.width);
        let (mut counts, mut next) = (vec![0.0; k * width], vec![0.0; width]);
        for t in self.steps {
            let (alpha, beta) = (&self.alpha[t * width..][..width], &self.beta[t * width..][..width]);
            let after = (t + 1) * width..(t + 2) * width;
            let (b, later) = (&self.b[after.clone()], &self.beta[after]);
            let mut sum = 0.0;
            for l in 0..width {
                sum = fma::<FMA>(alpha[l], beta[l], sum);
                next[l] = b[l] * later[l];
            }
            let mass = sum * self.ratios[t];
            // Written so that a NaN fails.
            if mass.is_nan() || mass < LEAST {
                return None;
            }
            for i in 0..k {
                let share = alpha[i] / mass;
                for (to, from) in
                    counts[i * width..][..width].chunks_exact_mut(LANES).zip(next.chunks_exact(LANES))
                {
                    for l in 0..LANES {
                        to[l] = fma::<FMA>(share, from[l], to[l]);
                    }
                }
            }
        }
        Some(counts)
    }
}
