//! From expression to program.

mod leaf;

use super::Kernel;
use super::expr::Expr;
use super::factor::semidefinite_root;
use super::program::{Derived, Form, Function, Instr, Program, SlotId, SlotLink, Stat, StatId, ValueId};
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
