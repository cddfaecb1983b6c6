//! Independent component analysis.

mod fast;
mod fitted;
mod infomax;
mod nonlinearity;

pub use fitted::FittedIca;
pub use nonlinearity::{Contrast, Density};


use ndarray::ArrayView2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::axes::orthonormal;
use super::centred::place;
use super::gaussian::normal;
use crate::check::{rows, parameter};
use super::pca::Pca;
use crate::Progress;
use crate::{Device, Result};

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
#[derive(Debug, Clone)]
pub struct Ica {
    components: usize,
    algorithm: Algorithm,
    max_iterations: usize,
    tolerance: f64,
    seed: u64,
    progress: Progress,
}

impl Ica {
    /// To find this many sources, by `FastICA` with the contrast log cosh.
    pub fn new(components: usize) -> Self {
        let algorithm = Algorithm::FastParallel(Contrast::LogCosh);
        Ica { components, algorithm, max_iterations: 200, tolerance: 1e-6, seed: 0, progress: Progress::none() }
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

    /// `FastICA` ends when no row of the unmixing turns by more than this (one less the cosine), `InfoMax` when no entry of
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
        self.progress = progress;
        self
    }

    /// Fits `x`, `n x d`. An unmixing that has not settled is returned all the same; the report says so.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than two rows; [`Error::Parameter`] unless `1 <= k <= min(n, d)` and the
    /// tolerance is positive; [`Error::NotFinite`]; [`Error::Singular`] if the data has not variance in k directions;
    /// [`Error::Cancelled`]; those of the device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedIca> {
        rows("Ica::fit", "x", x, 2)?;
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
        self.progress.report("Ica::fit", iterations, self.max_iterations, value)
    }
}
