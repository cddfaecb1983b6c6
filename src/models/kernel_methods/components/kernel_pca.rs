//! Kernel principal component analysis.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::leading::Leading;
use super::turned;
use crate::check::{components, finite, inputs, not_negative, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, InverseTransform, Transform};
use crate::linalg::EigenParams;
use crate::models::kernel_methods::expansion::Expansion;
use crate::ops::gram_diagonal;
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Result};

/// Kernel PCA: the directions `v_m = Σ_i a_mi (φ(x_i) - φ̄)` of largest variance in the feature space.
///
/// `K̃u_m = κ_m u_m` for the centred Gram matrix `K̃ = HKH`, `a_m = u_m / √κ_m`, so that `v_m` has unit length; the score of a
/// point is `a_mᵀk̃_x` with its row of kernel values centred by the means of the data. The variance along `v_m` is
/// `κ_m / n`. Components with κ below `cutoff` times the largest are left out, and there are at most n - 1.
///
/// The `n x n` matrix is stored: on a GPU in f32, where it is made, centred and multiplied, while the small problems of the
/// search are solved in f64; components too near the rounding of f32 are found in f64 on the CPU. For more observations than
/// memory allows, put [`Nystrom`](super::super::features::Nystrom) or
/// [`RandomFourier`](super::super::features::RandomFourier) in front of `Pca`.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// // Two rings that no line separates.
/// let x = Array2::from_shape_fn((40, 2), |(i, j)| {
///     let (r, t) = (if i < 20 { 1.0 } else { 3.0 }, i as f64);
///     r * if j == 0 { t.cos() } else { t.sin() }
/// });
/// let fitted = KernelPca::new(Kernel::rbf(1.0), 2).fit(&Device::cpu(), &x)?;
/// let z = fitted.transform(&x)?;
/// let inner = |i: usize| z[[i, 0]] > 0.0;
/// assert!((0..20).all(|i| inner(i) == inner(0)) && (20..40).all(|i| inner(i) != inner(0)));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelPca {
    kernel: Kernel,
    count: usize,
    cutoff: f64,
    seed: u64,
}

impl KernelPca {
    /// With this kernel and so many components.
    pub fn new(kernel: Kernel, components: usize) -> Self {
        KernelPca { kernel, count: components, cutoff: 1e-12, seed: 0 }
    }
}

setters!(KernelPca {
    /// The kernel.
    kernel: Kernel,
    /// Number of components.
    components => count: usize,
    /// Least eigenvalue that is kept, relative to the largest; 1e-12 by default.
    cutoff: f64,
    /// Seed of the search for the leading eigenvectors; zero by default.
    seed: u64,
});

fits!(KernelPca: Fit -> FittedKernelPca);

const OP: &str = "KernelPca::fit";

impl Fit for KernelPca {
    type Fitted = FittedKernelPca;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedKernelPca> {
        finite(OP, "x", x)?;
        components("components", self.count, x.nrows())?;
        not_negative("cutoff", self.cutoff)?;
        let params = EigenParams::new().seed(self.seed);
        let Leading { pairs: found, rows, mean, total, size } =
            Leading::of(OP, &self.kernel, device, x, self.count, &params)?;
        // What is left of equal points by rounding is no variance.
        let rounding = 1e-14 * size * x.nrows() as f64;
        let least = (self.cutoff * found.values[0]).max(rounding);
        let kept = found.values.iter().take_while(|v| **v > least).count();
        let requirement = "must be more than rounding: all points are one in this feature space";
        parameter("the largest eigenvalue", found.values[0], kept > 0, requirement)?;
        let eigenvalues = found.values.slice(s![..kept]).to_owned();
        let mut map = Array2::zeros((x.nrows(), kept));
        for (m, mut column) in map.columns_mut().into_iter().enumerate() {
            let u = turned(found.vectors.column(m));
            let centre = u.mean().unwrap_or(0.0);
            column.assign(&((u - centre) / eigenvalues[m].sqrt()));
        }
        let offset = -rows.dot(&map);
        let expansion = Expansion { kernel: self.kernel.clone(), points: x.to_owned(), coefficients: map };
        Ok(FittedKernelPca { format: Format, expansion, offset, eigenvalues, mean, total })
    }
}

/// A fitted [`KernelPca`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelPca {
    format: Format,
    pub(super) expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offset: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    eigenvalues: Array1<f64>,
    mean: f64,
    total: f64,
}

getters!(FittedKernelPca {
    /// The leading eigenvalues κ of the centred Gram matrix, descending.
    eigenvalues: &Array1<f64>,
    /// The coefficients a of the directions, n x k: columns sum to zero.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The trace of the centred Gram matrix: the sum of all its eigenvalues, kept or not.
    total => total: f64,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelPca: Transform, InverseTransform);

impl FittedKernelPca {
    /// The variance of the data along each direction, `κ / n`.
    pub fn explained_variance(&self) -> Array1<f64> {
        &self.eigenvalues / self.expansion.points.nrows() as f64
    }

    /// `transform` on a device; on a GPU in f32.
    ///
    /// # Errors
    /// As `transform`, and those of the device.
    pub fn transform_on(&self, device: &Device, x: impl Inputs) -> Result<Array2<f64>> {
        // Columns of a sum to zero, so that of the four terms of a centred row two vanish.
        Ok(self.expansion.at("FittedKernelPca::transform", device, x.inputs().view())? + &self.offset)
    }

    /// `‖φ(x) - Pφ(x)‖²`: what the components leave of each row of `x`, in the feature space. Large for what is unlike the
    /// data.
    ///
    /// # Errors
    /// As `transform`.
    pub fn reconstruction_error(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        let scores = Transform::transform(self, x.view())?;
        let n = self.expansion.points.nrows();
        let own = gram_diagonal(&self.expansion.kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        let (kernel, points) = (self.expansion.kernel.clone(), self.expansion.points.clone());
        let means = Expansion { kernel, points, coefficients: Array2::from_elem((n, 1), 1.0 / n as f64) };
        let means = means.at("FittedKernelPca::reconstruction_error", &Device::cpu(), x.view())?;
        let length = &own.column(0) - &(2.0 * &means.column(0)) + self.mean;
        let kept = scores.mapv(|z| z * z).sum_axis(Axis(1));
        Ok((length - kept).mapv(|v| v.max(0.0)))
    }
}

impl Transform for FittedKernelPca {
    /// In f64 on the CPU.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.transform_on(&Device::cpu(), x)
    }
}

impl InverseTransform for FittedKernelPca {
    /// Pre-images: for each row of scores the x whose φ(x) is nearest to the point of the feature space that they stand for,
    /// searched from the nearest of the data. It exists for kernels that can be differentiated.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedKernelPca::inverse_transform", z, self.eigenvalues.len())?;
        self.pre_images(z)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelPca);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedKernelPca {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKernelPca";
        self.expansion.check()?;
        let k = self.expansion.coefficients.ncols();
        let fits = self.offset.len() == k && self.eigenvalues.len() == k;
        crate::check::require(OP, fits, || "its components do not fit together".to_owned())?;
        finite(OP, "an offset", self.offset.view().insert_axis(Axis(1)))?;
        finite(OP, "an eigenvalue", self.eigenvalues.view().insert_axis(Axis(1)))
    }
}
