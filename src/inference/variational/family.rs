//! The exponential families of mean-field factors, `q(z) = exp(ν·u(z) - A(ν))`: what each needs is `∇A = E[u]` and A.
//! Checked in `tests/inference/cavi.rs`.

use ndarray::ArrayView2;

use crate::check::require;
use crate::inference::logs::{digamma, ln_gamma, log_sum_exp, sigmoid, softplus};
use crate::linalg::small_cholesky::Small;
use crate::{Error, Result};

const OP: &str = "mean-field factor";

/// A family of distributions of one factor, by its sufficient statistics u; the carrier measure is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// One of two values: `u = z`, ν the log odds.
    Bernoulli,
    /// One of k values: `u` one-hot, ν the log weights, up to a constant.
    Categorical(usize),
    /// A number: `u = (z, z²)`, `ν = (m/v, -1/(2v))`.
    Normal,
    /// A vector of d numbers: `u = (z, zzᵀ)`, `ν = (Λm, -Λ/2)`, row after row.
    Normals(usize),
    /// A positive number of shape a and rate b: `u = (log z, z)`, `ν = (a - 1, -b)`.
    Gamma,
    /// A point of the simplex of k corners: `u = log z`, `ν = α - 1`.
    Dirichlet(usize),
}

impl Family {
    /// The number of sufficient statistics.
    pub fn dim(self) -> usize {
        match self {
            Family::Bernoulli => 1,
            Family::Normal | Family::Gamma => 2,
            Family::Categorical(k) | Family::Dirichlet(k) => k,
            Family::Normals(d) => d + d * d,
        }
    }

    /// `E[u] = ∇A(ν)`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of parameters, [`Error::Parameter`] for parameters out of their domain,
    /// [`Error::NotPositiveDefinite`] for a precision that is not.
    pub fn expected(self, natural: &[f64]) -> Result<Vec<f64>> {
        self.check(natural)?;
        Ok(match self {
            Family::Bernoulli => vec![sigmoid(natural[0])],
            Family::Categorical(_) => {
                let all = log_sum_exp(natural);
                natural.iter().map(|v| (v - all).exp()).collect()
            }
            Family::Normal => {
                let v = -0.5 / natural[1];
                let m = natural[0] * v;
                vec![m, m * m + v]
            }
            Family::Normals(d) => {
                let (small, mean) = Self::solved(natural, d)?;
                let covariance = small.inverse(d);
                let second = (0..d * d).map(|ij| covariance[[ij / d, ij % d]] + mean[ij / d] * mean[ij % d]);
                mean.iter().copied().chain(second).collect()
            }
            Family::Gamma => {
                let (a, b) = (natural[0] + 1.0, -natural[1]);
                vec![digamma(a) - b.ln(), a / b]
            }
            Family::Dirichlet(_) => {
                let all = digamma(natural.iter().map(|v| v + 1.0).sum());
                natural.iter().map(|v| digamma(v + 1.0) - all).collect()
            }
        })
    }

    /// The log normaliser `A(ν) = log ∫ exp(ν·u(z)) dz`.
    ///
    /// # Errors
    /// As [`Family::expected`].
    pub fn log_normaliser(self, natural: &[f64]) -> Result<f64> {
        self.check(natural)?;
        let half_log_tau = 0.5 * (2.0 * std::f64::consts::PI).ln();
        Ok(match self {
            Family::Bernoulli => softplus(natural[0]),
            Family::Categorical(_) => log_sum_exp(natural),
            Family::Normal => {
                half_log_tau - 0.5 * (-2.0 * natural[1]).ln() - natural[0] * natural[0] / (4.0 * natural[1])
            }
            Family::Normals(d) => {
                let (small, mean) = Self::solved(natural, d)?;
                let inner: f64 = mean.iter().zip(natural).map(|(m, r)| m * r).sum();
                d as f64 * half_log_tau - 0.5 * small.log_det + 0.5 * inner
            }
            Family::Gamma => ln_gamma(natural[0] + 1.0) - (natural[0] + 1.0) * (-natural[1]).ln(),
            Family::Dirichlet(_) => {
                natural.iter().map(|v| ln_gamma(v + 1.0)).sum::<f64>()
                    - ln_gamma(natural.iter().map(|v| v + 1.0).sum())
            }
        })
    }

    /// The entropy `A(ν) - ν·E[u]`.
    ///
    /// # Errors
    /// As [`Family::expected`].
    pub fn entropy(self, natural: &[f64]) -> Result<f64> {
        let inner: f64 = self
            .expected(natural)?
            .iter()
            .zip(natural)
            // A value that has no weight has no part, though its parameter is minus infinity.
            .map(|(u, v)| if *u == 0.0 { 0.0 } else { u * v })
            .sum();
        Ok(self.log_normaliser(natural)? - inner)
    }

    /// `KL(q_ν || q_η) = (ν - η)·∇A(ν) - A(ν) + A(η)`: the Bregman divergence of A.
    ///
    /// # Errors
    /// As [`Family::expected`].
    pub fn kl(self, from: &[f64], to: &[f64]) -> Result<f64> {
        let u = self.expected(from)?;
        let inner: f64 = from
            .iter()
            .zip(to)
            .zip(&u)
            .filter(|(_, u)| **u != 0.0)
            // A value that has no weight has no part, as in the entropy.
            .map(|((a, b), u)| (a - b) * u)
            .sum();
        Ok(inner - self.log_normaliser(from)? + self.log_normaliser(to)?)
    }

    fn solved(natural: &[f64], d: usize) -> Result<(Small, Vec<f64>)> {
        let precision = ArrayView2::from_shape((d, d), &natural[d..]).expect("checked").mapv(|v| -2.0 * v);
        let small = Small::new(OP, precision.view())?;
        let shift = ArrayView2::from_shape((1, d), &natural[..d]).expect("checked");
        let mean = small.solve_rows(shift).row(0).to_vec();
        Ok((small, mean))
    }

    fn check(self, natural: &[f64]) -> Result<()> {
        require(OP, natural.len() == self.dim() && self.dim() > 0, || {
            format!("{self:?} has {} natural parameters, {} were given", self.dim(), natural.len())
        })?;
        let allowed = |i: usize, v: f64| match (self, i) {
            (Family::Categorical(_), _) => v < f64::INFINITY && !v.is_nan(),
            (Family::Normal | Family::Gamma, 1) => v < 0.0 && v.is_finite(),
            (Family::Gamma, 0) | (Family::Dirichlet(_), _) => v > -1.0 && v.is_finite(),
            _ => v.is_finite(),
        };
        match natural.iter().enumerate().find(|(i, v)| !allowed(*i, **v)) {
            None => Ok(()),
            Some((i, &value)) => Err(Error::Parameter {
                name: format!("natural parameter {i} of {self:?}"),
                value,
                requirement: "must lie in the domain of the family",
            }),
        }
    }
}
