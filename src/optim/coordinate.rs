//! Coordinate descent for the elastic net, with a duality gap as its certificate and safe screening of features.
//! Checked in `tests/optim/others.rs`.

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::penalty::soft_threshold;
use crate::check::{finite, not_negative, number, numbers, require};
use crate::configure::setters;
use crate::{Progress, Result};

/// Passes between two looks at the duality gap.
const EVERY: usize = 5;

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
        // One feature a row, so that each is read in one go.
        let x = x.t().as_standard_layout().into_owned();
        let squares: Vec<f64> = x.rows().into_iter().map(|c| c.dot(&c)).collect();
        let mut problem = Problem {
            x: x.view(),
            y,
            squares,
            a: absolute,
            b: square,
            left: y.to_owned(),
            w: start.to_owned(),
        };
        for (j, w) in start.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            problem.left.scaled_add(-w, &x.row(j));
        }
        let scale = 0.5 * y.dot(&y);
        let mut active: Vec<usize> = (0..d).collect();
        let mut gaps = Vec::new();
        let (mut passes, mut moved) = (0, 0f64);
        loop {
            let Distance { objective, gap, shrunk, largest } = problem.gap();
            // `max` drops a NaN: a gap of zero says nothing of an objective that is none.
            number(OP, "the objective", objective)?;
            gaps.push(gap);
            // A gap is of the order of squares: what still moves is not at rest.
            let converged =
                gap <= self.tolerance * scale && moved <= 1e-3 * (self.tolerance * 2.0 * scale).sqrt();
            if converged || passes >= self.max_passes {
                let (coefficients, screened) = (problem.w, d - active.len());
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
            self.progress.report(OP, passes, self.max_passes, gap)?;
            if self.screening {
                // A gap is a difference of two sums of this size: below their rounding it says nothing.
                problem.screen(shrunk.max(1e-14 * scale), largest, &mut active);
            }
            for _ in 0..EVERY.min(self.max_passes - passes) {
                moved = problem.pass(&active);
                passes += 1;
            }
        }
    }
}

struct Problem<'a> {
    x: ArrayView2<'a, f64>,
    y: ArrayView1<'a, f64>,
    squares: Vec<f64>,
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
    /// Visits every active coefficient; the most that a prediction moved by, as a length.
    fn pass(&mut self, active: &[usize]) -> f64 {
        let mut moved = 0f64;
        for &j in active {
            let (column, old) = (self.x.row(j), self.w[j]);
            let curvature = self.squares[j] + self.b;
            let new = if curvature > 0.0 {
                soft_threshold(column.dot(&self.left) + self.squares[j] * old, self.a) / curvature
            } else {
                0.0
            };
            if new != old {
                self.left.scaled_add(old - new, &column);
                self.w[j] = new;
                moved = moved.max((new - old).abs() * self.squares[j].sqrt());
            }
        }
        moved
    }

    fn gap(&self) -> Distance {
        let (rr, yr, yy) = (self.left.dot(&self.left), self.y.dot(&self.left), self.y.dot(&self.y));
        let (norm, ww) = (self.w.iter().map(|w| w.abs()).sum::<f64>(), self.w.dot(&self.w));
        let objective = 0.5 * rr + self.a * norm + 0.5 * self.b * ww;
        let (mut largest, mut beyond) = (0f64, 0.0);
        for (j, column) in self.x.rows().into_iter().enumerate() {
            let c = column.dot(&self.left);
            largest = largest.max((c - self.b * self.w[j]).abs());
            beyond += (c.abs() - self.a).max(0.0).powi(2);
        }
        // The squares as rows of data below X: the residual of all rows, shrunk until it is feasible.
        let s = if largest > self.a { self.a / largest } else { 1.0 };
        let shrunk = 0.5 * yy - 0.5 * (yy - 2.0 * s * yr + s * s * (rr + self.b * ww));
        // Or the residual itself, whose excess costs what squares allow.
        let whole = if self.b > 0.0 { yr - 0.5 * rr - 0.5 * beyond / self.b } else { f64::NEG_INFINITY };
        let gap = (objective - shrunk.max(whole)).max(0.0);
        Distance { objective, gap, shrunk: (objective - shrunk).max(0.0), largest }
    }

    /// Drops the features that no dual point within the gap could let in.
    fn screen(&mut self, gap: f64, largest: f64, active: &mut Vec<usize>) {
        if self.a <= 0.0 {
            return;
        }
        let s = if largest > self.a { self.a / largest } else { 1.0 };
        let radius = (2.0 * gap).sqrt();
        let (x, b) = (self.x, self.b);
        let mut kept = Vec::with_capacity(active.len());
        for &j in active.iter() {
            let bound = s * (x.row(j).dot(&self.left) - b * self.w[j]).abs();
            if bound + (self.squares[j] + b).sqrt() * radius < self.a * (1.0 - 1e-12) {
                if self.w[j] != 0.0 {
                    self.left.scaled_add(self.w[j], &x.row(j));
                    self.w[j] = 0.0;
                }
            } else {
                kept.push(j);
            }
        }
        *active = kept;
    }
}
