//! The program as WGSL: functions of one x row against four y rows, which the tile shaders call.
//!
//! The text depends on the structure of the kernel only; every number travels in the buffer `theta`:
//! slots, four to a vec4, then the weights of each weighted statistic, then the tables of precomputed kernels.
//! Validated through naga for every back end; its numbers are checked where the tile shaders run.

mod gradient;
mod stats;
mod value;

use std::fmt::Write as _;

use super::program::{Form, Instr, Program, SlotId, StatId};
use crate::{Error, Result};

/// Most instructions of a kernel: more keep a driver's compiler busy for minutes.
const MOST: usize = 1000;

/// A kernel for the GPU.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelWgsl {
    /// WGSL text; the same for all values of the parameters.
    ///
    /// It declares `theta` at group 0, binding 0, and defines `Stats`, `stats_zero`, `stats_add`, `kernel_value`;
    /// with a gradient also `NGRAD`, `NWEIGHT`, `G` (the larger of `NGRAD` and 1), `kernel_grad` and `weight_term`.
    pub source: String,
    /// The structure in short, for a cache of pipelines: equal keys mean equal sources.
    pub key: String,
    /// The content of `theta`: whole vec4s, at least one.
    pub theta: Vec<f32>,
}

impl Program {
    /// This program as WGSL, with derivatives if asked for.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a Matérn kernel of general order, and for a custom kernel whose WGSL is missing.
    pub(crate) fn wgsl(&self, gradient: bool) -> Result<KernelWgsl> {
        let text = Text { p: self, gradient, layout: Layout::new(self, gradient) };
        text.refuse()?;
        let mut source = String::from("@group(0) @binding(0) var<storage, read> theta: array<vec4<f32>>;\n");
        source.push_str(stats::CHAIN);
        text.functions(&mut source);
        text.stats(&mut source);
        text.value(&mut source);
        if gradient {
            text.gradient(&mut source);
        }
        Ok(KernelWgsl { source, key: text.key(), theta: text.layout.theta })
    }
}

/// Where things lie in `theta`, in vec4s.
struct Layout {
    weights: Vec<Option<usize>>,
    tables: Vec<usize>,
    theta: Vec<f32>,
}

impl Layout {
    fn new(p: &Program, gradient: bool) -> Self {
        let mut theta: Vec<f32> = p.slots.iter().map(|&v| v as f32).collect();
        let align = |theta: &mut Vec<f32>| {
            theta.resize(theta.len().next_multiple_of(4).max(4), 0.0);
            theta.len() / 4
        };
        let mut weights = Vec::new();
        // Masks of equal columns are stored once; learned weights never are, or the text would depend on values.
        let mut masks: Vec<(&[usize], usize)> = Vec::new();
        for s in &p.stats {
            let all = s.cols.len() == p.dz && s.weights.is_none();
            let custom = matches!(s.form, Form::Custom(_) | Form::CustomSlope(..));
            if (s.gradient_only && !gradient) || (all && !custom) {
                weights.push(None);
                continue;
            }
            let known = masks.iter().find(|(cols, _)| s.weights.is_none() && *cols == s.cols).map(|m| m.1);
            weights.push(Some(known.unwrap_or_else(|| {
                let first = align(&mut theta);
                let mut row = vec![0.0; p.dz];
                for (at, &c) in s.cols.iter().enumerate() {
                    row[c] = s.weights.as_ref().map_or(1.0, |w| w[at] as f32);
                }
                theta.extend(row);
                if s.weights.is_none() {
                    masks.push((&s.cols, first));
                }
                first
            })));
        }
        let tables = p
            .tables
            .iter()
            .map(|t| {
                let first = align(&mut theta);
                theta.extend(t.data.iter().map(|&v| v as f32));
                first
            })
            .collect();
        align(&mut theta);
        Layout { weights, tables, theta }
    }
}

/// A program on its way to text.
struct Text<'a> {
    p: &'a Program,
    gradient: bool,
    layout: Layout,
}

impl Text<'_> {
    /// The WGSL expression of a slot.
    fn slot(&self, k: SlotId) -> String {
        debug_assert!(k < self.p.slots.len());
        format!("theta[{}u].{}", k / 4, ["x", "y", "z", "w"][k % 4])
    }

    /// The statistics that take part.
    fn live(&self) -> impl Iterator<Item = StatId> {
        (0..self.p.stats.len()).filter(|&s| self.gradient || !self.p.stats[s].gradient_only)
    }

    fn refuse(&self) -> Result<()> {
        let unsupported = |what: String, instead| {
            Err(Error::Unsupported { op: "kernel", what, device: "the GPU".to_string(), instead })
        };
        if self.p.code.len() > MOST {
            return unsupported(
                format!("a kernel of {} steps", self.p.code.len()),
                "use fewer sums and products, or the CPU",
            );
        }
        for i in &self.p.code {
            match i {
                Instr::MaternNu(nu, ..) => {
                    return unsupported(
                        format!("a Matérn kernel of order {nu}"),
                        "use order 1/2, 3/2 or 5/2, or the CPU",
                    );
                }
                Instr::Custom { id, .. } => {
                    let c = &self.p.customs[*id];
                    if c.wgsl.is_none() {
                        return unsupported(
                            format!("the custom kernel {:?}", c.name),
                            "give it WGSL bodies with `Custom::wgsl`, or use the CPU",
                        );
                    }
                    if self.gradient && c.wgsl_gradient.len() != c.params.len() {
                        return unsupported(
                            format!("the derivative of the custom kernel {:?}", c.name),
                            "give it one `Custom::wgsl_derivative` for each parameter, or use the CPU",
                        );
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Functions that only some kernels need: those of the user, and the logarithm of rational kernels.
    fn functions(&self, out: &mut String) {
        for (id, c) in self.p.customs.iter().enumerate() {
            let Some((term, value)) = &c.wgsl else { continue };
            let p = format!("p: array<f32, {}>", c.params.len().max(1));
            let mut define = |name: &str, args: &str, body: &str| {
                // A lone expression is returned; statements do so themselves.
                let body = if body.contains("return") { body.to_string() } else { format!("return {body};") };
                let _ = writeln!(out, "fn custom{id}_{name}({args}, {p}) -> f32 {{\n  {body}\n}}");
            };
            define("term", "a: f32, b: f32", term);
            // Features of weight zero are padding, or left out: what the term makes of them is nobody's business. By a
            // selection: sixty-four branches a step keep SwiftShader's compiler busy for minutes.
            let weighed = |term: &str| format!("select(0.0, w * custom{id}_{term}(a, b, p), w != 0.0)");
            define("lane", "w: f32, a: f32, b: f32", &weighed("term"));
            define("value", "s: f32", value);
            if self.gradient {
                for (j, (term, value)) in c.wgsl_gradient.iter().enumerate() {
                    define(&format!("term{j}"), "a: f32, b: f32", term);
                    define(&format!("lane{j}"), "w: f32, a: f32, b: f32", &weighed(&format!("term{j}")));
                    define(&format!("value{j}"), "s: f32, t: f32", value);
                }
            }
        }
        if self.p.code.iter().any(|i| matches!(i, Instr::Rational(..) | Instr::RationalBeta(..))) {
            out.push_str(value::LOG1P);
        }
        if self.p.code.iter().any(|i| matches!(i, Instr::Arcsine { .. })) {
            out.push_str(value::ARCTAN);
        }
        if self.p.stats.iter().any(|s| matches!(s.form, Form::SinSq(_))) {
            out.push_str(stats::SIN_TURN);
        }
    }

    /// The parameters of a custom kernel as a WGSL array.
    fn custom_params(&self, id: usize, first: SlotId) -> String {
        let n = self.p.customs[id].params.len();
        let list: Vec<String> = (0..n).map(|j| self.slot(first + j)).collect();
        format!("array<f32, {}>({})", n.max(1), if n == 0 { "0.0".to_string() } else { list.join(", ") })
    }

    /// All that the text depends on.
    fn key(&self) -> String {
        let mut key = format!("grad{}", self.gradient);
        for (s, w) in self.p.stats.iter().zip(&self.layout.weights) {
            let _ = write!(key, ";{:?}@{w:?}{}", s.form, if s.learned { "*" } else { "" });
        }
        for i in &self.p.code {
            let _ = write!(key, ";{i:?}");
        }
        let _ = write!(key, ";learned{:?}", self.p.learned_slots());
        for (t, at) in self.p.tables.iter().zip(&self.layout.tables) {
            let _ = write!(key, ";table{}@{at}", t.rows);
        }
        for c in &self.p.customs {
            let _ = write!(key, ";{:?}{:?}", c.wgsl, c.wgsl_gradient);
        }
        key
    }
}
