//! Variances without a stored matrix, and how much too large they may be.

use ndarray::{Array1, ArrayView2, Axis};

use super::LargeParams;
use super::evidence::Parts;
use crate::ops::{gram, gram_diagonal};
use crate::{Kernel, Matrix, Result};

/// Inputs whose variances are solved for together.
const BLOCK: usize = 64;

impl Parts {
    /// Latent variances at each row of `x`, and for each a bound of its excess over the exact one.
    ///
    /// With w the solution reached and r its residual, `2k(x, X)w - wᵀCw` falls short of `k(x, X)C⁻¹k(X, x)` by
    /// `rᵀC⁻¹r`: the variance is never too small, and too large by at most `|r|² / noise`.
    pub fn variances(
        &self,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        params: &LargeParams,
    ) -> Result<(Array1<f64>, Array1<f64>)> {
        let system = &self.system;
        let floor = system.noise().fold(f64::INFINITY, |m, v| m.min(*v));
        let (mut variance, mut excess) = (Vec::with_capacity(x.nrows()), Vec::with_capacity(x.nrows()));
        for some in x.axis_chunks_iter(Axis(0), BLOCK) {
            let at = Matrix::from_host(some.to_owned());
            let prior = gram_diagonal(kernel, &at)?.into_array()?;
            let across = gram(kernel, &system.x_host, Some(&at))?.into_array()?;
            let w = system.solve(across.view(), params.variance_tolerance, params)?.x;
            let image = system.apply(w.view())?;
            for j in 0..some.nrows() {
                let (k, w, image) = (across.column(j), w.column(j), image.column(j));
                let explained = 2.0 * k.dot(&w) - w.dot(&image);
                let rest = &k - &image;
                variance.push((prior[[j, 0]] - explained).max(0.0));
                excess.push(rest.dot(&rest) / floor);
            }
        }
        Ok((Array1::from(variance), Array1::from(excess)))
    }
}
