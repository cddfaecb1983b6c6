//! The interior point method of [`QuadraticProgram`]: Mehrotra's predictor and corrector.

use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, MatRef};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::quadratic::{OP, QuadraticProgram, QuadraticSolution};
use crate::{Error, Result};

/// How far a step goes towards the boundary.
const NEARLY: f64 = 0.995;

impl QuadraticProgram {
    /// The minimum, with multipliers that prove it.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for data that do not fit together;
    /// [`Error::Parameter`] for a P that is not positive semi-definite where `Ex = d`;
    /// [`Error::NoConvergence`] for a program that is infeasible or unbounded.
    pub fn solve(&self) -> Result<QuadraticSolution> {
        let whole = self.whole()?;
        whole.convex()?;
        let (m, n) = whole.a.dim();
        let largest = |a: ArrayView2<f64>| a.iter().fold(0f64, |m, v| m.max(v.abs()));
        let size = 1.0 + largest(whole.p.view()).max(largest(whole.q.view().insert_axis(Axis(1))));
        let reach = 1.0 + whole.b.iter().chain(&whole.d).fold(0f64, |m, v| m.max(v.abs()));
        let mut x = Array1::<f64>::zeros(n);
        let mut nu = Array1::<f64>::zeros(whole.d.len());
        let mut slack = (&whole.b - &whole.a.dot(&x)).mapv(|v| v.max(1.0));
        let mut lambda = Array1::from_elem(m, size);
        let mut best = f64::INFINITY;
        for iterations in 1..=self.max_iterations {
            let rd = whole.p.dot(&x) + &whole.q + whole.a.t().dot(&lambda) + whole.e.t().dot(&nu);
            let rp = whole.a.dot(&x) + &slack - &whole.b;
            let re = whole.e.dot(&x) - &whole.d;
            let mu = if m == 0 { 0.0 } else { slack.dot(&lambda) / m as f64 };
            let off = |v: &Array1<f64>| crate::check::largest(v);
            let left = crate::check::largest(&[
                off(&rd) / size,
                off(&rp) / reach,
                off(&re) / reach,
                mu / (size * reach),
            ]);
            best = best.min(left);
            if left <= self.tolerance {
                return whole.finished(x, lambda, nu, iterations);
            }
            let system = whole.system(&lambda, &slack);
            let direction = |rc: &Array1<f64>| {
                let inner = (&lambda * &rp - rc) / &slack;
                let right = -&rd - whole.a.t().dot(&inner);
                let (dx, dnu) = solve_with(&system, &right, &-&re);
                let ds = -&rp - whole.a.dot(&dx);
                let dl = -(rc + &lambda * &ds) / &slack;
                (dx, dnu, ds, dl)
            };
            let longest = |v: &Array1<f64>, dv: &Array1<f64>| {
                v.iter().zip(dv).filter(|(_, d)| **d < 0.0).fold(1.0, |t: f64, (v, d)| t.min(-v / d))
            };
            let (_, _, ds, dl) = direction(&(&slack * &lambda));
            let rc = if m == 0 {
                Array1::zeros(0)
            } else {
                let (t, u) = (longest(&slack, &ds), longest(&lambda, &dl));
                let ahead = (&slack + &(t * &ds)).dot(&(&lambda + &(u * &dl))) / m as f64;
                let sigma = (ahead / mu).clamp(0.0, 1.0).powi(3);
                &slack * &lambda + &ds * &dl - sigma * mu
            };
            let (dx, dnu, ds, dl) = direction(&rc);
            let step = (NEARLY * longest(&slack, &ds).min(longest(&lambda, &dl))).min(1.0);
            let step = if m == 0 { 1.0 } else { step };
            x = x + step * dx;
            nu = nu + step * dnu;
            slack = slack + step * ds;
            lambda = lambda + step * dl;
            if !x.iter().chain(&lambda).chain(&nu).all(|v| v.is_finite()) {
                break;
            }
        }
        Err(Error::NoConvergence {
            op: OP,
            iterations: self.max_iterations,
            residual: best,
            tolerance: self.tolerance,
        })
    }

    /// Factors of `[P + AᵀΛS⁻¹A, Eᵀ; E, 0]`.
    fn system(&self, lambda: &Array1<f64>, slack: &Array1<f64>) -> (PartialPivLu<f64>, Mat<f64>) {
        let (n, r) = (self.q.len(), self.d.len());
        let mut k = Array2::<f64>::zeros((n + r, n + r));
        let weighed = &self.a * &(lambda / slack).insert_axis(Axis(1));
        k.slice_mut(s![..n, ..n]).assign(&(&self.p + &self.a.t().dot(&weighed)));
        k.slice_mut(s![..n, n..]).assign(&self.e.t());
        k.slice_mut(s![n.., ..n]).assign(&self.e);
        let largest = k.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let exact = Mat::from_fn(n + r, n + r, |i, j| k[[i, j]]);
        // Redundant equalities and flat directions leave the matrix singular: a little on its diagonal, refined away.
        let ridge = |i: usize| if i < n { 1e-14 * largest } else { -1e-14 };
        let safe = Mat::from_fn(n + r, n + r, |i, j| k[[i, j]] + if i == j { ridge(i) } else { 0.0 });
        (safe.partial_piv_lu(), exact)
    }

    fn finished(
        &self,
        x: Array1<f64>,
        inequality: Array1<f64>,
        equality: Array1<f64>,
        iterations: usize,
    ) -> Result<QuadraticSolution> {
        let primal = self.value(x.view());
        let dual = -0.5 * x.dot(&self.p.dot(&x)) - inequality.dot(&self.b) - equality.dot(&self.d);
        let kkt = self.kkt(x.view(), inequality.view(), equality.view())?;
        Ok(QuadraticSolution { x, inequality, equality, primal, dual, kkt, iterations })
    }
}

/// Both parts of the solution, refined twice.
fn solve_with(
    (factor, exact): &(PartialPivLu<f64>, Mat<f64>),
    top: &Array1<f64>,
    bottom: &Array1<f64>,
) -> (Array1<f64>, Array1<f64>) {
    let all: Vec<f64> = top.iter().chain(bottom).copied().collect();
    let right = MatRef::from_column_major_slice(&all, all.len(), 1);
    let mut found = factor.solve(right);
    for _ in 0..2 {
        let residual = right - exact * &found;
        found += factor.solve(&residual);
    }
    let at = |i: usize| found[(i, 0)];
    ((0..top.len()).map(at).collect(), (top.len()..all.len()).map(at).collect())
}
