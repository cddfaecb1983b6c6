//! Laplace's approximation of any posterior: a normal distribution about its mode, and the evidence. Checked in
//! `tests/probability/laplace.rs`.

use ndarray::{Array1, Array2, ArrayView2};

use crate::check::{parameter, require};
use crate::learn::configure::getters;
use crate::optim::Minimiser;
use crate::probability::distributions::Normal;
use crate::probability::gaussian::MultivariateNormal;
use crate::{Error, Result};

/// Newton steps that polish a mode.
const STEPS: usize = 100;

/// `p(θ | D) ≈ N(θ̂, (∂²J)⁻¹)`, `J = -ln p(θ, D)`, `ln p(D) ≈ -J(θ̂) + (d/2) ln 2π - ½ ln |∂²J|`.
///
/// It is exact for a normal posterior, and depends on what the parameters are: of a probability and of its logit it is two
/// different approximations.
///
/// ```
/// use mercer::inference::LaplaceApproximation;
/// // Seven heads, three tails, a uniform prior.
/// let coin = LaplaceApproximation::scalar((0.01, 0.99), 0.5, |p| {
///     (7.0 * p.ln() + 3.0 * (1.0 - p).ln(), 7.0 / p - 3.0 / (1.0 - p), -7.0 / (p * p) - 3.0 / (1.0 - p).powi(2))
/// })?;
/// assert!((coin.mode()[0] - 0.7).abs() < 1e-12 && (coin.covariance()[[0, 0]] - 0.021).abs() < 1e-12);
/// assert!((coin.log_evidence() + 7.121320908).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LaplaceApproximation {
    posterior: MultivariateNormal,
    log_joint: f64,
    log_evidence: f64,
}

getters!(LaplaceApproximation {
    /// The normal distribution `N(θ̂, (∂²J)⁻¹)`.
    posterior: &MultivariateNormal,
    /// `ln p(θ̂, D)`.
    log_joint: f64,
    /// `ln p(D)`, approximately.
    log_evidence: f64,
});

impl LaplaceApproximation {
    /// Of one parameter in an interval, from a start in it; `log_joint(θ)` gives `ln p(θ, D)` and its two derivatives.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn scalar(
        bounds: (f64, f64),
        start: f64,
        log_joint: impl Fn(f64) -> (f64, f64, f64),
    ) -> Result<Self> {
        Self::new(&Minimiser::new(), &[start], &[bounds], |t| {
            let (log, slope, curvature) = log_joint(t[0]);
            Ok((log, vec![slope], Array2::from_elem((1, 1), curvature)))
        })
    }

    /// Of d parameters within bounds, from a start; `log_joint(θ)` gives `ln p(θ, D)`, its gradient and its Hessian.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a mode at a bound, where there is no such approximation;
    /// [`Error::NotPositiveDefinite`] if `∂²J` is not positive definite at the mode; [`Error::NoConvergence`]; those of the
    /// density.
    pub fn new(
        minimiser: &Minimiser,
        start: &[f64],
        bounds: &[(f64, f64)],
        log_joint: impl Fn(&[f64]) -> Result<(f64, Vec<f64>, Array2<f64>)>,
    ) -> Result<Self> {
        let d = start.len();
        let found = minimiser.run(start, bounds, |t| {
            let (log, g, _) = log_joint(t)?;
            Ok((-log, g.iter().map(|g| -g).collect()))
        })?;
        let at_bound = found.at_bounds.first().map(|&i| found.point[i]);
        parameter(
            "the mode",
            at_bound.unwrap_or(0.0),
            at_bound.is_none(),
            "lies at a bound: choose other parameters",
        )?;
        let mut theta = Array1::from(found.point);
        let (mut log, mut g, mut h) = log_joint(&theta.to_vec())?;
        // The search ends at a gradient of 1e-6; Newton's method takes it to rounding.
        for _ in 0..STEPS {
            require("LaplaceApproximation", g.len() == d && h.dim() == (d, d), || {
                format!("{d} parameters, a gradient of {}, a Hessian of {:?}", g.len(), h.dim())
            })?;
            let precision = precise(h.view(), theta.view())?;
            let gradient = Array1::from(g.clone());
            let step = precision.covariance().dot(&gradient);
            // The squared length of the step in standard deviations.
            let decrement = gradient.dot(&step);
            if decrement < 1e-24 {
                return Ok(Self::about(precision, log));
            }
            let next = &theta + &step;
            let inside = next.iter().zip(bounds).all(|(t, b)| *t > b.0 && *t < b.1);
            let there = if inside { Some(log_joint(&next.to_vec())?) } else { None };
            match there {
                Some((value, gradient, hessian)) if value >= log - 1e-12 * log.abs().max(1.0) => {
                    (theta, log, g, h) = (next, value, gradient, hessian);
                }
                _ if decrement < 1e-8 => return Ok(Self::about(precision, log)),
                _ => break,
            }
        }
        let residual = g.iter().fold(0f64, |m, g| m.max(g.abs()));
        Err(Error::NoConvergence {
            op: "LaplaceApproximation",
            iterations: STEPS,
            residual,
            tolerance: 1e-12,
        })
    }

    fn about(posterior: MultivariateNormal, log_joint: f64) -> Self {
        let d = posterior.mean().len() as f64;
        let log_evidence = log_joint + 0.5 * (d * std::f64::consts::TAU.ln() + posterior.log_det());
        LaplaceApproximation { posterior, log_joint, log_evidence }
    }

    /// θ̂.
    pub fn mode(&self) -> &Array1<f64> {
        self.posterior.mean()
    }

    /// `(∂²J)⁻¹`.
    pub fn covariance(&self) -> &Array2<f64> {
        self.posterior.covariance()
    }

    /// The distribution of one parameter.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one that is not there.
    pub fn marginal(&self, parameter: usize) -> Result<Normal> {
        let one = self.posterior.marginal(&[parameter])?;
        Normal::new(one.mean()[0], one.covariance()[[0, 0]])
    }
}

/// `N(θ, (-H)⁻¹)`.
fn precise(h: ArrayView2<f64>, theta: ndarray::ArrayView1<f64>) -> Result<MultivariateNormal> {
    MultivariateNormal::from_precision(theta, h.mapv(|v| -v).view())
}
