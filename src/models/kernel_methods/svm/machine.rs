//! One machine of two classes: its quadratic program, its offset, its certificate.

use super::certificate::{SvmCertificate, counts};
use super::problem::{Constraint, Optimum, Problem, Unit};
use super::rows::Rows;
use super::smo::{Settings, solve};
use crate::check::{parameter, positive};
use crate::{Error, Result};

/// What a machine of two classes trades against its margin.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Margin {
    /// `½‖w‖² + C Σ_i s_i max(0, 1 - y_i f(x_i))`, with the weights s of the observations: the larger C, the less it forgives.
    C(f64),
    /// `½‖w‖² - νρ + (1/S) Σ_i s_i max(0, ρ - y_i f(x_i))`, S the sum of the weights: at most a share ν of the observations is
    /// within the margin ρ, and at least a share ν has a coefficient. The decision is `f / ρ`.
    Nu(f64),
    /// `½‖w‖²` with `y_i f(x_i) ≥ 1` for every i: no observation within the margin.
    Hard,
}

/// Margins smaller than this part of the points' size are zero: squares of them are rounding.
const NO_MARGIN: f64 = 1e-13;

/// `f(x) = Σ_i a_i k(x_i, x) + b`.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// `σ_i a_i` of the points of its view.
    pub coefficients: Vec<f64>,
    pub offset: f64,
    /// The margin ρ before it was scaled to one.
    pub margin: f64,
    pub certificate: SvmCertificate,
    pub iterations: usize,
    pub trace: Vec<f64>,
}

impl Margin {
    /// An error for a parameter out of its domain.
    pub(super) fn check(self) -> Result<()> {
        match self {
            Margin::C(c) => positive("C", c),
            Margin::Nu(nu) => parameter("nu", nu, nu > 0.0 && nu <= 1.0, "must be above 0 and at most 1"),
            Margin::Hard => Ok(()),
        }
    }

    /// The machine of the labels `y`, one or minus one, with a positive weight for each point.
    pub(super) fn machine(
        self,
        rows: &mut Rows,
        y: &[f64],
        weights: &[f64],
        offset: bool,
        settings: &Settings,
    ) -> Result<Machine> {
        match self {
            Margin::C(c) => soft(rows, y, weights, c, offset, settings),
            Margin::Nu(nu) => {
                let total: f64 = weights.iter().sum();
                let upper: Vec<f64> = weights.iter().map(|w| w / total).collect();
                let side =
                    |s: f64| y.iter().zip(&upper).filter(|(y, _)| **y == s).map(|(_, u)| u).sum::<f64>();
                let most = if offset { 2.0 * side(1.0).min(side(-1.0)) } else { 1.0 };
                let name =
                    if offset { format!("nu (at most {most} for these classes)") } else { "nu".to_owned() };
                let requirement =
                    "must be at most twice the share of the smaller class, or no machine exists";
                parameter(&name, nu, nu <= most * (1.0 + 1e-12), requirement)?;
                let scaled = scaled(rows, y, upper, nu.min(most), offset, settings)?;
                scaled.ok_or(Error::Parameter {
                    name: "nu".to_owned(),
                    value: nu,
                    requirement: "must be larger: at this one the margin of these classes is zero, and w with it",
                })
            }
            Margin::Hard => {
                let machine = scaled(rows, y, vec![f64::INFINITY; y.len()], 2.0, offset, settings)?;
                let mut machine = machine.ok_or(Error::Parameter {
                    name: "the hard margin".to_owned(),
                    value: 0.0,
                    requirement: "the classes must be separable by this kernel: allow errors by a C, or take another kernel",
                })?;
                // Of ½‖w‖² itself: the dual value of w = Σ a y φ is Σ a - ½‖w‖², and both are ½ Σ a at the optimum.
                let norm = -2.0 * machine.certificate.dual / (machine.margin * machine.margin);
                let sum: f64 = machine.coefficients.iter().zip(y).map(|(c, y)| c * y).sum();
                machine.certificate.primal = 0.5 * norm;
                machine.certificate.dual = sum - 0.5 * norm;
                Ok(machine)
            }
        }
    }
}

fn problem(y: &[f64], upper: Vec<f64>, linear: f64, constraint: Constraint, unit: Unit) -> Problem {
    let l = y.len();
    let side = if constraint == Constraint::Sum && linear == 0.0 { vec![1.0; l] } else { y.to_vec() };
    Problem {
        point: (0..l).collect(),
        sign: y.to_vec(),
        side,
        linear: vec![linear; l],
        upper,
        start: vec![0.0; l],
        constraint,
        unit,
    }
}

fn soft(
    rows: &mut Rows,
    y: &[f64],
    weights: &[f64],
    c: f64,
    offset: bool,
    settings: &Settings,
) -> Result<Machine> {
    let upper: Vec<f64> = weights.iter().map(|w| c * w).collect();
    let constraint = if offset { Constraint::Sum } else { Constraint::None };
    let p = problem(y, upper, -1.0, constraint, Unit::Fixed(1.0));
    let found = solve(&p, rows, settings)?;
    let b = if offset { -p.multiplier(&found, |_| true) } else { 0.0 };
    let norm = p.quadratic(&found);
    let f = |t: usize| y[t] * (found.gradient[t] + 1.0) + b;
    let loss: f64 = (0..y.len()).map(|t| p.upper[t] * (1.0 - y[t] * f(t)).max(0.0)).sum();
    let certificate = certify(&p, &found, 0.5 * norm + loss, found.a.iter().sum::<f64>() - 0.5 * norm, 1.0);
    Ok(finished(&p, found, b, 1.0, certificate))
}

/// The machine of `½‖w‖² - νρ + Σ u max(0, ρ - y f)`, divided by its ρ; none if that is zero.
///
/// Its dual is the point of least norm in the difference of the classes' reduced hulls.
fn scaled(
    rows: &mut Rows,
    y: &[f64],
    upper: Vec<f64>,
    nu: f64,
    offset: bool,
    settings: &Settings,
) -> Result<Option<Machine>> {
    let constraint = if offset { Constraint::SumOfEachSide } else { Constraint::Sum };
    let mut p = problem(y, upper, 0.0, constraint, Unit::Margin);
    let fill = |a: &mut [f64], mut sum: f64, of: &dyn Fn(usize) -> bool| {
        let many = (0..y.len()).filter(|&t| of(t)).count() as f64;
        // Bounded variables are filled one after another; unbounded ones share the sum.
        for t in (0..y.len()).filter(|&t| of(t)) {
            a[t] = if p.upper[t].is_finite() { p.upper[t].min(sum) } else { sum / many };
            if p.upper[t].is_finite() {
                sum -= a[t];
            }
        }
    };
    let mut start = vec![0.0; y.len()];
    if offset {
        fill(&mut start, 0.5 * nu, &|t| y[t] > 0.0);
        fill(&mut start, 0.5 * nu, &|t| y[t] < 0.0);
    } else {
        fill(&mut start, nu, &|_| true);
    }
    p.start = start;
    let found = solve(&p, rows, settings)?;
    let (margin, b) = if offset {
        let (r1, r2) = (p.multiplier(&found, |t| y[t] > 0.0), -p.multiplier(&found, |t| y[t] < 0.0));
        (0.5 * (r1 + r2), -0.5 * (r1 - r2))
    } else {
        (p.multiplier(&found, |_| true).max(0.0), 0.0)
    };
    let size = (0..y.len()).map(|t| rows.diagonal(t)).fold(0.0, f64::max) * nu;
    let norm = p.quadratic(&found);
    // Written so that a NaN is refused.
    if !(margin > NO_MARGIN * size && norm > 0.0) {
        return Ok(None);
    }
    let f = |t: usize| y[t] * found.gradient[t] + b;
    let loss = |t: usize| {
        let short = (margin - y[t] * f(t)).max(0.0);
        if p.upper[t].is_finite() { p.upper[t] * short } else { 0.0 }
    };
    let loss: f64 = (0..y.len()).map(loss).sum();
    let certificate = certify(&p, &found, 0.5 * norm - nu * margin + loss, -0.5 * norm, margin);
    Ok(Some(finished(&p, found, b / margin, margin, certificate)))
}

fn certify(p: &Problem, found: &Optimum, primal: f64, dual: f64, unit: f64) -> SvmCertificate {
    let (support, bounded) = counts(found, &p.upper);
    SvmCertificate {
        primal,
        dual,
        violation: found.violation / unit,
        support,
        bounded,
        stalled: found.stalled,
    }
}

fn finished(p: &Problem, found: Optimum, offset: f64, margin: f64, certificate: SvmCertificate) -> Machine {
    let Optimum { a, iterations, trace, .. } = found;
    let coefficients = p.by_point(&a, a.len()).into_iter().map(|v| v / margin).collect();
    Machine { coefficients, offset, margin, certificate, iterations, trace }
}
