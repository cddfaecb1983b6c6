//! From a leaf of the expression to statistics, slots and one instruction.

use std::sync::Arc;

use crate::kernel::expr::{Kind, Leaf};
use crate::kernel::program::{Form, Instr, Program, SlotId, Stat, StatId, ValueId, WeightLink};

/// How a weight follows from a length scale ℓ: its value and its slope.
type Rule = fn(f64) -> (f64, f64);

const SQUARED: Rule = |l| (1.0 / (l * l), -2.0 / (l * l * l));
const ABSOLUTE: Rule = |l| (1.0 / l, -1.0 / (l * l));
const WEIGHT: Rule = |w| (w, 1.0);

impl Program {
    pub(super) fn leaf(&mut self, l: &Leaf, view: &[usize]) -> ValueId {
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
}
