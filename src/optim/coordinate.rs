//! Coordinate descent for the elastic net, with a duality gap as its certificate and safe screening of features.
//! Checked in `tests/optim/others.rs`.

mod sweep;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::check::{finite, not_negative, number, numbers, require};
use crate::configure::setters;
use crate::{Progress, Result};
use sweep::{correlations, sweep};

/// Passes between two looks at the duality gap of the features that are worked on.
const EVERY: usize = 5;
/// How often that is, at most, before all features are looked at again.
const ROUNDS: usize = 20;
/// Features that are worked on at least.
const WORKED_ON: usize = 64;

/// `min ½‖y - Xw‖² + a‖w‖₁ + ½b‖w‖²` by soft thresholds of one coefficient after the other:
/// `w_j ← S(x_jᵀ(r + x_j w_j), a) / (‖x_j‖² + b)`.
///
/// It ends when the duality gap is below the tolerance times ½‖y‖². A feature whose correlation with every residual that the
/// gap still allows is below a has a coefficient of zero for certain and is not visited again (gap-safe screening).
#[derive(Debug, Clone)]
pub struct CoordinateDescent {
    max_passes: usize,
    tolerance: f64,
    screening: bool,
    progress: Progress,
}

/// What [`CoordinateDescent::run`] has found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CoordinateMinimum {
    /// w.
    pub coefficients: Array1<f64>,
    /// `½‖y - Xw‖² + a‖w‖₁ + ½b‖w‖²`.
    pub objective: f64,
    /// The objective is above the minimum by this at most.
    pub gap: f64,
    /// Whether the gap is within the tolerance.
    pub converged: bool,
    /// Passes over the coefficients.
    pub passes: usize,
    /// Features that were shown to have a coefficient of zero before the end.
    pub screened: usize,
    /// The duality gap at each look.
    pub gaps: Vec<f64>,
}

impl Default for CoordinateDescent {
    fn default() -> Self {
        CoordinateDescent {
            max_passes: 10_000,
            tolerance: 1e-12,
            screening: true,
            progress: Progress::none(),
        }
    }
}

setters!(CoordinateDescent {
    /// Most passes over all coefficients; 10,000 unless said otherwise.
    max_passes: usize,
    /// The duality gap to reach, relative to ½‖y‖²; 1e-12 unless said otherwise.
    tolerance: f64,
    /// Whether features are screened; they are unless said otherwise. The minimum is the same.
    screening: bool,
    /// Callback at each look at the gap, which can stop the search.
    progress: Progress,
});

impl CoordinateDescent {
    /// At most 10,000 passes to a relative duality gap of 1e-12.
    pub fn new() -> Self {
        Self::default()
    }

    /// The minimum for `x`, n x d, and `y`, from `start`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data,
    /// [`Error::Parameter`](crate::Error::Parameter) for negative penalties, [`Error::Overflow`](crate::Error::Overflow) for
    /// data whose squares are, [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn run(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
        (absolute, square): (f64, f64),
        start: ArrayView1<f64>,
    ) -> Result<CoordinateMinimum> {
        const OP: &str = "CoordinateDescent::run";
        finite(OP, "x", x)?;
        finite(OP, "y", y.insert_axis(Axis(1)))?;
        let (n, d) = x.dim();
        require(OP, y.len() == n && start.len() == d, || {
            format!("x is {n} x {d}, y has {}, the start {}", y.len(), start.len())
        })?;
        numbers(OP, "the start", start.insert_axis(Axis(1)))?;
        not_negative("the penalty of absolute values", absolute)?;
        not_negative("the penalty of squares", square)?;
        let columns = Columns::new(x.t().as_standard_layout().into_owned());
        self.search(&columns, y, (absolute, square), start)
    }

    /// The same of features that lie ready.
    ///
    /// The gap is looked at over all features that may still be in; between two looks passes go over the likeliest of
    /// them alone, until their own gap is closed.
    pub(crate) fn search(
        &self,
        columns: &Columns,
        y: ArrayView1<f64>,
        (a, b): (f64, f64),
        start: ArrayView1<f64>,
    ) -> Result<CoordinateMinimum> {
        const OP: &str = "CoordinateDescent::run";
        let d = columns.squares.len();
        let mut problem = Problem { columns, y: y.to_owned(), a, b, left: y.to_owned(), w: start.to_owned() };
        for (j, w) in start.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            problem.left.scaled_add(-w, &columns.x.row(j));
        }
        let scale = 0.5 * y.dot(&y);
        let (target, at_rest) = (self.tolerance * scale, 1e-3 * (self.tolerance * 2.0 * scale).sqrt());
        let mut active: Vec<usize> = (0..d).collect();
        let mut gaps = Vec::new();
        let (mut passes, mut moved) = (0, 0f64);
        loop {
            let (distance, seen) = problem.gap(&active);
            // `max` drops a NaN: a gap of zero says nothing of an objective that is none.
            let objective = number(OP, "the objective", distance.objective)?;
            gaps.push(distance.gap);
            // A gap is of the order of squares: what still moves is not at rest.
            let converged = distance.gap <= target && moved <= at_rest;
            if converged || passes >= self.max_passes {
                let kept = if self.screening {
                    let out = problem.outside(distance.shrunk.max(1e-14 * scale), distance.largest);
                    active.iter().zip(&seen).filter(|&(&j, &c)| problem.w[j] != 0.0 || !out(j, c)).count()
                } else {
                    d
                };
                let (coefficients, gap, screened) = (problem.w, distance.gap, d - kept);
                return Ok(CoordinateMinimum {
                    coefficients,
                    objective,
                    gap,
                    converged,
                    passes,
                    screened,
                    gaps,
                });
            }
            self.progress.report(OP, passes, self.max_passes, distance.gap)?;
            let mut seen = seen;
            if self.screening {
                // A gap is a difference of two sums of this size: below their rounding it says nothing.
                problem.screen(distance.shrunk.max(1e-14 * scale), distance.largest, &mut active, &mut seen);
            }
            let likely = problem.likely(&active, &seen);
            for _ in 0..ROUNDS {
                for _ in 0..EVERY.min(self.max_passes - passes) {
                    moved = problem.pass(&likely);
                    passes += 1;
                }
                let still = moved <= at_rest;
                if passes >= self.max_passes || (still && problem.gap(&likely).0.gap <= 0.3 * target) {
                    break;
                }
                // Rest without the gap closed: rounding is in the way, or another feature.
                if moved == 0.0 {
                    break;
                }
            }
        }
    }
}

/// Features, one a row so that each is read in one go, and their squared lengths.
pub(crate) struct Columns {
    pub x: Array2<f64>,
    squares: Vec<f64>,
}

impl Columns {
    /// Of a matrix in row order.
    pub fn new(x: Array2<f64>) -> Self {
        let squares = x.rows().into_iter().map(|c| c.dot(&c)).collect();
        Columns { x, squares }
    }
}

struct Problem<'a> {
    columns: &'a Columns,
    y: Array1<f64>,
    a: f64,
    b: f64,
    /// y - Xw.
    left: Array1<f64>,
    w: Array1<f64>,
}

/// How far the objective may be from its minimum.
struct Distance {
    objective: f64,
    /// To the best dual value at hand.
    gap: f64,
    /// To the dual value of the shrunk residual, about which features are screened: the distance of that very point to the
    /// dual solution is bounded by its own gap, and not by that of a better point.
    shrunk: f64,
    /// The largest `|x_jᵀr - b w_j|`.
    largest: f64,
}

impl Problem<'_> {
    /// Visits these coefficients; the most that a prediction moved by, as a length.
    fn pass(&mut self, these: &[usize]) -> f64 {
        let Columns { x, squares } = self.columns;
        sweep(x, squares, (self.a, self.b), these, &mut self.left, &mut self.w)
    }

    /// Of the problem that has these features alone, and `x_jᵀr - b w_j` of each. Where all others are zero at the minimum
    /// for certain it is the gap of the whole problem.
    fn gap(&self, these: &[usize]) -> (Distance, Vec<f64>) {
        let (rr, yr, yy) = (self.left.dot(&self.left), self.y.dot(&self.left), self.y.dot(&self.y));
        let (norm, ww) = (self.w.iter().map(|w| w.abs()).sum::<f64>(), self.w.dot(&self.w));
        let objective = 0.5 * rr + self.a * norm + 0.5 * self.b * ww;
        let mut seen = correlations(&self.columns.x, these, &self.left);
        let (mut largest, mut beyond) = (0f64, 0.0);
        for (c, &j) in seen.iter_mut().zip(these) {
            beyond += (c.abs() - self.a).max(0.0).powi(2);
            *c -= self.b * self.w[j];
            largest = largest.max(c.abs());
        }
        // The squares as rows of data below X: the residual of all rows, shrunk until it is feasible.
        let s = if largest > self.a { self.a / largest } else { 1.0 };
        let shrunk = 0.5 * yy - 0.5 * (yy - 2.0 * s * yr + s * s * (rr + self.b * ww));
        // Or the residual itself, whose excess costs what squares allow.
        let whole = if self.b > 0.0 { yr - 0.5 * rr - 0.5 * beyond / self.b } else { f64::NEG_INFINITY };
        let gap = (objective - shrunk.max(whole)).max(0.0);
        (Distance { objective, gap, shrunk: (objective - shrunk).max(0.0), largest }, seen)
    }

    /// Whether no dual point within the gap could let in a feature of this correlation.
    fn outside(&self, gap: f64, largest: f64) -> impl Fn(usize, f64) -> bool {
        let s = if largest > self.a { self.a / largest } else { 1.0 };
        let (radius, a, b, squares) = ((2.0 * gap).sqrt(), self.a, self.b, &self.columns.squares);
        move |j, c| a > 0.0 && s * c.abs() + (squares[j] + b).sqrt() * radius < a * (1.0 - 1e-12)
    }

    /// Drops these features.
    fn screen(&mut self, gap: f64, largest: f64, active: &mut Vec<usize>, seen: &mut Vec<f64>) {
        let out: Vec<bool> = {
            let outside = self.outside(gap, largest);
            active.iter().zip(seen.iter()).map(|(&j, &c)| outside(j, c)).collect()
        };
        for (&j, &out) in active.iter().zip(&out) {
            if out && self.w[j] != 0.0 {
                self.left.scaled_add(self.w[j], &self.columns.x.row(j));
                self.w[j] = 0.0;
            }
        }
        let mut keep = out.iter();
        active.retain(|_| keep.next().is_some_and(|out| !out));
        let mut keep = out.iter();
        seen.retain(|_| keep.next().is_some_and(|out| !out));
    }

    /// Those whose coefficients are not zero, and as many of the largest correlations again.
    fn likely(&self, active: &[usize], seen: &[f64]) -> Vec<usize> {
        let inside = active.iter().filter(|&&j| self.w[j] != 0.0).count();
        let count = (2 * inside).max(WORKED_ON);
        if active.len() <= count || self.a <= 0.0 {
            return active.to_vec();
        }
        let mut order: Vec<(f64, usize)> = active
            .iter()
            .zip(seen)
            .map(|(&j, c)| (if self.w[j] == 0.0 { c.abs() } else { f64::INFINITY }, j))
            .collect();
        order.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut likely: Vec<usize> = order[..count].iter().map(|v| v.1).collect();
        // All that would move now are among them, or the next look finds the same again.
        likely.extend(order[count..].iter().filter(|v| v.0 > self.a).map(|v| v.1));
        likely.sort_unstable();
        likely
    }
}
