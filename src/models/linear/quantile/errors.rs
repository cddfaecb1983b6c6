//! Standard errors of quantile regression by the density of the residuals at zero. Checked against statsmodels.

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};

use crate::linalg::{SpdFactor, SpdParams};
use crate::probability::normal;
use crate::{Device, Result};

/// Residuals below this share of the largest target lie on the line.
const ON_THE_LINE: f64 = 1e-8;

/// What errors are made of: rows of mean zero (and a column of ones after them, if there is an intercept), the means that
/// were taken away, targets and weights.
pub(super) struct Sandwich<'a> {
    pub rows: &'a Array2<f64>,
    pub mean: &'a Array1<f64>,
    pub intercept: bool,
    pub weights: Option<ArrayView1<'a, f64>>,
    /// Whether residuals are taken to have the same density everywhere.
    pub identical: bool,
}

impl Sandwich<'_> {
    /// `(XᵀX)⁻¹ XᵀΨX (XᵀX)⁻¹ / f(0)²`, `Ψ = τ²` above the line and `(1 - τ)²` elsewhere, or `τ(1 - τ)` for all rows: the
    /// roots of its diagonal, of the coefficients and then of the intercept, zero if there is none.
    ///
    /// None if there are too few rows for the quantile, or if residuals have no density at zero.
    pub fn errors(&self, tau: f64, y: ArrayView1<f64>, w: ArrayView1<f64>) -> Result<Option<Array1<f64>>> {
        let (n, d) = self.rows.dim();
        let ones = Array2::ones((n, usize::from(self.intercept)));
        let design = concatenate![Axis(1), *self.rows, ones];
        let weights = self.weights.map_or_else(|| Array1::ones(n), |w| w.to_owned());
        let size = y.fold(0f64, |m, v| m.max(v.abs()));
        let snapped = |e: f64| if e.abs() <= ON_THE_LINE * size { 0.0 } else { e };
        let residual = (&y - &design.dot(&w)).mapv(snapped);
        let Some(density) = density_at_zero(tau, y, &residual, &weights) else { return Ok(None) };
        let scale = design.map_axis(Axis(0), |c| c.fold(0f64, |m, v| m.max(v.abs())));
        let design = design / &scale.mapv(|s| if s > 0.0 { s } else { 1.0 });
        let weighted = &design * &weights.view().insert_axis(Axis(1));
        let bread = design.t().dot(&weighted);
        let Ok(factor) = SpdFactor::new(&Device::cpu(), bread.view(), &SpdParams::default()) else {
            return Ok(None);
        };
        let square = |e: f64| match self.identical {
            true => tau * (1.0 - tau),
            false if e > 0.0 => tau * tau,
            false => (1.0 - tau) * (1.0 - tau),
        };
        let filling = weighted.t().dot(&(&design * &residual.mapv(square).insert_axis(Axis(1))));
        let half = factor.solve(filling.view())?.x;
        let middle = factor.solve(half.t())?.x / (density * density);
        let unit = scale.mapv(|s| if s > 0.0 { 1.0 / s } else { 0.0 });
        let covariance = &middle * &unit * unit.view().insert_axis(Axis(1));
        // The intercept of x as it was given is that of the centred rows less the means times the coefficients.
        let mut constant = Array1::zeros(covariance.nrows());
        if self.intercept {
            constant.slice_mut(ndarray::s![..d]).assign(&self.mean.mapv(|m| -m));
            constant[d] = 1.0;
        }
        let own = covariance.diag().iter().take(d).map(|v| v.max(0.0).sqrt()).collect::<Vec<_>>();
        let last = constant.dot(&covariance.dot(&constant)).max(0.0).sqrt();
        let all: Array1<f64> = own.into_iter().chain([last]).collect();
        Ok(all.iter().all(|v| v.is_finite()).then_some(all))
    }
}

/// `f(0)` by Epanechnikov's kernel with the bandwidth of Hall and Sheather at 5 %.
fn density_at_zero(
    tau: f64,
    y: ArrayView1<f64>,
    residual: &Array1<f64>,
    weights: &Array1<f64>,
) -> Option<f64> {
    let (n, z) = (weights.sum(), normal::quantile(tau));
    let shape = 1.5 * normal::density(z).powi(2) / (2.0 * z * z + 1.0);
    let reach = n.powf(-1.0 / 3.0) * normal::quantile(0.975).powf(2.0 / 3.0) * shape.cbrt();
    if tau - reach <= 0.0 || tau + reach >= 1.0 {
        return None;
    }
    let mean = y.dot(weights) / n;
    let deviation = (y.iter().zip(weights).map(|(y, w)| w * (y - mean).powi(2)).sum::<f64>() / n).sqrt();
    let range = percentile(residual, weights, 0.75) - percentile(residual, weights, 0.25);
    let width = deviation.min(range / 1.34) * (normal::quantile(tau + reach) - normal::quantile(tau - reach));
    let kernel = |e: f64| (0.75 * (1.0 - (e / width).powi(2))).max(0.0);
    let density = residual.iter().zip(weights).map(|(e, w)| w * kernel(*e)).sum::<f64>() / (n * width);
    (width > 0.0 && density > 0.0 && density.is_finite()).then_some(density)
}

/// Between the two observations about the place `p (n - 1)`, from 0, of all in order; a weight of 2 is two of them.
fn percentile(of: &Array1<f64>, weights: &Array1<f64>, p: f64) -> f64 {
    let mut order: Vec<usize> = (0..of.len()).filter(|&i| weights[i] > 0.0).collect();
    order.sort_by(|&a, &b| of[a].total_cmp(&of[b]));
    let place = p * (weights.sum() - 1.0).max(0.0);
    let at = |place: f64| {
        let mut before = 0.0;
        let found = order.iter().find(|&&i| {
            before += weights[i];
            before > place
        });
        found.or(order.last()).map_or(0.0, |&i| of[i])
    };
    let (low, high) = (at(place.floor()), at(place.ceil()));
    low + (place - place.floor()) * (high - low)
}
