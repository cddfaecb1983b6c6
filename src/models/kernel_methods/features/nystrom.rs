//! Nyström features. Checked in `tests/kernel_methods/nystrom.rs`.

use ndarray::{Array2, ArrayView2, Axis};

use super::{Landmarks, Whitening};
use crate::check::{finite, inputs, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, Transform};
use crate::linalg::Jitter;
use crate::ops::gram;
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Result};

/// Nyström's features `φ(x) = L⁻¹ [k(z_1, x), ..., k(z_m, x)]`, `LLᵀ = K_zz`, of m landmarks z.
///
/// `φ(x)ᵀφ(x') = k_z(x)ᵀ K_zz⁻¹ k_z(x')`: k itself if x or x' is a landmark, and never more than `k(x, x)` on the
/// diagonal. (`K_zz^-½` for `L⁻¹` would give the same inner products.)
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [0.1], [2.0], [2.1], [4.0]];
/// let map = Nystrom::new(Kernel::rbf(1.0), 3).landmarks(Landmarks::PivotedCholesky).fit(&Device::cpu(), &x)?;
/// let phi = map.transform(&x)?;
/// assert_eq!(phi.dim(), (5, 3));
/// assert!((phi.row(0).dot(&phi.row(3)) - (-0.5f64 * 2.1 * 2.1).exp()).abs() < 0.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if no jitter allowed helps.
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

    /// The map of these landmarks, m x d, which need not be data.
    ///
    /// # Errors
    /// As `fit`.
    pub fn with_points(&self, z: impl Inputs) -> Result<FittedNystrom> {
        let z = z.inputs();
        finite("Nystrom::with_points", "z", z.view())?;
        self.build(z.into_owned())
    }

    fn build(&self, z: Array2<f64>) -> Result<FittedNystrom> {
        let whitening = Whitening::new(&self.kernel, z, self.jitter)?;
        Ok(FittedNystrom { format: Format, kernel: self.kernel.clone(), whitening })
    }
}

setters!(Nystrom {
    /// How landmarks are chosen; uniformly by default.
    landmarks: Landmarks,
    /// The seed of that choice; zero by default.
    seed: u64,
    /// What may be added to the diagonal of `K_zz` if it is singular; by default as little as helps, and it is reported.
    jitter: Jitter,
});

fits!(Nystrom: Fit -> FittedNystrom);

impl Fit for Nystrom {
    type Fitted = FittedNystrom;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedNystrom> {
        finite("Nystrom::fit", "x", x)?;
        parameter("landmarks", self.count as f64, self.count > 0, "there must be at least one")?;
        let which = self.landmarks.choose(&self.kernel, x, self.count.min(x.nrows()), self.seed)?;
        self.build(x.select(Axis(0), &which))
    }
}

/// The map of [`Nystrom`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedNystrom {
    format: Format,
    kernel: Kernel,
    whitening: Whitening,
}

getters!(FittedNystrom {
    /// The kernel.
    kernel: &Kernel,
});

inherent!(FittedNystrom: Transform);

impl FittedNystrom {
    /// The landmarks, m x d.
    pub fn points(&self) -> &Array2<f64> {
        self.whitening.points()
    }

    /// What was added to the diagonal of `K_zz`, in absolute terms.
    pub fn jitter(&self) -> f64 {
        self.whitening.jitter()
    }

    /// The number d of features that it takes.
    pub fn inputs(&self) -> usize {
        self.points().ncols()
    }

    /// The number m of features that it makes.
    pub fn outputs(&self) -> usize {
        self.points().nrows()
    }
}

impl Transform for FittedNystrom {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedNystrom::transform", x, self.inputs())?;
        let z = Matrix::from_host(self.points().clone());
        self.whitening.features(&gram(&self.kernel, &Matrix::from_host(x.to_owned()), Some(&z))?)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNystrom);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedNystrom {
    fn check(&self) -> Result<()> {
        self.whitening.check("a saved FittedNystrom", &self.kernel)
    }
}
