//! Independent component analysis.

mod fast;
mod infomax;
mod nonlinearity;

pub use nonlinearity::{Contrast, Density};

use std::fmt;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::axes::{orthonormal, sign};
use super::centred::{place, project};
use super::gaussian::normal;
use super::input::{columns, data, finite, parameter, shape};
use super::pca::{FittedPca, Pca};
use super::report::Report;
use crate::linalg::{Progress, SpdParams, solve_spd};
use crate::{Device, Error, Result};

/// How the sources are looked for, once the data is white.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Algorithm {
    /// Fixed points of a contrast function, all sources at once, made orthogonal after each step.
    FastParallel(Contrast),
    /// The same, one source after the other, each orthogonal to those before it.
    FastDeflation(Contrast),
    /// Maximum likelihood under a density of the sources: steps along the natural gradient, scaled by the curvature and
    /// halved until the likelihood rises.
    InfoMax(Density),
}

/// Independent component analysis: `x = A s + m`, the entries of s independent and, but for one, not Gaussian.
///
/// Sources are found up to their order, sign and scale: they come with variance one, those whose columns of A are
/// longest first, and the entry of each column of A that is largest in size is positive.
///
/// ```
/// use mercer::{Device, models::latent::{Algorithm, Density, Ica}};
/// // A sawtooth and a square wave, mixed.
/// let s = ndarray::Array2::from_shape_fn((500, 2), |(t, j)| {
///     if j == 0 { (t % 37) as f64 / 18.0 - 1.0 } else if t % 50 < 25 { 1.0 } else { -1.0 }
/// });
/// let x = s.dot(&ndarray::array![[1.0, 0.5], [0.4, 1.0]]);
/// let ica = Ica::new(2).algorithm(Algorithm::InfoMax(Density::SubGaussian)).fit(&Device::cpu(), x.view())?;
/// let found = ica.transform(x.view())?;
/// let square = if found[[0, 0]].abs() > 0.9 && found[[30, 0]].abs() < 1.1 { 0 } else { 1 };
/// assert!(ica.report.converged && found.column(square).iter().all(|v| (v.abs() - 1.0).abs() < 0.2));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct Ica {
    components: usize,
    algorithm: Algorithm,
    max_iterations: usize,
    tolerance: f64,
    seed: u64,
    progress: Option<Progress>,
}

impl fmt::Debug for Ica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ica")
            .field("components", &self.components)
            .field("algorithm", &self.algorithm)
            .field("max_iterations", &self.max_iterations)
            .field("tolerance", &self.tolerance)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Ica {
    /// To find this many sources, by FastICA with the contrast log cosh.
    pub fn new(components: usize) -> Self {
        let algorithm = Algorithm::FastParallel(Contrast::LogCosh);
        Ica { components, algorithm, max_iterations: 200, tolerance: 1e-6, seed: 0, progress: None }
    }

    /// How the sources are looked for.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Most iterations (of each source, for deflation).
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// FastICA ends when no row of the unmixing turns by more than this (one less the cosine), InfoMax when no entry of
    /// the natural gradient is larger.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Of the first unmixing.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Called after every iteration.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Fits `x`, `n x d`. An unmixing that has not settled is returned all the same; the report says so.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than two rows; [`Error::Parameter`] unless `1 <= k <= min(n, d)` and the
    /// tolerance is positive; [`Error::NotFinite`]; [`Error::Singular`] if the data has not variance in k directions;
    /// [`Error::Cancelled`]; those of the device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedIca> {
        data("Ica::fit", x, 2)?;
        let k = self.components;
        parameter("tolerance", self.tolerance, self.tolerance > 0.0, "must be positive")?;
        let white = Pca::new(k).ddof(0).whiten(true).fit(device, x)?;
        let z = place(device, white.transform(x)?)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let start = orthonormal(normal(&mut rng, k, k).view());
        let (w, report) = match self.algorithm {
            Algorithm::FastParallel(contrast) => fast::parallel(self, &z, contrast, start)?,
            Algorithm::FastDeflation(contrast) => fast::deflation(self, &z, contrast, start)?,
            Algorithm::InfoMax(density) => infomax::fit(self, &z, density, start)?,
        };
        FittedIca::new(device, white, w, report)
    }

    fn report(&self, iterations: usize, value: f64) -> Result<()> {
        let verdict = self.progress.as_ref().map(|f| f(iterations, value));
        if verdict.is_some_and(|v| v.is_break()) {
            return Err(Error::Cancelled { op: "Ica::fit", iterations });
        }
        Ok(())
    }
}

/// A fitted mixing of independent sources.
#[derive(Debug, Clone)]
pub struct FittedIca {
    /// m.
    pub mean: Array1<f64>,
    /// `k x d`: sources from data.
    pub unmixing: Array2<f64>,
    /// A, `d x k`: data from sources.
    pub mixing: Array2<f64>,
    /// How the fit went. The trace of FastICA is how far the unmixing turned, that of InfoMax the log-likelihood per
    /// row of the white data.
    pub report: Report,
    device: Device,
}

impl FittedIca {
    /// `w` unmixes what `white` has whitened.
    fn new(device: &Device, white: FittedPca, w: Array2<f64>, report: Report) -> Result<Self> {
        let deviations = white.explained_variance.mapv(f64::sqrt);
        // White data has the identity for its covariance, so a source has the variance of its row.
        let lengths = w.map_axis(Axis(1), |row| row.dot(&row).sqrt());
        let w = &w / &lengths.insert_axis(Axis(1));
        let inner = w.t().dot(&w);
        let inverse = solve_spd(&Device::cpu(), inner.view(), w.t(), &SpdParams::default())?.x;
        let mut unmixing = (&w / &deviations).dot(&white.components);
        let mut mixing = white.components.t().dot(&(&inverse * &deviations.insert_axis(Axis(1))));
        let power = mixing.map_axis(Axis(0), |c| c.dot(&c));
        let mut order: Vec<usize> = (0..power.len()).collect();
        order.sort_by(|&i, &j| power[j].total_cmp(&power[i]));
        (unmixing, mixing) = (unmixing.select(Axis(0), &order), mixing.select(Axis(1), &order));
        for (mut column, mut row) in mixing.columns_mut().into_iter().zip(unmixing.rows_mut()) {
            if sign(column.view()) < 0.0 {
                column *= -1.0;
                row *= -1.0;
            }
        }
        Ok(FittedIca { mean: white.mean, unmixing, mixing, report, device: device.clone() })
    }

    /// The sources `s = B (x - m)`, `n x k` for `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the columns do not fit, [`Error::NotFinite`]; those of the device.
    pub fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedIca::transform", x, self.mean.len())?;
        finite("FittedIca::transform", x)?;
        project(&self.device, x, self.mean.view(), self.unmixing.t())
    }

    /// `x = A s + m`, `n x d` for `s`, `n x k`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the columns do not fit, [`Error::NotFinite`].
    pub fn inverse_transform(&self, sources: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.mixing.ncols();
        let what = || format!("there are {} columns for {k} sources", sources.ncols());
        shape("FittedIca::inverse_transform", sources.ncols() == k, what)?;
        finite("FittedIca::inverse_transform", sources)?;
        Ok(sources.dot(&self.mixing.t()) + &self.mean)
    }
}
