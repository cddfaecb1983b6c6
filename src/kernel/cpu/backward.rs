//! Each instruction in reverse: from ∂/∂value to ∂/∂operand, ∂/∂slot, ∂/∂weight and ∂/∂input.

use std::f64::consts::FRAC_2_PI;

use super::forward::{Angle, points, power};
use super::vector::{fma, log1p_excess, sum};
use super::{Block, PAIRS, stats};
use crate::kernel::bessel::matern_slope;
use crate::kernel::program::{Form, Instr, Program};
use crate::kernel::value::FARTHEST;

/// Runs the program backwards over one block, to the derivatives by slots and weights.
///
/// `values` come from the forward run; `adjoints` have the seed in the last buffer and zeros elsewhere. `sums`
/// receives the derivatives by the slots, then those by the weights of each learned statistic.
#[inline(always)]
pub(crate) fn by_parameters<const FMA: bool>(
    p: &Program,
    b: &Block,
    values: &[f64],
    adjoints: &mut [f64],
    sums: &mut [f64],
) {
    sweep::<FMA>(p, b, values, adjoints, sums);
    let n = b.pairs();
    for (id, stat, slots, dv) in customs(p, n, adjoints) {
        let custom = &p.customs[id];
        let params = &p.slots[slots..slots + custom.params.len()];
        for (e, &w) in dv.iter().enumerate() {
            if w == 0.0 || params.is_empty() {
                continue;
            }
            let (x, y) = points(b, &p.stats[stat].cols, e);
            let g = custom.derivatives(&x, &y, params);
            for j in 0..params.len() {
                // A closure that gives too few derivatives must not pass for one that gives zeros.
                sums[slots + j] += w * g.get(j).copied().unwrap_or(f64::NAN);
            }
        }
    }
    let mut next = p.slots.len();
    for (s, stat) in p.stats.iter().enumerate() {
        let ds = &adjoints[s * PAIRS..][..n];
        if stat.learned {
            let out = &mut sums[next..next + stat.cols.len()];
            stats::weight_gradient::<FMA>(stat, &p.slots, b, ds, out);
            next += stat.cols.len();
        }
        if let Form::SinSq(slot) = stat.form {
            // Lowering puts the slope right behind its statistic.
            let slope = &values[(s + 1) * PAIRS..][..n];
            sums[slot] += sum(n, |e| ds[e] * slope[e]);
        }
    }
}

/// Runs the program backwards over one block, to the derivatives by the columns of Z of the rows of x.
///
/// `out` has `dz` values for each row of the block. What `sums` receives is of no use here.
#[inline(always)]
pub(crate) fn by_inputs<const FMA: bool>(
    p: &Program,
    b: &Block,
    values: &[f64],
    adjoints: &mut [f64],
    sums: &mut [f64],
    out: &mut [f64],
) {
    sweep::<FMA>(p, b, values, adjoints, sums);
    let n = b.pairs();
    for (s, stat) in p.stats.iter().enumerate() {
        stats::input_gradient::<FMA>(stat, &p.slots, b, &adjoints[s * PAIRS..][..n], p.dz, out);
    }
    for (id, stat, slots, dv) in customs(p, n, adjoints) {
        let custom = &p.customs[id];
        let params = &p.slots[slots..slots + custom.params.len()];
        let cols = &p.stats[stat].cols;
        for (e, &w) in dv.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let (x, y) = points(b, cols, e);
            let out = &mut out[e / b.width * p.dz..][..p.dz];
            for (&c, slope) in cols.iter().zip(custom.slopes(&x, &y, params)) {
                out[c] += w * slope;
            }
        }
    }
}

/// Every user's kernel in the program: its number, its statistic, its first slot and what reached its value.
fn customs<'a>(
    p: &'a Program,
    n: usize,
    adjoints: &'a [f64],
) -> impl Iterator<Item = (usize, usize, usize, &'a [f64])> {
    let first = p.stats.len();
    p.code.iter().enumerate().filter_map(move |(i, instr)| match *instr {
        Instr::Custom { id, stat, slots, .. } => {
            Some((id, stat, slots, &adjoints[(first + i) * PAIRS..][..n]))
        }
        _ => None,
    })
}

#[inline(always)]
fn sweep<const FMA: bool>(p: &Program, b: &Block, values: &[f64], adjoints: &mut [f64], sums: &mut [f64]) {
    for (i, instr) in p.code.iter().enumerate().rev() {
        let (before, own) = adjoints.split_at_mut((p.stats.len() + i) * PAIRS);
        step::<FMA>(p, b, instr, i, values, before, &own[..b.pairs()], sums);
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the state of one sweep")]
fn step<const FMA: bool>(
    p: &Program,
    b: &Block,
    instr: &Instr,
    i: usize,
    values: &[f64],
    before: &mut [f64],
    dv: &[f64],
    sums: &mut [f64],
) {
    let n = dv.len();
    let stats = p.stats.len();
    let stat = |s: usize| &values[s * PAIRS..][..n];
    let value = |v: usize| &values[(stats + v) * PAIRS..][..n];
    let slot = |k: usize| p.slots[k];
    let own = value(i);
    match *instr {
        Instr::Constant(c) => sums[c] += sum(n, |e| dv[e]),
        Instr::Stat(s) => add(before, s, dv, |e| dv[e]),
        Instr::Affine(s, a, c) => {
            sums[a] += sum(n, |e| dv[e] * stat(s)[e]);
            sums[c] += sum(n, |e| dv[e]);
            let a = slot(a);
            add(before, s, dv, |e| dv[e] * a);
        }
        Instr::Exponential(s, a) => radial(before, sums, slot(a), (s, a), dv, stat(s), |e, _| own[e]),
        Instr::Matern(1, s, a) => radial(before, sums, slot(a), (s, a), dv, stat(s), |e, u| {
            // Infinite at u = 0, where it only meets factors that vanish.
            if u > 0.0 { -0.5 * own[e] / u.sqrt() } else { 0.0 }
        }),
        Instr::Matern(3, s, a) => radial(before, sums, slot(a), (s, a), dv, stat(s), |e, u| {
            -1.5 * own[e] / (1.0 + (3.0 * u).sqrt())
        }),
        Instr::Matern(_, s, a) => radial(before, sums, slot(a), (s, a), dv, stat(s), |e, u| {
            let t = (5.0 * u).sqrt().min(FARTHEST);
            -5.0 / 6.0 * own[e] * (1.0 + t) / fma::<FMA>(t, fma::<FMA>(t, 1.0 / 3.0, 1.0), 1.0)
        }),
        Instr::MaternNu(nu, s, a) => {
            radial(before, sums, slot(a), (s, a), dv, stat(s), |_, u| matern_slope(nu, u));
        }
        Instr::Rational(s, a, alpha) => {
            let half = 0.5 / slot(alpha);
            let scale = slot(a) * half;
            sums[alpha] -= sum(n, |e| dv[e] * own[e] * log1p_excess(scale * stat(s)[e]));
            radial(before, sums, slot(a), (s, a), dv, stat(s), |e, u| -0.5 * own[e] / (1.0 + half * u));
        }
        Instr::RationalBeta(s, a, k) => {
            let (scale, alpha) = (slot(a), slot(k));
            sums[k] -= sum(n, |e| dv[e] * own[e] * (scale * stat(s)[e]).ln_1p());
            radial(before, sums, scale, (s, a), dv, stat(s), |e, u| -alpha * own[e] / (1.0 + u));
        }
        // A table and its indices have no derivatives; a user's kernel is asked for its own after the sweep.
        Instr::Lookup { .. } | Instr::Custom { .. } => {}
        Instr::Cosine { dot, nx, ny } => {
            for e in 0..n {
                let (x, y) = (stat(nx)[e], stat(ny)[e]);
                let norm = (x * y).sqrt();
                if norm > 0.0 {
                    before[dot * PAIRS + e] += dv[e] / norm;
                    before[nx * PAIRS + e] -= 0.5 * dv[e] * own[e] / x;
                    before[ny * PAIRS + e] -= 0.5 * dv[e] * own[e] / y;
                }
            }
        }
        Instr::White(v) => sums[v] += b.diagonal().map(|e| dv[e]).sum::<f64>(),
        Instr::Arcsine { dot, nx, ny, sq, scale, bias } => {
            let (k, c) = (slot(scale), slot(bias));
            for e in 0..n {
                let (d, x, y) = (stat(dot)[e], stat(nx)[e], stat(ny)[e]);
                let a = Angle::new(k, c, d, x, y, stat(sq)[e]);
                let common = dv[e] * FRAC_2_PI * 2.0 / a.root;
                let (dx, dy) = (-common * a.cross / a.px, -common * a.cross / a.py);
                before[dot * PAIRS + e] += common * k;
                before[nx * PAIRS + e] += dx * k;
                before[ny * PAIRS + e] += dy * k;
                sums[scale] += common * d + dx * x + dy * y;
                sums[bias] += common + dx + dy;
            }
        }
        Instr::Tanh(v) => add(before, stats + v, dv, |e| dv[e] * (1.0 - own[e] * own[e])),
        Instr::Add(u, v) => {
            add(before, stats + u, dv, |e| dv[e]);
            add(before, stats + v, dv, |e| dv[e]);
        }
        Instr::Mul(u, v) => {
            let (ku, kv) = (value(u), value(v));
            add(before, stats + u, dv, |e| dv[e] * kv[e]);
            add(before, stats + v, dv, |e| dv[e] * ku[e]);
        }
        Instr::Scale(v, c) => {
            let k = value(v);
            sums[c] += sum(n, |e| dv[e] * k[e]);
            let c = slot(c);
            add(before, stats + v, dv, |e| dv[e] * c);
        }
        Instr::PowI(v, m) => {
            let k = value(v);
            let mut slope = [1.0; PAIRS];
            if m > 1 {
                slope[..n].copy_from_slice(k);
                power(&mut slope[..n], k, m - 1);
            }
            add(before, stats + v, dv, |e| dv[e] * f64::from(m) * slope[e]);
        }
        Instr::Exp(v) => add(before, stats + v, dv, |e| dv[e] * own[e]),
        Instr::Horner(v, first, count) => {
            let k = value(v);
            let mut power = [1.0; PAIRS];
            let mut slope = [0.0; PAIRS];
            for r in 0..count {
                sums[first + r] += sum(n, |e| dv[e] * power[e]);
                let next = if r + 1 < count { (r + 1) as f64 * slot(first + r + 1) } else { 0.0 };
                for e in 0..n {
                    slope[e] += next * power[e];
                    power[e] *= k[e];
                }
            }
            add(before, stats + v, dv, |e| dv[e] * slope[e]);
        }
    }
}

/// f(u) at u = slot·s with derivative `slope(e, u)` by u.
#[inline(always)]
fn radial(
    before: &mut [f64],
    sums: &mut [f64],
    scale: f64,
    (s, a): (usize, usize),
    dv: &[f64],
    stat: &[f64],
    slope: impl Fn(usize, f64) -> f64,
) {
    let n = dv.len();
    let out = &mut before[s * PAIRS..][..n];
    let mut lanes = [0.0; 8];
    for first in (0..n).step_by(8) {
        for (l, lane) in lanes.iter_mut().enumerate() {
            let e = first + l;
            let df = dv[e] * slope(e, scale * stat[e]);
            *lane += df * stat[e];
            out[e] += df * scale;
        }
    }
    sums[a] += lanes.iter().sum::<f64>();
}

#[inline(always)]
fn add(before: &mut [f64], buffer: usize, dv: &[f64], h: impl Fn(usize) -> f64) {
    let out = &mut before[buffer * PAIRS..][..dv.len()];
    for (e, o) in out.iter_mut().enumerate() {
        *o += h(e);
    }
}
