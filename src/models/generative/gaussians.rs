//! A Gaussian for each class: means, covariances, densities, draws.

use ndarray::{Array1, Array2, Array3, ArrayView2, ArrayViewMut2, Axis, stack};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::on_device::{White, log_densities};
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{parameter, zeros};
use crate::linalg::small_cholesky::cholesky;
use crate::ops::product_alone;
use crate::{Device, Error, Result};

/// Rows whose densities a thread takes at a time.
const ROWS: usize = 512;

/// `ln 2π`.
pub(super) const LN_2PI: f64 = 1.837_877_066_409_345_3;

/// `(1 - s) C + s (tr C / d) I`.
pub(super) fn shrunk(mut c: Array2<f64>, s: f64) -> Array2<f64> {
    if s > 0.0 {
        let mean = c.diag().sum() / c.nrows() as f64;
        c *= 1.0 - s;
        c.diag_mut().mapv_inplace(|v| v + s * mean);
    }
    c
}

/// Shares of classes: those given, or those of the data.
pub(super) fn priors(op: &'static str, given: Option<&Vec<f64>>, mass: &Array1<f64>) -> Result<Array1<f64>> {
    let Some(given) = given else { return Ok(mass / mass.sum()) };
    let (k, sum) = (mass.len(), given.iter().sum::<f64>());
    if given.len() != k {
        return Err(Error::Shape { op, what: format!("{k} classes, {} priors", given.len()) });
    }
    let positive = given.iter().all(|p| *p > 0.0 && p.is_finite());
    parameter(
        "sum of the priors",
        sum,
        positive && (sum - 1.0).abs() < 1e-9,
        "must be 1, of positive numbers",
    )?;
    Ok(Array1::from(given.clone()))
}

/// The inverse of the Cholesky factor, and `ln |C|`: `‖L⁻¹(x - m)‖²` is a squared Mahalanobis distance.
pub(super) fn whitening(op: &'static str, c: ArrayView2<f64>) -> Result<(Array2<f64>, f64)> {
    let d = c.nrows();
    let mut l: Vec<f64> = c.iter().copied().collect();
    // In units of the deviations, so that a pivot is judged by its own column.
    let root: Vec<f64> = (0..d).map(|j| c[[j, j]].max(0.0).sqrt()).collect();
    if let Some(j) = root.iter().position(|r| *r <= 0.0) {
        return Err(Error::NotPositiveDefinite { op, pivot: j, value: c[[j, j]] });
    }
    for i in 0..d {
        for j in 0..d {
            l[i * d + j] = c[[i, j]] / root[i] / root[j];
        }
    }
    let log_det = cholesky(&mut l, d).map_err(|pivot| pivot.error(op))?;
    for j in 0..d {
        let pivot = l[j * d + j] * l[j * d + j];
        if pivot < 1e-13 * d as f64 {
            return Err(Error::NotPositiveDefinite { op, pivot: j, value: pivot });
        }
    }
    let mut inverse = Array2::<f64>::zeros((d, d));
    for j in 0..d {
        inverse[[j, j]] = 1.0 / l[j * d + j];
        for i in j + 1..d {
            let dot: f64 = (j..i).map(|p| l[i * d + p] * inverse[[p, j]]).sum();
            inverse[[i, j]] = -dot / l[i * d + i];
        }
    }
    for (j, mut column) in inverse.columns_mut().into_iter().enumerate() {
        column /= root[j];
    }
    let log_scale: f64 = root.iter().map(|r| 2.0 * r.ln()).sum();
    Ok((inverse, log_det + log_scale))
}

/// A Gaussian for each class; one covariance for all, or one for each.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Gaussians {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub means: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    pub covariances: Array3<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    whitenings: Array3<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    log_dets: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub priors: Array1<f64>,
    /// Where densities of many rows are computed.
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    pub device: Device,
}

impl Gaussians {
    pub fn new(
        op: &'static str,
        device: &Device,
        means: Array2<f64>,
        covariances: Vec<Array2<f64>>,
        priors: Array1<f64>,
    ) -> Result<Self> {
        let each = covariances.iter().map(|c| whitening(op, c.view())).collect::<Result<Vec<_>>>()?;
        let (whitenings, log_dets): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        let stacked = |all: &[Array2<f64>]| {
            let views: Vec<_> = all.iter().map(|c| c.view()).collect();
            stack(Axis(0), &views).expect("all are d x d")
        };
        let (covariances, whitenings) = (stacked(&covariances), stacked(&whitenings));
        Ok(Gaussians { means, covariances, whitenings, log_dets, priors, device: device.clone() })
    }

    /// Whether covariances whose entries have the digits of f32 say enough of their inverses: no direction has less than
    /// a hundredth of its feature's variance for itself.
    pub fn resolved(&self) -> bool {
        let pairs = self.covariances.outer_iter().zip(self.whitenings.outer_iter());
        pairs.into_iter().all(|(c, w)| c.diag().iter().zip(w.diag()).all(|(c, w)| w * w * c <= 100.0))
    }

    fn at(&self, class: usize) -> usize {
        class.min(self.covariances.len_of(Axis(0)) - 1)
    }

    pub fn covariance(&self, class: usize) -> ArrayView2<'_, f64> {
        self.covariances.index_axis(Axis(0), self.at(class))
    }

    pub fn whitening(&self, class: usize) -> ArrayView2<'_, f64> {
        self.whitenings.index_axis(Axis(0), self.at(class))
    }

    /// `ln p(class) + ln N(x; m_class, C_class)`.
    pub fn log_joint(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (k, d) = self.means.dim();
        let constant = Array1::from_shape_fn(k, |class| {
            self.priors[class].ln() - 0.5 * (d as f64 * LN_2PI + self.log_det(class))
        });
        let exact = |x: ArrayView2<f64>| -0.5 * self.squares(x) + &constant;
        let count = self.whitenings.len_of(Axis(0));
        let all = self.whitenings.to_shape((count * d, d)).expect("one below the other");
        let white = if count == 1 { White::Shared(all.view()) } else { White::Each(all.view()) };
        let there = log_densities(op, &self.device, x, &self.means, &white, &constant, exact)?;
        Ok(there.unwrap_or_else(|| exact(x)))
    }

    /// `ln |C_class|`.
    pub fn log_det(&self, class: usize) -> f64 {
        self.log_dets[self.at(class)]
    }

    /// `(x - m_class)ᵀ C_class⁻¹ (x - m_class)`, `n x K`, blocks of rows side by side.
    pub fn squares(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let (k, d) = self.means.dim();
        let mut out = Array2::zeros((x.nrows(), k));
        let block = |(x, mut out): (ArrayView2<f64>, ArrayViewMut2<f64>)| {
            let mut white = Array2::zeros((x.nrows(), d));
            for class in 0..k {
                let centred = &x - &self.means.row(class);
                product_alone(1.0, centred.view(), self.whitening(class).t(), white.view_mut());
                for (out, z) in out.column_mut(class).iter_mut().zip(white.rows()) {
                    *out = z.dot(&z);
                }
            }
        };
        let blocks: Vec<_> =
            x.axis_chunks_iter(Axis(0), ROWS).zip(out.axis_chunks_iter_mut(Axis(0), ROWS)).collect();
        blocks.into_par_iter().for_each(block);
        out
    }

    /// Rows and their classes: first the class, by its prior, then a row of it.
    pub fn sample(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let (k, d) = self.means.dim();
        parameter("count", count as f64, count > 0, "must be at least 1")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut rows = zeros("count", count, d)?;
        let mut classes = Vec::with_capacity(count);
        for mut row in rows.rows_mut() {
            let mut u: f64 = rng.random();
            let class = (0..k - 1)
                .find(|&c| {
                    u -= self.priors[c];
                    u < 0.0
                })
                .unwrap_or(k - 1);
            let z = Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal));
            // x = m + L z: a triangular solve with the inverse of L.
            let w = self.whitening(class);
            for i in 0..d {
                let dot: f64 = (0..i).map(|j| w[[i, j]] * row[j]).sum();
                row[i] = (z[i] - dot) / w[[i, i]];
            }
            row += &self.means.row(class);
            classes.push(class);
        }
        Ok((rows, classes))
    }

    #[cfg(feature = "serde")]
    pub fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let (k, d) = self.means.dim();
        let m = self.log_dets.len();
        let same = |all: &Array3<f64>| all.dim() == (m, d, d);
        let fits =
            k == classes && self.priors.len() == k && same(&self.covariances) && same(&self.whitenings);
        let fits = fits && (m == 1 || m == k);
        require(op, fits, || "means, covariances and priors that do not fit".to_owned())?;
        finite(op, "the means", self.means.view())?;
        for c in self.covariances.outer_iter().chain(self.whitenings.outer_iter()) {
            finite(op, "a covariance", c)?;
        }
        require(op, self.log_dets.iter().all(|v| v.is_finite()), || {
            "a determinant that is no number".to_owned()
        })?;
        self.priors.iter().try_for_each(|p| crate::check::positive("prior", *p))
    }
}
