//! Predictive densities of observations: averaged over the latent value, and plugged in. Checked in
//! `tests/probability/latent_gp.rs`.

use ndarray::Array1;

use super::laplace::LatentGp;
use super::likelihood::PointLikelihood;
use crate::Result;
use crate::learn::Inputs;
use crate::probability::normal::density;
use crate::probability::quadrature::integral;

/// Standard deviations beyond which the normal density adds less than 1e-18.
const WIDE: f64 = 9.0;
/// Panels of eight nodes on that range.
const PANELS: usize = 256;

impl LatentGp {
    /// `p(y | x) = ∫ p(y | f) N(f; μ(x), v(x)) df` at each row of `x`, for the likelihood of the fit: the probability of a label or a
    /// count, the density of a number. By quadrature; a likelihood that is narrower than a hundredth of the latent deviation is seen by
    /// few nodes.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use mercer::models::gp::{LatentGp, LogisticLikelihood};
    /// use ndarray::array;
    /// let gp = LatentGp::laplace(&Kernel::rbf(1.0), &LogisticLikelihood, array![[-1.0], [1.0]], array![-1.0, 1.0])?;
    /// let yes = gp.predictive(array![[1.0]], 1.0, &LogisticLikelihood)?[0];
    /// let sure = gp.plug_in(array![[1.0]], 1.0, &LogisticLikelihood)?[0];
    /// assert!(0.5 < yes && yes < sure);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`latent`](Self::latent), and for an observation that cannot be.
    pub fn predictive(
        &self,
        x: impl Inputs,
        y: f64,
        likelihood: &impl PointLikelihood,
    ) -> Result<Array1<f64>> {
        likelihood.check(y)?;
        let (mean, variance) = self.latent(x)?;
        let each = |(&m, &v): (&f64, &f64)| {
            let sd = v.sqrt();
            integral(-WIDE, WIDE, PANELS, |z| likelihood.local(y, m + sd * z).log.exp() * density(z))
        };
        Ok(mean.iter().zip(&variance).map(each).collect())
    }

    /// `p(y | f = μ(x))` at each row of `x`, the plug-in, which takes the latent value as known and so is too sure of itself.
    ///
    /// # Errors
    /// As [`predictive`](Self::predictive).
    pub fn plug_in(&self, x: impl Inputs, y: f64, likelihood: &impl PointLikelihood) -> Result<Array1<f64>> {
        likelihood.check(y)?;
        Ok(self.latent(x)?.0.mapv(|f| likelihood.local(y, f).log.exp()))
    }
}
