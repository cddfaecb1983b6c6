//! Factors of small matrices on the host, and what `gaussian_log_density` needs of a mixture.

use ndarray::{Array2, ArrayView2, s};

use super::{Covariance, GaussianParams};
use crate::ops::{Side, Trans, Triangle, Whitening, cholesky, solve_triangular};
use crate::{Device, Error, Matrix, Result};

/// The logarithm of a weight of zero: below anything that a density can be, and finite in f32.
pub(super) const NEVER: f64 = -1e30;

/// `log w`, finite for zero.
pub(super) fn log_weight(w: f64) -> f64 {
    if w > 0.0 { w.ln() } else { NEVER }
}

/// L with `L L^T = a`.
pub(super) fn lower_cholesky(a: ArrayView2<f64>) -> Result<Array2<f64>> {
    cholesky(&Matrix::from_host(a.as_standard_layout().into_owned()))?.to_array()
}

/// `L^-1`.
pub(super) fn invert_lower(l: Array2<f64>) -> Result<Array2<f64>> {
    let one = Matrix::from_host(Array2::eye(l.nrows()));
    solve_triangular(&Matrix::from_host(l), Triangle::Lower, Trans::No, Side::Left, &one)?.to_array()
}

/// Whitening of each component, on a device, and half the logarithms of the determinants of the precisions.
pub(super) struct Factors {
    whitening: Matrix,
    full: bool,
    pub half_log_det: Vec<f64>,
}

impl Factors {
    /// Of K covariances in d dimensions.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] if one is not; a covariance floor prevents that.
    pub fn new(device: &Device, covariance: &Covariance, k: usize, d: usize) -> Result<Self> {
        let whiten = |c: ArrayView2<f64>| {
            let l = lower_cholesky(c).map_err(|e| match e {
                Error::NotPositiveDefinite { pivot, value, .. } => {
                    Error::NotPositiveDefinite { op: "GaussianMixture", pivot, value }
                }
                e => e,
            })?;
            let half = -l.diag().iter().map(|v| v.ln()).sum::<f64>();
            Ok::<_, Error>((invert_lower(l)?, half))
        };
        let factors = |variances: Array2<f64>| {
            if let Some((pivot, &value)) =
                variances.iter().enumerate().find(|(_, v)| **v <= 0.0 || v.is_nan())
            {
                return Err(Error::NotPositiveDefinite { op: "GaussianMixture", pivot: pivot % d, value });
            }
            let half = variances.rows().into_iter().map(|r| -0.5 * r.iter().map(|v| v.ln()).sum::<f64>());
            Ok((half.collect(), variances.mapv(|v| 1.0 / v.sqrt())))
        };
        let (half_log_det, whitening, full) = match covariance {
            Covariance::Full(_) | Covariance::Tied(_) => {
                let mut all = Array2::zeros((k * d, d));
                let mut halves = Vec::with_capacity(k);
                let mut last = None;
                for own in 0..k {
                    let (w, half) = match (covariance, last.take()) {
                        (Covariance::Tied(_), Some(same)) => same,
                        _ => whiten(covariance.at(own, d).view())?,
                    };
                    all.slice_mut(s![own * d..(own + 1) * d, ..]).assign(&w);
                    halves.push(half);
                    last = Some((w, half));
                }
                (halves, all, true)
            }
            Covariance::Diagonal(variances) => {
                let (half, w) = factors(variances.clone())?;
                (half, w, false)
            }
            Covariance::Spherical(variances) => {
                let (half, w) = factors(Array2::from_shape_fn((k, d), |(k, _)| variances[k]))?;
                (half, w, false)
            }
        };
        Ok(Factors { whitening: Matrix::from_array(device, whitening.view())?, full, half_log_det })
    }

    pub fn whitening(&self) -> Whitening<'_> {
        if self.full { Whitening::Full(&self.whitening) } else { Whitening::Diagonal(&self.whitening) }
    }
}

/// `log π_k + log N(x_i | μ_k, Σ_k)`, `n x K`, for points and means that are seen from the same origin.
pub(super) fn log_joint(x: &Matrix, means: &Matrix, params: &GaussianParams) -> Result<Matrix> {
    let (device, (k, d)) = (x.device(), params.means.dim());
    let factors = Factors::new(&device, &params.covariance, k, d)?;
    let constant = -0.5 * d as f64 * (2.0 * std::f64::consts::PI).ln();
    let offset = Array2::from_shape_fn((1, k), |(_, k)| {
        (log_weight(params.weights[k]) + factors.half_log_det[k] + constant).max(NEVER)
    });
    let offset = Matrix::from_array(&device, offset.view())?;
    crate::ops::gaussian_log_density(x, means, factors.whitening(), &offset)
}
