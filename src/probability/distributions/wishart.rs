//! Distributions of covariance and precision matrices.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::check::{parameter, require, room, weights};
use crate::configure::getters;
use crate::probability::gaussian::factor::{forward, inverse, log_det, lower, solve, symmetrised};
use crate::probability::special::{digamma, log_multivariate_gamma};
use crate::probability::stirling::digamma_gap;
use crate::{Error, Result};

/// `p(X) ∝ |X|^((n-d-1)/2) exp(-½ tr(V⁻¹X))`: the distribution of `Σ_i z_i z_iᵀ` of n draws from `N(0, V)`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Wishart {
    degrees: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scale: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    factor: Array2<f64>,
}

getters!(Wishart {
    /// n, above d - 1.
    degrees: f64,
    /// V.
    scale: &Array2<f64>,
});

impl Wishart {
    /// The Wishart distribution with `degrees` of freedom and scale V, of mean `nV`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the degrees exceed `d - 1`, and those of a matrix that is not positive definite.
    pub fn new(degrees: f64, scale: ArrayView2<f64>) -> Result<Self> {
        let factor = lower("Wishart::new", scale)?;
        let enough = degrees > scale.nrows() as f64 - 1.0 && degrees.is_finite();
        parameter("degrees", degrees, enough, "must exceed the number of dimensions less one")?;
        Ok(Wishart { degrees, scale: symmetrised(scale.to_owned()), factor })
    }

    /// `ln p(X)`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another size, [`Error::NotPositiveDefinite`].
    pub fn log_density(&self, x: ArrayView2<f64>) -> Result<f64> {
        let d = self.scale.nrows();
        crate::check::require("Wishart", x.dim() == (d, d), || {
            format!("V is {d} x {d}, X is {:?}", x.dim())
        })?;
        let l = lower("Wishart::log_density", x)?;
        let half = forward(&self.factor, l.view());
        let trace: f64 = half.iter().map(|v| v * v).sum();
        let (n, dims) = (self.degrees, d as f64);
        Ok(0.5 * (n - dims - 1.0) * log_det(&l)
            - 0.5 * trace
            - 0.5 * n * (dims * std::f64::consts::LN_2 + log_det(&self.factor))
            - log_multivariate_gamma(d, 0.5 * n))
    }

    /// `nV`.
    pub fn mean(&self) -> Array2<f64> {
        &self.scale * self.degrees
    }

    /// Variances of the entries, `n(V_ij² + V_ii V_jj)`.
    pub fn variance(&self) -> Array2<f64> {
        let v = &self.scale;
        Array2::from_shape_fn(v.dim(), |(i, j)| self.degrees * (v[[i, j]].powi(2) + v[[i, i]] * v[[j, j]]))
    }

    /// `(n - d - 1)V`, for n of at least d + 1.
    pub fn mode(&self) -> Option<Array2<f64>> {
        let rest = self.degrees - self.scale.nrows() as f64 - 1.0;
        (rest >= 0.0).then(|| &self.scale * rest)
    }

    /// `E[ln|X|] = Σ_j ψ((n - j)/2) + d ln 2 + ln|V|`.
    pub fn mean_log_det(&self) -> f64 {
        let d = self.scale.nrows();
        (0..d).map(|j| digamma(0.5 * (self.degrees - j as f64))).sum::<f64>()
            + d as f64 * std::f64::consts::LN_2
            + log_det(&self.factor)
    }

    /// `E[-ln p(X)]`.
    pub fn entropy(&self) -> f64 {
        let (d, n) = (self.scale.nrows(), self.degrees);
        let dims = d as f64;
        0.5 * n * (dims * std::f64::consts::LN_2 + log_det(&self.factor)) + log_multivariate_gamma(d, 0.5 * n)
            - 0.5 * (n - dims - 1.0) * self.mean_log_det()
            + 0.5 * n * dims
    }

    /// The degrees and the scale of largest likelihood for weighted matrices: `V = X̄/n`, and the n with
    /// `Σ_j ψ((n - j)/2) - d ln(n/2) = mean of ln|X| - ln|X̄|`, by halving.
    ///
    /// # Errors
    /// [`Error::Shape`] for no matrices, other than one weight for each, or sizes that differ; [`Error::NotPositiveDefinite`];
    /// [`Error::Parameter`] for matrices that are all equal.
    pub fn fit_weighted(all: &[Array2<f64>], w: &[f64]) -> Result<Self> {
        const OP: &str = "Wishart::fit";
        let d = all.first().map_or(0, Array2::nrows);
        require(OP, d > 0 && all.iter().all(|x| x.dim() == (d, d)), || "no matrices of one size".to_owned())?;
        weights(OP, ArrayView1::from(w), all.len())?;
        let total: f64 = w.iter().sum();
        let (mut mean, mut logs) = (Array2::<f64>::zeros((d, d)), 0.0);
        for (x, w) in all.iter().zip(w) {
            logs += w / total * log_det(&lower(OP, x.view())?);
            mean += &(x * (w / total));
        }
        let gap = logs - log_det(&lower(OP, mean.view())?);
        parameter("mean of ln|X| - ln of |mean|", gap, gap < -1e-12, "the matrices must not all be equal")?;
        let less = d as f64 - 1.0;
        // Rises from minus infinity at d - 1 to zero.
        let value = |n: f64| {
            let each = |j: usize| (1.0 - j as f64 / n).ln() - digamma_gap(0.5 * (n - j as f64));
            (0..d).map(each).sum::<f64>()
        };
        let (mut low, mut high) = (-30f64, 30f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if value(less + middle.exp()) < gap { low = middle } else { high = middle }
        }
        let n = less + (0.5 * (low + high)).exp();
        Wishart::new(n, (mean / n).view())
    }

    /// Independent draws by Bartlett's decomposition; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Array2<f64>>> {
        let d = self.scale.nrows();
        room("count", count, 8 * d * d)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count)
            .map(|_| {
                let mut a = Array2::zeros((d, d));
                for i in 0..d {
                    let chi = rand_distr::ChiSquared::new(self.degrees - i as f64).map_err(|_| {
                        Error::Parameter {
                            name: "degrees".to_owned(),
                            value: self.degrees,
                            requirement: "must exceed the number of dimensions less one",
                        }
                    })?;
                    let square: f64 = chi.sample(&mut rng);
                    a[[i, i]] = square.sqrt();
                    for j in 0..i {
                        a[[i, j]] = rng.sample(StandardNormal);
                    }
                }
                let root = self.factor.dot(&a);
                Ok(symmetrised(root.dot(&root.t())))
            })
            .collect()
    }
}

/// The distribution of `X⁻¹` for X of a Wishart distribution: `p(X) ∝ |X|^(-(n+d+1)/2) exp(-½ tr(Ψ X⁻¹))`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct InverseWishart {
    degrees: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scale: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    factor: Array2<f64>,
}

getters!(InverseWishart {
    /// n, above d - 1.
    degrees: f64,
    /// Ψ.
    scale: &Array2<f64>,
});

impl InverseWishart {
    /// The inverse Wishart distribution with `degrees` of freedom and scale Ψ.
    ///
    /// # Errors
    /// As [`Wishart::new`].
    pub fn new(degrees: f64, scale: ArrayView2<f64>) -> Result<Self> {
        let Wishart { scale, factor, .. } = Wishart::new(degrees, scale)?;
        Ok(InverseWishart { degrees, scale, factor })
    }

    /// `ln p(X)`.
    ///
    /// # Errors
    /// As [`Wishart::log_density`].
    pub fn log_density(&self, x: ArrayView2<f64>) -> Result<f64> {
        let d = self.scale.nrows();
        crate::check::require("InverseWishart", x.dim() == (d, d), || format!("X is {:?}", x.dim()))?;
        let l = lower("InverseWishart::log_density", x)?;
        let half = forward(&l, self.factor.view());
        let trace: f64 = half.iter().map(|v| v * v).sum();
        let (n, dims) = (self.degrees, d as f64);
        Ok(0.5 * n * (log_det(&self.factor) - dims * std::f64::consts::LN_2)
            - log_multivariate_gamma(d, 0.5 * n)
            - 0.5 * (n + dims + 1.0) * log_det(&l)
            - 0.5 * trace)
    }

    /// `Ψ/(n - d - 1)`, for n above d + 1.
    pub fn mean(&self) -> Option<Array2<f64>> {
        let rest = self.degrees - self.scale.nrows() as f64 - 1.0;
        (rest > 0.0).then(|| &self.scale / rest)
    }

    /// `Ψ/(n + d + 1)`.
    pub fn mode(&self) -> Array2<f64> {
        &self.scale / (self.degrees + self.scale.nrows() as f64 + 1.0)
    }

    /// Variances of the entries, `((n-d+1)Ψ_ij² + (n-d-1)Ψ_ii Ψ_jj)/((n-d)(n-d-1)²(n-d-3))`, for n above d + 3.
    pub fn variance(&self) -> Option<Array2<f64>> {
        let (p, rest) = (&self.scale, self.degrees - self.scale.nrows() as f64);
        let below = rest * (rest - 1.0).powi(2) * (rest - 3.0);
        let each = |(i, j)| ((rest + 1.0) * p[[i, j]].powi(2) + (rest - 1.0) * p[[i, i]] * p[[j, j]]) / below;
        (rest > 3.0).then(|| Array2::from_shape_fn(p.dim(), each))
    }

    /// `E[ln|X|] = ln|Ψ| - d ln 2 - Σ_j ψ((n - j)/2)`.
    pub fn mean_log_det(&self) -> f64 {
        let d = self.scale.nrows();
        log_det(&self.factor)
            - d as f64 * std::f64::consts::LN_2
            - (0..d).map(|j| digamma(0.5 * (self.degrees - j as f64))).sum::<f64>()
    }

    /// `E[-ln p(X)]`.
    pub fn entropy(&self) -> f64 {
        let (d, n) = (self.scale.nrows(), self.degrees);
        let dims = d as f64;
        log_multivariate_gamma(d, 0.5 * n) - 0.5 * n * (log_det(&self.factor) - dims * std::f64::consts::LN_2)
            + 0.5 * (n + dims + 1.0) * self.mean_log_det()
            + 0.5 * n * dims
    }

    /// The Wishart fit of the inverses.
    ///
    /// # Errors
    /// As [`Wishart::fit_weighted`].
    pub fn fit_weighted(all: &[Array2<f64>], w: &[f64]) -> Result<Self> {
        let inverted = |x: &Array2<f64>| Ok(inverse(&lower("InverseWishart::fit", x.view())?));
        let of = Wishart::fit_weighted(&all.iter().map(inverted).collect::<Result<Vec<_>>>()?, w)?;
        InverseWishart::new(of.degrees, inverse(&of.factor).view())
    }

    /// Independent draws: inverses of Wishart draws; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Array2<f64>>> {
        let of = Wishart::new(self.degrees, inverse(&self.factor).view())?;
        let one = Array2::eye(self.scale.nrows());
        let draws = of.sample(count, seed)?;
        draws
            .iter()
            .map(|x| Ok(symmetrised(solve(&lower("InverseWishart::sample", x.view())?, one.view()))))
            .collect()
    }
}

#[cfg(feature = "serde")]
impl Wishart {
    /// An error unless a saved one is what its constructor makes.
    pub(in crate::probability) fn whole(&self) -> Result<()> {
        Wishart::new(self.degrees, self.scale.view())?;
        crate::probability::saved::factored(&self.factor, self.scale.view())
    }
}

#[cfg(feature = "serde")]
impl InverseWishart {
    /// An error unless a saved one is what its constructor makes.
    pub(in crate::probability) fn whole(&self) -> Result<()> {
        InverseWishart::new(self.degrees, self.scale.view())?;
        crate::probability::saved::factored(&self.factor, self.scale.view())
    }
}
