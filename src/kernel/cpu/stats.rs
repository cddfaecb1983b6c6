//! Statistics of a block of pairs: a few rows of x against some panels of y, sums kept in registers.

use std::f64::consts::PI;

use super::vector::{fma, sin_cos_pi};
use super::{Block, ROWS};
use crate::kernel::points::LANES;
use crate::kernel::program::{Form, Stat};

/// Fills `out` (rows x width) with one statistic.
#[inline(always)]
pub(crate) fn fill<const FMA: bool>(stat: &Stat, slots: &[f64], b: &Block, out: &mut [f64]) {
    match stat.form {
        Form::SqDist => sums(stat, b, out, |acc, x, y, w| {
            let d = x - y;
            fma::<FMA>(d * w, d, acc)
        }),
        Form::Dot => sums(stat, b, out, |acc, x, y, w| fma::<FMA>(x * w, y, acc)),
        Form::L1 => sums(stat, b, out, |acc, x, y, w| fma::<FMA>((x - y).abs(), w, acc)),
        Form::SinSq(slot) => {
            let f = slots[slot];
            sums(stat, b, out, |acc, x, y, w| {
                let (s, _) = sin_cos_pi::<FMA>((x - y) * f);
                fma::<FMA>(s * s, w, acc)
            });
        }
        Form::SinSqSlope(slot) => {
            let f = slots[slot];
            sums(stat, b, out, |acc, x, y, w| {
                let (s, c) = sin_cos_pi::<FMA>((x - y) * f);
                fma::<FMA>(2.0 * PI * (x - y) * s * c, w, acc)
            });
        }
        Form::NormX => sums(stat, b, out, |acc, x, _, w| fma::<FMA>(x * w, x, acc)),
        Form::NormY => sums(stat, b, out, |acc, _, y, w| fma::<FMA>(y * w, y, acc)),
        Form::SumX => sums(stat, b, out, |acc, x, _, w| fma::<FMA>(x, w, acc)),
        Form::SumY => sums(stat, b, out, |acc, _, y, w| fma::<FMA>(y, w, acc)),
        Form::Custom(_) | Form::CustomSlope(..) => {}
    }
}

#[inline(always)]
fn sums(stat: &Stat, b: &Block, out: &mut [f64], h: impl Fn(f64, f64, f64, f64) -> f64 + Copy) {
    match &stat.weights {
        // The constant 1.0 disappears when this is compiled.
        None => rows(stat, b, out, |acc, x, y, _| h(acc, x, y, 1.0), &[]),
        Some(w) => rows(stat, b, out, h, w),
    }
}

#[inline(always)]
fn rows(
    stat: &Stat,
    b: &Block,
    out: &mut [f64],
    h: impl Fn(f64, f64, f64, f64) -> f64 + Copy,
    weights: &[f64],
) {
    if b.rows == ROWS {
        panels::<ROWS>(stat, b, 0, out, h, weights);
    } else {
        for r in 0..b.rows {
            panels::<1>(stat, b, r, out, h, weights);
        }
    }
}

/// R rows from `first` on, one panel at a time: R x LANES sums stay in registers over all features.
#[inline(always)]
fn panels<const R: usize>(
    stat: &Stat,
    b: &Block,
    first: usize,
    out: &mut [f64],
    h: impl Fn(f64, f64, f64, f64) -> f64 + Copy,
    weights: &[f64],
) {
    let x: [&[f64]; R] = std::array::from_fn(|r| b.x.row(b.row + first + r));
    for p in 0..b.width / LANES {
        let panel = b.y.panel(b.col / LANES + p);
        let mut acc = [[0.0; LANES]; R];
        for &(at, col, len) in &stat.runs {
            let y = &panel[col * LANES..(col + len) * LANES];
            let x: [&[f64]; R] = std::array::from_fn(|r| &x[r][col..col + len]);
            let w = if weights.is_empty() { &[][..] } else { &weights[at..at + len] };
            for (f, y) in y.chunks_exact(LANES).enumerate() {
                let y: &[f64; LANES] = y.try_into().expect("a chunk has LANES values");
                let w = if w.is_empty() { 1.0 } else { w[f] };
                for r in 0..R {
                    let x = x[r][f];
                    for l in 0..LANES {
                        acc[r][l] = h(acc[r][l], x, y[l], w);
                    }
                }
            }
        }
        for (r, acc) in acc.iter().enumerate() {
            let at = (first + r) * b.width + p * LANES;
            out[at..at + LANES].copy_from_slice(acc);
        }
    }
}

/// Adds Σ over the block of `ds·h(x_f, y_f)` to `out`, one for each column of the statistic: the derivative by its
/// weights.
#[inline(always)]
pub(crate) fn weight_gradient<const FMA: bool>(
    stat: &Stat,
    slots: &[f64],
    b: &Block,
    ds: &[f64],
    out: &mut [f64],
) {
    match stat.form {
        Form::SqDist => columns(stat, b, ds, out, |x, y| (x - y) * (x - y)),
        Form::Dot => columns(stat, b, ds, out, |x, y| x * y),
        Form::L1 => columns(stat, b, ds, out, |x, y| (x - y).abs()),
        Form::SinSq(slot) => {
            let f = slots[slot];
            columns(stat, b, ds, out, |x, y| {
                let (s, _) = sin_cos_pi::<FMA>((x - y) * f);
                s * s
            });
        }
        Form::NormX => columns(stat, b, ds, out, |x, _| x * x),
        Form::NormY => columns(stat, b, ds, out, |_, y| y * y),
        _ => {}
    }
}

#[inline(always)]
fn columns(stat: &Stat, b: &Block, ds: &[f64], out: &mut [f64], h: impl Fn(f64, f64) -> f64) {
    for (&col, out) in stat.cols.iter().zip(out) {
        let mut acc = [0.0; LANES];
        for r in 0..b.rows {
            let x = b.x.row(b.row + r)[col];
            for p in 0..b.width / LANES {
                let y = &b.y.panel(b.col / LANES + p)[col * LANES..(col + 1) * LANES];
                let ds = &ds[r * b.width + p * LANES..][..LANES];
                for l in 0..LANES {
                    acc[l] += ds[l] * h(x, y[l]);
                }
            }
        }
        *out += acc.iter().sum::<f64>();
    }
}

/// Adds Σⱼ ds·∂form/∂a to `out`, `dz` values for each row of the block: the derivative by the columns of Z of x.
#[inline(always)]
pub(crate) fn input_gradient<const FMA: bool>(
    stat: &Stat,
    slots: &[f64],
    b: &Block,
    ds: &[f64],
    dz: usize,
    out: &mut [f64],
) {
    match stat.form {
        Form::SqDist => inputs(stat, b, ds, dz, out, |x, y| 2.0 * (x - y)),
        Form::Dot => inputs(stat, b, ds, dz, out, |_, y| y),
        // At the kink neither side is right, and their mean is zero.
        Form::L1 => inputs(stat, b, ds, dz, out, |x, y| if x == y { 0.0 } else { (x - y).signum() }),
        Form::SinSq(slot) => {
            let f = slots[slot];
            inputs(stat, b, ds, dz, out, |x, y| {
                let (s, c) = sin_cos_pi::<FMA>((x - y) * f);
                2.0 * PI * f * s * c
            });
        }
        Form::NormX => inputs(stat, b, ds, dz, out, |x, _| 2.0 * x),
        // The others are about y, about derivatives by parameters, or about indices.
        _ => {}
    }
}

#[inline(always)]
fn inputs(stat: &Stat, b: &Block, ds: &[f64], dz: usize, out: &mut [f64], h: impl Fn(f64, f64) -> f64) {
    for (at, &col) in stat.cols.iter().enumerate() {
        let w = stat.weights.as_ref().map_or(1.0, |w| w[at]);
        for r in 0..b.rows {
            let x = b.x.row(b.row + r)[col];
            let mut acc = [0.0; LANES];
            for p in 0..b.width / LANES {
                let y = &b.y.panel(b.col / LANES + p)[col * LANES..(col + 1) * LANES];
                let ds = &ds[r * b.width + p * LANES..][..LANES];
                for l in 0..LANES {
                    acc[l] += ds[l] * h(x, y[l]);
                }
            }
            out[r * dz + col] += w * acc.iter().sum::<f64>();
        }
    }
}
