//! Random Fourier features. Checked in `tests/ridge/fourier.rs`.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::FeatureMap;
use crate::check::{finite, inputs, positive, parameter};
use crate::ops::product_alone;
use crate::{Kernel, Result};

/// Rows that one task transforms.
const ROWS: usize = 256;

/// Random Fourier features `φ(x) = √(k(0)/m) [cos ω₁ᵀx, sin ω₁ᵀx, ..., cos ω_mᵀx, sin ω_mᵀx]`, ω from the kernel's
/// spectral measure.
///
/// `φ(x)ᵀφ(x') = (k(0)/m) Σ_j cos(ω_jᵀ(x - x'))` is k(x, x') on average, with an error that falls as `1/√m`; at x = x' it
/// is exact. The measure is normal for [`Kernel::rbf`], Student's t of 2ν degrees of freedom for the Matérn kernels,
/// Cauchy's in each feature for [`Kernel::laplacian`], a Gamma mixture of normals for the rational quadratic, a lattice
/// for [`Kernel::periodic`]. Their sums, products, powers, multiples, column subsets and projections have one too.
///
/// Orthogonal features make each d successive frequencies point in orthogonal directions, which leaves the mean as it
/// is and lowers the error.
///
/// ```
/// use mercer::Kernel;
/// use mercer::models::kernel_methods::features::{FeatureMap, RandomFourier};
/// let kernel = 2.0 * Kernel::matern32([0.5, 2.0]);
/// let map = RandomFourier::new(kernel.clone(), 2000).orthogonal(true).fit(2)?;
/// let phi = map.transform(ndarray::array![[0.0, 0.0], [0.3, 1.0]].view())?;
/// assert!((phi.row(0).dot(&phi.row(0)) - 2.0).abs() < 1e-12);
/// assert!((phi.row(0).dot(&phi.row(1)) - kernel.value(&[0.0, 0.0], &[0.3, 1.0])?).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomFourier {
    kernel: Kernel,
    count: usize,
    orthogonal: bool,
    seed: u64,
}

impl RandomFourier {
    /// m frequencies of this kernel: 2m features.
    pub fn new(kernel: Kernel, frequencies: usize) -> Self {
        RandomFourier { kernel, count: frequencies, orthogonal: false, seed: 0 }
    }

    /// Whether successive frequencies are orthogonal; they are independent by default.
    #[must_use]
    pub fn orthogonal(mut self, yes: bool) -> Self {
        self.orthogonal = yes;
        self
    }

    /// The seed of the draw; zero by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Draws the frequencies for inputs of d features.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a kernel without a known spectral measure;
    /// [`Error::Parameter`](crate::Error::Parameter) for no frequencies or a kernel that is not in order;
    /// [`Error::Shape`](crate::Error::Shape) if the kernel is one of another number of features.
    pub fn fit(&self, d: usize) -> Result<RandomFourierFeatures> {
        parameter("frequencies", self.count as f64, self.count > 0, "there must be at least one")?;
        parameter("features", d as f64, d > 0, "there must be at least one")?;
        let (amplitude, rows) =
            self.kernel.frequencies("RandomFourier::fit", d, self.count, self.orthogonal, self.seed)?;
        let omega = Array2::from_shape_fn((self.count, d), |(i, j)| rows[i][j]);
        RandomFourierFeatures::from_frequencies(omega, amplitude)
    }
}

/// The map of [`RandomFourier`].
#[derive(Debug, Clone, PartialEq)]
pub struct RandomFourierFeatures {
    /// m x d.
    omega: Array2<f64>,
    amplitude: f64,
}

impl RandomFourierFeatures {
    /// With frequencies of one's own, m x d, and k(0).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad frequencies,
    /// [`Error::Parameter`](crate::Error::Parameter) if k(0) is not positive.
    pub fn from_frequencies(omega: Array2<f64>, amplitude: f64) -> Result<Self> {
        finite("RandomFourierFeatures::from_frequencies", "omega", omega.view())?;
        positive("amplitude", amplitude)?;
        Ok(RandomFourierFeatures { omega, amplitude })
    }

    /// ω, m x d: one row for each frequency.
    pub fn frequencies(&self) -> &Array2<f64> {
        &self.omega
    }

    /// k(0), the squared length of every feature vector.
    pub fn amplitude(&self) -> f64 {
        self.amplitude
    }
}

impl FeatureMap for RandomFourierFeatures {
    fn inputs(&self) -> usize {
        self.omega.ncols()
    }

    fn outputs(&self) -> usize {
        2 * self.omega.nrows()
    }

    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("RandomFourierFeatures::transform", x, self.inputs())?;
        let m = self.omega.nrows();
        let size = (self.amplitude / m as f64).sqrt();
        let mut out = Array2::zeros((x.nrows(), 2 * m));
        let tasks: Vec<_> =
            out.axis_chunks_iter_mut(Axis(0), ROWS).zip(x.axis_chunks_iter(Axis(0), ROWS)).collect();
        tasks.into_par_iter().for_each(|(mut out, x)| {
            let mut phase = Array2::zeros((x.nrows(), m));
            product_alone(1.0, x, self.omega.t(), phase.view_mut());
            for (mut out, phase) in out.rows_mut().into_iter().zip(phase.rows()) {
                for (j, t) in phase.iter().enumerate() {
                    let (sin, cos) = t.sin_cos();
                    out[2 * j] = size * cos;
                    out[2 * j + 1] = size * sin;
                }
            }
        });
        Ok(out)
    }
}
