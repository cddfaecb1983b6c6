//! Where a mixture of Gaussians starts.

use ndarray::{Array2, ArrayView2, Axis};

use super::covariance::{Covariance, CovarianceKind};
use super::gaussian::{GaussianMixture, GaussianParams};
use super::gaussian_em::{GaussianEm, second};
use super::sufficient::GaussianStatistics;
use crate::models::cluster::{KMeans, plus_plus, random_rows};
use crate::inference::em::{Em, check_weights};
use crate::ops::{moments, nearest};
use crate::{Device, Error, Matrix, Result};

/// Where a mixture starts. All but the last begin with a hard assignment and make the M-step of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MixtureStart {
    /// The clusters of [`KMeans`].
    #[default]
    KMeans,
    /// The cells of rows drawn far from each other: [`plus_plus`].
    PlusPlus,
    /// The cells of rows drawn uniformly.
    Random,
    /// This hard assignment, a component for each row.
    Labels(Vec<usize>),
    /// These parameters; with those of an earlier fit a warm start.
    Given(GaussianParams),
}

impl MixtureStart {
    pub(super) fn params(
        &self,
        of: &GaussianMixture,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
        seed: u64,
    ) -> Result<GaussianParams> {
        if let MixtureStart::Given(params) = self {
            given(params, of.components, x.ncols())?;
            let mut params = params.clone();
            if let CovarianceKind::Fixed(covariance) = &of.covariance {
                params.covariance.clone_from(covariance);
            }
            return Ok(params);
        }
        let labels = self.labels(device, x, weights, of.components, seed)?;
        from_memberships(of, x, memberships(&labels, of.components, weights)?)
    }

    /// A hard assignment of the rows.
    pub(super) fn labels(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
        k: usize,
        seed: u64,
    ) -> Result<Vec<usize>> {
        let rows = match self {
            MixtureStart::PlusPlus => plus_plus(x, weights, k, seed)?,
            MixtureStart::Random => random_rows(x.nrows(), k, seed)?,
            MixtureStart::Labels(labels) => {
                let worst = labels.iter().copied().max().unwrap_or(0);
                if labels.len() != x.nrows() || worst >= k {
                    let what = format!(
                        "{} labels up to {worst}, for {} rows and {k} components",
                        labels.len(),
                        x.nrows()
                    );
                    return Err(Error::Shape { op: "MixtureStart", what });
                }
                return Ok(labels.clone());
            }
            MixtureStart::KMeans | MixtureStart::Given(_) => {
                let em = Em { restarts: 1, seed, tolerance: 1e-4, max_iterations: 100, ..Em::default() };
                return Ok(KMeans { em, ..KMeans::new(k) }.fit_weighted(device, x, weights)?.labels);
            }
        };
        let on_device = Matrix::from_array(device, x)?;
        let centres = Matrix::from_array(device, x.select(Axis(0), &rows).view())?;
        Ok(nearest(&on_device, &centres)?.index)
    }
}

/// One weight a row, in the column of its label.
pub(super) fn memberships(labels: &[usize], k: usize, weights: Option<&[f64]>) -> Result<Array2<f64>> {
    let weights = weights.map(|w| check_weights(w, labels.len())).transpose()?;
    let mut r = Array2::zeros((labels.len(), k));
    for (i, &label) in labels.iter().enumerate() {
        r[[i, label]] = weights.as_ref().map_or(1.0, |w| w[i]);
    }
    Ok(r)
}

/// The M-step of given memberships, on the host: every device starts alike.
fn from_memberships(of: &GaussianMixture, x: ArrayView2<f64>, r: Array2<f64>) -> Result<GaussianParams> {
    let (k, d) = (of.components, x.ncols());
    let middle = x.sum_axis(Axis(0)) / x.nrows() as f64;
    let mut means = r.t().dot(&x);
    for (own, mut mean) in means.rows_mut().into_iter().enumerate() {
        let mass = r.column(own).sum();
        if mass > 0.0 {
            mean /= mass;
        } else {
            mean.assign(&middle);
        }
    }
    // A cluster that has no row, as when fewer than K rows differ, starts in the middle and as wide as all of the data.
    let spread = x.var_axis(Axis(0), 0.0).mapv(|v| v.max(of.covariance_floor).max(f64::MIN_POSITIVE));
    let [x, r, at] = [x.to_owned(), r, means.clone()].map(Matrix::from_host);
    let sums = moments(&x, &r, &at, second(&of.covariance))?;
    let stats = GaussianStatistics::new(means.clone(), sums, 0.0);
    let before = GaussianParams {
        weights: ndarray::Array1::from_elem(k, 1.0 / k as f64),
        means,
        covariance: Covariance::Diagonal(Array2::from_shape_fn((k, d), |(_, j)| spread[j])),
    };
    let model = GaussianEm::new(of, &Device::cpu());
    Ok(model.learn(&before, &stats)?.0)
}

/// `Ok` if these are parameters for k components in d dimensions.
fn given(params: &GaussianParams, k: usize, d: usize) -> Result<()> {
    let op = "GaussianMixture";
    if params.weights.len() != k || params.means.dim() != (k, d) {
        let what = format!(
            "the start has {} weights and {:?} means, where {k} components in {d} dimensions are wanted",
            params.weights.len(),
            params.means.dim()
        );
        return Err(Error::Shape { op, what });
    }
    if let Some(((row, col), &value)) = params.means.indexed_iter().find(|(_, v)| !v.is_finite()) {
        return Err(Error::NotFinite { op, what: "the means of the start", value, row, col });
    }
    let total = params.weights.sum();
    if params.weights.iter().any(|w| *w < 0.0 || w.is_nan()) || (total - 1.0).abs() > 1e-8 {
        let requirement = "must be one, of weights that are not negative";
        return Err(Error::Parameter {
            name: "sum of the weights of the start".to_owned(),
            value: total,
            requirement,
        });
    }
    params.covariance.check(op, k, d)
}
