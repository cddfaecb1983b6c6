//! The linear-Gaussian model: `x ~ N(μ, Σ)`, `y | x ~ N(Bx + b, D)`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::factor::{forward, solve_one, symmetrised};
use super::multivariate::MultivariateNormal;
use crate::Result;
use crate::check::{finite, numbers, require};

/// `x ~ N(μ, Σ)`, `y | x ~ N(Bx + b, D)`: `y ~ N(Bμ + b, D + BΣBᵀ)`, and x given y is normal too.
///
/// It is one step of a Kalman filter, Bayesian linear regression, and the prediction of a Gaussian process by way of
/// its values at the data.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct LinearGaussian {
    prior: MultivariateNormal,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    map: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offset: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    noise: Array2<f64>,
}

impl LinearGaussian {
    /// The model with this prior of x, map B, offset b and noise covariance D, which may be singular.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if they do not fit together, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn new(
        prior: MultivariateNormal,
        map: ArrayView2<f64>,
        offset: ArrayView1<f64>,
        noise: ArrayView2<f64>,
    ) -> Result<Self> {
        const OP: &str = "LinearGaussian::new";
        finite(OP, "map", map)?;
        numbers(OP, "offset", offset.insert_axis(Axis(0)))?;
        let m = map.nrows();
        let fits = map.ncols() == prior.mean().len() && offset.len() == m && noise.dim() == (m, m);
        require(OP, fits, || {
            format!(
                "x has {}, B is {:?}, b has {}, D is {:?}",
                prior.mean().len(),
                map.dim(),
                offset.len(),
                noise.dim()
            )
        })?;
        let noise = crate::check::symmetric(OP, noise)?;
        Ok(LinearGaussian { prior, map: map.to_owned(), offset: offset.to_owned(), noise })
    }

    /// `∫ N(y | Bx + b, D) N(x | μ, Σ) dx = N(y | Bμ + b, D + BΣBᵀ)`.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if y is certain in some direction.
    pub fn predictive(&self) -> Result<MultivariateNormal> {
        let half = self.map.dot(self.prior.factor());
        let covariance = symmetrised(half.dot(&half.t())) + &self.noise;
        let mean = self.map.dot(self.prior.mean()) + &self.offset;
        MultivariateNormal::new(mean.view(), covariance.view())
    }

    /// The distribution of x given y: `μ + G(y - Bμ - b)`, `Σ - GBΣ`, with the gain `G = ΣBᵀ(D + BΣBᵀ)⁻¹`.
    ///
    /// # Errors
    /// As [`predictive`](Self::predictive), and for a y of another length.
    pub fn posterior(&self, y: ArrayView1<f64>) -> Result<MultivariateNormal> {
        let (sees, cross) = (self.predictive()?, self.map.dot(self.prior.covariance()));
        self.fits(y)?;
        let gap = &y - sees.mean();
        let mean = self.prior.mean() + cross.t().dot(&solve_one(sees.factor(), gap.view()));
        let half = forward(sees.factor(), cross.view());
        let covariance = symmetrised(self.prior.covariance() - half.t().dot(&half));
        MultivariateNormal::new(mean.view(), covariance.view())
    }

    /// `ln p(y)`.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior).
    pub fn log_evidence(&self, y: ArrayView1<f64>) -> Result<f64> {
        self.fits(y)?;
        Ok(self.predictive()?.log_density(y.insert_axis(Axis(0)))?[0])
    }

    fn fits(&self, y: ArrayView1<f64>) -> Result<()> {
        require("LinearGaussian", y.len() == self.offset.len(), || {
            format!("y has {} entries, the model {}", y.len(), self.offset.len())
        })?;
        numbers("LinearGaussian", "y", y.insert_axis(Axis(0)))
    }
}

#[cfg(feature = "serde")]
impl LinearGaussian {
    /// An error unless a saved one is what its constructor makes.
    pub(in crate::probability) fn whole(&self) -> Result<()> {
        Self::new(self.prior.clone(), self.map.view(), self.offset.view(), self.noise.view()).map(drop)
    }
}
