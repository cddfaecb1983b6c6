//! WGSL for the statistics: their sums over features, and the derivatives by their weights.

use std::fmt::Write as _;

use super::Text;
use crate::kernel::program::{Form, Instr, StatId};

/// sin(π d·frequency): the argument reduced to half a turn, then the Taylor series to its 11th power, good to 1e-7.
///
/// The built-in sine may be off by 2^-11, and on some adapters it is.
pub(super) const SIN_TURN: &str = "\
fn sin_turn(d: vec4<f32>, frequency: f32) -> vec4<f32> {
  let whole = d * frequency;
  let near = round(whole);
  let t = whole - near;
  let u = t * t;
  let s = t * (3.14159265 + u * (-5.16771278 + u * (2.55016404 + u * (-0.59926453 + u * (0.08214589 - 0.00737043 * u)))));
  return select(s, -s, (vec4<i32>(near) & vec4(1)) == vec4(1));
}
";

/// s + a.b, one fused product after the other: a sum and four products in four instructions.
pub(super) const CHAIN: &str = "\
fn chain(a: vec4<f32>, b: vec4<f32>, s: f32) -> f32 {
  return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, fma(a.w, b.w, s))));
}
";

/// The entry of a vec4 that belongs to row b{j}.
const LANE: [&str; 4] = ["x", "y", "z", "w"];

impl Text<'_> {
    pub(super) fn stats(&self, out: &mut String) {
        let members: Vec<String> = self.live().map(|s| format!("  s{s}: vec4<f32>,\n")).collect();
        // WGSL has no empty structures.
        let members = if members.is_empty() { "  none: vec4<f32>,\n".to_string() } else { members.concat() };
        let _ = write!(
            out,
            "struct Stats {{\n{members}}}\nfn stats_zero() -> Stats {{\n  return Stats();\n}}\n\
             fn stats_add(s: Stats, p: u32, a: vec4<f32>, b0: vec4<f32>, b1: vec4<f32>, b2: vec4<f32>, \
             b3: vec4<f32>) -> Stats {{\n  var r = s;\n"
        );
        for s in self.live() {
            let w = match self.layout.weights[s] {
                Some(first) => {
                    let _ = writeln!(out, "  let w{s} = theta[{first}u + p];");
                    format!("w{s}")
                }
                None => "vec4<f32>(1.0)".to_string(),
            };
            let lanes: Vec<String> = (0..4)
                .map(|j| {
                    if let Some(custom) = self.custom_term(s, j, &w) {
                        return format!("chain({custom}, vec4<f32>(1.0), s.s{s}.{c})", c = LANE[j]);
                    }
                    let ((left, right), c) = (self.factors(s, j), LANE[j]);
                    match self.layout.weights[s] {
                        _ if right == "1" => format!("chain({left}, {w}, s.s{s}.{c})"),
                        None => format!("chain({left}, {right}, s.s{s}.{c})"),
                        Some(_) => format!("chain({left} * {w}, {right}, s.s{s}.{c})"),
                    }
                })
                .collect();
            let _ = writeln!(out, "  r.s{s} = vec4<f32>({});", lanes.join(", "));
        }
        out.push_str("  return r;\n}\n");
    }

    /// What statistic `s` sums for row b{j}: a product of two vectors, or one vector and "1".
    fn factors(&self, s: StatId, j: usize) -> (String, String) {
        let (d, one) = (format!("(a - b{j})"), "1".to_string());
        match self.p.stats[s].form {
            Form::SqDist => (d.clone(), d),
            Form::Dot => ("a".into(), format!("b{j}")),
            Form::L1 => (format!("abs{d}"), one),
            Form::SinSq(k) => {
                let sine = format!("sin_turn({d}, {})", self.slot(k));
                (sine.clone(), sine)
            }
            Form::SinSqSlope(k) => {
                (format!("(3.14159265 * {d} * sin_turn({d}, 2.0 * {}))", self.slot(k)), one)
            }
            Form::NormX => ("a".into(), "a".into()),
            Form::NormY => (format!("b{j}"), format!("b{j}")),
            Form::SumX => ("a".into(), one),
            Form::SumY => (format!("b{j}"), one),
            Form::Custom(_) | Form::CustomSlope(..) => (String::new(), one),
        }
    }

    /// The weighted terms of a custom kernel for row b{j}, one for each feature of the vec4.
    fn custom_term(&self, s: StatId, j: usize, w: &str) -> Option<String> {
        let (id, name) = match self.p.stats[s].form {
            Form::Custom(id) => (id, "lane".to_string()),
            Form::CustomSlope(id, i) => (id, format!("lane{i}")),
            _ => return None,
        };
        let first = self.p.code.iter().find_map(|i| match i {
            Instr::Custom { id: own, slots, .. } if *own == id => Some(*slots),
            _ => None,
        })?;
        let p = self.custom_params(id, first);
        let lane = |c: &str| format!("custom{id}_{name}({w}.{c}, a.{c}, b{j}.{c}, {p})");
        Some(format!("vec4<f32>({}, {}, {}, {})", lane("x"), lane("y"), lane("z"), lane("w")))
    }

    /// `weight_term`: Σ over the four rows of `ds·h(a_f, b_f)`, for each feature of a vec4.
    pub(super) fn weight_term(&self, out: &mut String) {
        out.push_str(
            "fn weight_term(k: u32, ds: Stats, p: u32, a: vec4<f32>, b0: vec4<f32>, b1: vec4<f32>, b2: vec4<f32>, \
             b3: vec4<f32>) -> vec4<f32> {\n  switch k {\n",
        );
        for (k, s) in self.p.learned_stats().into_iter().enumerate() {
            let terms: Vec<String> = (0..4)
                .map(|j| {
                    let (left, right) = self.factors(s, j);
                    let h = if right == "1" { left } else { format!("{left} * {right}") };
                    format!("ds.s{s}.{} * {h}", LANE[j])
                })
                .collect();
            let _ = writeln!(out, "    case {k}u: {{\n      return {};\n    }}", terms.join(" + "));
        }
        out.push_str("    default: {\n      return vec4<f32>(0.0);\n    }\n  }\n}\n");
    }
}
