//! Expectation propagation: factors of projections of a normal vector, each replaced by a normal one. Checked in
//! `tests/inference/ep.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::check::{finite, parameter, positive, require};
use crate::configure::{getters, setters};
use crate::linalg::small_cholesky::Small;
use crate::probability::normal;
use crate::{Error, Progress, Result};

/// A factor `t(s)` of a real number s: all that expectation propagation asks is what it does to a normal density.
pub trait Site {
    /// `log ∫ t(s) N(s; m, v) ds`, and the mean and the variance of the density `∝ t(s) N(s; m, v)`.
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn tilted(&self, mean: f64, variance: f64) -> Result<(f64, f64, f64)>;
}

/// `t(s) = N(y; s, v)`: with such sites alone the result is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalSite {
    /// y.
    pub value: f64,
    /// v.
    pub variance: f64,
}

impl Site for NormalSite {
    fn tilted(&self, mean: f64, variance: f64) -> Result<(f64, f64, f64)> {
        positive("variance of a site", self.variance)?;
        let all = variance + self.variance;
        let gain = variance / all;
        let log = -0.5 * ((2.0 * std::f64::consts::PI * all).ln() + (self.value - mean).powi(2) / all);
        Ok((log, mean + gain * (self.value - mean), variance * self.variance / all))
    }
}

/// `t(s) = Φ(y s)` with y = ±1: probit classification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbitSite {
    /// y, whose sign alone counts.
    pub label: f64,
}

impl Site for ProbitSite {
    fn tilted(&self, mean: f64, variance: f64) -> Result<(f64, f64, f64)> {
        let y = self.label.signum();
        let scale = (1.0 + variance).sqrt();
        let z = y * mean / scale;
        let log = normal::log_cdf(z);
        let (slope, _) = normal::hazard(z);
        let shift = y * variance * slope / scale;
        Ok((log, mean + shift, variance - variance * variance * slope * (z + slope) / (1.0 + variance)))
    }
}

/// `log t(s)` as a function, whose tilted moments are taken by quadrature within eight standard deviations.
pub struct QuadratureSite<F>(pub F);

impl<F: Fn(f64) -> f64> Site for QuadratureSite<F> {
    fn tilted(&self, mean: f64, variance: f64) -> Result<(f64, f64, f64)> {
        const CELLS: usize = 2000;
        let (sd, half) = (variance.sqrt(), CELLS as f64 / 2.0);
        let step = 8.0 / half;
        let (mut nodes, mut logs) = (Vec::with_capacity(CELLS), Vec::with_capacity(CELLS));
        for i in 0..CELLS {
            let w = (i as f64 + 0.5 - half) * step;
            nodes.push(w);
            logs.push(-0.5 * w * w + (self.0)(mean + sd * w));
        }
        let all = crate::inference::logs::log_sum_exp(&logs);
        parameter(
            "log of a site's integral",
            all,
            all.is_finite(),
            "a site must not vanish where the others have weight",
        )?;
        let moment = |f: &dyn Fn(f64) -> f64| {
            nodes.iter().zip(&logs).map(|(w, l)| (l - all).exp() * f(*w)).sum::<f64>()
        };
        let m = moment(&|w| w);
        let v = moment(&|w| (w - m).powi(2));
        let log = all + (step / (2.0 * std::f64::consts::PI).sqrt()).ln();
        Ok((log, mean + sd * m, variance * v))
    }
}

/// `p(x) ∝ N(x; m, V) Π_i t_i(a_iᵀx)`, approximated by a normal distribution: each factor in turn is replaced by the normal
/// one that gives the tilted distribution's moments (the M-projection), until none changes.
///
/// ```
/// use mercer::inference::variational::{ExpectationPropagation, ProbitSite, Site};
/// use ndarray::array;
/// // A weight that is N(0, 1), and two labels at the inputs 1 and 2.
/// let sites: Vec<Box<dyn Site>> = vec![Box::new(ProbitSite { label: 1.0 }), Box::new(ProbitSite { label: 1.0 })];
/// let found = ExpectationPropagation::new(array![0.0], array![[1.0]])?.run(&array![[1.0], [2.0]], &sites)?;
/// assert!(found.mean()[0] > 0.4 && found.covariance()[[0, 0]] < 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExpectationPropagation {
    mean: Array1<f64>,
    covariance: Array2<f64>,
    max_sweeps: usize,
    tolerance: f64,
    damping: f64,
    progress: Progress,
}

setters!(ExpectationPropagation {
    /// The most sweeps over all sites: 100.
    max_sweeps: usize,
    /// The change that ends it, of the mean in standard deviations and of the covariance as of correlations: 1e-9.
    tolerance: f64,
    /// The share of the old site that is kept at each update, in [0, 1): 0.
    damping: f64,
    /// Called after every sweep with the log evidence; it can cancel.
    progress: Progress,
});

/// The normal approximation and the evidence of expectation propagation.
#[derive(Debug, Clone)]
pub struct FittedEp {
    mean: Array1<f64>,
    covariance: Array2<f64>,
    log_evidence: f64,
    sweeps: usize,
}

getters!(FittedEp {
    /// The mean of x.
    mean: &Array1<f64>,
    /// The covariance of x.
    covariance: &Array2<f64>,
    /// `log ∫ N(x; m, V) Π t_i(a_iᵀx) dx`, as approximated.
    log_evidence: f64,
    /// Sweeps made.
    sweeps: usize,
});

const OP: &str = "ExpectationPropagation";

/// `½ rᵀB⁻¹r - ½ log |B|` of natural parameters (r, B).
fn potential(shift: ArrayView1<f64>, precision: ArrayView2<f64>) -> Result<(f64, Array1<f64>, Array2<f64>)> {
    let small = Small::new(OP, precision)?;
    let covariance = small.inverse(shift.len());
    let mean = covariance.dot(&shift);
    Ok((0.5 * mean.dot(&shift) - 0.5 * small.log_det, mean, covariance))
}

impl ExpectationPropagation {
    /// The normal prior of x.
    ///
    /// # Errors
    /// Shapes that do not fit, NaN, a covariance that is not positive definite.
    pub fn new(mean: Array1<f64>, covariance: Array2<f64>) -> Result<Self> {
        let d = mean.len();
        finite(OP, "the covariance", covariance.view())?;
        finite(OP, "the mean", mean.view().insert_axis(ndarray::Axis(0)))?;
        require(OP, covariance.dim() == (d, d), || {
            format!("{d} means, a covariance of {:?}", covariance.dim())
        })?;
        Small::new(OP, covariance.view())?;
        let progress = Progress::none();
        Ok(ExpectationPropagation {
            mean,
            covariance,
            max_sweeps: 100,
            tolerance: 1e-9,
            damping: 0.0,
            progress,
        })
    }

    /// Sweeps over the sites until none changes; row i of `directions` is `a_i`.
    ///
    /// # Errors
    /// Shapes that do not fit, [`Error::NoConvergence`], [`Error::Cancelled`]; those of the sites.
    pub fn run(&self, directions: &Array2<f64>, sites: &[Box<dyn Site>]) -> Result<FittedEp> {
        let d = self.mean.len();
        finite(OP, "directions", directions.view())?;
        require(OP, directions.dim() == (sites.len(), d), || {
            format!("{} sites of {d} variables, directions of {:?}", sites.len(), directions.dim())
        })?;
        parameter("damping", self.damping, (0.0..1.0).contains(&self.damping), "must lie in [0, 1)")?;
        let prior_precision = Small::new(OP, self.covariance.view())?.inverse(d);
        let prior_shift = prior_precision.dot(&self.mean);
        let (at_prior, mut mean, mut covariance) = potential(prior_shift.view(), prior_precision.view())?;
        let mut natural = vec![(0.0, 0.0); sites.len()];
        let mut moved = f64::INFINITY;
        for sweep in 1..=self.max_sweeps {
            let before = (mean.clone(), covariance.clone());
            let mut parts = 0.0;
            for (i, site) in sites.iter().enumerate() {
                let a = directions.row(i);
                let (m, v) = (a.dot(&mean), a.dot(&covariance.dot(&a)));
                let (nu, tau) = natural[i];
                let cavity = (m / v - nu, 1.0 / v - tau);
                positive("precision of a cavity", cavity.1)?;
                let (log_z, new_m, new_v) = site.tilted(cavity.0 / cavity.1, 1.0 / cavity.1)?;
                positive("variance of a tilted distribution", new_v)?;
                let keep = self.damping;
                natural[i] = (
                    keep * nu + (1.0 - keep) * (new_m / new_v - cavity.0),
                    keep * tau + (1.0 - keep) * (1.0 / new_v - cavity.1),
                );
                let one = |r: f64, b: f64| 0.5 * r * r / b - 0.5 * b.ln();
                let own = (cavity.0 + natural[i].0, cavity.1 + natural[i].1);
                parts += log_z + one(cavity.0, cavity.1) - one(own.0, own.1);
                (_, mean, covariance) = posterior(&prior_shift, &prior_precision, directions, &natural)?;
            }
            let (at_end, m, c) = posterior(&prior_shift, &prior_precision, directions, &natural)?;
            (mean, covariance) = (m, c);
            let log_evidence = at_end - at_prior + parts;
            self.progress.report(OP, sweep, self.max_sweeps, log_evidence)?;
            moved = change((&before.0, &before.1), (&mean, &covariance));
            if moved <= self.tolerance {
                return Ok(FittedEp { mean, covariance, log_evidence, sweeps: sweep });
            }
        }
        Err(Error::NoConvergence {
            op: OP,
            iterations: self.max_sweeps,
            residual: moved,
            tolerance: self.tolerance,
        })
    }
}

/// How far a normal distribution is from what it was before, in its own standard deviations. The mean alone does not tell:
/// even sites about their own mean leave it where it is.
fn change(before: (&Array1<f64>, &Array2<f64>), now: (&Array1<f64>, &Array2<f64>)) -> f64 {
    let sd = now.1.diag().mapv(f64::sqrt);
    let mean = now.0.iter().zip(before.0).zip(&sd).map(|((a, b), s)| (a - b).abs() / s);
    let covariance = now.1.indexed_iter().map(|((i, j), c)| (c - before.1[[i, j]]).abs() / (sd[i] * sd[j]));
    mean.chain(covariance).fold(0.0, f64::max)
}

/// The normal distribution with these sites.
fn posterior(
    shift: &Array1<f64>,
    precision: &Array2<f64>,
    directions: &Array2<f64>,
    natural: &[(f64, f64)],
) -> Result<(f64, Array1<f64>, Array2<f64>)> {
    let (mut r, mut b) = (shift.clone(), precision.clone());
    for (a, (nu, tau)) in directions.rows().into_iter().zip(natural) {
        r.scaled_add(*nu, &a);
        for i in 0..a.len() {
            for j in 0..a.len() {
                b[[i, j]] += tau * a[i] * a[j];
            }
        }
    }
    potential(r.view(), b.view())
}
