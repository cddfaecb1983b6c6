//! Mixtures of linear regressions. Checked in `tests/mixture/regressions.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::factors::{invert_lower, log_weight, lower_cholesky};
use super::gaussian_em::responsibilities;
use super::start::memberships;
use super::sufficient::GaussianStatistics;
use crate::check::components;
use crate::inference::em::{Em, EmModel, Observations};
use crate::ops::{Map, Second, Trans, Zip, gemm, map, moments, softmax, zip};
use crate::{Device, Error, Matrix, Result};

/// `p(y | x) = sum_k π_k N(y | w_k^T x + b_k, σ_k²)`: K lines through the same cloud.
///
/// Each component is least squares with the responsibilities as weights, from moments of (x, y) alone, plus a `ridge` on
/// the slopes that keeps it defined where a component has few rows.
///
/// ```
/// use mercer::{Device, models::mixture::LinearRegressionMixture};
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y = ndarray::Array1::from_shape_fn(40, |i| if i % 2 == 0 { x[[i, 0]] } else { 5.0 - x[[i, 0]] });
/// let fit = LinearRegressionMixture::new(2).fit(&Device::cpu(), x.view(), y.view())?;
/// let mut slopes: Vec<f64> = fit.slopes.column(0).to_vec();
/// slopes.sort_by(f64::total_cmp);
/// assert!((slopes[0] + 1.0).abs() < 1e-3 && (slopes[1] - 1.0).abs() < 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearRegressionMixture {
    /// K.
    pub components: usize,
    /// λ in `sum_i r_ik (y_i - w_k^T x_i - b_k)² / σ_k² + λ |w_k|² / σ_k²`.
    pub ridge: f64,
    /// The least σ², in squared units of y.
    pub variance_floor: f64,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
}

/// Fitted [`LinearRegressionMixture`].
#[derive(Debug, Clone)]
pub struct FittedLinearRegressionMixture {
    /// π, of length K.
    pub weights: Array1<f64>,
    /// w, `K x d`.
    pub slopes: Array2<f64>,
    /// b.
    pub intercepts: Array1<f64>,
    /// σ².
    pub variances: Array1<f64>,
    /// `sum_i log p(y_i | x_i)`.
    pub log_likelihood: f64,
    /// The log-likelihood, less the ridge, at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
}

#[derive(Debug, Clone)]
struct Lines {
    weights: Array1<f64>,
    slopes: Array2<f64>,
    intercepts: Array1<f64>,
    variances: Array1<f64>,
}

impl Lines {
    /// `(-w_k, 1)`: what makes of (x, y) a residual, up to the intercept.
    fn residual(&self, k: usize) -> Array1<f64> {
        let d = self.slopes.ncols();
        Array1::from_shape_fn(d + 1, |j| if j < d { -self.slopes[[k, j]] } else { 1.0 })
    }

    /// `log π_k + log N(y_i | w_k^T x_i + b_k, σ_k²)` for rows (x, y): `n x K`.
    fn log_joint(&self, z: &Matrix) -> Result<Matrix> {
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
    /// What moments are about, the same for every component: the mean of (x, y).
    centre: Array2<f64>,
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
        let (r, log_likelihood) = responsibilities(lines.log_joint(&rows.x)?, rows)?;
        let about = Matrix::from_array(&rows.x.device(), self.centre.view())?;
        let sums = moments(&rows.x, &r, &about, Second::Full)?;
        Ok(GaussianStatistics::new(self.centre.clone(), sums, log_likelihood))
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

    fn rounding(&self) -> f64 {
        if self.single { 1e-4 } else { 1e-9 }
    }
}

impl LinearRegressionMixture {
    /// k lines, the best of ten starts.
    pub fn new(k: usize) -> Self {
        let em = Em { restarts: 10, ..Em::default() };
        LinearRegressionMixture { components: k, ridge: 1e-6, variance_floor: 1e-8, em }
    }

    /// Fits `y`, of length n, on `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n or a setting out of its domain; [`Error::Shape`],
    /// [`Error::NotFinite`], [`Error::Cancelled`]; [`Error::NotPositiveDefinite`] if columns of x depend on each other
    /// and there is no ridge.
    pub fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
    ) -> Result<FittedLinearRegressionMixture> {
        let ((n, d), k) = (x.dim(), self.components);
        components("components", k, n)?;
        for (name, value) in [("ridge", self.ridge), ("variance_floor", self.variance_floor)] {
            if !(value >= 0.0 && value.is_finite()) {
                let requirement = "must be finite and not negative";
                return Err(Error::Parameter { name: name.to_owned(), value, requirement });
            }
        }
        let device = device.suited_to(4.0 * (n * d * d * k) as f64 * self.em.max_iterations as f64);
        let z = join(x, y)?;
        let rows = Observations::new(&device, z.view(), None)?;
        let mean = z.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d + 1));
        let centre = Array2::from_shape_fn((k, d + 1), |(_, j)| mean[j]);
        let spread = z.column(d).var(0.0).max(self.variance_floor).max(f64::MIN_POSITIVE);
        let model = LinearEm { of: self, centre: centre.clone(), single: device.is_gpu() };
        // Each start is the M-step of groups drawn at random: lines that cross have no clusters to start from.
        let start = |seed| {
            let flat = Lines {
                weights: Array1::from_elem(k, 1.0 / k as f64),
                slopes: Array2::zeros((k, d)),
                intercepts: Array1::from_elem(k, mean[d]),
                variances: Array1::from_elem(k, spread),
            };
            let r = memberships(&random_labels(n, k, seed), k, None)?;
            let [z, r, about] = [z.clone(), r, centre.clone()].map(Matrix::from_host);
            let sums = moments(&z, &r, &about, Second::Full)?;
            model.learn(&flat, &GaussianStatistics::new(centre.clone(), sums, 0.0))
        };
        let run = self.em.run(&model, std::slice::from_ref(&rows), start)?;
        Ok(FittedLinearRegressionMixture {
            weights: run.params.weights,
            slopes: run.params.slopes,
            intercepts: run.params.intercepts,
            variances: run.params.variances,
            log_likelihood: run.stats.log_likelihood,
            trace: run.trace,
            iterations: run.iterations,
            converged: run.converged,
        })
    }
}

impl FittedLinearRegressionMixture {
    /// `w_k^T x_i + b_k`, `m x K`: what each line says.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows of `x` do not have d entries.
    pub fn lines(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        if x.ncols() != self.slopes.ncols() {
            let what = format!("x has {} columns, not {}", x.ncols(), self.slopes.ncols());
            return Err(Error::Shape { op: "LinearRegressionMixture", what });
        }
        Ok(x.dot(&self.slopes.t()) + &self.intercepts)
    }

    /// `E[y | x_i] = sum_k π_k (w_k^T x_i + b_k)`.
    ///
    /// # Errors
    /// As [`FittedLinearRegressionMixture::lines`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(self.lines(x)?.dot(&self.weights))
    }

    /// Responsibilities once y is seen, `p(k | x_i, y_i)`, `m x K`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` and `y` do not fit, [`Error::NotFinite`].
    pub fn responsibilities(&self, x: ArrayView2<f64>, y: ArrayView1<f64>) -> Result<Array2<f64>> {
        self.lines(x)?;
        let lines = Lines {
            weights: self.weights.clone(),
            slopes: self.slopes.clone(),
            intercepts: self.intercepts.clone(),
            variances: self.variances.clone(),
        };
        softmax(&lines.log_joint(&Matrix::from_array(&Device::cpu(), join(x, y)?.view())?)?)?.to_array()
    }
}

/// Rows (x, y).
fn join(x: ArrayView2<f64>, y: ArrayView1<f64>) -> Result<Array2<f64>> {
    concatenate(Axis(1), &[x, y.insert_axis(Axis(1))]).map_err(|_| Error::Shape {
        op: "LinearRegressionMixture",
        what: format!("x has {} rows, y {}", x.nrows(), y.len()),
    })
}

/// A label for each row, drawn at random; every label is drawn if there are rows enough.
pub(super) fn random_labels(n: usize, k: usize, seed: u64) -> Vec<usize> {
    let order = crate::linalg::landmarks(n, n, seed).unwrap_or_default();
    order.into_iter().map(|i| i % k).collect()
}
