//! Mixtures of linear regressions: what is fitted, and the steps of EM.

use ndarray::{Array1, Array2, ArrayRef, ArrayView2, Axis, Ix1, concatenate, s};

use super::linear_fitted::FittedLinearRegressionMixture;
use crate::check::{components, not_negative, require};
use crate::inference::em::{Em, EmModel, Observations, em_setters};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{Meeting, across};
use crate::learn::{Fit, TargetDim};
use crate::matrix::{Origin, Points};
use crate::models::mixture::factors::{invert_lower, log_weight, lower_cholesky};
use crate::models::mixture::gaussian::{GaussianStatistics, memberships};
use crate::models::mixture::responsibilities::responsibilities;
use crate::ops::{Map, Second, Trans, Zip, gemm, map, moments, zip};
use crate::{Device, Matrix, Result};

const OP: &str = "LinearRegressionMixture::fit";

/// `p(y | x) = sum_k π_k N(y | w_k^T x + b_k, σ_k²)`: K lines through the same cloud.
///
/// Each component is least squares with the responsibilities as weights, from moments of (x, y) about their mean, plus a
/// `ridge` on the slopes that keeps it defined where a component has few rows. There is one target.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y = ndarray::Array1::from_shape_fn(40, |i| if i % 2 == 0 { x[[i, 0]] } else { 5.0 - x[[i, 0]] });
/// let fit = LinearRegressionMixture::new(2).fit(&Device::cpu(), &x, &y)?;
/// let mut slopes: Vec<f64> = fit.slopes().column(0).to_vec();
/// slopes.sort_by(f64::total_cmp);
/// assert!((slopes[0] + 1.0).abs() < 1e-3 && (slopes[1] - 1.0).abs() < 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) if K is zero or above n;
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if columns of x depend on each other and there is no
/// ridge.
#[derive(Debug, Clone)]
pub struct LinearRegressionMixture {
    components: usize,
    ridge: f64,
    variance_floor: f64,
    em: Em,
}

impl LinearRegressionMixture {
    /// k lines, the best of ten starts.
    pub fn new(k: usize) -> Self {
        let em = Em::new().restarts(10);
        LinearRegressionMixture { components: k, ridge: 1e-6, variance_floor: 1e-8, em }
    }
}

setters!(LinearRegressionMixture {
    /// How many lines there are: K.
    components: usize,
    /// λ in `sum_i r_ik (y_i - w_k^T x_i - b_k)² / σ_k² + λ |w_k|² / σ_k²`; 1e-6 by default.
    ridge: f64,
    /// The least σ², in squared units of y; 1e-8 by default.
    variance_floor: f64,
});

em_setters!(LinearRegressionMixture: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits!(LinearRegressionMixture: Regress -> FittedLinearRegressionMixture);
across!(LinearRegressionMixture: Regress -> FittedLinearRegressionMixture);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for LinearRegressionMixture {
    type Fitted = FittedLinearRegressionMixture<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<Self::Fitted> {
        self.run_across(&Meeting::alone_here(), device, x, D::columns(y))
    }
}

impl LinearRegressionMixture {
    fn run_across<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<FittedLinearRegressionMixture<D>> {
        let part = all.pairs(OP, x, y)?;
        Ix1::fits(OP, y.ncols())?;
        let (d, n, k) = (x.ncols(), part.total, self.components);
        components("components", k, n)?;
        not_negative("ridge", self.ridge)?;
        not_negative("variance_floor", self.variance_floor)?;
        let mut z = join(x, y)?;
        let mean = Array1::from(all.sum(OP, z.sum_axis(Axis(0)).to_vec())?) / n as f64;
        z -= &mean;
        let flops = 4.0 * z.len() as f64 * d as f64 * k as f64 * self.em.max_iterations as f64;
        // About their mean already, and lines measure from there.
        let points = |z| Points::new(OP, device, z, Origin::Fixed, flops);
        let points = (z.nrows() > 0).then(|| points(z.view())).transpose()?;
        let rows = Vec::from_iter(points.map(|points| Observations::unchecked(points, None)));
        let exact = rows.first().and_then(Observations::exact).map(|rows| vec![rows]);
        let device = rows.first().map_or_else(Device::cpu, |rows| rows.device().clone());
        let squares = all.total(OP, z.column(d).dot(&z.column(d)))?;
        let spread = (squares / n as f64).max(self.variance_floor).max(f64::MIN_POSITIVE);
        let model = LinearEm { of: self, single: all.any(OP, device.is_gpu())? };
        let sampled = all.sample(OP, part, z.view(), None, self.em.seed)?;
        // Each start is the M-step of groups drawn at random: lines that cross have no clusters to start from.
        let start = |seed| {
            let flat = Lines {
                weights: Array1::from_elem(k, 1.0 / k as f64),
                slopes: Array2::zeros((k, d)),
                intercepts: Array1::zeros(k),
                variances: Array1::from_elem(k, spread),
            };
            let z = sampled.x.to_owned();
            let r = memberships(&random_labels(z.nrows(), k, seed)?, k, None);
            let about = Array2::zeros((k, d + 1));
            let [z, r, at] = [z, r, about.clone()].map(Matrix::from_host);
            model.learn(&flat, &GaussianStatistics::new(about, moments(&z, &r, &at, Second::Full)?, 0.0))
        };
        let em = self.em.known_by(self, z.view(), None);
        let run = em.run_exactly_across(all, &model, &rows, exact.as_ref(), start)?;
        let mut lines = run.params;
        // From the mean back to the origin of the data.
        lines.intercepts = &lines.intercepts + mean[d] - lines.slopes.dot(&mean.slice(s![..d]));
        Ok(FittedLinearRegressionMixture::new(lines, run.stats.log_likelihood, n, run.report, device))
    }
}

/// K lines about a common origin.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Lines {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub weights: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub slopes: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub intercepts: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub variances: Array1<f64>,
}

crate::saved::wired!(Lines { weights, slopes, intercepts, variances });

impl Lines {
    /// `(-w_k, 1)`: what makes of (x, y) a residual, up to the intercept.
    fn residual(&self, k: usize) -> Array1<f64> {
        let d = self.slopes.ncols();
        Array1::from_shape_fn(d + 1, |j| if j < d { -self.slopes[[k, j]] } else { 1.0 })
    }

    /// `log π_k + log N(y_i | w_k^T x_i + b_k, σ_k²)` for rows (x, y): `n x K`.
    pub fn log_joint(&self, z: &Matrix) -> Result<Matrix> {
        let k = self.weights.len();
        let up = |a: Array2<f64>| Matrix::from_array(&z.device(), a.view());
        let scale = |k: usize| (0.5 / self.variances[k]).sqrt();
        let slopes = Array2::from_shape_fn((k, z.cols()), |(k, j)| scale(k) * self.residual(k)[j]);
        let shift = Array2::from_shape_fn((1, k), |(_, k)| -scale(k) * self.intercepts[k]);
        let units = zip(&gemm(1.0, z, Trans::No, &up(slopes)?, Trans::Yes)?, &up(shift)?, Zip::Add)?;
        let top = Array2::from_shape_fn((1, k), |(_, k)| {
            log_weight(self.weights[k]) - 0.5 * (2.0 * std::f64::consts::PI * self.variances[k]).ln()
        });
        let squares = map(&map(&units, Map::Square)?, Map::Affine { scale: -1.0, shift: 0.0 })?;
        zip(&squares, &up(top)?, Zip::Add)
    }
}

struct LinearEm<'a> {
    of: &'a LinearRegressionMixture,
    single: bool,
}

impl LinearEm<'_> {
    fn learn(&self, before: &Lines, stats: &GaussianStatistics) -> Result<Lines> {
        let d = before.slopes.ncols();
        let mut next = before.clone();
        next.weights = &stats.mass / stats.mass.sum();
        for k in (0..stats.mass.len()).filter(|&k| stats.alive(k)) {
            let scatter = stats.scatter(k);
            let mean = &stats.reference.row(k) + &stats.shift(k);
            let mut normal = scatter.slice(s![..d, ..d]).to_owned();
            normal.diag_mut().mapv_inplace(|v| v + self.of.ridge);
            let whiten = invert_lower(lower_cholesky(normal.view())?)?;
            let slope = whiten.t().dot(&whiten.dot(&scatter.slice(s![..d, d])));
            next.intercepts[k] = mean[d] - slope.dot(&mean.slice(s![..d]));
            next.slopes.row_mut(k).assign(&slope);
            let c = next.residual(k);
            let rest = c.dot(&scatter.dot(&c)) + self.of.ridge * slope.dot(&slope);
            next.variances[k] = (rest / stats.mass[k]).max(self.of.variance_floor);
        }
        Ok(next)
    }
}

impl EmModel for LinearEm<'_> {
    const NAME: &'static str = "LinearRegressionMixture";
    type Batch = Observations;
    type Params = Lines;
    type Stats = GaussianStatistics;

    fn expect(&self, lines: &Lines, rows: &Observations) -> Result<GaussianStatistics> {
        let (r, log_likelihood) = responsibilities(lines.log_joint(rows.x()?)?, rows)?;
        let origin = Array2::zeros((lines.weights.len(), lines.slopes.ncols() + 1));
        let about = Matrix::from_array(rows.device(), origin.view())?;
        Ok(GaussianStatistics::new(origin, moments(rows.x()?, &r, &about, Second::Full)?, log_likelihood))
    }

    fn maximise(&self, lines: &Lines, stats: &GaussianStatistics) -> Result<Lines> {
        self.learn(lines, stats)
    }

    fn objective(&self, lines: &Lines, stats: &GaussianStatistics) -> f64 {
        let penalty = |k: usize| {
            let slope = lines.slopes.row(k);
            0.5 * self.of.ridge * slope.dot(&slope) / lines.variances[k]
        };
        stats.log_likelihood - (0..lines.weights.len()).map(penalty).sum::<f64>()
    }

    fn rounding(&self, _: &Self::Params) -> f64 {
        if self.single { 1e-4 } else { 1e-9 }
    }
}

/// Rows (x, y).
pub(super) fn join(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Array2<f64>> {
    require(OP, x.nrows() == y.nrows(), || format!("x has {} rows, y {}", x.nrows(), y.nrows()))?;
    Ok(concatenate(Axis(1), &[x, y]).expect("as many rows"))
}

/// A label for each row, drawn at random; every label is drawn if there are rows enough.
pub(super) fn random_labels(n: usize, k: usize, seed: u64) -> Result<Vec<usize>> {
    Ok(crate::linalg::landmarks(n, n, seed)?.into_iter().map(|i| i % k).collect())
}
