//! Where a mixture of Gaussians starts.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::covariance::{Covariance, CovarianceKind};
use super::model::{GaussianMixture, GaussianParams, OP};
use super::steps::{GaussianEm, second};
use super::sufficient::GaussianStatistics;
use crate::check::{finite, parameter, require};
use crate::learn::ranks::Meeting;
use crate::models::cluster::{KMeans, far_apart, random_rows};
use crate::ops::{moments, nearest};
use crate::{Device, Matrix, Result};

/// Where a mixture starts. All but the last begin with a hard assignment and make the M-step of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MixtureStart {
    /// The clusters of [`KMeans`].
    #[default]
    KMeans,
    /// The cells of rows drawn far from each other: [`plus_plus`](crate::models::cluster::plus_plus).
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
        weights: Option<ArrayView1<f64>>,
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
        from_memberships(of, x, memberships(&labels, of.components, weights))
    }

    /// A hard assignment of the rows.
    pub(in crate::models::mixture) fn labels(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        k: usize,
        seed: u64,
    ) -> Result<Vec<usize>> {
        let rows = match self {
            MixtureStart::PlusPlus => far_apart(x, weights, k, seed)?,
            MixtureStart::Random => random_rows(x.nrows(), k, seed)?,
            MixtureStart::Labels(labels) => {
                let worst = labels.iter().copied().max().unwrap_or(0);
                require("MixtureStart::Labels", labels.len() == x.nrows() && worst < k, || {
                    let n = x.nrows();
                    format!("{} labels up to {worst}, for {n} rows and {k} components", labels.len())
                })?;
                return Ok(labels.clone());
            }
            MixtureStart::KMeans | MixtureStart::Given(_) => {
                let model = KMeans::new(k).restarts(1).seed(seed).tolerance(1e-4).max_iterations(100);
                return Ok(model.run(&Meeting::alone_here(), device, x, weights)?.labels().to_vec());
            }
        };
        // In f64 on the CPU: every device starts alike.
        let centres = Matrix::from_host(x.select(Axis(0), &rows));
        Ok(nearest(&Matrix::from_host(x.as_standard_layout().into_owned()), &centres)?.index)
    }
}

/// One weight a row, in the column of its label.
pub(in crate::models::mixture) fn memberships(
    labels: &[usize],
    k: usize,
    weights: Option<ArrayView1<f64>>,
) -> Array2<f64> {
    let mut r = Array2::zeros((labels.len(), k));
    for (i, &label) in labels.iter().enumerate() {
        r[[i, label]] = weights.map_or(1.0, |w| w[i]);
    }
    r
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
    let model = GaussianEm::new(of, false);
    Ok(model.learn(&before, &stats)?.0)
}

/// `Ok` if these are parameters for k components in d dimensions.
fn given(params: &GaussianParams, k: usize, d: usize) -> Result<()> {
    require(OP, params.weights.len() == k && params.means.dim() == (k, d), || {
        let (weights, means) = (params.weights.len(), params.means.dim());
        format!(
            "the start has {weights} weights and {means:?} means, where {k} components in {d} dimensions are wanted"
        )
    })?;
    finite(OP, "the means of the start", params.means.view())?;
    let total = params.weights.sum();
    let shares = params.weights.iter().all(|w| *w >= 0.0) && (total - 1.0).abs() <= 1e-8;
    let requirement = "must be one, of weights that are not negative";
    parameter("sum of the weights of the start", total, shares, requirement)?;
    params.covariance.check(OP, k, d)
}
