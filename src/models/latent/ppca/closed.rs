//! The maximum of the likelihood from principal components.

use crate::learn::Report;
use crate::models::latent::gaussian::{Subspace, log_likelihood};
use crate::models::latent::pca::FittedPca;
use crate::models::latent::ppca::FittedPpca;
use crate::{Error, Result};

/// `pca` holds variances over n, exact to `resolution` of the total: 1e-13 in f64, 1e-6 in f32.
pub(super) fn fit(pca: FittedPca, resolution: f64) -> Result<FittedPpca> {
    let (k, d) = pca.components.dim();
    let left = pca.total_variance() - pca.explained_variance.sum();
    let noise = left / (d - k) as f64;
    // What rounding leaves of a variance that is zero; written so that a NaN is refused.
    let rounding = resolution * pca.total_variance();
    let noisy = noise > rounding;
    if !noisy {
        return Err(Error::Singular { op: "Ppca::fit, noise variance", index: k, value: noise });
    }
    let n = pca.count();
    let gaussian = Subspace {
        mean: pca.mean,
        axes: pca.components,
        variances: pca.explained_variance.mapv(|v| v.max(noise)),
        noise,
    };
    // tr(C⁻¹ S) = d at the maximum.
    let log_likelihood = log_likelihood(n as f64, d, gaussian.log_det(), d as f64);
    Ok(FittedPpca::new(gaussian, log_likelihood, None, n, Report::direct(log_likelihood)))
}
