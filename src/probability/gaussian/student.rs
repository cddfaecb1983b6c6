//! Student's t in d dimensions.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;

use super::multivariate::MultivariateNormal;
use super::sampling::standard;
use crate::check::{finite, positive, weights};
use crate::configure::getters;
use crate::probability::distributions::{Component, NormalInverseWishart};
use crate::probability::special::{log_beta, log_gamma};
use crate::probability::stirling::digamma_difference;
use crate::{Error, Result};

/// Most rounds of EM.
const ROUNDS: usize = 2000;

/// `p(x) ∝ (1 + (x - μ)ᵀS⁻¹(x - μ)/ν)^(-(ν+d)/2)`: `N(μ, S/g)` averaged over `g ~ Gamma(ν/2, ν/2)`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct MultivariateT {
    degrees: f64,
    shape: MultivariateNormal,
}

getters!(MultivariateT {
    /// ν.
    degrees: f64,
    /// μ.
    location => shape.mean: &Array1<f64>,
    /// S.
    scale => shape.covariance: &Array2<f64>,
});

impl MultivariateT {
    /// Student's t with `degrees` of freedom, location μ and scale matrix S.
    ///
    /// # Errors
    /// As [`MultivariateNormal::new`], and [`Error::Parameter`] for degrees that are not positive.
    pub fn new(degrees: f64, location: ArrayView1<f64>, scale: ArrayView2<f64>) -> Result<Self> {
        positive("degrees", degrees)?;
        Ok(MultivariateT { degrees, shape: MultivariateNormal::new(location, scale)? })
    }

    /// `ln p(x_i)` for each row.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns, [`Error::NotFinite`].
    pub fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let (nu, d) = (self.degrees, self.shape.mean().len() as f64);
        let constant = log_gamma(0.5 * d)
            - log_beta(0.5 * nu, 0.5 * d)
            - 0.5 * (d * (std::f64::consts::PI * nu).ln() + self.shape.log_det());
        Ok(self.shape.mahalanobis(x)?.mapv(|m| constant - 0.5 * (nu + d) * (m / nu).ln_1p()))
    }

    /// μ, for ν above 1.
    pub fn mean(&self) -> Option<Array1<f64>> {
        (self.degrees > 1.0).then(|| self.shape.mean().clone())
    }

    /// μ, where the density is largest.
    pub fn mode(&self) -> &Array1<f64> {
        self.shape.mean()
    }

    /// `ln B(ν/2, d/2) - ln Γ(d/2) + ½ (d ln πν + ln|S|) + (ν+d)/2 (ψ((ν+d)/2) - ψ(ν/2))`.
    pub fn entropy(&self) -> f64 {
        let (nu, d) = (self.degrees, self.shape.mean().len() as f64);
        log_beta(0.5 * nu, 0.5 * d) - log_gamma(0.5 * d)
            + 0.5 * (d * (std::f64::consts::PI * nu).ln() + self.shape.log_det())
            - 0.5 * (nu + d) * digamma_difference(0.5 * nu, 0.5 * d)
    }

    /// `S ν/(ν - 2)`, for ν above 2.
    pub fn covariance(&self) -> Option<Array2<f64>> {
        let nu = self.degrees;
        (nu > 2.0).then(|| self.shape.covariance() * (nu / (nu - 2.0)))
    }

    /// Independent rows, `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let half = 0.5 * self.degrees;
        let scales = rand_distr::Gamma::new(half, 1.0 / half).map_err(|_| Error::Parameter {
            name: "degrees".to_owned(),
            value: self.degrees,
            requirement: "must be positive and finite, and so must its inverse",
        })?;
        let mut z = standard(count, self.shape.mean().len(), seed)?.dot(&self.shape.factor().t());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        for mut row in z.rows_mut() {
            row /= scales.sample(&mut rng).sqrt();
        }
        Ok(z + self.shape.mean())
    }

    /// The location and the scale of largest likelihood for these degrees of freedom, by EM: rows far out weigh less.
    ///
    /// # Errors
    /// As [`MultivariateNormal::fit_weighted`], and [`Error::NoConvergence`].
    pub fn fit_weighted(degrees: f64, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<Self> {
        Self::em(degrees, x, w, None)
    }

    /// The most probable location and scale for these degrees of freedom under a normal-inverse-Wishart prior of `(μ, S)`.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted), and [`Error::Shape`] for a prior of another size.
    pub fn fit_map(
        degrees: f64,
        x: ArrayView2<f64>,
        w: ArrayView1<f64>,
        prior: &NormalInverseWishart,
    ) -> Result<Self> {
        crate::check::inputs("MultivariateT::fit_map", x, prior.mean().len())?;
        Self::em(degrees, x, w, Some(prior))
    }

    /// Location, scale and degrees of freedom of largest likelihood: ν by a search over its logarithm from 0.1 to 1000, in which the
    /// likelihood has one maximum for all but contrived data.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted).
    pub fn fit_degrees(x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<Self> {
        let at = |log: f64| -> Result<(f64, Self)> {
            let t = Self::fit_weighted(log.exp(), x, w)?;
            Ok((t.log_density(x)?.dot(&w), t))
        };
        // Golden section.
        let share = 0.5 * (5f64.sqrt() - 1.0);
        let (mut low, mut high) = (0.1f64.ln(), 1000f64.ln());
        let (mut a, mut b) = (high - share * (high - low), low + share * (high - low));
        let (mut left, mut right) = (at(a)?, at(b)?);
        while high - low > 1e-7 {
            if left.0 > right.0 {
                (high, b, right) = (b, a, left);
                a = high - share * (high - low);
                left = at(a)?;
            } else {
                (low, a, left) = (a, b, right);
                b = low + share * (high - low);
                right = at(b)?;
            }
        }
        Ok(if left.0 > right.0 { left.1 } else { right.1 })
    }

    fn em(
        degrees: f64,
        x: ArrayView2<f64>,
        w: ArrayView1<f64>,
        prior: Option<&NormalInverseWishart>,
    ) -> Result<Self> {
        const OP: &str = "MultivariateT::fit";
        positive("degrees", degrees)?;
        finite(OP, "x", x)?;
        weights(OP, w, x.nrows())?;
        let (total, d) = (w.sum(), x.ncols() as f64);
        let mut shape = match prior {
            None => MultivariateNormal::fit_weighted(x, w, super::Spread::Full)?,
            Some(prior) => MultivariateNormal::fit_map(x, w, prior)?,
        };
        let mut moved = f64::INFINITY;
        for _ in 0..ROUNDS {
            let far = shape.mahalanobis(x)?;
            let g: Array1<f64> = far.iter().zip(&w).map(|(m, w)| w * (degrees + d) / (degrees + m)).collect();
            // The prior is κ points at its mean, and ν + d + 2 that are not counted, of scatter Ψ.
            let (mut mean, mut mass, mut count) = (x.t().dot(&g), g.sum(), total);
            if let Some(prior) = prior {
                mean.scaled_add(prior.strength(), prior.mean());
                mass += prior.strength();
                count += prior.degrees() + d + 2.0;
            }
            mean /= mass;
            let centred = &x - &mean;
            let mut scale = (&centred * &g.view().insert_axis(Axis(1))).t().dot(&centred);
            if let Some(prior) = prior {
                let gap = (&mean - prior.mean()).insert_axis(Axis(1));
                scale = scale + prior.scale() + gap.dot(&gap.t()) * prior.strength();
            }
            scale /= count;
            let next = MultivariateNormal::new(mean.view(), super::factor::symmetrised(scale).view())?;
            let largest = next.covariance().iter().fold(0f64, |m, v| m.max(v.abs()));
            let off = |a: &f64, b: &f64| (a - b).abs();
            let in_mean = next.mean().iter().zip(shape.mean()).map(|(a, b)| off(a, b)).fold(0.0, f64::max);
            let in_scale =
                next.covariance().iter().zip(shape.covariance()).map(|(a, b)| off(a, b)).fold(0.0, f64::max);
            moved = in_mean / largest.sqrt() + in_scale / largest;
            shape = next;
            if moved < 1e-12 {
                break;
            }
        }
        if moved < 1e-8 {
            return Ok(MultivariateT { degrees, shape });
        }
        Err(Error::NoConvergence { op: OP, iterations: ROUNDS, residual: moved, tolerance: 1e-8 })
    }
}

impl Component for MultivariateT {
    fn features(&self) -> usize {
        self.shape.mean().len()
    }

    fn log_densities(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        self.log_density(x)
    }

    /// With the same degrees of freedom.
    fn refit(&self, x: ArrayView2<f64>, weights: ArrayView1<f64>) -> Result<Self> {
        Self::fit_weighted(self.degrees, x, weights)
    }

    fn sample_rows(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        self.sample(count, seed)
    }

    fn parameters(&self) -> usize {
        self.shape.parameters()
    }
}
