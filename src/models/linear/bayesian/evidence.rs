//! Evidence maximisation: α and β from the data.

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::model::BayesianLinearRegression;
use crate::Result;
use crate::check::parameter;
use crate::learn::{Report, Stop};
use crate::models::linear::spectrum::Spectrum;

/// The most that rounding is taken to leave of targets within the features' reach, as a part of `‖t‖²`.
const ROUNDING: f64 = 1e-14;

/// The most probable precisions, and how they were found.
pub(super) struct Best {
    pub alpha: f64,
    pub beta: f64,
    /// `γ = Σ_i βs_i / (α + βs_i)`: how many weights the data determine.
    pub effective_parameters: f64,
    pub report: Report,
}

/// The α and β that maximise `log p(t | α, β)`, uphill from this `α/β`.
pub(super) fn maximise(
    model: &BayesianLinearRegression,
    start: f64,
    phi: ArrayView2<f64>,
    t: ArrayView1<f64>,
) -> Result<Best> {
    let data = Projected::new(phi, t)?;
    parameter("beta", f64::INFINITY, data.reducible(phi.ncols()), EXACT)?;
    let mut search = Search { data: &data, model, trace: Vec::new() };
    let (ratio, stop) = search.run(start)?;
    let (trace, beta) = (search.trace, data.best_beta(ratio));
    let alpha = ratio * beta;
    let last = trace.last().copied().unwrap_or(f64::NAN);
    let mut report = Report::new(trace, 0, true, vec![last]);
    (report.iterations, report.stop) = (report.trace.len(), stop);
    Ok(Best { alpha, beta, effective_parameters: data.at(alpha, beta).gamma, report })
}

const EXACT: &str = "the features reproduce the targets exactly, so the evidence has no maximum; give beta and do not optimise";

/// How far from where it starts, in `ln λ`, a maximum is looked for.
const FAR: f64 = 80.0;
/// How far beyond the eigenvalues, in `ln λ`, the search may start: farther out the evidence is flat to all digits, and a
/// model in other units than the data would start there.
const EDGE: f64 = 20.0;

/// The root of `γ - α‖m‖²` in `ln λ`: first a bracket by growing steps uphill, then Illinois' rule.
struct Search<'a> {
    data: &'a Projected,
    model: &'a BayesianLinearRegression,
    trace: Vec<f64>,
}

impl Search<'_> {
    fn slope(&mut self, u: f64) -> Result<f64> {
        let ratio = u.exp();
        let beta = self.data.best_beta(ratio);
        let at = self.data.at(ratio * beta, beta);
        self.trace.push(at.log_evidence);
        let iterations = self.trace.len();
        let most = self.model.max_iterations;
        self.model.progress.report("BayesianLinearRegression::fit", iterations, most, at.log_evidence)?;
        Ok(at.gamma - at.spent)
    }

    /// The best `α/β`, and why the search ended: stalled if it lies at α = ∞, where the data show no signal and the
    /// weights are as good as zero.
    fn run(&mut self, start: f64) -> Result<(f64, Stop)> {
        let (mut a, mut step) = (self.data.near(start.ln()), 1.0);
        let mut fa = self.slope(a)?;
        let first = a;
        let (mut b, mut fb) = (a, fa);
        while fb * fa > 0.0 {
            (a, fa) = (b, fb);
            b = a + step * fa.signum();
            if (b - first).abs() > FAR {
                // Downwards without end the noise vanishes.
                parameter("beta", f64::INFINITY, b > first, EXACT)?;
                return Ok((a.exp(), Stop::Stalled));
            }
            fb = self.slope(b)?;
            step *= 2.0;
        }
        let mut side = 0.0;
        while (b - a).abs() > self.model.tolerance && fa != 0.0 && fb != 0.0 {
            if self.trace.len() >= self.model.max_iterations {
                return Ok((b.exp(), Stop::Iterations));
            }
            let mut c = (fb * a - fa * b) / (fb - fa);
            if !(c > a.min(b) && c < a.max(b)) {
                c = 0.5 * (a + b);
                if c == a || c == b {
                    break;
                }
            }
            let fc = self.slope(c)?;
            if fc * fb < 0.0 {
                (a, fa, side) = (b, fb, 0.0);
            } else {
                // The same end stays twice: halve its weight, so that it moves.
                fa *= if side > 0.0 { 0.5 } else { 1.0 };
                side = 1.0;
            }
            (b, fb) = (c, fc);
        }
        Ok((if fa == 0.0 { a } else { b }.exp(), Stop::Converged))
    }
}

/// The data, in the coordinates in which both precisions are diagonal.
struct Projected {
    n: f64,
    /// `s_i`, the eigenvalues of `ΦᵀΦ`.
    s: Array1<f64>,
    /// `(u_iᵀt)²`.
    squares: Array1<f64>,
    /// The squared norm of what no weights can reach.
    rest: f64,
    /// `‖t‖²`.
    size: f64,
    /// What rounding leaves of targets within reach, as a part of `‖t‖²`.
    rounding: f64,
}

/// What one pair of precisions gives.
struct At {
    gamma: f64,
    /// `α‖m‖²`, made of numbers without units: `‖m‖²` alone may be beyond all numbers.
    spent: f64,
    log_evidence: f64,
}

impl Projected {
    fn new(phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<Self> {
        let spectrum = Spectrum::new(phi.to_owned(), None)?;
        let targets = spectrum.project(t.insert_axis(Axis(1)).to_owned());
        Ok(Projected {
            n: t.len() as f64,
            // Small beside a large mean is not small: it takes badly conditioned features to leave so much.
            rounding: ROUNDING.min(spectrum.rounding),
            s: spectrum.values.mapv(|v| v * v),
            squares: targets.projection.column(0).mapv(|v| v * v),
            rest: targets.beyond.iter().map(|v| v * v).sum(),
            size: t.dot(&t),
        })
    }

    /// Whether some of the targets is out of the features' reach, or the features are so many that all must be.
    fn reducible(&self, features: usize) -> bool {
        self.size > 0.0 && (features as f64 >= self.n || self.rest > self.rounding * self.size)
    }

    /// The place nearest to `u` from which the slope in `ln λ` can be seen.
    fn near(&self, u: f64) -> f64 {
        let logs = self.s.iter().filter(|s| **s > 0.0).map(|s| s.ln());
        let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
        if low <= high { u.clamp(low - EDGE, high + EDGE) } else { u }
    }

    /// `n / (‖t - Φm‖² + λ‖m‖²)`.
    fn best_beta(&self, ratio: f64) -> f64 {
        let reached: f64 = self.s.iter().zip(&self.squares).map(|(s, q)| q * ratio / (s + ratio)).sum();
        self.n / (self.rest + reached)
    }

    fn at(&self, alpha: f64, beta: f64) -> At {
        let (mut gamma, mut spent, mut misfit, mut log_det) = (0.0, 0.0, self.rest, 0.0);
        for (s, q) in self.s.iter().zip(&self.squares) {
            let both = alpha + beta * s;
            gamma += beta * s / both;
            spent += beta * q * (beta * s / both) * (alpha / both);
            misfit += q * (alpha / both).powi(2);
            log_det += (beta * s / alpha).ln_1p();
        }
        let noise = self.n * (beta / std::f64::consts::TAU).ln();
        let log_evidence = 0.5 * (noise - log_det - beta * misfit - spent);
        At { gamma, spent, log_evidence }
    }
}
