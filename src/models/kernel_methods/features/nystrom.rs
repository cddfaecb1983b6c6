//! Nyström features. Checked in `tests/ridge/nystrom.rs`.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array2, ArrayView2, Axis};

use super::{FeatureMap, Landmarks, Whitening};
use crate::linalg::Jitter;
use crate::check::{finite, inputs, parameter};
use crate::ops::gram;
use crate::{Kernel, Matrix, Result};

/// Nyström's features `φ(x) = L⁻¹ [k(z_1, x), ..., k(z_m, x)]`, `LLᵀ = K_zz`, of m landmarks z.
///
/// `φ(x)ᵀφ(x') = k_z(x)ᵀ K_zz⁻¹ k_z(x')`: k itself if x or x' is a landmark, and never more than `k(x, x)` on the
/// diagonal. (`K_zz^-½` for `L⁻¹` would give the same inner products.)
///
/// ```
/// use mercer::Kernel;
/// use mercer::models::kernel_methods::features::{FeatureMap, Landmarks, Nystrom};
/// let x = ndarray::array![[0.0], [0.1], [2.0], [2.1], [4.0]];
/// let map = Nystrom::new(Kernel::rbf(1.0), 3).landmarks(Landmarks::PivotedCholesky).fit(x.view())?;
/// let phi = map.transform(x.view())?;
/// assert_eq!(phi.dim(), (5, 3));
/// assert!((phi.row(0).dot(&phi.row(3)) - (-0.5f64 * 2.1 * 2.1).exp()).abs() < 0.02);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nystrom {
    kernel: Kernel,
    count: usize,
    landmarks: Landmarks,
    jitter: Jitter,
    seed: u64,
}

impl Nystrom {
    /// m uniformly chosen landmarks of this kernel (all points, if there are fewer).
    pub fn new(kernel: Kernel, landmarks: usize) -> Self {
        Nystrom { kernel, count: landmarks, landmarks: Landmarks::Uniform, jitter: Jitter::ladder(), seed: 0 }
    }

    /// How landmarks are chosen.
    #[must_use]
    pub fn landmarks(mut self, how: Landmarks) -> Self {
        self.landmarks = how;
        self
    }

    /// The seed of that choice; zero by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What may be added to the diagonal of `K_zz` if it is singular; by default the usual ladder, reported.
    #[must_use]
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Chooses landmarks among the rows of `x`, n x d.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data;
    /// [`Error::Parameter`](crate::Error::Parameter) for no landmarks, or a kernel that is not in order;
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if no jitter allowed helps.
    pub fn fit(&self, x: ArrayView2<f64>) -> Result<NystromFeatures> {
        finite("Nystrom::fit", "x", x)?;
        parameter("landmarks", self.count as f64, self.count > 0, "there must be at least one")?;
        let which = self.landmarks.choose(&self.kernel, x, self.count.min(x.nrows()), self.seed)?;
        NystromFeatures::build(&self.kernel, x.select(Axis(0), &which), self.jitter)
    }

    /// With these landmarks, m x d, which need not be data.
    ///
    /// # Errors
    /// As [`Nystrom::fit`].
    pub fn with_points(&self, z: ArrayView2<f64>) -> Result<NystromFeatures> {
        finite("Nystrom::with_points", "z", z)?;
        NystromFeatures::build(&self.kernel, z.to_owned(), self.jitter)
    }
}

/// The map of [`Nystrom`].
#[derive(Debug)]
pub struct NystromFeatures {
    kernel: Kernel,
    whitening: Whitening,
}

impl NystromFeatures {
    fn build(kernel: &Kernel, z: Array2<f64>, jitter: Jitter) -> Result<Self> {
        Ok(NystromFeatures { kernel: kernel.clone(), whitening: Whitening::new(kernel, z, jitter)? })
    }

    /// The landmarks, m x d.
    pub fn points(&self) -> &Array2<f64> {
        self.whitening.points()
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What was added to the diagonal of `K_zz`, in absolute terms.
    pub fn jitter(&self) -> f64 {
        self.whitening.jitter()
    }
}

impl FeatureMap for NystromFeatures {
    fn inputs(&self) -> usize {
        self.points().ncols()
    }

    fn outputs(&self) -> usize {
        self.points().nrows()
    }

    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("NystromFeatures::transform", x, self.inputs())?;
        let z = Matrix::from_host(self.points().clone());
        self.whitening.features(&gram(&self.kernel, &Matrix::from_host(x.to_owned()), Some(&z))?)
    }
}
