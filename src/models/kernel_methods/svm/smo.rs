//! The solver: working sets in blocks, sequential minimal optimisation within each, and a final check on everything.
//!
//! Few points are one block. Of many, each block holds the points that violate the optimality conditions most and those that
//! the last one left free; it is solved for itself (`local.rs`), and one product of its kernel rows carries what has moved to
//! all others: points that sit at a bound and want to stay there cost nothing until they do not. When no point violates the
//! conditions, the function is computed anew from the kernel, and the search goes on if that finds a violation: so rounding
//! in thousands of updates does not decide the result.

use super::lazy::Lazy;
use super::local::{Distance, End, Limits, Local};
use super::problem::{Constraint, Optimum, Problem};
use super::rows::Rows;
use crate::{Error, Progress, Result};

/// Most times that the gradient is computed anew.
const CHECKS: usize = 40;
/// Points in a block.
const BLOCK: usize = 1024;
/// What is left of a block's violation when the next one is chosen.
const EASED: f64 = 0.1;
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
    pub progress: Progress,
}

struct Smo<'p, 'r, 'k> {
    problem: &'p Problem,
    rows: &'r mut Rows<'k>,
    diagonal: Vec<f64>,
    largest: f64,
    a: Vec<f64>,
    /// `Σ_t σ_t a_t k(x_t, x)` at every point.
    f: Vec<f64>,
    /// Points of the last block.
    block: Vec<usize>,
    trace: Vec<f64>,
    iterations: usize,
}

/// Solves the problem to `tolerance` units.
///
/// # Errors
/// [`Error::NoConvergence`], [`Error::Cancelled`], [`Error::Parameter`] for a kernel whose values are not finite.
pub(super) fn solve(problem: &Problem, rows: &mut Rows, settings: &Settings) -> Result<Optimum> {
    let diagonal: Vec<f64> = (0..rows.len()).map(|i| rows.diagonal(i)).collect();
    let largest = diagonal.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    crate::check::parameter(
        "the largest k(x, x)",
        largest,
        largest.is_finite(),
        "kernel values must be finite: scale the data",
    )?;
    rows.set_out();
    let (a, f) = (problem.start.clone(), vec![0.0; rows.len()]);
    let (block, trace) = (Vec::new(), Vec::new());
    Smo { problem, rows, diagonal, largest, a, f, block, trace, iterations: 0 }.run(settings)
}

impl Smo<'_, '_, '_> {
    fn run(mut self, settings: &Settings) -> Result<Optimum> {
        let l = self.problem.len();
        let most = settings.max_iterations.unwrap_or((100 * l).max(10_000_000));
        let (mut checks, mut fresh, mut stalled) = (0, true, false);
        self.refresh()?;
        self.trace.push(self.objective());
        let violation = loop {
            let v = self.wants();
            let all = Local::new(self.problem, 0..l, self.f.len(), &self.a, &v, &self.diagonal, self.flat());
            let distance = all.distance();
            let enough = distance.enough(self.problem.unit, settings.tolerance);
            let rounding = ROUNDING * self.largest * self.a.iter().sum::<f64>();
            if distance.violation <= enough.max(rounding) || stalled {
                if fresh {
                    stalled = distance.violation > enough;
                    break distance.violation;
                }
                checks += 1;
                // What is left after sums in f32 is for those in f64.
                self.rows.come_home();
                stalled = checks >= CHECKS;
                self.refresh()?;
                self.trace.push(self.objective());
                fresh = true;
                continue;
            }
            fresh = false;
            let limits = Limits { floor: rounding, most };
            let end = if self.rows.all.is_some() {
                self.at_once(all, settings, &limits)?
            } else {
                self.by_block(&all, &distance, settings, &limits)?
            };
            match end {
                End::Converged => {}
                End::Stalled => stalled = true,
                End::Spent => {
                    return Err(Error::NoConvergence {
                        op: settings.op,
                        iterations: self.iterations,
                        residual: distance.violation,
                        tolerance: enough,
                    });
                }
            }
        };
        let gradient = self.gradient();
        let Smo { a, iterations, trace, .. } = self;
        Ok(Optimum { a, gradient, violation, iterations, stalled, trace })
    }

    fn flat(&self) -> f64 {
        (FLAT * self.largest).max(f64::MIN_POSITIVE)
    }

    /// All variables as one block.
    fn at_once(&mut self, mut all: Local, settings: &Settings, limits: &Limits) -> Result<End> {
        let (p, n) = (self.problem, self.f.len());
        let Some((rows, gram)) = self.rows.whole() else { return Ok(End::Stalled) };
        let (trace, iterations) = (&mut self.trace, &mut self.iterations);
        let fill = |i: usize, row: &mut [f64]| gram.fill(i, 0..n, row);
        let end = all.run(rows, &fill, settings, limits, iterations, |now| {
            let each = now.a.iter().zip(&now.v).enumerate();
            trace.push(each.map(|(t, (a, v))| 0.5 * a * (p.linear[t] - p.side[t] * v)).sum());
        })?;
        for (t, f) in self.f.iter_mut().enumerate() {
            *f = p.sign[t] * (-p.side[t] * all.v[t] - p.linear[t]);
        }
        self.a = all.a;
        Ok(end)
    }

    /// The variables of some points as one block, and what that does to the function elsewhere.
    fn by_block(
        &mut self,
        all: &Local,
        distance: &Distance,
        settings: &Settings,
        limits: &Limits,
    ) -> Result<End> {
        let (p, n) = (self.problem, self.f.len());
        let points = self.choose(all, distance);
        let (width, kinds) = (points.len(), p.len() / n);
        let which = (0..kinds).flat_map(|kind| points.iter().map(move |i| kind * n + i));
        let mut local = Local::new(p, which.clone(), width, &self.a, &all.v, &self.diagonal, self.flat());
        let gram = self.rows.among(&points);
        let fill = |i: usize, row: &mut [f64]| gram.fill(i, 0..width, row);
        let floor = limits.floor.max(EASED * distance.violation);
        let limits = Limits { floor, ..*limits };
        let mut rows = Lazy::new(width);
        let end = local.run(&mut rows, &fill, settings, &limits, &mut self.iterations, |_| {})?;
        let mut moved = vec![0.0; width];
        for (at, t) in which.enumerate() {
            moved[at % width] += p.sign[t] * (local.a[at] - self.a[t]);
            self.a[t] = local.a[at];
        }
        let changes: Vec<(usize, f64)> =
            points.iter().zip(&moved).filter(|(_, by)| **by != 0.0).map(|(&i, &by)| (i, by)).collect();
        self.rows.add(&changes, &mut self.f)?;
        self.trace.push(self.objective());
        self.block = points;
        // A block that rounding has stopped is one of many.
        Ok(if end == End::Stalled && !changes.is_empty() { End::Converged } else { end })
    }

    /// Half a block of points that violate the conditions most, and what of the last one is free.
    fn choose(&self, all: &Local, distance: &Distance) -> Vec<usize> {
        let (p, n) = (self.problem, self.f.len());
        let (mut ups, mut lows) = (Vec::new(), Vec::new());
        for t in 0..p.len() {
            let (v, s) =
                (all.v[t], usize::from(p.constraint == Constraint::SumOfEachSide && p.side[t] < 0.0));
            let (top, bottom) = match p.constraint {
                Constraint::None => (0.0, 0.0),
                _ => (distance.top[s].0, distance.bottom[s]),
            };
            if p.up(&self.a, t) && v > bottom {
                ups.push((v - bottom, t));
            }
            if p.low(&self.a, t) && v < top {
                lows.push((top - v, t));
            }
        }
        let by_size = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let mut taken = vec![false; n];
        let mut points = Vec::with_capacity(BLOCK);
        let new = if self.block.is_empty() { BLOCK } else { BLOCK / 2 };
        for list in [&mut ups, &mut lows] {
            if list.len() > new / 2 {
                list.select_nth_unstable_by(new / 2, by_size);
                list.truncate(new / 2);
            }
            list.sort_unstable_by(by_size);
            for &(_, t) in list.iter() {
                if !std::mem::replace(&mut taken[t % n], true) {
                    points.push(t % n);
                }
            }
        }
        let is_free = |i: &usize| {
            (0..p.len() / n).any(|kind| {
                let t = kind * n + i;
                p.up(&self.a, t) && p.low(&self.a, t)
            })
        };
        let (free, bound): (Vec<usize>, Vec<usize>) =
            self.block.iter().filter(|&&i| !taken[i]).partition(|i| is_free(i));
        points.extend(free.into_iter().chain(bound).take(BLOCK - points.len()));
        points
    }

    /// The function from the kernel.
    fn refresh(&mut self) -> Result<()> {
        self.f = self.rows.product(&self.problem.by_point(&self.a, self.f.len()))?;
        let bad = self.gradient().into_iter().find(|g| !g.is_finite());
        crate::check::parameter(
            "a sum of kernel values",
            bad.unwrap_or(0.0),
            bad.is_none(),
            "must be finite: scale the data",
        )
    }

    /// `Qa + p`.
    fn gradient(&self) -> Vec<f64> {
        let p = self.problem;
        (0..p.len()).map(|t| p.sign[t] * self.f[p.point[t]] + p.linear[t]).collect()
    }

    /// v = -c g of every variable.
    fn wants(&self) -> Vec<f64> {
        self.gradient().iter().zip(&self.problem.side).map(|(g, c)| -c * g).collect()
    }

    fn objective(&self) -> f64 {
        let each = self.a.iter().zip(self.gradient()).zip(&self.problem.linear);
        each.map(|((a, g), p)| 0.5 * a * (g + p)).sum()
    }
}
