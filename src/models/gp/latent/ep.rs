//! Expectation propagation for the probit likelihood.

use ndarray::{Array1, Array2};

use super::laplace::{LatentGp, checked, covariance_of, parts, scaled};
use super::likelihood::ProbitLikelihood;
use crate::learn::{Inputs, Weights};
use crate::probability::gaussian::factor::{forward, log_det, lower};
use crate::probability::normal::{cdf, hazard, log_cdf};
use crate::saved::Format;
use crate::{Error, Kernel, Result};

/// Sweeps over the data.
const SWEEPS: usize = 500;

impl LatentGp {
    /// Expectation propagation for labels ±1 under the probit: each factor `Φ(y f)` is replaced by a normal one that gives the
    /// same mean and variance of f, given all others. Its evidence is closer to the truth than Laplace's.
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace).
    pub fn expectation_propagation(kernel: &Kernel, x: impl Inputs, y: impl Weights) -> Result<Self> {
        let (x, y) = (x.inputs(), y.weights());
        let (x, y) = (x.view(), y.view());
        checked(x, y, &ProbitLikelihood)?;
        let k = covariance_of(kernel, x, None)?;
        let n = y.len();
        // Natural parameters of the sites: precision and precision times mean.
        let (mut tau, mut nu) = (Array1::<f64>::zeros(n), Array1::<f64>::zeros(n));
        let (mut sigma, mut mean) = (k.clone(), Array1::<f64>::zeros(n));
        let mut trace: Vec<f64> = Vec::new();
        for _ in 0..SWEEPS {
            for i in 0..n {
                let (t, m) = cavity(&sigma, &mean, &tau, &nu, i);
                // Moments of the cavity times Φ(y f).
                let (v, own) = (1.0 / t, m / t);
                let z = y[i] * own / (1.0 + v).sqrt();
                let (r, gap) = hazard(z);
                let tilted = own + y[i] * v * r / (1.0 + v).sqrt();
                let spread = v - v * v * r * gap / (1.0 + v);
                let change = 1.0 / spread - t - tau[i];
                tau[i] += change;
                nu[i] = tilted / spread - m;
                let column = sigma.column(i).to_owned();
                let share = change / (1.0 + change * column[i]);
                sigma = &sigma - &(outer(&column) * share);
                mean = sigma.dot(&nu);
            }
            // Afresh, so that rank-one updates leave no rounding behind.
            let root = tau.mapv(|t| t.max(0.0).sqrt());
            let l = lower("LatentGp::expectation_propagation", scaled(&k, &root).view())?;
            let half = forward(&l, (&k * &root.view().insert_axis(ndarray::Axis(1))).view());
            sigma = &k - &half.t().dot(&half);
            mean = sigma.dot(&nu);
            let log = evidence(&y.to_vec(), (&sigma, &mean), (&tau, &nu), log_det(&l));
            let settled = trace.last().is_some_and(|before| (log - before).abs() < 1e-12 * (1.0 + log.abs()));
            trace.push(log);
            if settled {
                let (inner, covariance, _) = parts(&k, &tau)?;
                // K⁻¹ mean = ν - τ mean.
                let alpha = &nu - &(&tau * &mean);
                let (kernel, x) = (kernel.clone(), x.to_owned());
                return Ok(LatentGp {
                    format: Format,
                    kernel,
                    x,
                    mode: mean,
                    alpha,
                    curvature: tau,
                    inner,
                    covariance,
                    log_evidence: log,
                    probit: true,
                    trace,
                });
            }
        }
        let residual = trace.windows(2).last().map_or(f64::INFINITY, |w| (w[1] - w[0]).abs());
        Err(Error::NoConvergence {
            op: "LatentGp::expectation_propagation",
            iterations: SWEEPS,
            residual,
            tolerance: 1e-12,
        })
    }

    /// `p(y = 1 | x) = Φ(mean/√(1 + variance))` at new points: the average of the probit over the latent value.
    ///
    /// # Errors
    /// As [`latent`](Self::latent); [`Error::Unsupported`] if the process was fitted under another likelihood: see
    /// [`predictive`](Self::predictive).
    pub fn probit_probability(&self, x: impl Inputs) -> Result<Array1<f64>> {
        if !self.probit {
            return Err(Error::Unsupported {
                op: "LatentGp::probit_probability",
                what: "a likelihood that is not the probit".to_owned(),
                device: "any device".to_owned(),
                instead: "use LatentGp::predictive with the likelihood of the fit",
            });
        }
        let (mean, variance) = self.latent(x)?;
        Ok(mean.iter().zip(&variance).map(|(m, v)| cdf(m / (1.0 + v).sqrt())).collect())
    }
}

fn outer(v: &Array1<f64>) -> Array2<f64> {
    let column = v.view().insert_axis(ndarray::Axis(1));
    column.dot(&column.t())
}

/// Precision and precision times mean of `f_i` without its own factor.
fn cavity(
    sigma: &Array2<f64>,
    mean: &Array1<f64>,
    tau: &Array1<f64>,
    nu: &Array1<f64>,
    i: usize,
) -> (f64, f64) {
    let v = sigma[[i, i]];
    ((1.0 / v - tau[i]).max(f64::MIN_POSITIVE), mean[i] / v - nu[i])
}

/// `ln Z = Σ ln Φ(z_i) + ½ Σ ln(1 + τ_i/t_i) - ½ ln|B| + ½ νᵀΣν` less what the cavities have of the quadratic forms.
fn evidence(
    y: &[f64],
    (sigma, mean): (&Array2<f64>, &Array1<f64>),
    (tau, nu): (&Array1<f64>, &Array1<f64>),
    log_det: f64,
) -> f64 {
    let mut log = 0.5 * nu.dot(mean) - 0.5 * log_det;
    for i in 0..y.len() {
        let (t, m) = cavity(sigma, mean, tau, nu, i);
        let own = m / t;
        log += log_cdf(y[i] * own / (1.0 + 1.0 / t).sqrt()) + 0.5 * (tau[i] / t).ln_1p();
        // ½ (m - s)² /(1/t + 1/τ) less ½ ν²/τ, without a division by τ.
        log += 0.5 * (tau[i] * t * own * own - 2.0 * t * own * nu[i] - nu[i] * nu[i]) / (t + tau[i]);
    }
    log
}
