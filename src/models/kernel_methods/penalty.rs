//! Norms of a kernel's function space as penalties on derivatives. Checked in `tests/svm/spectral.rs` by quadrature.

use ndarray::{ArrayView1, ArrayView2};

use crate::check::{block, finite, positive};
use crate::learn::Inputs;
use crate::ops::gram_vec;
use crate::{Kernel, Matrix, Result};

/// `‖f‖² = αᵀKα` of `f = Σ_i α_i k(·, x_i)`: the penalty that kernel methods put on it.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for another number of coefficients than points, and as
/// [`gram_vec`].
pub fn squared_norm(kernel: &Kernel, x: impl Inputs, coefficients: ArrayView1<f64>) -> Result<f64> {
    let x = x.inputs();
    finite("squared_norm", "x", x.view())?;
    let a: ArrayView2<f64> = coefficients.insert_axis(ndarray::Axis(1));
    block("squared_norm", "the coefficients", a, x.nrows())?;
    let points = Matrix::from_host(x.to_owned());
    let ka = gram_vec(kernel, &points, Some(&points), &Matrix::from_host(a.to_owned()))?.into_array()?;
    Ok(ka.column(0).dot(&a.column(0)))
}

/// The norm of a Matérn kernel on the line, written as a penalty on derivatives: `‖f‖² = Σ_j c_j ∫ (f^(j))²`.
///
/// | kernel | coefficients c₀, c₁, c₂ |
/// |---|---|
/// | `½ exp(-abs(x - x'))` (Sobolev) | 1, 1 |
/// | Matérn-½ of length γ | `1/(2γ)`, `γ/2` |
/// | Matérn-3/2 of length γ | `9c/γ⁴`, `6c/γ²`, c with `c = γ³/(12√3)` |
///
/// ```
/// use mercer::models::kernel_methods::DerivativePenalty;
/// let penalty = DerivativePenalty::matern32(0.8)?;
/// assert!((penalty.weights()[2] - 0.02463361149).abs() < 1e-11);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DerivativePenalty {
    kernel: Kernel,
    weights: Vec<f64>,
}

impl DerivativePenalty {
    /// `∫ f² + ∫ f'²`, the norm of the first Sobolev space.
    pub fn sobolev() -> Self {
        DerivativePenalty { kernel: 0.5 * Kernel::matern12(1.0), weights: vec![1.0, 1.0] }
    }

    /// The norm of the Matérn-½ kernel of this length scale.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a length scale that is not positive.
    pub fn matern12(lengthscale: f64) -> Result<Self> {
        positive("lengthscale", lengthscale)?;
        let weights = vec![0.5 / lengthscale, 0.5 * lengthscale];
        Ok(DerivativePenalty { kernel: Kernel::matern12(lengthscale), weights })
    }

    /// The norm of the Matérn-3/2 kernel of this length scale.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a length scale that is not positive.
    pub fn matern32(lengthscale: f64) -> Result<Self> {
        positive("lengthscale", lengthscale)?;
        let c = lengthscale.powi(3) / (12.0 * 3f64.sqrt());
        let weights = vec![9.0 * c / lengthscale.powi(4), 6.0 * c / lengthscale.powi(2), c];
        Ok(DerivativePenalty { kernel: Kernel::matern32(lengthscale), weights })
    }

    /// The kernel whose norm it is: for use in kernel ridge regression or any other penalised fit.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The weight of each squared derivative, the function itself first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The penalty of `f = Σ_i α_i k(·, x_i)`, `αᵀKα`.
    ///
    /// # Errors
    /// As [`squared_norm`].
    pub fn of_expansion(&self, x: impl Inputs, coefficients: ArrayView1<f64>) -> Result<f64> {
        squared_norm(&self.kernel, x, coefficients)
    }
}
