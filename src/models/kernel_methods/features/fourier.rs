//! Random Fourier features. Checked in `tests/kernel_methods/fourier.rs`.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::check::{finite, inputs, parameter, positive, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Transform};
use crate::matrix::{Origin, Points};
use crate::ops::{Trans, Waves, fourier, gemm, product_alone};
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Result};

/// Rows that one task transforms.
const ROWS: usize = 256;
/// Features that a device makes at a time.
const BLOCK: usize = 1 << 24;
/// Turns of a wave between the middle of the data and its farthest row beyond which f32 does not know the phase to 2e-5.
const FARTHEST: f64 = 32.0;

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
/// On a GPU the features are a product and waves of it, in f32: phases are counted in turns from the middle of the data. A
/// frequency so high that f32 loses its phase, as heavy-tailed measures have some, is transformed in f64 on the CPU.
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
    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedRandomFourier> {
        finite("RandomFourier::fit", "x", x)?;
        Ok(self.draw(x.ncols())?.on(device))
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
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedRandomFourier {
    /// The frequencies ω, m x d: one a row.
    frequencies => omega: &Array2<f64>,
    /// The squared length k(0) of every feature vector.
    amplitude: f64,
    /// Where features are computed.
    device: &Device,
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
        Ok(FittedRandomFourier { format: Format, omega, amplitude, phases: None, device: Device::cpu() })
    }

    /// The same map, with features computed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
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
        const OP: &str = "FittedRandomFourier::transform";
        inputs(OP, x, self.inputs())?;
        let (m, d) = self.omega.dim();
        let flops = 2.0 * x.nrows() as f64 * m as f64 * (d + 10) as f64;
        if self.device.suited_to(flops).is_gpu() {
            let points = Points::new(OP, &self.device, x, Origin::Free, flops)?;
            if points.device().is_gpu() {
                return self.in_turns(OP, &points);
            }
        }
        Ok(self.waves(x, self.omega.view(), self.phases.as_deref()))
    }
}

impl FittedRandomFourier {
    /// The features of some of the frequencies, in f64.
    fn waves(&self, x: ArrayView2<f64>, omega: ArrayView2<f64>, phases: Option<&[f64]>) -> Array2<f64> {
        let m = omega.nrows();
        let size = self.size();
        let mut out = Array2::zeros((x.nrows(), m * self.outputs() / self.omega.nrows()));
        let tasks: Vec<_> =
            out.axis_chunks_iter_mut(Axis(0), ROWS).zip(x.axis_chunks_iter(Axis(0), ROWS)).collect();
        tasks.into_par_iter().for_each(|(mut out, x)| {
            let mut phase = Array2::zeros((x.nrows(), m));
            product_alone(1.0, x, omega.t(), phase.view_mut());
            for (mut out, phase) in out.rows_mut().into_iter().zip(phase.rows()) {
                if let Some(shift) = phases {
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
        out
    }

    /// What a wave is multiplied by.
    fn size(&self) -> f64 {
        let pairs = self.amplitude / self.omega.nrows() as f64;
        (if self.phases.is_some() { 2.0 * pairs } else { pairs }).sqrt()
    }

    /// On a GPU: `cos 2π(ω(x - s)/2π + ωs/2π + b/2π)` with the shift s of the points, whole turns dropped in f64 where they can
    /// be; the columns of frequencies that f32 cannot follow come from the CPU.
    fn in_turns(&self, op: &'static str, points: &Points) -> Result<Array2<f64>> {
        let x = points.host();
        let (m, per) = (self.omega.nrows(), self.outputs() / self.omega.nrows());
        let apart = |row: ArrayView1<f64>| row.iter().zip(points.shift()).map(|(x, s)| (x - s).powi(2)).sum();
        let reach = x.rows().into_iter().map(apart).fold(0f64, f64::max).sqrt();
        let turns = |row: ArrayView1<f64>| row.dot(&row).sqrt() * reach / TAU;
        let far: Vec<usize> = (0..m).filter(|&j| turns(self.omega.row(j)) > FARTHEST).collect();
        if 2 * far.len() > m {
            return Ok(self.waves(x, self.omega.view(), self.phases.as_deref()));
        }
        let mut omega = &self.omega / TAU;
        for &j in &far {
            omega.row_mut(j).fill(0.0);
        }
        let mut phases: Array1<f64> = omega.dot(points.shift());
        if let Some(own) = &self.phases {
            phases.iter_mut().zip(own).for_each(|(phase, b)| *phase += b / TAU);
        }
        phases.mapv_inplace(|v| v - v.round());
        let (device, waves) = (points.device(), if per == 2 { Waves::Both } else { Waves::Cosine });
        let omega = Matrix::upload(op, device, omega.t())?;
        let phases = Matrix::upload(op, device, phases.view().insert_axis(Axis(0)))?;
        let mut out = Array2::zeros((x.nrows(), per * m));
        let rows = (BLOCK / (per * m)).max(1);
        for (mut out, x) in out.axis_chunks_iter_mut(Axis(0), rows).zip(x.axis_chunks_iter(Axis(0), rows)) {
            let turns = gemm(1.0, &points.like(op, x)?, Trans::No, &omega, Trans::No)?;
            out.assign(&fourier(&turns, &phases, self.size(), waves)?.to_array()?);
        }
        if !far.is_empty() {
            let own = self.phases.as_ref().map(|b| far.iter().map(|&j| b[j]).collect::<Vec<_>>());
            let columns = self.waves(x, self.omega.select(Axis(0), &far).view(), own.as_deref());
            for (at, j) in far.into_iter().enumerate() {
                out.slice_mut(s![.., per * j..per * (j + 1)])
                    .assign(&columns.slice(s![.., per * at..per * (at + 1)]));
            }
        }
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
