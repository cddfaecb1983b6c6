//! Which variables move next, and which can be left out.

use super::problem::{Constraint, Problem};
use super::rows::View;

/// One or two variables, and how far from optimal all of them are.
pub(super) struct Choice {
    pub i: usize,
    pub j: Option<usize>,
    /// How fast the objective falls along the step.
    pub slope: f64,
    /// Its second derivative along the step.
    pub curvature: f64,
    /// The largest violation among the active variables.
    pub violation: f64,
    /// About the margin, if the constraint has one.
    pub level: f64,
}

/// The rows and extremes of a choice.
pub(super) struct Working {
    diagonal: Vec<f64>,
    flat: f64,
    /// Rows of the first variable: of both sides, if each has a sum of its own.
    first: [Vec<f64>; 2],
    second: Vec<f64>,
    /// Largest `-c g` of variables that can go up, and least of those that can go down, by side.
    top: [f64; 2],
    bottom: [f64; 2],
    violation: f64,
}

/// Rows of `side = 1` stand first.
fn index(side: f64) -> usize {
    usize::from(side < 0.0)
}

impl Working {
    pub fn new(diagonal: Vec<f64>, flat: f64, points: usize) -> Self {
        let row = vec![0.0; points];
        let (top, bottom) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        Working {
            diagonal,
            flat,
            first: [row.clone(), row.clone()],
            second: row,
            top,
            bottom,
            violation: 0.0,
        }
    }

    /// The row of the first variable.
    pub fn row(&self, side: f64) -> &[f64] {
        &self.first[index(side)]
    }

    /// The rows of both variables; the second is of this point.
    pub fn rows(&mut self, rows: &mut View, side: f64, point: usize) -> (&[f64], &[f64]) {
        rows.row(point, &mut self.second);
        (&self.first[index(side)], &self.second)
    }

    pub fn choose(&mut self, p: &Problem, rows: &mut View, a: &[f64], g: &[f64], active: &[usize]) -> Choice {
        match p.constraint {
            Constraint::None => self.single(p, rows, a, g, active),
            Constraint::Sum => self.pair(p, rows, a, g, active, |_| 0),
            Constraint::SumOfEachSide => self.pair(p, rows, a, g, active, index),
        }
    }

    /// The variable that gains most by itself.
    fn single(&mut self, p: &Problem, rows: &mut View, a: &[f64], g: &[f64], active: &[usize]) -> Choice {
        let (mut best, mut i) = (-1.0, active.first().copied().unwrap_or(0));
        self.violation = 0.0;
        for &t in active {
            let v = if (g[t] < 0.0 && a[t] < p.upper[t]) || (g[t] > 0.0 && a[t] > 0.0) {
                g[t].abs()
            } else {
                0.0
            };
            let gain = v * v / self.diagonal[t].max(self.flat);
            if gain > best {
                (best, i) = (gain, t);
            }
            self.violation = self.violation.max(v);
        }
        rows.row(p.point[i], &mut self.first[index(p.side[i])]);
        let (curvature, violation) = (self.diagonal[i].max(self.flat), self.violation);
        Choice { i, j: None, slope: g[i], curvature, violation, level: f64::NAN }
    }

    /// The variable that wants most to go up, and the one that gains most by going down as much. `group` says whose sum
    /// binds a variable of a side.
    fn pair(
        &mut self,
        p: &Problem,
        rows: &mut View,
        a: &[f64],
        g: &[f64],
        active: &[usize],
        group: impl Fn(f64) -> usize,
    ) -> Choice {
        let mut first = [usize::MAX; 2];
        (self.top, self.bottom) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        for &t in active {
            let (v, s) = (-p.side[t] * g[t], group(p.side[t]));
            if p.up(a, t) && v > self.top[s] {
                (self.top[s], first[s]) = (v, t);
            }
            if p.low(a, t) {
                self.bottom[s] = self.bottom[s].min(v);
            }
        }
        let apart = |s: usize| if first[s] == usize::MAX { 0.0 } else { self.top[s] - self.bottom[s] };
        self.violation = apart(0).max(apart(1)).max(0.0);
        let middle = |s: usize| match (self.top[s].is_finite(), self.bottom[s].is_finite()) {
            (true, true) => 0.5 * (self.top[s] + self.bottom[s]),
            (true, false) => self.top[s],
            (false, true) => self.bottom[s],
            _ => 0.0,
        };
        // With two sums the multipliers are r₁ = -middle(0) and r₂ = middle(1), and the margin is their mean.
        let level = if p.constraint == Constraint::Sum { middle(0) } else { 0.5 * (middle(1) - middle(0)) };
        let mut choice =
            Choice { i: 0, j: None, slope: 0.0, curvature: 1.0, violation: self.violation, level };
        if self.violation == 0.0 {
            return choice;
        }
        for (s, &i) in first.iter().enumerate() {
            if i != usize::MAX && self.top[s] > self.bottom[s] {
                rows.row(p.point[i], &mut self.first[s]);
            }
        }
        let mut best = 0.0;
        for &t in active {
            let s = group(p.side[t]);
            let i = first[s];
            if i == usize::MAX || !p.low(a, t) {
                continue;
            }
            let slope = self.top[s] + p.side[t] * g[t];
            if slope > 0.0 {
                let q = p.sign[i] * p.sign[t] * self.first[s][p.point[t]];
                let curvature = self.diagonal[i] + self.diagonal[t] - 2.0 * p.side[i] * p.side[t] * q;
                let curvature = curvature.max(self.flat);
                let gain = slope * slope / curvature;
                if gain > best {
                    best = gain;
                    choice = Choice { i, j: Some(t), slope, curvature, ..choice };
                }
            }
        }
        choice
    }

    /// Whether a variable is at a bound that it wants to stay at, by the extremes of the last choice.
    pub fn idle(&self, p: &Problem, a: &[f64], g: &[f64], t: usize) -> bool {
        if p.constraint == Constraint::None {
            return (a[t] <= 0.0 && g[t] > self.violation) || (a[t] >= p.upper[t] && -g[t] > self.violation);
        }
        let s = if p.constraint == Constraint::SumOfEachSide { index(p.side[t]) } else { 0 };
        let v = -p.side[t] * g[t];
        match (p.up(a, t), p.low(a, t)) {
            (true, false) => v < self.bottom[s],
            (false, true) => v > self.top[s],
            _ => false,
        }
    }
}
