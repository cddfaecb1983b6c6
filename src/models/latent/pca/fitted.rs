//! What principal component analysis has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::model::Components;
use super::routes::Spectrum;
use crate::check::{columns, numbers, require};
#[cfg(feature = "serde")]
use crate::check::{finite, not_negative, parameter};
use crate::learn::answer::answered;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, InverseTransform, Transform};
use crate::models::latent::axes::fix_signs;
use crate::models::latent::centred::project;
use crate::saved::Format;
use crate::{Device, Error, Result};

/// The principal components of a data set.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedPca {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(in crate::models::latent) mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(in crate::models::latent) components: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(in crate::models::latent) explained_variance: Array1<f64>,
    total_variance: f64,
    count: usize,
    iterations: Option<usize>,
    rank: usize,
    whiten: bool,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedPca {
    /// The mean of the rows.
    mean: &Array1<f64>,
    /// The components, `k x d`: one orthonormal component a row, the one of largest variance first.
    components: &Array2<f64>,
    /// The variance of the scores along each component.
    explained_variance: &Array1<f64>,
    /// The sum of the variances along all directions, kept or not.
    total_variance: f64,
    /// How many rows it was fitted to.
    count: usize,
    /// How many products with the data were made, if it was decomposed by Lanczos.
    iterations: Option<usize>,
    /// Where scores are computed.
    device: &Device,
});

inherent!(FittedPca: Transform, InverseTransform);

impl FittedPca {
    pub(super) fn new(
        device: &Device,
        spectrum: Spectrum,
        wanted: Components,
        whiten: bool,
        ddof: usize,
    ) -> Result<Self> {
        let Spectrum { count, mean, squares, axes, total, rank, iterations } = spectrum;
        let scale = 1.0 / (count - ddof) as f64;
        let k = match wanted {
            Components::All => squares.len(),
            Components::Count(k) => k,
            Components::Variance(share) => enough(&squares, share * total),
        };
        let mut components = axes.slice(s![..k, ..]).to_owned();
        fix_signs(&mut components);
        let explained_variance = squares.slice(s![..k]).to_owned() * scale;
        let rounding = f64::EPSILON * count.max(mean.len()) as f64 * total * scale;
        if let Some(index) = explained_variance.iter().position(|v| whiten && *v <= rounding) {
            let value = explained_variance[index];
            return Err(Error::Singular { op: "Pca::fit, whitening", index, value });
        }
        let (total_variance, device) = (total * scale, device.clone());
        Ok(FittedPca {
            format: Format,
            mean,
            components,
            explained_variance,
            total_variance,
            count,
            iterations,
            rank,
            whiten,
            device,
        })
    }

    /// The same components, with scores computed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// `U` and `D` of `X - 1mᵀ = U D Vᵀ` for the rows of `x`, `m x k` and k numbers: left singular vectors and singular values, if
    /// `x` is what was fitted; the rows of [`components`](FittedPca::components) are those of `Vᵀ`. Scores are `UD`. A column of no
    /// length stays zero.
    ///
    /// # Errors
    /// As [`transform`](FittedPca::transform).
    pub fn singular_vectors(&self, x: impl Inputs) -> Result<(Array2<f64>, Array1<f64>)> {
        let x = x.inputs();
        columns("FittedPca::singular_vectors", x.view(), self.mean.len())?;
        numbers("FittedPca::singular_vectors", "x", x.view())?;
        let scores = project(&self.device, x.view(), self.mean.view(), self.components.t())?;
        let lengths =
            answered("FittedPca::singular_vectors", Ok(scores.map_axis(Axis(0), |z| z.dot(&z).sqrt())))?;
        let units = lengths.mapv(|v| if v > 0.0 { v } else { 1.0 });
        Ok((scores / &units, lengths))
    }

    /// The share of the total variance along each component; zero if the data does not vary.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        let total = if self.total_variance > 0.0 { self.total_variance } else { 1.0 };
        &self.explained_variance / total
    }

    /// The mean variance along the directions that were left out, of the `min(n, d)` that carry any; zero if none was.
    pub fn noise_variance(&self) -> f64 {
        let rest = self.rank - self.components.nrows();
        let left = (self.total_variance - self.explained_variance.sum()).max(0.0);
        if rest > 0 { left / rest as f64 } else { 0.0 }
    }

    /// The nearest points in the subspace of the components: `1 m^T + (X - 1 m^T) V V^T`.
    ///
    /// # Errors
    /// As [`FittedPca::transform`].
    pub fn reconstruct(&self, x: impl Inputs) -> Result<Array2<f64>> {
        self.inverse_transform(self.transform(x)?)
    }

    /// `‖x_i - reconstruct(x_i)‖²` of each row.
    ///
    /// # Errors
    /// As [`FittedPca::transform`].
    pub fn reconstruction_errors(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let lost = &x.inputs() - &self.reconstruct(&x)?;
        Ok(lost.map_axis(Axis(1), |row| row.dot(&row)))
    }

    fn deviations(&self) -> Array1<f64> {
        self.explained_variance.mapv(f64::sqrt)
    }
}

/// Scores `Z = (X - 1 m^T) V`, over the standard deviations if whitening.
impl Transform for FittedPca {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedPca::transform", x, self.mean.len())?;
        numbers("FittedPca::transform", "x", x)?;
        let scores = project(&self.device, x, self.mean.view(), self.components.t())?;
        Ok(if self.whiten { scores / &self.deviations() } else { scores })
    }
}

/// `X = 1 m^T + Z V^T`.
impl InverseTransform for FittedPca {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.components.nrows();
        let what = || format!("z has {} columns for {k} components", z.ncols());
        require("FittedPca::inverse_transform", z.ncols() == k, what)?;
        numbers("FittedPca::inverse_transform", "z", z)?;
        let z = if self.whiten { &z * &self.deviations() } else { z.to_owned() };
        let zero = Array1::zeros(k);
        Ok(project(&self.device, z.view(), zero.view(), self.components.view())? + &self.mean)
    }
}

/// The fewest leading squares that add up to `wanted`, but for rounding.
fn enough(squares: &Array1<f64>, wanted: f64) -> usize {
    let mut sum = 0.0;
    let reached = squares.iter().position(|s| {
        sum += s;
        sum >= wanted * (1.0 - 1e-12)
    });
    reached.map_or(squares.len(), |last| last + 1)
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedPca);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedPca {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedPca";
        let ((k, d), rank) = (self.components.dim(), self.rank);
        require(OP, (1..=rank).contains(&k) && rank <= d, || {
            format!("{k} components of {rank}, in {d} dimensions")
        })?;
        finite(OP, "the components", self.components.view())?;
        require(OP, self.mean.len() == d, || format!("the mean has {} entries, not {d}", self.mean.len()))?;
        finite(OP, "the mean", self.mean.view().insert_axis(Axis(0)))?;
        not_negative("total_variance", self.total_variance)?;
        let variances = self.explained_variance.len();
        require(OP, variances == k, || {
            format!("{variances} entries of the explained variance for {k} components")
        })?;
        let fine = |v: f64| v.is_finite() && (v > 0.0 || (v == 0.0 && !self.whiten));
        let requirement = "must be finite and not negative, nor zero if whitened";
        let mut each = self.explained_variance.iter();
        each.try_for_each(|&v| parameter("explained_variance", v, fine(v), requirement))
    }
}
