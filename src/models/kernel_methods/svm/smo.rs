//! Sequential minimal optimisation with working sets of second order, shrinking, and a final check on everything.
//!
//! Two variables at a time, or one where no sum binds them: the first violates the optimality conditions most, the second
//! gains most with it (Fan, Chen and Lin, 2005). Variables that sit at a bound and want to stay there are left out for a
//! while. When what is left has converged, the gradient of all variables is computed anew from the kernel, and the search
//! goes on if that finds a violation: so neither shrinking nor rounding in thousands of updates decides the result.

use super::problem::{Constraint, Optimum, Problem, Unit};
use super::rows::View;
use super::select::{Choice, Working};
use crate::{Error, Progress, Result};

/// Most times that the gradient is computed anew.
const CHECKS: usize = 40;
/// Iterations between two looks at what can be left out.
const ROUND: usize = 1000;
/// Iterations between two calls of the progress.
const TELL: usize = 64;
/// Smallest curvature of a step, relative to the largest `k(x, x)`.
const FLAT: f64 = 1e-12;
/// Violation that is rounding, relative to the largest `k(x, x)` times the sum of the variables.
const ROUNDING: f64 = 1e-14;

/// When to stop, and whom to tell.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub op: &'static str,
    pub tolerance: f64,
    pub max_iterations: Option<usize>,
    pub shrinking: bool,
    pub progress: Progress,
}

struct Smo<'p, 'v, 'c, 'x> {
    problem: &'p Problem,
    rows: &'v mut View<'c, 'x>,
    working: Working,
    a: Vec<f64>,
    gradient: Vec<f64>,
    active: Vec<usize>,
    largest: f64,
}

/// Solves the problem to `tolerance` units.
///
/// # Errors
/// [`Error::NoConvergence`], [`Error::Cancelled`], [`Error::Parameter`] for a kernel whose values are not finite.
pub(super) fn solve(problem: &Problem, rows: &mut View, settings: &Settings) -> Result<Optimum> {
    let diagonal: Vec<f64> = problem.point.iter().map(|&i| rows.diagonal(i)).collect();
    let largest = diagonal.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    crate::check::parameter(
        "the largest k(x, x)",
        largest,
        largest.is_finite(),
        "kernel values must be finite: scale the data",
    )?;
    let flat = (FLAT * largest).max(f64::MIN_POSITIVE);
    let points = rows.len();
    let mut smo = Smo {
        problem,
        rows,
        working: Working::new(diagonal, flat, points),
        a: problem.start.clone(),
        gradient: Vec::new(),
        active: (0..problem.len()).collect(),
        largest,
    };
    smo.run(settings)
}

impl Smo<'_, '_, '_, '_> {
    fn run(&mut self, settings: &Settings) -> Result<Optimum> {
        let l = self.problem.len();
        let most = settings.max_iterations.unwrap_or((100 * l).max(10_000_000));
        let round = l.clamp(1, ROUND);
        let (mut iterations, mut checks, mut trace) = (0, 0, Vec::new());
        let (mut fresh, mut stalled) = (true, false);
        self.refresh()?;
        trace.push(self.objective());
        let violation = loop {
            let choice = self.working.choose(self.problem, self.rows, &self.a, &self.gradient, &self.active);
            let enough = settings.tolerance * self.unit(&choice);
            let rounding = ROUNDING * self.largest * self.a.iter().sum::<f64>();
            if choice.violation <= enough.max(f64::MIN_POSITIVE) || choice.violation <= rounding || stalled {
                if fresh && self.active.len() == l {
                    stalled = choice.violation > enough;
                    break choice.violation;
                }
                checks += 1;
                stalled = checks >= CHECKS;
                self.active = (0..l).collect();
                self.refresh()?;
                trace.push(self.objective());
                fresh = true;
                continue;
            }
            if iterations == most {
                return Err(Error::NoConvergence {
                    op: settings.op,
                    iterations,
                    residual: choice.violation,
                    tolerance: enough,
                });
            }
            if iterations.is_multiple_of(TELL) {
                settings.progress.report(settings.op, iterations + 1, None, choice.violation)?;
            }
            stalled = !self.step(&choice);
            iterations += 1;
            fresh = false;
            if iterations.is_multiple_of(round) {
                trace.push(self.objective());
                if settings.shrinking {
                    let (problem, working) = (self.problem, &self.working);
                    self.active.retain(|&t| !working.idle(problem, &self.a, &self.gradient, t));
                }
            }
        };
        let (a, gradient) = (std::mem::take(&mut self.a), std::mem::take(&mut self.gradient));
        Ok(Optimum { a, gradient, violation, iterations, stalled, trace })
    }

    /// `Qa + p` from the kernel.
    fn refresh(&mut self) -> Result<()> {
        let sums = self.problem.by_point(&self.a, self.rows.len());
        let f = self.rows.product(&sums)?;
        let p = self.problem;
        self.gradient = (0..p.len()).map(|t| p.sign[t] * f[p.point[t]] + p.linear[t]).collect();
        let bad = self.gradient.iter().find(|g| !g.is_finite()).copied();
        crate::check::parameter(
            "a sum of kernel values",
            bad.unwrap_or(0.0),
            bad.is_none(),
            "must be finite: scale the data",
        )
    }

    fn objective(&self) -> f64 {
        let each = self.a.iter().zip(&self.gradient).zip(&self.problem.linear);
        each.map(|((a, g), p)| 0.5 * a * (g + p)).sum()
    }

    fn unit(&self, choice: &Choice) -> f64 {
        match self.problem.unit {
            Unit::Fixed(unit) => unit,
            Unit::Margin => choice.level.abs(),
        }
    }

    /// Moves the chosen variables; false if rounding leaves them where they are.
    fn step(&mut self, choice: &Choice) -> bool {
        let p = self.problem;
        let (i, before_i) = (choice.i, self.a[choice.i]);
        let Some(j) = choice.j else {
            if p.constraint != Constraint::None {
                return false;
            }
            let wanted = before_i - self.gradient[i] / choice.curvature;
            self.a[i] = wanted.clamp(0.0, p.upper[i]);
            let by = p.sign[i] * (self.a[i] - before_i);
            let row = self.working.row(p.side[i]);
            for &t in &self.active {
                self.gradient[t] += p.sign[t] * by * row[p.point[t]];
            }
            return by != 0.0;
        };
        let before_j = self.a[j];
        let room_i = if p.side[i] > 0.0 { p.upper[i] - before_i } else { before_i };
        let room_j = if p.side[j] > 0.0 { before_j } else { p.upper[j] - before_j };
        let step = (choice.slope / choice.curvature).min(room_i).min(room_j);
        let moved = |a: f64, by: f64, whole: bool, upper: f64| match (whole, by > 0.0) {
            (true, true) => upper,
            (true, false) => 0.0,
            _ => (a + by).clamp(0.0, upper),
        };
        self.a[i] = moved(before_i, p.side[i] * step, step >= room_i, p.upper[i]);
        self.a[j] = moved(before_j, -p.side[j] * step, step >= room_j, p.upper[j]);
        let by_i = p.sign[i] * (self.a[i] - before_i);
        let by_j = p.sign[j] * (self.a[j] - before_j);
        if by_i == 0.0 && by_j == 0.0 {
            return false;
        }
        let own = if p.constraint == Constraint::SumOfEachSide { p.side[i] } else { 1.0 };
        let (row_i, row_j) = self.working.rows(self.rows, own, p.point[j]);
        for &t in &self.active {
            let at = p.point[t];
            self.gradient[t] += p.sign[t] * (by_i * row_i[at] + by_j * row_j[at]);
        }
        true
    }
}
