//! Outliers by their density.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::check::{finite, parameter};
use crate::learn::answer::answered;
use crate::learn::data::Inputs;
use crate::learn::densities::LogDensity;
use crate::learn::traits::{Decision, Fit, Predict};
use crate::{Device, Result};

/// Flags rows whose density `p(x)` is below that of all but a share of the training rows.
///
/// With the share α the threshold is the largest density that at most `⌊αn⌋` training rows are below. The density is
/// that of any model that has a [`LogDensity`].
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((20, 1), |(i, _)| i as f64 / 10.0);
/// let fit = Novelty::new(IndependentDensity::new(FeatureFamily::Gaussian), 0.1).fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.predict(ndarray::array![[1.0], [9.0]])?, [false, true]);
/// assert_eq!(fit.predict(&x)?.iter().filter(|f| **f).count(), 2);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Novelty<M> {
    density: M,
    share: f64,
}

impl<M> Novelty<M> {
    /// By this density, with the share of training rows to be flagged, in [0, 1).
    pub fn new(density: M, share: f64) -> Self {
        Novelty { density, share }
    }

    /// Learns the density and its threshold from the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// Those of the density; [`Error::Parameter`](crate::Error::Parameter) for a share outside of [0, 1).
    pub fn fit(&self, device: &Device, x: impl Inputs) -> Result<FittedNovelty<M::Fitted>>
    where
        M: Fit<Fitted: LogDensity>,
    {
        Fit::fit(self, device, x.inputs().view(), &())
    }
}

impl<M: Fit<Fitted: LogDensity>> Fit for Novelty<M> {
    type Fitted = FittedNovelty<M::Fitted>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<Self::Fitted> {
        finite("Novelty::fit", "x", x)?;
        parameter("share", self.share, (0.0..1.0).contains(&self.share), "must be at least 0 and below 1")?;
        let density = self.density.fit(device, x, &())?;
        let mut values = density.log_density(x)?.to_vec();
        values.sort_by(f64::total_cmp);
        let threshold = values[(self.share * x.nrows() as f64).floor() as usize];
        Ok(FittedNovelty { density, threshold })
    }
}

/// Fitted [`Novelty`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedNovelty<T> {
    density: T,
    threshold: f64,
}

impl<T> FittedNovelty<T> {
    /// The density.
    pub fn density(&self) -> &T {
        &self.density
    }

    /// The log-density below which a row is flagged.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }
}

impl<T: LogDensity> FittedNovelty<T> {
    /// Whether each row is an outlier.
    ///
    /// # Errors
    /// Those of the density.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<bool>> {
        Predict::predict(self, x.inputs().view())
    }

    /// How far below the threshold the log-density of each row is: positive for outliers.
    ///
    /// # Errors
    /// Those of the density.
    pub fn decision(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered("FittedNovelty::decision", Decision::decision(self, x.inputs().view()))
    }
}

impl<T: LogDensity> Predict for FittedNovelty<T> {
    type Output = Vec<bool>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<bool>> {
        finite("FittedNovelty::predict", "x", x)?;
        Ok(self.density.log_density(x)?.iter().map(|v| *v < self.threshold).collect())
    }
}

impl<T: LogDensity> Decision for FittedNovelty<T> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        finite("FittedNovelty::decision", "x", x)?;
        let below: Array1<f64> = self.threshold - self.density.log_density(x)?;
        Ok(below.insert_axis(Axis(1)))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNovelty of T);

#[cfg(feature = "serde")]
impl<T> crate::saved::Checked for FittedNovelty<T> {
    fn check(&self) -> crate::Result<()> {
        crate::check::number("a saved FittedNovelty", "the threshold", self.threshold).map(drop)
    }
}
