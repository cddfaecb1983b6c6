//! WGSL for each instruction in reverse: the twin of `cpu/backward.rs`.

use std::fmt::Write as _;

use super::Text;
use super::value::power;
use crate::kernel::program::{Form, Instr};

impl Text<'_> {
    /// `NGRAD`, `NWEIGHT`, `G`, `kernel_grad` and `weight_term`.
    pub(super) fn gradient(&self, out: &mut String) {
        let learned = self.p.learned_slots();
        let _ = write!(
            out,
            "const NGRAD: u32 = {}u;\nconst NWEIGHT: u32 = {}u;\nconst G: u32 = {}u;\n\
             fn kernel_grad(s: Stats, same: vec4<f32>, w: vec4<f32>, g: ptr<function, array<f32, G>>) -> Stats {{\n",
            learned.len(),
            self.p.learned_stats().len(),
            learned.len().max(1),
        );
        self.forward(out);
        out.push_str("  var ds = stats_zero();\n");
        let last = self.p.code.len() - 1;
        for i in 0..=last {
            let seed = if i == last { "w" } else { "vec4<f32>(0.0)" };
            let _ = writeln!(out, "  var d{i} = {seed};");
        }
        for (i, instr) in self.p.code.iter().enumerate().rev() {
            self.reverse(out, i, instr);
        }
        for (s, stat) in self.p.stats.iter().enumerate() {
            if let Form::SinSq(k) = stat.form {
                // Lowering puts the slope right behind its statistic.
                self.by_slot(out, k, &format!("dot(ds.s{s}, s.s{})", s + 1));
            }
        }
        out.push_str("  return ds;\n}\n");
        self.weight_term(out);
    }

    /// Adds to the derivative by a slot, if a parameter reaches it.
    fn by_slot(&self, out: &mut String, slot: usize, sum: &str) {
        if let Ok(at) = self.p.learned_slots().binary_search(&slot) {
            let _ = writeln!(out, "  (*g)[{at}] += {sum};");
        }
    }

    /// f(u) at u = slot·s, with its derivative by u as text.
    fn radial(&self, out: &mut String, i: usize, s: usize, a: usize, slope: &str) {
        let _ = writeln!(out, "  let f{i} = d{i} * ({slope});");
        self.by_slot(out, a, &format!("dot(f{i}, s.s{s})"));
        let _ = writeln!(out, "  ds.s{s} += f{i} * {};", self.slot(a));
    }

    fn reverse(&self, out: &mut String, i: usize, instr: &Instr) {
        let k = |k: usize| self.slot(k);
        let ones = "vec4<f32>(1.0)";
        match *instr {
            Instr::Constant(c) => self.by_slot(out, c, &format!("dot(d{i}, {ones})")),
            Instr::Stat(s) => {
                let _ = writeln!(out, "  ds.s{s} += d{i};");
            }
            Instr::Affine(s, a, c) => {
                self.by_slot(out, c, &format!("dot(d{i}, {ones})"));
                self.radial(out, i, s, a, ones);
            }
            Instr::Exponential(s, a) => self.radial(out, i, s, a, &format!("v{i}")),
            Instr::Matern(1, s, a) => {
                // Infinite at distance 0, where it only meets factors that vanish.
                let slope = format!(
                    "select(vec4<f32>(0.0), -0.5 * v{i} / max(t{i}, vec4<f32>(1e-18)), t{i} > vec4<f32>(0.0))"
                );
                self.radial(out, i, s, a, &slope);
            }
            Instr::Matern(3, s, a) => self.radial(out, i, s, a, &format!("-1.5 * v{i} / (1.0 + t{i})")),
            Instr::Matern(_, s, a) => {
                let slope =
                    format!("-0.83333333 * v{i} * (1.0 + t{i}) / (1.0 + t{i} * (1.0 + t{i} * 0.33333333))");
                self.radial(out, i, s, a, &slope);
            }
            Instr::Rational(s, a, alpha) => {
                self.by_slot(out, alpha, &format!("-dot(d{i}, v{i} * log1p_excess(u{i}))"));
                self.radial(out, i, s, a, &format!("-0.5 * v{i} / (1.0 + u{i})"));
            }
            Instr::RationalBeta(s, a, alpha) => {
                self.by_slot(out, alpha, &format!("-dot(d{i}, v{i} * log1p_of(u{i}))"));
                self.radial(out, i, s, a, &format!("-{} * v{i} / (1.0 + u{i})", k(alpha)));
            }
            Instr::Cosine { .. } | Instr::Lookup { .. } | Instr::MaternNu(..) => {}
            Instr::White(c) => self.by_slot(out, c, &format!("dot(d{i}, same)")),
            Instr::Arcsine { dot, nx, ny, scale, bias, .. } => {
                let _ = write!(
                    out,
                    "  let f{i} = d{i} * 1.27323954 / root{i};\n  \
                     let fx{i} = -0.5 * f{i} * c{i} / (1.0 + 2.0 * ax{i});\n  \
                     let fy{i} = -0.5 * f{i} * c{i} / (1.0 + 2.0 * ay{i});\n  \
                     ds.s{dot} += f{i} * {a};\n  ds.s{nx} += fx{i} * {a};\n  ds.s{ny} += fy{i} * {a};\n",
                    a = k(scale),
                );
                let sum = format!("dot(f{i}, s.s{dot}) + dot(fx{i}, s.s{nx}) + dot(fy{i}, s.s{ny})");
                self.by_slot(out, scale, &sum);
                self.by_slot(out, bias, &format!("dot(f{i} + fx{i} + fy{i}, {ones})"));
            }
            Instr::Custom { id, stat, slots, ref slopes } => {
                let p = self.custom_params(id, slots);
                for (j, t) in slopes.iter().enumerate() {
                    let lane = |c: &str| format!("custom{id}_value{j}(s.s{stat}.{c}, s.s{t}.{c}, {p})");
                    let all =
                        format!("vec4<f32>({}, {}, {}, {})", lane("x"), lane("y"), lane("z"), lane("w"));
                    self.by_slot(out, slots + j, &format!("dot(d{i}, {all})"));
                }
            }
            Instr::Tanh(v) => {
                let _ = writeln!(out, "  d{v} += d{i} * (1.0 - v{i} * v{i});");
            }
            Instr::Add(u, v) => {
                let _ = writeln!(out, "  d{u} += d{i};\n  d{v} += d{i};");
            }
            Instr::Mul(u, v) => {
                let _ = writeln!(out, "  d{u} += d{i} * v{v};\n  d{v} += d{i} * v{u};");
            }
            Instr::Scale(v, c) => {
                self.by_slot(out, c, &format!("dot(d{i}, v{v})"));
                let _ = writeln!(out, "  d{v} += d{i} * {};", k(c));
            }
            Instr::PowI(v, m) => {
                let (lines, below) = power(&format!("v{v}"), m - 1, &format!("b{i}"));
                for l in lines {
                    let _ = writeln!(out, "  {l};");
                }
                let _ = writeln!(out, "  d{v} += d{i} * {m}.0 * {below};");
            }
            Instr::Exp(v) => {
                let _ = writeln!(out, "  d{v} += d{i} * v{i};");
            }
            Instr::Horner(v, first, count) => {
                let _ = writeln!(out, "  var h{i} = {ones};");
                for r in 0..count {
                    self.by_slot(out, first + r, &format!("dot(d{i}, h{i})"));
                    if r + 1 < count {
                        let _ = writeln!(
                            out,
                            "  d{v} += d{i} * {}.0 * {} * h{i};\n  h{i} *= v{v};",
                            r + 1,
                            k(first + r + 1)
                        );
                    }
                }
            }
        }
    }
}
