//! WGSL for each instruction, forward: the twin of `cpu/forward.rs`.

use std::fmt::Write as _;

use super::Text;
use crate::kernel::program::Instr;

/// arctan t by reduction to |t| below tan(π/8) and a polynomial, good to 2e-7: the built-in one may be off by 4096
/// units in the last place, and on some adapters it is.
pub(super) const ARCTAN: &str = "\
fn arctan(t: vec4<f32>) -> vec4<f32> {
  let a = abs(t);
  let large = a > vec4<f32>(2.41421356);
  let medium = (a > vec4<f32>(0.41421356)) & !large;
  let r = select(select(a, (a - 1.0) / (a + 1.0), medium), -1.0 / max(a, vec4<f32>(1e-30)), large);
  let base = select(select(vec4<f32>(0.0), vec4<f32>(0.78539816), medium), vec4<f32>(1.57079633), large);
  let z = r * r;
  let y = base + r + r * z * (-0.333329492 + z * (0.199777106 + z * (-0.138776856 + z * 0.0805374450)));
  return select(y, -y, t < vec4<f32>(0.0));
}
";

/// ln(1 + v) for v ≥ 0, and ln(1 + v) - v/(1 + v), with full relative accuracy: WGSL has no log1p, and Kahan's
/// correction may be optimised away. With z = v/(2 + v), ln(1 + v) = 2(z + z³/3 + z⁵/5 + ...).
pub(super) const LOG1P: &str = "\
fn log1p_tail(z: vec4<f32>) -> vec4<f32> {
  let y = z * z;
  return 2.0 * z * y * (0.33333333 + y * (0.2 + y * (0.14285714 + y * (0.11111111 + y * 0.09090909))));
}
fn log1p_of(v: vec4<f32>) -> vec4<f32> {
  let z = v / (2.0 + v);
  return select(log(1.0 + v), 2.0 * z + log1p_tail(z), v < vec4<f32>(0.4));
}
fn log1p_excess(v: vec4<f32>) -> vec4<f32> {
  let z = v / (2.0 + v);
  return select(log(1.0 + v) - v / (1.0 + v), 2.0 * z * z / (1.0 + z) + log1p_tail(z), v < vec4<f32>(0.4));
}
";

impl Text<'_> {
    /// `kernel_value`.
    pub(super) fn value(&self, out: &mut String) {
        out.push_str("fn kernel_value(s: Stats, same: vec4<f32>) -> vec4<f32> {\n");
        self.forward(out);
        let _ = writeln!(out, "  return v{};\n}}", self.p.code.len() - 1);
    }

    /// One `let v{i}` for each instruction, with what its reverse needs as well.
    pub(super) fn forward(&self, out: &mut String) {
        for (i, instr) in self.p.code.iter().enumerate() {
            self.step(out, i, instr);
        }
    }

    fn step(&self, out: &mut String, i: usize, instr: &Instr) {
        let k = |k: usize| self.slot(k);
        let mut line = |text: String| {
            let _ = writeln!(out, "  {text};");
        };
        let value = match *instr {
            Instr::Constant(c) => format!("vec4<f32>({})", k(c)),
            Instr::Stat(s) => format!("s.s{s}"),
            Instr::Affine(s, a, c) => format!("{} * s.s{s} + {}", k(a), k(c)),
            // To the base 2, which is what hardware has: the factor is the same for all pairs.
            Instr::Exponential(s, a) => format!("exp2((1.44269504 * {}) * s.s{s})", k(a)),
            Instr::Matern(order, s, a) => {
                // Beyond 200 the exponential is zero, and an overflown distance must not make that a NaN.
                line(format!("let t{i} = min(sqrt({order}.0 * {} * s.s{s}), vec4<f32>(200.0))", k(a)));
                match order {
                    1 => format!("exp(-t{i})"),
                    3 => format!("(1.0 + t{i}) * exp(-t{i})"),
                    _ => format!("(1.0 + t{i} * (1.0 + t{i} * 0.33333333)) * exp(-t{i})"),
                }
            }
            Instr::Rational(s, a, alpha) => {
                line(format!("let u{i} = 0.5 * {} / {} * s.s{s}", k(a), k(alpha)));
                format!("exp(-{} * log1p_of(u{i}))", k(alpha))
            }
            Instr::RationalBeta(s, a, alpha) => {
                line(format!("let u{i} = {} * s.s{s}", k(a)));
                format!("exp(-{} * log1p_of(u{i}))", k(alpha))
            }
            Instr::Cosine { dot, nx, ny } => {
                // The smallest normal number stands in for zero, where the dot product is zero as well. One root at
                // a time: the product of two norms may overflow.
                let tiny = "vec4<f32>(1.17549435e-38)";
                format!("s.s{dot} * inverseSqrt(max(s.s{nx}, {tiny})) * inverseSqrt(max(s.s{ny}, {tiny}))")
            }
            Instr::Arcsine { dot, nx, ny, sq, scale, bias } => {
                line(format!("let ax{i} = {} + {} * s.s{nx}", k(bias), k(scale)));
                line(format!("let ay{i} = {} + {} * s.s{ny}", k(bias), k(scale)));
                line(format!("let q{i} = {} * s.s{sq}", k(scale)));
                line(format!("let c{i} = 2.0 * ({} + {} * s.s{dot})", k(bias), k(scale)));
                line(format!(
                    "let root{i} = sqrt(max(vec4<f32>(1.0), 1.0 + 2.0 * (ax{i} + ay{i}) * (1.0 + q{i}) - q{i} * q{i} \
                     - (ax{i} - ay{i}) * (ax{i} - ay{i})))"
                ));
                format!("0.63661977 * arctan(c{i} / root{i})")
            }
            Instr::White(c) => format!("{} * same", k(c)),
            Instr::Lookup { table, x, y } => {
                let (first, n) = (self.layout.tables[table], self.p.tables[table].rows);
                line(format!("let at{i} = vec4<u32>(s.s{x}) * {n}u + vec4<u32>(s.s{y})"));
                let lane = |c: &str| format!("theta[{first}u + at{i}.{c} / 4u][at{i}.{c} % 4u]");
                format!("vec4<f32>({}, {}, {}, {})", lane("x"), lane("y"), lane("z"), lane("w"))
            }
            Instr::Custom { id, stat, slots, .. } => {
                let p = self.custom_params(id, slots);
                let lane = |c: &str| format!("custom{id}_value(s.s{stat}.{c}, {p})");
                format!("vec4<f32>({}, {}, {}, {})", lane("x"), lane("y"), lane("z"), lane("w"))
            }
            Instr::Tanh(v) => {
                // Beyond ±10 the result is ±1 in f32; some drivers overflow on the way there.
                format!("tanh(clamp(v{v}, vec4<f32>(-10.0), vec4<f32>(10.0)))")
            }
            Instr::Add(u, v) => format!("v{u} + v{v}"),
            Instr::Mul(u, v) => format!("v{u} * v{v}"),
            Instr::Scale(v, c) => format!("{} * v{v}", k(c)),
            Instr::PowI(v, m) => {
                let (lines, value) = power(&format!("v{v}"), m, &format!("e{i}"));
                lines.into_iter().for_each(&mut line);
                value
            }
            Instr::Exp(v) => format!("exp(v{v})"),
            Instr::Horner(v, first, count) => {
                let top = format!("vec4<f32>({})", k(first + count - 1));
                (0..count - 1).rev().fold(top, |sum, r| format!("({sum} * v{v} + {})", k(first + r)))
            }
            // Refused before any text is written.
            Instr::MaternNu(..) => "vec4<f32>(0.0)".to_string(),
        };
        line(format!("let v{i} = {value}"));
    }
}

/// base^m by repeated multiplication (`pow` is undefined for a negative base): some lines, and the expression.
pub(super) fn power(base: &str, m: u32, prefix: &str) -> (Vec<String>, String) {
    let mut lines = Vec::new();
    let mut value = if m == 0 { "vec4<f32>(1.0)".to_string() } else { base.to_string() };
    for digit in (0..m.checked_ilog2().unwrap_or(0)).rev() {
        let name = format!("{prefix}_{digit}");
        let odd = if m >> digit & 1 == 1 { format!(" * {base}") } else { String::new() };
        lines.push(format!("let {name} = {value} * {value}{odd}"));
        value = name;
    }
    (lines, value)
}
