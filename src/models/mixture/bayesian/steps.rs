//! The two steps of variational Bayes for a mixture of Gaussians.
//!
//! After the E-step the evidence lower bound is `sum_i log sum_k exp(E[log π_k] + E[log N(x_i | μ_k, Λ_k^-1)])` less the
//! divergence of the posteriors of the parameters from their priors: it needs no more than EM does.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};
use statrs::function::gamma::{digamma, ln_gamma};

use super::model::WeightPrior;
use super::stick_breaking::Weights;
use crate::inference::em::{EmModel, Observations};
use crate::models::mixture::factors::{invert_lower, lower_cholesky};
use crate::models::mixture::gaussian::GaussianStatistics;
use crate::models::mixture::responsibilities::expected;
use crate::ops::{Second, Whitening, gaussian_log_density};
use crate::{Matrix, Result};

/// What the precisions of the components may be: each a Wishart matrix, or fewer numbers with gamma priors, which are
/// Wishart matrices of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Shape {
    /// `Λ_k ~ Wishart(W_0, ν_0)`.
    #[default]
    Full,
    /// One Λ for all.
    Tied,
    /// `λ_kj ~ Gamma(ν_0/2, W_0^-1_jj/2)`, independent.
    Diagonal,
    /// One `λ_k ~ Gamma(ν_0/2, W_0^-1_11/2)` for all directions.
    Spherical,
    /// `Λ_k = W_0`: given.
    Known,
}

const SHAPES: [Shape; 5] = [Shape::Full, Shape::Tied, Shape::Diagonal, Shape::Spherical, Shape::Known];

impl crate::saved::Wire for Shape {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u8).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let at = u8::read(from)?;
        SHAPES.get(usize::from(at)).copied().ok_or_else(crate::saved::garbled)
    }
}

/// What is known beforehand.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Prior {
    pub weights: WeightPrior,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub mean: Array1<f64>,
    pub precision: f64,
    pub degrees: f64,
    /// `W_0^-1`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub inverse: Array2<f64>,
    /// `log |W_0^-1|`.
    pub log_det: f64,
    pub shape: Shape,
}

/// `q(π) prod_k N(μ_k | m_k, (κ_k Λ_k)^-1) Wishart(Λ_k | W_k, ν_k)`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Posterior {
    pub weights: Weights,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub means: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub precision: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub degrees: Array1<f64>,
    /// `W_k^-1`, `K x d x d`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    pub inverse: Array3<f64>,
    /// `L^-1` with `L L^T = W_k^-1`: `W_k = L^-T L^-1`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    pub factor: Array3<f64>,
    /// `log |W_k^-1|`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub log_det: Array1<f64>,
    pub shape: Shape,
}

crate::saved::wired!(Posterior { weights, means, precision, degrees, inverse, factor, log_det, shape });

impl Posterior {
    /// `E[log |Λ_k|]`.
    fn expected_log_det(&self, k: usize) -> f64 {
        let (d, nu) = (self.means.ncols(), self.degrees[k]);
        let sum: f64 = match self.shape {
            Shape::Known => return -self.log_det[k],
            Shape::Full | Shape::Tied => (0..d).map(|j| digamma(0.5 * (nu - j as f64))).sum(),
            Shape::Diagonal | Shape::Spherical => d as f64 * digamma(0.5 * nu),
        };
        sum + d as f64 * std::f64::consts::LN_2 - self.log_det[k]
    }

    /// `E[log π_k] + E[log N(x_i | μ_k, Λ_k^-1)]`, `n x K`, for points and means that are seen from the same origin.
    pub fn log_joint(&self, x: &Matrix, means: &Matrix) -> Result<Matrix> {
        let (k, d) = self.means.dim();
        let log_weights = self.weights.expected_log();
        let offset = Array2::from_shape_fn((1, k), |(_, k)| {
            log_weights[k] + 0.5 * self.expected_log_det(k)
                - 0.5 * d as f64 * ((2.0 * std::f64::consts::PI).ln() + 1.0 / self.precision[k])
        });
        self.squares(x, means, |k| self.degrees[k].sqrt(), offset)
    }

    /// `offset_k - |unit_k L_k^-1 (x_i - m_k)|² / 2`, `n x K`.
    pub fn squares(
        &self,
        x: &Matrix,
        means: &Matrix,
        unit: impl Fn(usize) -> f64,
        offset: Array2<f64>,
    ) -> Result<Matrix> {
        let (k, d) = self.means.dim();
        let mut whiten = Array2::zeros((k * d, d));
        for k in 0..k {
            let own = &self.factor.index_axis(Axis(0), k) * unit(k);
            whiten.slice_mut(s![k * d..(k + 1) * d, ..]).assign(&own);
        }
        let [whiten, offset] = [whiten, offset].map(|a| Matrix::from_array(&x.device(), a.view()));
        gaussian_log_density(x, means, Whitening::Full(&whiten?), &offset?)
    }

    /// `KL(q(μ_k, Λ_k) || p(μ_k, Λ_k))`.
    fn divergence(&self, prior: &Prior, k: usize) -> f64 {
        let d = self.means.ncols();
        let (dim, nu, kappa) = (d as f64, self.degrees[k], self.precision[k]);
        let factor = self.factor.index_axis(Axis(0), k);
        let far = factor.dot(&(&self.means.row(k) - &prior.mean));
        // tr(W_0^-1 W_k) = |L_k^-1 L_0|², computed as the trace of L_k^-1 W_0^-1 L_k^-T.
        let trace = (&factor.dot(&prior.inverse) * &factor).sum();
        let mean = 0.5
            * (dim * (prior.precision / kappa - 1.0 - (prior.precision / kappa).ln())
                + prior.precision * nu * far.dot(&far));
        // A shared matrix counts once, with the first; a known one not at all.
        if self.shape == Shape::Known || (self.shape == Shape::Tied && k > 0) {
            return mean;
        }
        let log_gamma = |nu: f64| match self.shape {
            Shape::Diagonal | Shape::Spherical => dim * ln_gamma(0.5 * nu),
            _ => (0..d).map(|j| ln_gamma(0.5 * (nu - j as f64))).sum::<f64>(),
        };
        let wishart = 0.5 * (nu - prior.degrees) * self.expected_log_det(k) - 0.5 * nu * dim
            + 0.5 * nu * trace
            + 0.5 * nu * self.log_det[k]
            - 0.5 * prior.degrees * prior.log_det
            - 0.5 * (nu - prior.degrees) * dim * std::f64::consts::LN_2
            - log_gamma(nu)
            + log_gamma(prior.degrees);
        // The same number in every direction: one of d equal terms.
        mean + if self.shape == Shape::Spherical { wishart / dim } else { wishart }
    }
}

pub(super) struct BayesianEm<'a> {
    pub prior: &'a Prior,
    pub single: bool,
}

impl BayesianEm<'_> {
    pub fn learn(&self, stats: &GaussianStatistics) -> Result<Posterior> {
        let (prior, (k, d)) = (self.prior, stats.first.dim());
        let mut next = Posterior {
            weights: Weights::learn(prior.weights, &stats.mass),
            means: Array2::zeros((k, d)),
            precision: &stats.mass + prior.precision,
            degrees: prior.degrees_after(&stats.mass, d),
            inverse: Array3::zeros((k, d, d)),
            factor: Array3::zeros((k, d, d)),
            log_det: Array1::zeros(k),
            shape: prior.shape,
        };
        let mut shared = Array2::<f64>::zeros((d, d));
        for own in 0..k {
            let mass = stats.mass[own];
            let (mut inverse, mut mean) = (Array2::zeros((d, d)), prior.mean.clone());
            if mass > 0.0 {
                let centre = &stats.reference.row(own) + &stats.shift(own);
                let away = &centre - &prior.mean;
                mean = &prior.mean + &(&away * (mass / next.precision[own]));
                let pull = mass * prior.precision / next.precision[own];
                inverse += &stats.scatter(own);
                inverse += &(outer(&away) * pull);
            }
            next.means.row_mut(own).assign(&mean);
            shared += &inverse;
            next.inverse.index_axis_mut(Axis(0), own).assign(&inverse);
        }
        for own in 0..k {
            let seen = if prior.shape == Shape::Tied {
                shared.view()
            } else {
                next.inverse.index_axis(Axis(0), own)
            };
            let inverse = prior.with_scatter(seen);
            let l = lower_cholesky(inverse.view())?;
            next.log_det[own] = 2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>();
            next.factor.index_axis_mut(Axis(0), own).assign(&invert_lower(l)?);
            next.inverse.index_axis_mut(Axis(0), own).assign(&inverse);
        }
        Ok(next)
    }
}

impl Prior {
    /// `ν_k`: the prior's and what was seen, of one component or, where they share a matrix, of all. A spherical component sees d
    /// numbers in each row.
    fn degrees_after(&self, mass: &Array1<f64>, d: usize) -> Array1<f64> {
        match self.shape {
            Shape::Full | Shape::Diagonal => mass + self.degrees,
            Shape::Tied => Array1::from_elem(mass.len(), mass.sum() + self.degrees),
            Shape::Spherical => mass * d as f64 + self.degrees,
            Shape::Known => Array1::ones(mass.len()),
        }
    }

    /// `W_k^-1`: the prior's and the scatter that was seen, as far as the shape looks at it.
    fn with_scatter(&self, seen: ArrayView2<f64>) -> Array2<f64> {
        let d = seen.nrows();
        match self.shape {
            Shape::Full | Shape::Tied => &self.inverse + &seen,
            Shape::Diagonal => Array2::from_diag(&(&self.inverse.diag() + &seen.diag())),
            Shape::Spherical => Array2::from_diag_elem(d, self.inverse[[0, 0]] + seen.diag().sum()),
            Shape::Known => self.inverse.clone(),
        }
    }
}

fn outer(v: &Array1<f64>) -> Array2<f64> {
    let column: ArrayView2<f64> = v.view().insert_axis(Axis(1));
    column.dot(&column.t())
}

impl EmModel for BayesianEm<'_> {
    const NAME: &'static str = "BayesianGaussianMixture";
    type Batch = Observations;
    type Params = Posterior;
    type Stats = GaussianStatistics;

    fn expect(&self, q: &Posterior, rows: &Observations) -> Result<GaussianStatistics> {
        let (means, reference) = rows.place(&q.means)?;
        let (sums, bound) = expected(q.log_joint(rows.x()?, &means)?, rows, &means, Second::Full)?;
        Ok(GaussianStatistics::new(reference, sums, bound))
    }

    fn maximise(&self, _: &Posterior, stats: &GaussianStatistics) -> Result<Posterior> {
        self.learn(stats)
    }

    fn objective(&self, q: &Posterior, stats: &GaussianStatistics) -> f64 {
        let components = (0..q.means.nrows()).map(|k| q.divergence(self.prior, k)).sum::<f64>();
        stats.log_likelihood - components - q.weights.divergence(self.prior.weights)
    }

    fn rounding(&self, _: &Self::Params) -> f64 {
        if self.single { 1e-4 } else { 1e-9 }
    }
}
