//! From expression to program.

use std::sync::Arc;

use super::Kernel;
use super::expr::{Expr, Kind, Leaf};
use super::factor::semidefinite_root;
use super::program::{
    Derived, Form, Function, Instr, Program, SlotId, SlotLink, Stat, StatId, ValueId, WeightLink,
};
use crate::Result;

impl Kernel {
    /// The program for points with `d` features; checks the parameters and the columns first.
    pub(crate) fn program_for(&self, op: &'static str, d: usize) -> Result<Program> {
        self.check()?;
        self.fits(op, d)?;
        let mut p = Program {
            d,
            dz: d,
            params: 0,
            stats: Vec::new(),
            code: Vec::new(),
            slots: Vec::new(),
            tables: Vec::new(),
            customs: Vec::new(),
            derived: Vec::new(),
            slot_links: Vec::new(),
            weight_links: Vec::new(),
            indices: Vec::new(),
        };
        let view: Vec<usize> = (0..d).collect();
        p.expr(&self.expr, &view)?;
        Ok(p)
    }
}

/// How a weight follows from a length scale ℓ: its value and its slope.
type Rule = fn(f64) -> (f64, f64);

const SQUARED: Rule = |l| (1.0 / (l * l), -2.0 / (l * l * l));
const ABSOLUTE: Rule = |l| (1.0 / l, -1.0 / (l * l));
const WEIGHT: Rule = |w| (w, 1.0);

impl Program {
    /// Lowers one node whose point is the columns `view` of Z.
    ///
    /// Parameters are numbered in the order of `Kernel::params`: a node's own before those of its parts.
    fn expr(&mut self, e: &Expr, view: &[usize]) -> Result<ValueId> {
        Ok(match e {
            Expr::Leaf(l) => self.leaf(l, view),
            Expr::Sum(t) => self.fold(t, view, Instr::Add)?,
            Expr::Product(t) => self.fold(t, view, Instr::Mul)?,
            Expr::Scaled(c, k) => {
                let c = self.param_slot(c.value);
                let k = self.expr(k, view)?;
                self.push(Instr::Scale(k, c))
            }
            Expr::Pow(m, k) => {
                let k = self.expr(k, view)?;
                self.push(Instr::PowI(k, *m))
            }
            Expr::Exp(k) => {
                let k = self.expr(k, view)?;
                self.push(Instr::Exp(k))
            }
            Expr::PolynomialOf(c, k) => {
                let first = self.slots.len();
                for c in c {
                    self.param_slot(c.value);
                }
                let k = self.expr(k, view)?;
                self.push(Instr::Horner(k, first, c.len()))
            }
            Expr::Warp(f, k) => {
                let column = self.derive(view, Function::Map(f.clone()), 1);
                let k = self.expr(k, view)?;
                let s = self.stat(Form::Dot, &column);
                let ff = self.push(Instr::Stat(s));
                self.push(Instr::Mul(k, ff))
            }
            Expr::Map(f, k) => {
                let view = self.derive(view, Function::Map(f.clone()), f.out_dim);
                self.expr(k, &view)?
            }
            Expr::Project(b, k) => {
                let view = self.derive(view, Function::Matrix(b.clone()), b.rows);
                self.expr(k, &view)?
            }
            Expr::Quadratic(a) => {
                let b = semidefinite_root(a)?;
                let rows = b.rows;
                let view = self.derive(view, Function::Matrix(b), rows);
                let s = self.stat(Form::Dot, &view);
                self.push(Instr::Stat(s))
            }
            Expr::On(cols, k) => {
                let view: Vec<usize> = cols.iter().map(|&c| view[c]).collect();
                self.expr(k, &view)?
            }
        })
    }

    fn leaf(&mut self, l: &Leaf, view: &[usize]) -> ValueId {
        let first = self.params;
        self.params += l.scales.len() + l.scalars.len();
        // The parameter number of a scalar.
        let scalar = |i: usize| first + l.scales.len() + i;
        let own = |p: &mut Program, i: usize| {
            let s = p.slot(l.scalar(i));
            p.link(s, scalar(i), 1.0);
            s
        };
        match &l.kind {
            Kind::Linear if l.scales.is_empty() => {
                let s = self.stat(Form::Dot, view);
                self.push(Instr::Stat(s))
            }
            Kind::Linear => {
                let (s, a) = self.scaled(Form::Dot, l, view, first, 1.0, WEIGHT);
                let zero = self.slot(0.0);
                self.push(Instr::Affine(s, a, zero))
            }
            Kind::Polynomial(m) => {
                let s = self.stat(Form::Dot, view);
                let one = self.slot(1.0);
                let c = own(self, 0);
                let base = self.push(Instr::Affine(s, one, c));
                self.push(Instr::PowI(base, *m))
            }
            Kind::ExponentialDot => {
                let (s, a) = self.scaled(Form::Dot, l, view, first, 1.0, SQUARED);
                self.push(Instr::Exponential(s, a))
            }
            Kind::Rbf => {
                let (s, a) = self.scaled(Form::SqDist, l, view, first, -0.5, SQUARED);
                self.push(Instr::Exponential(s, a))
            }
            Kind::Laplacian => {
                let (s, a) = self.scaled(Form::L1, l, view, first, -1.0, ABSOLUTE);
                self.push(Instr::Exponential(s, a))
            }
            Kind::Matern12 => self.matern(0.5, l, view, first),
            Kind::Matern32 => self.matern(1.5, l, view, first),
            Kind::Matern52 => self.matern(2.5, l, view, first),
            Kind::Matern(nu) => self.matern(*nu, l, view, first),
            Kind::RationalQuadratic => {
                let (s, a) = self.scaled(Form::SqDist, l, view, first, 1.0, SQUARED);
                let alpha = own(self, 0);
                self.push(Instr::Rational(s, a, alpha))
            }
            Kind::RationalQuadraticBeta => {
                let s = self.stat(Form::SqDist, view);
                let alpha = own(self, 0);
                let beta = l.scalar(1);
                let a = self.slot(1.0 / beta);
                self.link(a, scalar(1), -1.0 / (beta * beta));
                self.push(Instr::RationalBeta(s, a, alpha))
            }
            Kind::Periodic => {
                let period = l.scalar(0);
                let f = self.slot(1.0 / period);
                self.link(f, scalar(0), -1.0 / (period * period));
                let (s, a) = self.scaled(Form::SinSq(f), l, view, first, -2.0, SQUARED);
                let slope = Stat { form: Form::SinSqSlope(f), gradient_only: true, ..self.stats[s].clone() };
                self.stats.push(Stat { learned: false, ..slope });
                self.push(Instr::Exponential(s, a))
            }
            Kind::Cosine => {
                let dot = self.stat(Form::Dot, view);
                let nx = self.stat(Form::NormX, view);
                let ny = self.stat(Form::NormY, view);
                self.push(Instr::Cosine { dot, nx, ny })
            }
            Kind::Arcsine => {
                let (dot, scale) = self.scaled(Form::Dot, l, view, first, 1.0, WEIGHT);
                let (nx, _) = self.weighted(Form::NormX, l, view, first, WEIGHT);
                let (ny, _) = self.weighted(Form::NormY, l, view, first, WEIGHT);
                // Only a numerical aid: derivatives go through the other three, so these weights are not learned.
                let sq = Stat { form: Form::SqDist, learned: false, ..self.stats[dot].clone() };
                let sq = self.share(sq);
                let bias = own(self, 0);
                self.push(Instr::Arcsine { dot, nx, ny, sq, scale, bias })
            }
            Kind::Constant => {
                let c = own(self, 0);
                self.push(Instr::Constant(c))
            }
            Kind::White => {
                let v = own(self, 0);
                self.push(Instr::White(v))
            }
            Kind::Sigmoid => {
                let s = self.stat(Form::Dot, view);
                let (a, b) = (own(self, 0), own(self, 1));
                let v = self.push(Instr::Affine(s, a, b));
                self.push(Instr::Tanh(v))
            }
            Kind::Precomputed(t) => {
                let table = self.tables.len();
                self.tables.push(t.clone());
                self.indices.push((view[0], table));
                let x = self.stat(Form::SumX, &view[..1]);
                let y = self.stat(Form::SumY, &view[..1]);
                self.push(Instr::Lookup { table, x, y })
            }
            Kind::Custom(c) => {
                let id = self.customs.len();
                self.customs.push(Arc::clone(c));
                let slots = self.slots.len();
                (0..l.scalars.len()).for_each(|i| {
                    own(self, i);
                });
                let stat = self.stat(Form::Custom(id), view);
                let slopes = (0..l.scalars.len())
                    .map(|i| {
                        let form = Form::CustomSlope(id, i);
                        self.stats.push(Stat { form, gradient_only: true, ..self.stats[stat].clone() });
                        self.stats.len() - 1
                    })
                    .collect();
                self.push(Instr::Custom { id, stat, slots, slopes })
            }
        }
    }

    fn matern(&mut self, nu: f64, l: &Leaf, view: &[usize], first: usize) -> ValueId {
        let (s, a) = self.scaled(Form::SqDist, l, view, first, 1.0, SQUARED);
        // Exact comparison: only these three orders have these closed forms.
        let doubled = 2.0 * nu;
        self.push(if [1.0, 3.0, 5.0].contains(&doubled) {
            Instr::Matern(doubled as u8, s, a)
        } else {
            Instr::MaternNu(nu, s, a)
        })
    }

    /// A statistic under the length scales of a leaf, and the slot that multiplies it.
    ///
    /// One shared length scale goes into the slot, so that the bare statistic can be shared between leaves; one for
    /// each feature goes into the weights, and the slot is a constant.
    fn scaled(
        &mut self,
        form: Form,
        l: &Leaf,
        view: &[usize],
        first: usize,
        factor: f64,
        rule: Rule,
    ) -> (StatId, SlotId) {
        let (s, shared) = self.weighted(form, l, view, first, rule);
        let (value, slope) = shared.unwrap_or((1.0, 0.0));
        let a = self.slot(factor * value);
        if shared.is_some() {
            self.link(a, first, factor * slope);
        }
        (s, a)
    }

    /// A statistic under the length scales of a leaf; a shared one is returned as value and slope.
    fn weighted(
        &mut self,
        form: Form,
        l: &Leaf,
        view: &[usize],
        first: usize,
        rule: Rule,
    ) -> (StatId, Option<(f64, f64)>) {
        if !l.ard {
            return (self.stat(form, view), l.scales.first().map(|h| rule(h.value)));
        }
        let stat = self.stats.len();
        let (weights, slopes): (Vec<f64>, Vec<f64>) = l.scales.iter().map(|h| rule(h.value)).unzip();
        self.stats.push(Stat::new(form, view, Some(weights)));
        let links = slopes.into_iter().enumerate();
        self.weight_links.extend(links.map(|(at, slope)| WeightLink { stat, at, param: first + at, slope }));
        (stat, None)
    }

    fn fold(
        &mut self,
        parts: &[Expr],
        view: &[usize],
        join: fn(ValueId, ValueId) -> Instr,
    ) -> Result<ValueId> {
        let mut sum = self.expr(&parts[0], view)?;
        for k in &parts[1..] {
            let k = self.expr(k, view)?;
            sum = self.push(join(sum, k));
        }
        Ok(sum)
    }

    fn stat(&mut self, form: Form, view: &[usize]) -> StatId {
        self.share(Stat::new(form, view, None))
    }

    /// Equal statistics are computed once.
    fn share(&mut self, s: Stat) -> StatId {
        self.stats.iter().position(|t| *t == s).unwrap_or_else(|| {
            self.stats.push(s);
            self.stats.len() - 1
        })
    }

    fn push(&mut self, i: Instr) -> ValueId {
        self.code.push(i);
        self.code.len() - 1
    }

    fn slot(&mut self, value: f64) -> SlotId {
        self.slots.push(value);
        self.slots.len() - 1
    }

    /// A slot that holds the next parameter.
    fn param_slot(&mut self, value: f64) -> SlotId {
        let s = self.slot(value);
        self.link(s, self.params, 1.0);
        self.params += 1;
        s
    }

    fn link(&mut self, slot: SlotId, param: usize, slope: f64) {
        self.slot_links.push(SlotLink { slot, param, slope });
    }

    fn derive(&mut self, view: &[usize], function: Function, columns: usize) -> Vec<usize> {
        let first = self.dz;
        self.dz += columns;
        self.derived.push(Derived { source: view.to_vec(), function, first });
        (first..self.dz).collect()
    }
}
