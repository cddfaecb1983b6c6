//! Distances as kernels: energy distance, distance covariance and distance correlation.
//!
//! `-|x - x'|^a` is no positive definite kernel, but where weights sum to zero, as in every statistic here, it equals twice
//! the distance-induced kernel `½(|x - z|^a + |x' - z|^a - |x - x'|^a)` of Sejdinovic et al. (2013), which is, and it is
//! one distance instead of three. Checked in `tests/stats/distance.rs` against dcor, hyppo and the direct formulas.

use ndarray::{ArrayView1, Axis};

use super::{Hsic, IndependenceTest};
use crate::check::{parameter, sample};
use crate::kernel::Custom;
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::stats::{Estimator, Mmd, TwoSampleTest};
use crate::{Device, Kernel, Result};

/// `-|x - x'|^exponent`, the kernel behind [`energy_distance`] and [`DistanceCovariance`], for any [`Mmd`] or [`Hsic`].
///
/// It is only conditionally positive definite: of use where weights sum to zero.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) unless the exponent lies between 0 and 2: at 2 and above distributions
/// with equal means are no longer told apart.
pub fn distance_kernel(exponent: f64) -> Result<Kernel> {
    between(exponent)?;
    Ok(Kernel::custom(power("distance", -1.0, exponent).indefinite()))
}

/// `½(|x - z|^a + |x' - z|^a - |x - x'|^a)` with centre z: the positive definite kernel of the distance.
///
/// Its MMD² is half the energy distance and its HSIC a quarter of the squared distance covariance, whatever the centre.
///
/// # Errors
/// As [`distance_kernel`], and for a centre that is empty or not finite.
///
/// ```
/// use mercer::stats::distance_induced_kernel;
/// let brownian = distance_induced_kernel(&[0.0], 1.0)?; // min(|x|, |x'|) on one side of 0, else 0
/// assert_eq!(brownian.value(&[2.0], &[3.0])?, 2.0);
/// assert_eq!(brownian.value(&[2.0], &[-3.0])?, 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn distance_induced_kernel(centre: &[f64], exponent: f64) -> Result<Kernel> {
    between(exponent)?;
    let z = centre.to_vec();
    let d = z.len();
    sample("distance_induced_kernel", "centre", ArrayView1::from(centre).insert_axis(Axis(0)), 1)?;
    // The distance from the centre becomes one more feature, which the GPU adds up like any other.
    let halves = Custom::new("half the sum", |x, y, _| 0.5 * (x[0] + y[0])).wgsl("a + b", "0.5 * s");
    let features = move |x: &[f64]| {
        let r2: f64 = x.iter().zip(&z).map(|(a, b)| (a - b) * (a - b)).sum();
        x.iter().copied().chain([r2.powf(0.5 * exponent)]).collect()
    };
    let own = Kernel::custom(halves).on([d]);
    let apart = Kernel::custom(power("half the distance", -0.5, exponent)).on((0..d).collect::<Vec<_>>());
    Ok((own + apart).map("distance from the centre", d + 1, features))
}

fn between(exponent: f64) -> Result<()> {
    parameter("exponent", exponent, exponent > 0.0 && exponent < 2.0, "must lie between 0 and 2")
}

/// `factor |x - x'|^exponent`.
fn power(name: &str, factor: f64, exponent: f64) -> Custom {
    let half = 0.5 * exponent;
    let value = move |x: &[f64], y: &[f64], _: &[f64]| {
        let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        factor * if exponent == 1.0 { r2.sqrt() } else { r2.powf(half) }
    };
    // The power of zero is not the same everywhere.
    let root = if exponent == 1.0 { "sqrt(s)".to_owned() } else { format!("pow(max(s, 1e-38), {half:?})") };
    Custom::new(name, value).wgsl("(a - b) * (a - b)", &format!("{factor:?} * {root}"))
}

/// `2 E|X - Y|^a - E|X - X'|^a - E|Y - Y'|^a` over all pairs of observations: the energy distance, zero only for samples
/// of one distribution as they grow.
///
/// # Errors
/// As [`distance_kernel`] and [`Mmd::biased`].
///
/// ```
/// use mercer::{Device, stats::energy_distance};
/// let (x, y) = (ndarray::array![[0.0], [2.0]], ndarray::array![[1.0], [3.0]]);
/// assert_eq!(energy_distance(&Device::cpu(), &x, &y, 1.0)?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn energy_distance(device: &Device, x: impl Inputs, y: impl Inputs, exponent: f64) -> Result<f64> {
    Mmd::new(distance_kernel(exponent)?).biased(device, x, y)
}

impl TwoSampleTest {
    /// The test of the energy distance: the default with `-|x - x'|^exponent` as its kernel.
    ///
    /// # Errors
    /// As [`distance_kernel`].
    pub fn energy(exponent: f64) -> Result<Self> {
        Ok(Self::with_kernel(distance_kernel(exponent)?))
    }
}

impl IndependenceTest {
    /// The test of distance covariance: the default with `-|x - x'|^exponent` on both sides.
    ///
    /// # Errors
    /// As [`distance_kernel`].
    pub fn distance_covariance(exponent: f64) -> Result<Self> {
        Ok(Self::with_kernels(distance_kernel(exponent)?, distance_kernel(exponent)?))
    }
}

/// Distance covariance and correlation of paired samples (Székely, Rizzo and Bakirov 2007), by [`Hsic`].
///
/// `dCov² = 1/n² Σ_ij A_ij B_ij` with A and B the centred matrices of distances, `dCor² = dCov² / √(dVar²_x dVar²_y)`.
/// [`IndependenceTest::distance_covariance`] is the test of it.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[-2.0], [-1.0], [0.0], [1.0], [2.0]];
/// let y = x.mapv(|v| v * v);
/// let found = DistanceCovariance::new(1.0).run(&Device::cpu(), &x, &y)?;
/// assert!((found.correlation() - 0.515_923_456_9).abs() < 1e-9); // the ordinary correlation is 0
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceCovariance {
    exponent: f64,
    estimator: Estimator,
}

setters!(DistanceCovariance {
    /// Which estimate: the biased one, by centred matrices, or the unbiased one of Székely and Rizzo (2014), by U-centred
    /// matrices, which may be negative. Biased by default.
    estimator: Estimator,
});

/// The distance covariance of two samples and their distance correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceDependence {
    /// `dCov²`; not negative unless it was estimated without bias.
    pub squared: f64,
    /// `dCor²`, between 0 and 1 unless it was estimated without bias; 0 if either variable is constant.
    pub correlation_squared: f64,
}

impl DistanceCovariance {
    /// Of the distances to the power of `exponent`, between 0 and 2.
    pub fn new(exponent: f64) -> Self {
        DistanceCovariance { exponent, estimator: Estimator::Biased }
    }

    /// Of the rows of `x` (`n x p`) and `y` (`n x q`).
    ///
    /// # Errors
    /// As [`distance_kernel`], [`Hsic::biased`] and [`Hsic::unbiased`].
    pub fn run(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<DistanceDependence> {
        let hsic = Hsic::new(distance_kernel(self.exponent)?, distance_kernel(self.exponent)?);
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        let (squared, correlation_squared) = match self.estimator {
            Estimator::Biased => (hsic.biased(device, x, y)?, hsic.cka(device, x, y)?),
            Estimator::Unbiased => (hsic.unbiased(device, x, y)?, hsic.cka_unbiased(device, x, y)?),
        };
        Ok(DistanceDependence { squared, correlation_squared })
    }
}

impl DistanceDependence {
    /// `dCov`, 0 where its square is negative.
    pub fn covariance(&self) -> f64 {
        self.squared.max(0.0).sqrt()
    }

    /// `dCor`, 0 where its square is negative.
    pub fn correlation(&self) -> f64 {
        self.correlation_squared.max(0.0).sqrt()
    }
}
