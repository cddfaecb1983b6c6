//! What a Gram matrix says of its kernel: whether it is one, the features it stands for, the distances between them.
//! Checked in `tests/svm/validity.rs`.

use ndarray::{Array1, Array2, ArrayView2};

use crate::check::{finite, inputs, not_negative};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, Transform};
use crate::linalg::eigh;
use crate::ops::{gram, gram_diagonal};
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Result};

/// Whether a Gram matrix is positive semi-definite, and if not, in which direction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PsdCheck {
    /// The least eigenvalue.
    pub least: f64,
    /// The largest eigenvalue.
    pub largest: f64,
    /// The unit vector a with `aᵀKa` the least eigenvalue: the offending direction, if that is negative.
    pub direction: Array1<f64>,
    /// What is rounding, relative to the largest eigenvalue.
    pub tolerance: f64,
}

impl PsdCheck {
    /// Whether no eigenvalue is below `-tolerance` times the largest.
    pub fn is_positive_semidefinite(&self) -> bool {
        self.least >= -self.tolerance * self.largest.abs()
    }

    /// Whether every eigenvalue is above `tolerance` times the largest.
    pub fn is_positive_definite(&self) -> bool {
        self.least > self.tolerance * self.largest.abs()
    }
}

/// Checks a matrix, n x n and symmetric.
///
/// # Errors
/// As [`eigh`], and [`Error::Parameter`](crate::Error::Parameter) for a negative tolerance.
pub fn psd_check_matrix(k: ArrayView2<f64>, tolerance: f64) -> Result<PsdCheck> {
    not_negative("tolerance", tolerance)?;
    let eigen = eigh(k)?;
    let last = eigen.values.len() - 1;
    let (least, largest) = (eigen.values[last], eigen.values[0]);
    Ok(PsdCheck { least, largest, direction: eigen.vectors.column(last).to_owned(), tolerance })
}

/// Checks the Gram matrix of a kernel on the rows of `x`: a proof that it is not positive definite, or no objection.
///
/// # Errors
/// As [`gram`] and [`psd_check_matrix`].
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[-1.0], [0.0], [2.0]];
/// assert!(psd_check(&Kernel::rbf(1.0), &x, 1e-12)?.is_positive_definite());
/// // -‖x - y‖² is no kernel.
/// let distance = mercer::kernel::Custom::new("distance", |x, y, _| -(x[0] - y[0]).powi(2)).indefinite();
/// let check = psd_check(&Kernel::custom(distance), &x, 1e-12)?;
/// assert!(!check.is_positive_semidefinite() && check.least < -1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn psd_check(kernel: &Kernel, x: impl Inputs, tolerance: f64) -> Result<PsdCheck> {
    let x = x.inputs();
    finite("psd_check", "x", x.view())?;
    let k = gram(kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
    psd_check_matrix(k.view(), tolerance)
}

/// `D_ij = ‖φ(x_i) - φ(y_j)‖² = k(x_i, x_i) + k(y_j, y_j) - 2 k(x_i, y_j)`: squared distances in the feature space, never
/// negative. White noise in the kernel, which is a feature of each row's own, is left out between x and y.
///
/// # Errors
/// As [`gram`].
///
/// ```
/// use mercer::prelude::*;
/// let (x, y) = (ndarray::array![[0.0, 0.0]], ndarray::array![[3.0, 4.0]]);
/// assert_eq!(feature_distances(&Kernel::linear(), &x, &y)?[[0, 0]], 25.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn feature_distances(kernel: &Kernel, x: impl Inputs, y: impl Inputs) -> Result<Array2<f64>> {
    let (x, y) = (x.inputs(), y.inputs());
    finite("feature_distances", "x", x.view())?;
    finite("feature_distances", "y", y.view())?;
    let (a, b) = (Matrix::from_host(x.to_owned()), Matrix::from_host(y.to_owned()));
    let mut d = gram(kernel, &a, Some(&b))?.into_array()? * -2.0;
    d += &gram_diagonal(kernel, &a)?.into_array()?;
    d += &gram_diagonal(kernel, &b)?.into_array()?.reversed_axes();
    d.mapv_inplace(|v| v.max(0.0));
    Ok(d)
}

/// The empirical feature map: `φ(x) = Λ^-½ Vᵀ k_x` of the Gram matrix `K = VΛVᵀ`, which is `Φ = VΛ^½` at the data.
///
/// `φ(x_i)ᵀφ(x_j) = k(x_i, x_j)` for the data, so that a linear model on φ is the kernel model on K. Eigenvalues below
/// `cutoff` times the largest are left out. It runs on the CPU whatever the device, and stores the `n x n` matrix.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [1.0], [3.0]];
/// let map = EmpiricalFeatures::new(Kernel::rbf(1.0)).fit(&Device::cpu(), &x)?;
/// let phi = map.transform(&x)?;
/// assert!((phi.row(0).dot(&phi.row(1)) - (-0.5_f64).exp()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EmpiricalFeatures {
    kernel: Kernel,
    cutoff: f64,
}

impl EmpiricalFeatures {
    /// A check of this kernel.
    pub fn new(kernel: Kernel) -> Self {
        EmpiricalFeatures { kernel, cutoff: 1e-12 }
    }
}

setters!(EmpiricalFeatures {
    /// Least eigenvalue that is kept, relative to the largest; 1e-12 by default.
    cutoff: f64,
});

fits!(EmpiricalFeatures: Fit -> FittedEmpiricalFeatures);

impl Fit for EmpiricalFeatures {
    type Fitted = FittedEmpiricalFeatures;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedEmpiricalFeatures> {
        finite("EmpiricalFeatures::fit", "x", x)?;
        not_negative("cutoff", self.cutoff)?;
        let k = gram(&self.kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
        let eigen = eigh(k.view())?;
        let least = self.cutoff * eigen.values[0].abs();
        let kept = eigen.values.iter().take_while(|v| **v > least).count();
        crate::check::parameter("the largest eigenvalue", eigen.values[0], kept > 0, "must be positive")?;
        let values = eigen.values.slice(ndarray::s![..kept]).to_owned();
        let map = &eigen.vectors.slice(ndarray::s![.., ..kept]) / &values.mapv(f64::sqrt);
        Ok(FittedEmpiricalFeatures {
            format: Format,
            kernel: self.kernel.clone(),
            points: x.to_owned(),
            values,
            map,
        })
    }
}

/// A fitted [`EmpiricalFeatures`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedEmpiricalFeatures {
    format: Format,
    kernel: Kernel,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    values: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    map: Array2<f64>,
}

getters!(FittedEmpiricalFeatures {
    /// The eigenvalues of the Gram matrix that were kept, descending.
    eigenvalues => values: &Array1<f64>,
    /// The kernel.
    kernel: &Kernel,
});

inherent!(FittedEmpiricalFeatures: Transform);

impl Transform for FittedEmpiricalFeatures {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedEmpiricalFeatures::transform", x, self.points.ncols())?;
        let z = Matrix::from_host(self.points.clone());
        Ok(gram(&self.kernel, &Matrix::from_host(x.to_owned()), Some(&z))?.into_array()?.dot(&self.map))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedEmpiricalFeatures);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedEmpiricalFeatures {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedEmpiricalFeatures";
        finite(OP, "the points", self.points.view())?;
        finite(OP, "the map", self.map.view())?;
        let fits = self.map.dim() == (self.points.nrows(), self.values.len());
        crate::check::require(OP, fits, || "its map and points do not fit together".to_owned())
    }
}
