//! Conjugate priors of a normal distribution whose mean and variance are both unknown.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::component::{moments, weighted};
use super::{InverseGamma, InverseWishart, Normal, StudentT, Univariate};
use crate::check::{inputs, parameter, positive, require};
use crate::configure::getters;
use crate::probability::gaussian::factor::{log_det, lower, symmetrised};
use crate::probability::gaussian::{MultivariateNormal, MultivariateT};
use crate::probability::special::{digamma, log_gamma, log_multivariate_gamma};
use crate::{Error, Result};

/// `μ | σ² ~ N(m, σ²/κ)`, `σ² ~ InverseGamma(a, b)`: conjugate to normal numbers.
///
/// ```
/// use mercer::probability::distributions::{NormalInverseGamma, Univariate};
/// let prior = NormalInverseGamma::new(0.0, 1.0, 2.0, 2.0)?;
/// let posterior = prior.posterior(&[1.0, 2.0, 3.0])?;
/// assert_eq!(posterior.mean(), 1.5); // (1·0 + 3·2)/4
/// let next = posterior.predictive()?; // Student's t
/// assert!(next.variance().unwrap() > 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct NormalInverseGamma {
    mean: f64,
    strength: f64,
    shape: f64,
    scale: f64,
}

getters!(NormalInverseGamma {
    /// m.
    mean: f64,
    /// κ: how many observations the mean is worth.
    strength: f64,
    /// a.
    shape: f64,
    /// b.
    scale: f64,
});

impl NormalInverseGamma {
    /// The prior with mean m worth κ observations, and a variance of `InverseGamma(shape, scale)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless κ, shape and scale are positive.
    pub fn new(mean: f64, strength: f64, shape: f64, scale: f64) -> Result<Self> {
        parameter("mean", mean, mean.is_finite(), "must be finite")?;
        positive("strength", strength)?;
        positive("shape", shape)?;
        positive("scale", scale)?;
        Ok(NormalInverseGamma { mean, strength, shape, scale })
    }

    /// `ln p(μ, σ²)`.
    pub fn log_density(&self, mean: f64, variance: f64) -> f64 {
        let of_variance = InverseGamma::new(self.shape, self.scale).map(|g| g.log_density(variance));
        let of_mean = Normal::new(self.mean, variance / self.strength).map(|n| n.log_density(mean));
        of_variance.and_then(|v| Ok(v + of_mean?)).unwrap_or(f64::NEG_INFINITY)
    }

    /// The posterior after weighted numbers.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for bad numbers or weights.
    pub fn posterior_weighted(&self, x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("NormalInverseGamma::posterior", x, w)?;
        let (n, average, variance) = moments(x, w);
        let strength = self.strength + n;
        let gap = average - self.mean;
        Self::new(
            self.mean + n / strength * gap,
            strength,
            self.shape + 0.5 * n,
            self.scale + 0.5 * n * variance + 0.5 * self.strength * (n / strength) * gap * gap,
        )
    }

    /// The posterior after some numbers.
    ///
    /// # Errors
    /// As [`posterior_weighted`](Self::posterior_weighted).
    pub fn posterior(&self, x: &[f64]) -> Result<Self> {
        self.posterior_weighted(x, &vec![1.0; x.len()])
    }

    /// The distribution of the next number: Student's t with 2a degrees of freedom.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn predictive(&self) -> Result<StudentT> {
        let square = self.scale * (self.strength + 1.0) / (self.shape * self.strength);
        StudentT::new(2.0 * self.shape, self.mean, square.sqrt())
    }

    /// `ln p(x) = ln Γ(a') - ln Γ(a) + a ln b - a' ln b' + ½ ln(κ/κ') - n/2 ln 2π`.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior).
    pub fn log_evidence(&self, x: &[f64]) -> Result<f64> {
        let after = self.posterior(x)?;
        Ok(log_gamma(after.shape) - log_gamma(self.shape) + self.shape * self.scale.ln()
            - after.shape * after.scale.ln()
            + 0.5 * (self.strength / after.strength).ln()
            - 0.5 * x.len() as f64 * std::f64::consts::TAU.ln())
    }

    /// The most probable mean and variance together: `(m, b/(a + 3/2))`.
    pub fn mode(&self) -> (f64, f64) {
        (self.mean, self.scale / (self.shape + 1.5))
    }

    /// The distribution of σ² alone, `InverseGamma(a, b)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn variance_marginal(&self) -> Result<InverseGamma> {
        InverseGamma::new(self.shape, self.scale)
    }

    /// The distribution of μ alone: Student's t with 2a degrees of freedom about m, of scale `√(b/(aκ))`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn mean_marginal(&self) -> Result<StudentT> {
        StudentT::new(2.0 * self.shape, self.mean, (self.scale / (self.shape * self.strength)).sqrt())
    }

    /// `E[-ln p(μ, σ²)] = H(σ²) + ½ (ln(2πe/κ) + E[ln σ²])`, `E[ln σ²] = ln b - ψ(a)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn entropy(&self) -> Result<f64> {
        let given =
            std::f64::consts::TAU.ln() + 1.0 - self.strength.ln() + self.scale.ln() - digamma(self.shape);
        Ok(self.variance_marginal()?.entropy() + 0.5 * given)
    }

    /// Draws of means and variances, `count x 2`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let variances = InverseGamma::new(self.shape, self.scale)?.sample(count, seed)?;
        let z = Normal::new(0.0, 1.0)?.sample(count, seed.wrapping_add(0x9e37_79b9_7f4a_7c15))?;
        Ok(Array2::from_shape_fn((count, 2), |(i, j)| match j {
            0 => self.mean + z[i] * (variances[i] / self.strength).sqrt(),
            _ => variances[i],
        }))
    }
}

/// `μ | Σ ~ N(m, Σ/κ)`, `Σ ~ InverseWishart(ν, Ψ)`: conjugate to normal rows.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct NormalInverseWishart {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    strength: f64,
    degrees: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scale: Array2<f64>,
}

getters!(NormalInverseWishart {
    /// m.
    mean: &Array1<f64>,
    /// κ: how many observations the mean is worth.
    strength: f64,
    /// ν, above d - 1.
    degrees: f64,
    /// Ψ.
    scale: &Array2<f64>,
});

impl NormalInverseWishart {
    /// The prior with mean m worth κ observations, and a covariance of `InverseWishart(degrees, scale)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless κ is positive and the degrees exceed `d - 1`, [`Error::Shape`],
    /// [`Error::NotPositiveDefinite`].
    pub fn new(mean: ArrayView1<f64>, strength: f64, degrees: f64, scale: ArrayView2<f64>) -> Result<Self> {
        positive("strength", strength)?;
        // Both are checked by the distributions that they are parameters of.
        MultivariateNormal::new(mean, scale)?;
        InverseWishart::new(degrees, scale)?;
        Ok(NormalInverseWishart {
            mean: mean.to_owned(),
            strength,
            degrees,
            scale: symmetrised(scale.to_owned()),
        })
    }

    /// `ln p(μ, Σ)`.
    ///
    /// # Errors
    /// [`Error::Shape`] for other sizes, [`Error::NotPositiveDefinite`].
    pub fn log_density(&self, mean: ArrayView1<f64>, covariance: ArrayView2<f64>) -> Result<f64> {
        let of_covariance = InverseWishart::new(self.degrees, self.scale.view())?.log_density(covariance)?;
        let own = (&covariance / self.strength).to_owned();
        let of_mean = MultivariateNormal::new(self.mean.view(), own.view())?;
        Ok(of_covariance + of_mean.log_density(mean.insert_axis(Axis(0)))?[0])
    }

    /// The posterior after weighted rows.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for bad rows or weights.
    pub fn posterior_weighted(&self, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<Self> {
        inputs("NormalInverseWishart::posterior", x, self.mean.len())?;
        let (n, average, scatter) = crate::probability::gaussian::scatter(x, w)?;
        let strength = self.strength + n;
        let gap = &average - &self.mean;
        let column = gap.view().insert_axis(Axis(1));
        let outer = column.dot(&column.t()) * (self.strength * (n / strength));
        let scale = symmetrised(&self.scale + &(scatter * n) + outer);
        let mean = &self.mean + &(&gap * (n / strength));
        Self::new(mean.view(), strength, self.degrees + n, scale.view())
    }

    /// The posterior after some rows.
    ///
    /// # Errors
    /// As [`posterior_weighted`](Self::posterior_weighted).
    pub fn posterior(&self, x: ArrayView2<f64>) -> Result<Self> {
        self.posterior_weighted(x, Array1::ones(x.nrows()).view())
    }

    /// The distribution of the next row: Student's t with `ν - d + 1` degrees of freedom.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn predictive(&self) -> Result<MultivariateT> {
        let degrees = self.degrees - self.mean.len() as f64 + 1.0;
        let scale = &self.scale * ((self.strength + 1.0) / (self.strength * degrees));
        MultivariateT::new(degrees, self.mean.view(), scale.view())
    }

    /// `ln p(X)`, from the constants of prior and posterior.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior).
    pub fn log_evidence(&self, x: ArrayView2<f64>) -> Result<f64> {
        let after = self.posterior(x)?;
        let (d, n) = (self.mean.len(), x.nrows() as f64);
        let before = log_det(&lower("NormalInverseWishart", self.scale.view())?);
        let later = log_det(&lower("NormalInverseWishart", after.scale.view())?);
        Ok(log_multivariate_gamma(d, 0.5 * after.degrees) - log_multivariate_gamma(d, 0.5 * self.degrees)
            + 0.5 * self.degrees * before
            - 0.5 * after.degrees * later
            + 0.5 * d as f64 * (self.strength / after.strength).ln()
            - 0.5 * n * d as f64 * std::f64::consts::PI.ln())
    }

    /// The most probable mean and covariance together: `(m, Ψ/(ν + d + 2))`.
    pub fn mode(&self) -> (Array1<f64>, Array2<f64>) {
        (self.mean.clone(), &self.scale / (self.degrees + self.mean.len() as f64 + 2.0))
    }

    /// The distribution of Σ alone, `InverseWishart(ν, Ψ)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn covariance_marginal(&self) -> Result<InverseWishart> {
        InverseWishart::new(self.degrees, self.scale.view())
    }

    /// The distribution of μ alone: Student's t with `ν - d + 1` degrees of freedom about m, of scale `Ψ/(κ(ν - d + 1))`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn mean_marginal(&self) -> Result<MultivariateT> {
        let degrees = self.degrees - self.mean.len() as f64 + 1.0;
        MultivariateT::new(degrees, self.mean.view(), (&self.scale / (self.strength * degrees)).view())
    }

    /// `E[-ln p(μ, Σ)] = H(Σ) + ½ (d ln(2πe/κ) + E[ln|Σ|])`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters have overflowed.
    pub fn entropy(&self) -> Result<f64> {
        let of = self.covariance_marginal()?;
        let each = std::f64::consts::TAU.ln() + 1.0 - self.strength.ln();
        Ok(of.entropy() + 0.5 * (self.mean.len() as f64 * each + of.mean_log_det()))
    }

    /// Draws of means and covariances; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<(Array1<f64>, Array2<f64>)>> {
        let covariances = InverseWishart::new(self.degrees, self.scale.view())?.sample(count, seed)?;
        let with_mean = |(i, c): (usize, Array2<f64>)| {
            let of_mean = MultivariateNormal::new(self.mean.view(), (&c / self.strength).view())?;
            let one = of_mean.sample(1, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(i as u64))?;
            require("NormalInverseWishart::sample", one.nrows() == 1, || "no draw".to_owned())?;
            Ok::<_, Error>((one.index_axis_move(Axis(0), 0), c))
        };
        covariances.into_iter().enumerate().map(with_mean).collect()
    }
}
