//! The recurrences of conjugate gradients between two looks at the residual.

use ndarray::{Array2, Axis};

use super::cg::CgParams;
use super::operator::Operator;
use super::preconditioner::Preconditioner;
use crate::linalg::solve::norm::length;
use crate::saved::{Checkpoint, Wire, wired};
use crate::{Error, Precision, Result};

/// Iterations without a halved residual after which f32 products have no more to say; those of f64 are never given up.
const PATIENCE: usize = 100;

/// A solve on its way.
pub(super) struct Run<'a> {
    pub op: &'a dyn Operator,
    pub preconditioner: &'a dyn Preconditioner,
    pub params: &'a CgParams,
    pub iterations: usize,
    pub trace: Vec<f64>,
    /// What the solve is called in a checkpoint.
    pub name: String,
    /// The checkpoint, known by A and b.
    pub file: Option<Checkpoint>,
}

/// Where the restarts have got to: what is known to be right.
pub(super) struct Outer {
    pub x: Array2<f64>,
    pub rest: Array2<f64>,
    pub error: Vec<f64>,
    pub open: Vec<usize>,
    pub restarts: usize,
}

wired!(Outer { x, rest, error, open, restarts });

/// Where the recurrences of a cycle have got to.
pub(super) struct Inner {
    x: Array2<f64>,
    r: Array2<f64>,
    p: Array2<f64>,
    rz: Vec<f64>,
    /// The least residual so far, and how many iterations have not halved it.
    best: Vec<(f64, usize)>,
    live: Vec<usize>,
}

wired!(Inner { x, r, p, rz, best, live });

/// What a checkpoint holds: both, the iterations made and the trace.
pub(super) type Kept = (Outer, Inner, usize, Vec<f64>);

impl Run<'_> {
    pub fn found(&self) -> Result<Option<Kept>> {
        let Some(file) = &self.file else { return Ok(None) };
        let found = file.load::<((Outer, Inner), (usize, Vec<f64>))>(&self.name)?;
        Ok(found.map(|((outer, inner), (iterations, trace))| (outer, inner, iterations, trace)))
    }

    fn keep(&self, outer: &Outer, inner: &Inner) -> Result<()> {
        match &self.file {
            Some(file) if file.due(self.iterations) => file.store(&self.name, |to| {
                outer.write(to);
                inner.write(to);
                self.iterations.write(to);
                self.trace.write(to);
            }),
            _ => Ok(()),
        }
    }

    /// The correction that takes each open column of what is left down to its goal, as far as the recurrences know.
    pub fn cycle(
        &mut self,
        outer: &Outer,
        resumed: Option<Inner>,
        goals: Vec<f64>,
        sizes: Vec<f64>,
    ) -> Result<Array2<f64>> {
        let mut inner = match resumed {
            Some(inner) => inner,
            None => self.first(outer.rest.select(Axis(1), &outer.open))?,
        };
        let n = inner.x.nrows();
        let unit =
            if self.op.precision() == Precision::Double { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let noise = 8.0 * (n as f64).sqrt() * unit;
        let patience = if self.op.precision() == Precision::Double { usize::MAX } else { PATIENCE };
        while !inner.live.is_empty() && self.iterations < self.params.max_iterations {
            let Inner { x, r, p, rz, best, live } = &mut inner;
            let q = self.op.apply(p.select(Axis(1), live).view())?;
            self.iterations += 1;
            let mut worst = 0f64;
            let mut going = Vec::new();
            for (at, &c) in live.iter().enumerate() {
                let (own, q) = (p.column(c), q.column(at));
                let curvature = own.dot(&q);
                if curvature < -noise * length(own) * length(q) {
                    return Err(Error::NotPositiveDefinite {
                        op: "conjugate_gradients",
                        pivot: self.iterations - 1,
                        value: curvature / own.dot(&own),
                    });
                }
                let step = rz[c] / curvature;
                // No direction is left in which this precision sees A.
                if !(step.is_finite() && curvature > 0.0) {
                    continue;
                }
                x.column_mut(c).scaled_add(step, &own);
                r.column_mut(c).scaled_add(-step, &q);
                let left = length(r.column(c));
                worst = worst.max(left / sizes[c]);
                best[c] = if left < 0.5 * best[c].0 { (left, 0) } else { (best[c].0, best[c].1 + 1) };
                if left > goals[c] && best[c].1 < patience {
                    going.push(c);
                }
            }
            *live = going;
            self.report(worst)?;
            if live.is_empty() {
                break;
            }
            let z = self.preconditioner.solve(r.select(Axis(1), live).view())?;
            for (at, &c) in live.iter().enumerate() {
                let next = r.column(c).dot(&z.column(at));
                let turn = next / rz[c];
                rz[c] = next;
                p.column_mut(c).zip_mut_with(&z.column(at), |p, z| *p = z + turn * *p);
            }
            live.retain(|&c| p.column(c).iter().all(|v| v.is_finite()));
            self.keep(outer, &inner)?;
        }
        Ok(inner.x)
    }

    /// Where a cycle begins.
    fn first(&self, r: Array2<f64>) -> Result<Inner> {
        let (n, width) = r.dim();
        let p = self.preconditioner.solve(r.view())?;
        let rz = (0..width).map(|c| r.column(c).dot(&p.column(c))).collect();
        let best = vec![(f64::INFINITY, 0usize); width];
        Ok(Inner { x: Array2::zeros((n, width)), r, p, rz, best, live: (0..width).collect() })
    }

    fn report(&mut self, worst: f64) -> Result<()> {
        self.trace.push(worst);
        self.params.progress.report("conjugate_gradients", self.iterations, self.params.max_iterations, worst)
    }
}
