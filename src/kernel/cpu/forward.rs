//! Each instruction, forward, over a block of pairs.

use std::f64::consts::FRAC_2_PI;

use super::vector::{exp, fma};
use super::{Block, PAIRS, stats};
use crate::kernel::bessel::matern;
use crate::kernel::program::{Instr, Program};
use crate::kernel::value::FARTHEST;

/// Values that one turn of a loop works on: four AVX2 registers share each constant, and hide each other's latency.
const WIDE: usize = 16;

/// All statistics and instructions of one block. Buffer b of `values` is at b·PAIRS: statistics, then instructions.
#[inline(always)]
pub(crate) fn run<const FMA: bool>(p: &Program, b: &Block, gradient: bool, values: &mut [f64]) {
    for (stat, out) in p.stats.iter().zip(values.chunks_exact_mut(PAIRS)) {
        if gradient || !stat.gradient_only {
            stats::fill::<FMA>(stat, &p.slots, b, out);
        }
    }
    let n = b.pairs();
    for (i, instr) in p.code.iter().enumerate() {
        let (done, out) = values.split_at_mut((p.stats.len() + i) * PAIRS);
        step::<FMA>(p, b, instr, done, &mut out[..n]);
    }
}

#[inline(always)]
fn step<const FMA: bool>(p: &Program, b: &Block, instr: &Instr, done: &[f64], out: &mut [f64]) {
    let n = out.len();
    let stat = |s: usize| &done[s * PAIRS..][..n];
    let value = |v: usize| &done[(p.stats.len() + v) * PAIRS..][..n];
    let slot = |k: usize| p.slots[k];
    match *instr {
        Instr::Constant(c) => out.fill(slot(c)),
        Instr::Stat(s) => out.copy_from_slice(stat(s)),
        Instr::Affine(s, a, c) => {
            let (a, c) = (slot(a), slot(c));
            each(out, stat(s), |s| fma::<FMA>(a, s, c));
        }
        Instr::Exponential(s, a) => {
            let a = slot(a);
            each(out, stat(s), |s| exp::<FMA>(a * s));
        }
        Instr::Matern(order, s, a) => {
            let a = slot(a) * f64::from(order);
            match order {
                1 => each(out, stat(s), |s| exp::<FMA>(-(a * s).sqrt())),
                3 => each(out, stat(s), |s| {
                    let t = (a * s).sqrt().min(FARTHEST);
                    (1.0 + t) * exp::<FMA>(-t)
                }),
                _ => each(out, stat(s), |s| {
                    let t = (a * s).sqrt().min(FARTHEST);
                    fma::<FMA>(t, fma::<FMA>(t, 1.0 / 3.0, 1.0), 1.0) * exp::<FMA>(-t)
                }),
            }
        }
        Instr::MaternNu(nu, s, a) => each(out, stat(s), |s| matern(nu, slot(a) * s)),
        Instr::Rational(s, a, alpha) => {
            let alpha = slot(alpha);
            let a = slot(a) / (2.0 * alpha);
            each(out, stat(s), |s| (-alpha * (a * s).ln_1p()).exp());
        }
        Instr::RationalBeta(s, a, alpha) => {
            let (a, alpha) = (slot(a), slot(alpha));
            each(out, stat(s), |s| (-alpha * (a * s).ln_1p()).exp());
        }
        Instr::Cosine { dot, nx, ny } => {
            for (((o, d), nx), ny) in out.iter_mut().zip(stat(dot)).zip(stat(nx)).zip(stat(ny)) {
                let norm = (nx * ny).sqrt();
                *o = if norm > 0.0 { d / norm } else { 0.0 };
            }
        }
        Instr::Arcsine { dot, nx, ny, sq, scale, bias } => {
            let (scale, bias) = (slot(scale), slot(bias));
            for (e, o) in out.iter_mut().enumerate() {
                let a = Angle::new(scale, bias, stat(dot)[e], stat(nx)[e], stat(ny)[e], stat(sq)[e]);
                *o = FRAC_2_PI * (2.0 * a.cross).atan2(a.root);
            }
        }
        Instr::White(v) => {
            out.fill(0.0);
            b.diagonal().for_each(|e| out[e] = slot(v));
        }
        Instr::Lookup { table, x, y } => {
            let t = &p.tables[table];
            // The indices were checked when the points were prepared.
            for ((o, x), y) in out.iter_mut().zip(stat(x)).zip(stat(y)) {
                *o = t.at(*x as usize, *y as usize);
            }
        }
        Instr::Custom { id, stat, slots, .. } => {
            let custom = &p.customs[id];
            let params = &p.slots[slots..slots + custom.params.len()];
            for (e, o) in out.iter_mut().enumerate() {
                let (x, y) = points(b, &p.stats[stat].cols, e);
                *o = (custom.value)(&x, &y, params);
            }
        }
        Instr::Tanh(v) => each(out, value(v), f64::tanh),
        Instr::Add(u, v) => each2(out, value(u), value(v), |u, v| u + v),
        Instr::Mul(u, v) => each2(out, value(u), value(v), |u, v| u * v),
        Instr::Scale(v, c) => {
            let c = slot(c);
            each(out, value(v), |v| c * v);
        }
        Instr::PowI(v, m) => {
            out.copy_from_slice(value(v));
            power(out, value(v), m);
        }
        Instr::Exp(v) => each(out, value(v), exp::<FMA>),
        Instr::Horner(v, first, count) => {
            out.fill(slot(first + count - 1));
            for r in (0..count - 1).rev() {
                let c = slot(first + r);
                for (o, v) in out.iter_mut().zip(value(v)) {
                    *o = fma::<FMA>(*o, *v, c);
                }
            }
        }
    }
}

#[inline(always)]
fn each(out: &mut [f64], a: &[f64], f: impl Fn(f64) -> f64) {
    let (wide, rest) = out.as_chunks_mut::<WIDE>();
    let (from, last) = a.as_chunks::<WIDE>();
    for (o, a) in wide.iter_mut().zip(from) {
        for l in 0..WIDE {
            o[l] = f(a[l]);
        }
    }
    for (o, a) in rest.iter_mut().zip(last) {
        *o = f(*a);
    }
}

#[inline(always)]
fn each2(out: &mut [f64], a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) {
    for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
        *o = f(*a, *b);
    }
}

/// out ← out^m given base = out, by the binary digits of m from the top; a negative base is no trouble.
#[inline(always)]
pub(super) fn power(out: &mut [f64], base: &[f64], m: u32) {
    for digit in (0..m.ilog2()).rev() {
        let odd = m >> digit & 1 == 1;
        for (o, b) in out.iter_mut().zip(base) {
            *o *= if odd { *o * *b } else { *o };
        }
    }
}

/// The two points of pair `e`, on the given columns.
pub(super) fn points(b: &Block, cols: &[usize], e: usize) -> (Vec<f64>, Vec<f64>) {
    let (i, j) = b.pair(e);
    let x = b.x.row(i);
    (cols.iter().map(|&c| x[c]).collect(), cols.iter().map(|&c| b.y.at(j, c)).collect())
}

/// The quantities of the network kernel: with A = x̃ᵀΣx̃, B = x̃'ᵀΣx̃', C = x̃ᵀΣx̃', the angle is
/// asin(2C/√D) = atan2(2C, √(D - 4C²)), D = (1 + 2A)(1 + 2B).
pub(super) struct Angle {
    pub px: f64,
    pub py: f64,
    pub cross: f64,
    /// √(D - 4C²).
    pub root: f64,
}

impl Angle {
    /// D - 4C² cancels when x ≈ x' is large; with Q = (x - x')ᵀΣ(x - x') it is
    /// 1 + 2A + 2B + 2Q(A + B) - Q² - (A - B)², where what cancels is small.
    #[inline(always)]
    pub fn new(scale: f64, bias: f64, dot: f64, nx: f64, ny: f64, sq: f64) -> Self {
        let (a, b, q) = (bias + scale * nx, bias + scale * ny, scale * sq);
        let gap = a - b;
        let square = 1.0 + 2.0 * (a + b) * (1.0 + q) - q * q - gap * gap;
        Angle {
            px: 1.0 + 2.0 * a,
            py: 1.0 + 2.0 * b,
            cross: bias + scale * dot,
            root: square.max(1.0).sqrt(),
        }
    }
}
