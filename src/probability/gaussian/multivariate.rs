//! The normal distribution of d numbers.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::factor::{forward, inverse, log_det, lower, symmetrised};
use super::sampling::standard;
use crate::check::{finite, inputs, numbers, parameter, positive, require, weights};
use crate::configure::getters;
use crate::matrix::{Origin, Points};
use crate::ops::{Whitening, gaussian_log_density};
use crate::probability::distributions::{Component, NormalInverseWishart};
use crate::{Device, Error, Matrix, Result};

const LOG_TAU: f64 = 1.837_877_066_409_345_3;

/// What a covariance is free to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Spread {
    /// Any: `d(d+1)/2` numbers.
    #[default]
    Full,
    /// Diagonal: d variances.
    Diagonal,
    /// `σ²I`: one variance.
    Spherical,
}

/// `ln N(x | μ, Σ) = -½ (d ln 2π + ln|Σ| + (x - μ)ᵀΣ⁻¹(x - μ))`, by `Σ = L Lᵀ`.
///
/// ```
/// use mercer::probability::gaussian::MultivariateNormal;
/// use ndarray::array;
///
/// let joint = MultivariateNormal::new(array![0.0, 0.0].view(), array![[1.0, 0.8], [0.8, 1.0]].view())?;
/// let second = joint.condition(&[0], array![1.0].view())?; // p(x_1 | x_0 = 1)
/// assert!((second.mean()[0] - 0.8).abs() < 1e-15 && (second.covariance()[[0, 0]] - 0.36).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct MultivariateNormal {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) covariance: Array2<f64>,
    /// L.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) factor: Array2<f64>,
    pub(super) spread: Spread,
}

getters!(MultivariateNormal {
    /// μ.
    mean: &Array1<f64>,
    /// Σ.
    covariance: &Array2<f64>,
    /// The lower triangular L with `L Lᵀ = Σ`.
    factor: &Array2<f64>,
    /// What the covariance is free to be when it is fitted.
    spread: Spread,
});

impl MultivariateNormal {
    /// The normal distribution with this mean and this covariance.
    ///
    /// # Errors
    /// [`Error::Shape`] if they do not fit together, [`Error::NotFinite`], [`Error::Parameter`] for a covariance that is not
    /// symmetric, [`Error::NotPositiveDefinite`].
    pub fn new(mean: ArrayView1<f64>, covariance: ArrayView2<f64>) -> Result<Self> {
        check_mean(mean, covariance.dim())?;
        let factor = lower("MultivariateNormal::new", covariance)?;
        Ok(MultivariateNormal {
            mean: mean.to_owned(),
            covariance: symmetrised(covariance.to_owned()),
            factor,
            spread: Spread::Full,
        })
    }

    /// The normal distribution with this mean and the precision `Σ⁻¹`.
    ///
    /// # Errors
    /// As [`MultivariateNormal::new`].
    pub fn from_precision(mean: ArrayView1<f64>, precision: ArrayView2<f64>) -> Result<Self> {
        check_mean(mean, precision.dim())?;
        Self::new(mean, inverse(&lower("MultivariateNormal::from_precision", precision)?).view())
    }

    /// The normal distribution with covariance `L Lᵀ`, for a lower triangular L of positive diagonal.
    ///
    /// # Errors
    /// As [`MultivariateNormal::new`]; [`Error::Singular`] for a diagonal that is not positive, [`Error::Parameter`] for numbers above
    /// it.
    pub fn from_factor(mean: ArrayView1<f64>, factor: ArrayView2<f64>) -> Result<Self> {
        check_mean(mean, factor.dim())?;
        finite("MultivariateNormal::from_factor", "factor", factor)?;
        if let Some((index, &value)) = factor.diag().iter().enumerate().find(|(_, v)| **v <= 0.0) {
            return Err(Error::Singular { op: "MultivariateNormal::from_factor", index, value });
        }
        for ((i, j), &v) in factor.indexed_iter().filter(|((i, j), _)| j > i) {
            parameter(&format!("factor[{i}, {j}]"), v, v == 0.0, "must be zero above the diagonal")?;
        }
        let factor = factor.to_owned();
        let covariance = symmetrised(factor.dot(&factor.t()));
        Ok(MultivariateNormal { mean: mean.to_owned(), covariance, factor, spread: Spread::Full })
    }

    /// Independent numbers with these variances.
    ///
    /// # Errors
    /// As [`MultivariateNormal::new`].
    pub fn diagonal(mean: ArrayView1<f64>, variances: ArrayView1<f64>) -> Result<Self> {
        check_mean(mean, (variances.len(), variances.len()))?;
        variances.iter().enumerate().try_for_each(|(i, &v)| positive(&format!("variances[{i}]"), v))?;
        Ok(MultivariateNormal {
            mean: mean.to_owned(),
            covariance: Array2::from_diag(&variances),
            factor: Array2::from_diag(&variances.mapv(f64::sqrt)),
            spread: Spread::Diagonal,
        })
    }

    /// `N(μ, σ²I)`: circles about the mean.
    ///
    /// # Errors
    /// As [`MultivariateNormal::new`].
    pub fn spherical(mean: ArrayView1<f64>, variance: f64) -> Result<Self> {
        let all = Array1::from_elem(mean.len(), variance);
        Ok(MultivariateNormal { spread: Spread::Spherical, ..Self::diagonal(mean, all.view())? })
    }

    /// `Σ⁻¹`.
    pub fn precision(&self) -> Array2<f64> {
        inverse(&self.factor)
    }

    /// `ln |Σ|`.
    pub fn log_det(&self) -> f64 {
        log_det(&self.factor)
    }

    /// `(x - μ)ᵀΣ⁻¹(x - μ)` of each row.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns, [`Error::NotFinite`].
    pub fn mahalanobis(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        inputs("MultivariateNormal", x, self.mean.len())?;
        let z = forward(&self.factor, (&x - &self.mean).t());
        Ok(z.map_axis(Axis(0), |z| z.dot(&z)))
    }

    /// `ln p(x_i)` for each row of `x`, in f64.
    ///
    /// # Errors
    /// As [`mahalanobis`](Self::mahalanobis).
    pub fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let constant = self.mean.len() as f64 * LOG_TAU + self.log_det();
        Ok(self.mahalanobis(x)?.mapv(|m| -0.5 * (m + constant)))
    }

    /// The same on a device: in f32 on a GPU, about the middle of the points, if there are enough of them.
    ///
    /// # Errors
    /// As [`log_density`](Self::log_density), and those of the device.
    pub fn log_density_on(&self, device: &Device, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        const OP: &str = "MultivariateNormal::log_density_on";
        let d = self.mean.len();
        inputs(OP, x, d)?;
        let points = Points::new(OP, device, x, Origin::Free, 2.0 * x.len() as f64 * d as f64)?;
        let to = |a: ArrayView2<f64>| Matrix::from_array(points.device(), a);
        let means = points.like(OP, self.mean.view().insert_axis(Axis(0)))?;
        let whitening = to(forward(&self.factor, Array2::eye(d).view()).view())?;
        let offset = -0.5 * (d as f64 * LOG_TAU + self.log_det());
        let offset = to(Array2::from_elem((1, 1), offset).view())?;
        let all = gaussian_log_density(points.matrix()?, &means, Whitening::Full(&whitening), &offset)?;
        Ok(all.to_array()?.index_axis_move(Axis(1), 0))
    }

    /// `½ (d ln 2πe + ln|Σ|)`.
    pub fn entropy(&self) -> f64 {
        0.5 * (self.mean.len() as f64 * (LOG_TAU + 1.0) + self.log_det())
    }

    /// `KL(self ‖ other) = ½ (tr(Σ₂⁻¹Σ₁) + (μ₂ - μ₁)ᵀΣ₂⁻¹(μ₂ - μ₁) - d + ln|Σ₂|/|Σ₁|)`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of dimensions.
    pub fn divergence(&self, other: &Self) -> Result<f64> {
        let d = self.mean.len();
        require("MultivariateNormal::divergence", other.mean.len() == d, || {
            format!("{d} dimensions and {}", other.mean.len())
        })?;
        let half = forward(&other.factor, self.factor.view());
        let trace = half.iter().map(|v| v * v).sum::<f64>();
        let far = other.mahalanobis(self.mean.view().insert_axis(Axis(0)))?[0];
        Ok((0.5 * (trace + far - d as f64 + other.log_det() - self.log_det())).max(0.0))
    }

    /// Independent rows `μ + Lz`, `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(standard(count, self.mean.len(), seed)?.dot(&self.factor.t()) + &self.mean)
    }

    /// The mean and the covariance (over n, not n - 1) of weighted rows: the maximum of the likelihood.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for bad data or weights, [`Error::NotPositiveDefinite`] for
    /// fewer rows than a covariance of this spread needs.
    pub fn fit_weighted(x: ArrayView2<f64>, w: ArrayView1<f64>, spread: Spread) -> Result<Self> {
        let (_, mean, scatter) = scatter(x, w)?;
        match spread {
            Spread::Full => Self::new(mean.view(), scatter.view()),
            Spread::Diagonal => Self::diagonal(mean.view(), scatter.diag()),
            Spread::Spherical => Self::spherical(mean.view(), scatter.diag().sum() / mean.len() as f64),
        }
    }

    /// [`fit_weighted`](Self::fit_weighted) with weights of one and a full covariance.
    ///
    /// # Errors
    /// As there.
    pub fn fit(x: ArrayView2<f64>) -> Result<Self> {
        Self::fit_weighted(x, Array1::ones(x.nrows()).view(), Spread::Full)
    }

    /// Normal distributions of labelled rows with a mean each and one covariance, that of the rows about their own means (tied, or
    /// pooled): the maximum of the likelihood, as linear discriminant analysis has it. One for each label `0 .. K`.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted); [`Error::Shape`] for other than one label for each row, [`Error::Parameter`] for a
    /// label below the largest that no weighted row has.
    pub fn fit_tied(x: ArrayView2<f64>, labels: &[usize], w: ArrayView1<f64>) -> Result<Vec<Self>> {
        const OP: &str = "MultivariateNormal::fit_tied";
        finite(OP, "x", x)?;
        weights(OP, w, x.nrows())?;
        require(OP, labels.len() == x.nrows(), || format!("{} rows, {} labels", x.nrows(), labels.len()))?;
        let k = labels.iter().fold(0, |m, &l| m.max(l.saturating_add(1)));
        require(OP, k <= x.nrows(), || format!("{k} labels for {} rows", x.nrows()))?;
        let mut pooled = Array2::<f64>::zeros((x.ncols(), x.ncols()));
        let mut means = Vec::with_capacity(k);
        for label in 0..k {
            let rows: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == label).collect();
            let own = w.select(Axis(0), &rows);
            parameter(&format!("weight of label {label}"), own.sum(), own.sum() > 0.0, "must be positive")?;
            let (total, mean, scatter) = scatter(x.select(Axis(0), &rows).view(), own.view())?;
            pooled.scaled_add(total / w.sum(), &scatter);
            means.push(mean);
        }
        means.iter().map(|mean| Self::new(mean.view(), pooled.view())).collect()
    }

    /// The most probable mean and covariance under a normal-inverse-Wishart prior.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted).
    pub fn fit_map(x: ArrayView2<f64>, w: ArrayView1<f64>, prior: &NormalInverseWishart) -> Result<Self> {
        let (mean, covariance) = prior.posterior_weighted(x, w)?.mode();
        Self::new(mean.view(), covariance.view())
    }

    /// Free parameters: d of the mean, and those of the covariance.
    pub fn parameters(&self) -> usize {
        let d = self.mean.len();
        d + match self.spread {
            Spread::Full => d * (d + 1) / 2,
            Spread::Diagonal => d,
            Spread::Spherical => 1,
        }
    }
}

fn check_mean(mean: ArrayView1<f64>, (n, m): (usize, usize)) -> Result<()> {
    require("MultivariateNormal", !mean.is_empty() && n == mean.len() && m == mean.len(), || {
        format!("a mean of {} numbers, a covariance of {n} x {m}", mean.len())
    })?;
    numbers("MultivariateNormal", "mean", mean.insert_axis(Axis(0)))
}

/// `Σw`, the weighted mean, and the weighted mean of `(x - mean)(x - mean)ᵀ`.
pub(crate) fn scatter(x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<(f64, Array1<f64>, Array2<f64>)> {
    const OP: &str = "MultivariateNormal::fit";
    finite(OP, "x", x)?;
    weights(OP, w, x.nrows())?;
    let total = w.sum();
    let mean = x.t().dot(&w) / total;
    let centred = &x - &mean;
    let weighted = &centred * &w.insert_axis(Axis(1));
    let scatter = symmetrised(weighted.t().dot(&centred)) / total;
    Ok((total, mean, scatter))
}

impl Component for MultivariateNormal {
    fn features(&self) -> usize {
        self.mean.len()
    }

    fn log_densities(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        self.log_density(x)
    }

    fn refit(&self, x: ArrayView2<f64>, weights: ArrayView1<f64>) -> Result<Self> {
        inputs("MultivariateNormal::refit", x, self.mean.len())?;
        Self::fit_weighted(x, weights, self.spread)
    }

    fn sample_rows(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        self.sample(count, seed)
    }

    fn parameters(&self) -> usize {
        MultivariateNormal::parameters(self)
    }
}
