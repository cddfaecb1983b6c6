//! Likelihoods `p(y | f)` of one observation given one latent value: what a Laplace approximation asks of them.

use crate::Result;
use crate::check::{parameter, positive};
use crate::probability::distributions::{StudentT, Univariate};
use crate::probability::normal::{hazard, log_cdf};
use crate::probability::special::{log_factorial, sigmoid, softplus};

/// `ln p(y | f)` and its derivatives by f.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Local {
    /// `ln p`.
    pub log: f64,
    /// `g = d ln p/df`.
    pub slope: f64,
    /// `D = -d² ln p/df²`; negative where the likelihood is not log-concave.
    pub curvature: f64,
    /// A positive number for D while the mode is searched: D itself where that is not negative.
    pub weight: f64,
}

/// A likelihood that factorises over observations; implement it for your own.
pub trait PointLikelihood {
    /// Whether y is an observation that can be.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if not.
    fn check(&self, y: f64) -> Result<()>;

    /// At the latent value f.
    fn local(&self, y: f64, f: f64) -> Local;

    /// Whether it is `Φ(y f)`, whose average over a normal f is known in closed form.
    fn is_probit(&self) -> bool {
        false
    }
}

/// A likelihood that is log-concave.
fn concave(log: f64, slope: f64, curvature: f64) -> Local {
    Local { log, slope, curvature, weight: curvature }
}

fn sign(y: f64) -> Result<()> {
    parameter("y", y, y == 1.0 || y == -1.0, "must be 1 or -1")
}

/// `y = f + ε`, `ε ~ N(0, variance)`: Laplace's approximation is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianLikelihood {
    /// Of the noise.
    pub variance: f64,
}

impl PointLikelihood for GaussianLikelihood {
    fn check(&self, y: f64) -> Result<()> {
        positive("variance", self.variance)?;
        parameter("y", y, y.is_finite(), "must be finite")
    }

    fn local(&self, y: f64, f: f64) -> Local {
        let (r, v) = (y - f, self.variance);
        concave(-0.5 * (r * r / v + (std::f64::consts::TAU * v).ln()), r / v, 1.0 / v)
    }
}

/// `p(y | f) = σ(y f)`, y = ±1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogisticLikelihood;

impl PointLikelihood for LogisticLikelihood {
    fn check(&self, y: f64) -> Result<()> {
        sign(y)
    }

    fn local(&self, y: f64, f: f64) -> Local {
        let z = y * f;
        concave(-softplus(-z), y * sigmoid(-z), sigmoid(z) * sigmoid(-z))
    }
}

/// `p(y | f) = Φ(y f)`, y = ±1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbitLikelihood;

impl PointLikelihood for ProbitLikelihood {
    fn check(&self, y: f64) -> Result<()> {
        sign(y)
    }

    fn local(&self, y: f64, f: f64) -> Local {
        let z = y * f;
        let (r, gap) = hazard(z);
        concave(log_cdf(z), y * r, r * gap)
    }

    fn is_probit(&self) -> bool {
        true
    }
}

/// Counts: `y ~ Poisson(exp f)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoissonLikelihood;

impl PointLikelihood for PoissonLikelihood {
    fn check(&self, y: f64) -> Result<()> {
        parameter("y", y, y >= 0.0 && y.fract() == 0.0, "must be a whole number, not negative")
    }

    fn local(&self, y: f64, f: f64) -> Local {
        let rate = f.exp();
        concave(y * f - rate - log_factorial(y), y - rate, rate)
    }
}

/// `y = f + ε` with noise of Student's t: an outlier pulls little, and the likelihood is not log-concave far from its y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentTLikelihood {
    /// ν.
    pub degrees: f64,
    /// Of the noise.
    pub scale: f64,
}

impl PointLikelihood for StudentTLikelihood {
    fn check(&self, y: f64) -> Result<()> {
        StudentT::new(self.degrees, y, self.scale).map(|_| ())
    }

    fn local(&self, y: f64, f: f64) -> Local {
        let (nu, s2, r) = (self.degrees, self.scale * self.scale, y - f);
        let d = nu * s2 + r * r;
        let log = StudentT::new(nu, 0.0, self.scale).map_or(f64::NAN, |t| t.log_density(r));
        Local {
            log,
            slope: (nu + 1.0) * r / d,
            curvature: (nu + 1.0) * (nu * s2 - r * r) / (d * d),
            // The normal distribution that touches the density at r and is below it: EM's weight.
            weight: (nu + 1.0) / d,
        }
    }
}
