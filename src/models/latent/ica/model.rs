//! What independent component analysis is to find, and how.

use ndarray::ArrayView2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::nonlinearity::{Contrast, Density};
use super::{FittedIca, fast, infomax};
use crate::check::{parameter, rows};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::models::latent::Pca;
use crate::models::latent::axes::orthonormal;
use crate::models::latent::centred::place;
use crate::models::latent::gaussian::normal;
use crate::{Device, Progress, Result};

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
/// use mercer::prelude::*;
/// // A sawtooth and a square wave, mixed.
/// let s = ndarray::Array2::from_shape_fn((500, 2), |(t, j)| {
///     if j == 0 { (t % 37) as f64 / 18.0 - 1.0 } else if t % 50 < 25 { 1.0 } else { -1.0 }
/// });
/// let x = s.dot(&ndarray::array![[1.0, 0.5], [0.4, 1.0]]);
/// let ica = Ica::new(2).algorithm(Algorithm::InfoMax(Density::SubGaussian)).fit(&Device::cpu(), &x)?;
/// let found = ica.transform(&x)?;
/// let square = if found[[0, 0]].abs() > 0.9 && found[[30, 0]].abs() < 1.1 { 0 } else { 1 };
/// assert!(ica.report().converged() && found.column(square).iter().all(|v| (v.abs() - 1.0).abs() < 0.2));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// An unmixing that has not settled is returned all the same; the report says so.
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) unless `1 <= k <= min(n, d)` and the tolerance is positive;
/// [`Error::Singular`](crate::Error::Singular) if the data has not variance in k directions.
#[derive(Debug, Clone)]
pub struct Ica {
    components: usize,
    algorithm: Algorithm,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
    seed: u64,
    progress: Progress,
}

setters!(Ica {
    /// How many sources there are.
    components: usize,
    /// How the sources are looked for; `FastICA`, all at once, with the contrast log cosh by default.
    algorithm: Algorithm,
    /// The most iterations (of each source, for deflation); 200 by default.
    max_iterations: usize,
    /// `FastICA` ends when no row of the unmixing turns by more than this (one less the cosine), `InfoMax` when no entry of
    /// the natural gradient is larger; 1e-6 by default.
    tolerance: f64,
    /// Seed of the first unmixing.
    seed: u64,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits!(Ica: Fit -> FittedIca);

impl Fit for Ica {
    type Fitted = FittedIca;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedIca> {
        rows("Ica::fit", "x", x, 2)?;
        let k = self.components;
        parameter("tolerance", self.tolerance, self.tolerance > 0.0, "must be positive")?;
        let white = Pca::new(k).ddof(0).whiten(true).fit(device, x)?;
        let flops = 4.0 * x.nrows() as f64 * k as f64 * k as f64 * self.max_iterations as f64;
        // White data are of the size of one, whatever the units were.
        let z = place(&device.suited_to(flops), white.transform(x)?)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let start = orthonormal(normal(&mut rng, k, k).view());
        let (w, report) = match self.algorithm {
            Algorithm::FastParallel(contrast) => fast::parallel(self, &z, contrast, start)?,
            Algorithm::FastDeflation(contrast) => fast::deflation(self, &z, contrast, start)?,
            Algorithm::InfoMax(density) => infomax::fit(self, &z, density, start)?,
        };
        FittedIca::new(device, &white, w, report)
    }
}

impl Ica {
    /// To find this many sources, by `FastICA` with the contrast log cosh.
    pub fn new(components: usize) -> Self {
        let algorithm = Algorithm::FastParallel(Contrast::LogCosh);
        Ica {
            components,
            algorithm,
            max_iterations: 200,
            tolerance: 1e-6,
            seed: 0,
            progress: Progress::none(),
        }
    }

    pub(super) fn report(&self, iterations: usize, value: f64) -> Result<()> {
        self.progress.report("Ica::fit", iterations, self.max_iterations, value)
    }
}
