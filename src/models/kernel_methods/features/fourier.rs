//! Random Fourier features. Checked in `tests/kernel_methods/fourier.rs`.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::check::{finite, inputs, parameter, positive, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Transform};
use crate::ops::product_alone;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

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
/// use mercer::prelude::*;
/// let kernel = 2.0 * Kernel::matern32([0.5, 2.0]);
/// let x = ndarray::array![[0.0, 0.0], [0.3, 1.0]];
/// let map = RandomFourier::new(kernel.clone(), 2000).orthogonal(true).fit(&Device::cpu(), &x)?;
/// let phi = map.transform(&x)?;
/// assert!((phi.row(0).dot(&phi.row(0)) - 2.0).abs() < 1e-12);
/// assert!((phi.row(0).dot(&phi.row(1)) - kernel.value(&[0.0, 0.0], &[0.3, 1.0])?).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Unsupported`](crate::Error::Unsupported) for a kernel without a known spectral measure;
/// [`Error::Shape`](crate::Error::Shape) if the kernel is one of another number of features.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomFourier {
    kernel: Kernel,
    count: usize,
    orthogonal: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    phases: bool,
    seed: u64,
}

impl RandomFourier {
    /// m frequencies of this kernel: 2m features.
    pub fn new(kernel: Kernel, frequencies: usize) -> Self {
        RandomFourier { kernel, count: frequencies, orthogonal: false, phases: false, seed: 0 }
    }

    /// Draws the frequencies for inputs of d features.
    pub(in crate::models) fn draw(&self, d: usize) -> Result<FittedRandomFourier> {
        parameter("frequencies", self.count as f64, self.count > 0, "there must be at least one")?;
        parameter("features", d as f64, d > 0, "there must be at least one")?;
        room("frequencies", self.count, 24 * d.saturating_add(2))?;
        let (amplitude, rows) =
            self.kernel.frequencies("RandomFourier::fit", d, self.count, self.orthogonal, self.seed)?;
        let omega = Array2::from_shape_fn((self.count, d), |(i, j)| rows[i][j]);
        let mut map = FittedRandomFourier::from_frequencies(omega, amplitude)?;
        if self.phases {
            // Another stream than that of the frequencies.
            let mut draw = crate::random::uniforms(self.seed, 1);
            map.phases = Some((0..self.count).map(|_| std::f64::consts::TAU * draw()).collect());
        }
        Ok(map)
    }
}

setters!(RandomFourier {
    /// Whether successive frequencies are orthogonal; they are independent by default.
    orthogonal: bool,
    /// Whether the features are `√(2k(0)/m) cos(ω_jᵀx + b_j)` with phases b uniform in [0, 2π): m instead of 2m, right on
    /// average, but not exact at x = x'. They are pairs of cosine and sine by default.
    phases: bool,
    /// The seed of the draw; zero by default.
    seed: u64,
});

fits!(RandomFourier: Fit -> FittedRandomFourier);

impl Fit for RandomFourier {
    type Fitted = FittedRandomFourier;

    /// Of `x` only the number of features counts.
    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedRandomFourier> {
        finite("RandomFourier::fit", "x", x)?;
        self.draw(x.ncols())
    }
}

/// The map of [`RandomFourier`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedRandomFourier {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    omega: Array2<f64>,
    amplitude: f64,
    #[cfg_attr(feature = "serde", serde(default))]
    phases: Option<Vec<f64>>,
}

getters!(FittedRandomFourier {
    /// The frequencies ω, m x d: one a row.
    frequencies => omega: &Array2<f64>,
    /// The squared length k(0) of every feature vector.
    amplitude: f64,
});

inherent!(FittedRandomFourier: Transform);

impl FittedRandomFourier {
    /// The map with frequencies of one's own, m x d, and k(0).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad frequencies,
    /// [`Error::Parameter`](crate::Error::Parameter) if k(0) is not positive.
    pub fn from_frequencies(omega: Array2<f64>, amplitude: f64) -> Result<Self> {
        finite("FittedRandomFourier::from_frequencies", "omega", omega.view())?;
        positive("amplitude", amplitude)?;
        Ok(FittedRandomFourier { format: Format, omega, amplitude, phases: None })
    }

    /// The number d of features that it takes.
    pub fn inputs(&self) -> usize {
        self.omega.ncols()
    }

    /// The number of features that it makes: 2m, or m with phases.
    pub fn outputs(&self) -> usize {
        self.omega.nrows() * if self.phases.is_some() { 1 } else { 2 }
    }

    /// The phases b, one for each frequency; none if the features are pairs of cosine and sine.
    pub fn phases(&self) -> Option<&[f64]> {
        self.phases.as_deref()
    }
}

impl Transform for FittedRandomFourier {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedRandomFourier::transform", x, self.inputs())?;
        let m = self.omega.nrows();
        let size = (self.amplitude / m as f64).sqrt();
        let mut out = Array2::zeros((x.nrows(), self.outputs()));
        let tasks: Vec<_> =
            out.axis_chunks_iter_mut(Axis(0), ROWS).zip(x.axis_chunks_iter(Axis(0), ROWS)).collect();
        tasks.into_par_iter().for_each(|(mut out, x)| {
            let mut phase = Array2::zeros((x.nrows(), m));
            product_alone(1.0, x, self.omega.t(), phase.view_mut());
            for (mut out, phase) in out.rows_mut().into_iter().zip(phase.rows()) {
                if let Some(shift) = &self.phases {
                    let size = std::f64::consts::SQRT_2 * size;
                    out.iter_mut().zip(phase).zip(shift).for_each(|((o, t), b)| *o = size * (t + b).cos());
                    continue;
                }
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

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRandomFourier);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedRandomFourier {
    fn check(&self) -> Result<()> {
        finite("a saved FittedRandomFourier", "omega", self.omega.view())?;
        let fits = self
            .phases
            .as_ref()
            .is_none_or(|b| b.len() == self.omega.nrows() && b.iter().all(|b| b.is_finite()));
        crate::check::require("a saved FittedRandomFourier", fits, || {
            "its phases and frequencies do not fit".to_owned()
        })?;
        positive("amplitude", self.amplitude)
    }
}
