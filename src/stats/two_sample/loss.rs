//! The discrepancy as a loss: its gradient by the observations of one sample. Checked in `tests/svm/spectral.rs`.

use ndarray::Array2;

use super::mmd::Mmd;
use crate::check::two_samples;
use crate::learn::Inputs;
use crate::{Device, Result};

impl Mmd {
    /// The unbiased estimate and its gradient by the rows of `x`: what moves a generator's samples towards the data `y`.
    ///
    /// `∂/∂x_i = 2/(m(m-1)) Σ_{j≠i} ∂k(x_i, x_j) - 2/(mn) Σ_j ∂k(x_i, y_j)`, ∂ by the first argument: `m x d`, in f64 on the
    /// CPU. The gradient by a parameter of a generator follows by the chain rule.
    ///
    /// # Errors
    /// As [`Mmd::unbiased`], and [`Kernel::input_gradient`](crate::Kernel::input_gradient).
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let (x, y) = (array![[0.0], [1.0]], array![[2.0], [3.0], [4.0]]);
    /// let (_, gradient) = Mmd::new(Kernel::rbf(2.0)).loss(&x, &y)?;
    /// assert!(gradient.iter().all(|g| *g < 0.0)); // downhill is towards y
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn loss(&self, x: impl Inputs, y: impl Inputs) -> Result<(f64, Array2<f64>)> {
        let (x, y) = (x.inputs(), y.inputs());
        two_samples("Mmd::loss", x.view(), y.view(), 2)?;
        let (m, n) = (x.nrows() as f64, y.nrows() as f64);
        let value = self.unbiased(&Device::cpu(), x.view(), y.view())?;
        let mut own = Array2::from_elem((x.nrows(), x.nrows()), 2.0 / (m * (m - 1.0)));
        own.diag_mut().fill(0.0);
        let across = Array2::from_elem((x.nrows(), y.nrows()), -2.0 / (m * n));
        let kernel = self.kernel();
        let gradient = kernel.input_gradient(x.view(), x.view(), own.view())?
            + kernel.input_gradient(x.view(), y.view(), across.view())?;
        Ok((value, gradient))
    }
}
