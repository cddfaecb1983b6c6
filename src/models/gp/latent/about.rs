//! Latent processes about a mean function that is given, and what a saved one must satisfy. Checked in
//! `tests/probability/latent_gp.rs` and `tests/saved/probability.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::laplace::LatentGp;
use super::likelihood::PointLikelihood;
use crate::check::finite;
#[cfg(feature = "serde")]
use crate::check::numbers;
use crate::learn::configure::getters;
use crate::learn::{Inputs, Weights};
use crate::models::gp::given_mean;
use crate::models::gp::prediction::Samples;
use crate::{Kernel, Result};

/// A latent process `f = m + g` about a given mean m, `g ~ GP(0, k)` as [`LatentGp`] approximates it: classification, counts and
/// outliers with what is known beforehand.
#[derive(Debug, Clone)]
pub struct LatentAbout<F> {
    mean: F,
    residual: LatentGp,
}

getters!(LatentAbout<F> {
    /// The process g that is added to the mean; its evidence is that of y.
    residual: &LatentGp,
});

/// `m(x)` at each row.
fn at(mean: &impl Fn(ArrayView1<f64>) -> f64, x: ArrayView2<f64>) -> Result<Array1<f64>> {
    Ok(given_mean::at("LatentGp", mean, x)?.remove_axis(Axis(1)))
}

impl LatentGp {
    /// Laplace's approximation of a latent process about a given mean m.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use mercer::models::gp::{LatentGp, LogisticLikelihood};
    /// use ndarray::array;
    /// let (x, y) = (array![[-1.0], [1.0]], array![-1.0, 1.0]);
    /// let gp = LatentGp::laplace_about(&Kernel::rbf(1.0), &LogisticLikelihood, &x, &y, |x| 3.0 * x[0])?;
    /// let far = gp.latent(array![[50.0]])?;
    /// assert!((far.0[0] - 150.0).abs() < 1e-9); // far from data the mean is back
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`laplace`](Self::laplace), and [`Error::NotFinite`](crate::Error::NotFinite) where m is not finite.
    pub fn laplace_about<F: Fn(ArrayView1<f64>) -> f64>(
        kernel: &Kernel,
        likelihood: &impl PointLikelihood,
        x: impl Inputs,
        y: impl Weights,
        mean: F,
    ) -> Result<LatentAbout<F>> {
        let (x, y) = (x.inputs(), y.weights());
        finite("LatentGp", "x", x.view())?;
        let known = at(&mean, x.view())?;
        let residual = Self::laplace_beside(kernel, likelihood, x.view(), y.view(), &known)?;
        Ok(LatentAbout { mean, residual })
    }
}

impl<F: Fn(ArrayView1<f64>) -> f64> LatentAbout<F> {
    /// Means and variances of the latent function `m + g` at new points.
    ///
    /// # Errors
    /// As [`LatentGp::latent`], and where m is not finite.
    pub fn latent(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        let (mean, variance) = self.residual.latent(x.view())?;
        Ok((mean + at(&self.mean, x.view())?, variance))
    }

    /// Means and the joint covariance of the latent function at new points.
    ///
    /// # Errors
    /// As [`LatentGp::latent_joint`], and where m is not finite.
    pub fn latent_joint(&self, x: impl Inputs) -> Result<(Array1<f64>, Array2<f64>)> {
        let x = x.inputs();
        let (mean, covariance) = self.residual.latent_joint(x.view())?;
        Ok((mean + at(&self.mean, x.view())?, covariance))
    }
}

impl<F: Fn(ArrayView1<f64>) -> f64> LatentAbout<F> {
    /// Draws of the latent function `m + g` at new points, together: `count x m x 1`; the seed decides.
    ///
    /// # Errors
    /// As [`LatentGp::sample_latent`], and where m is not finite.
    pub fn sample_latent(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Samples> {
        let x = x.inputs();
        let mut drawn = self.residual.sample_latent(x.view(), count, seed)?;
        drawn.values += &at(&self.mean, x.view())?.insert_axis(Axis(1));
        Ok(drawn)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(LatentGp);

#[cfg(feature = "serde")]
impl crate::saved::Checked for LatentGp {
    fn check(&self) -> Result<()> {
        use crate::check::{number, require};
        const OP: &str = "a saved LatentGp";
        finite(OP, "x", self.x.view())?;
        let (n, d) = self.x.dim();
        self.kernel.fits(OP, d)?;
        let vectors = [&self.mode, &self.alpha, &self.curvature];
        let matrices = [&self.inner, &self.covariance];
        let fits = vectors.iter().all(|v| v.len() == n) && matrices.iter().all(|m| m.dim() == (n, n));
        require(OP, fits, || format!("{n} points, vectors or matrices of another size"))?;
        vectors.iter().try_for_each(|v| numbers(OP, "a vector", v.view().insert_axis(Axis(1))))?;
        matrices.iter().try_for_each(|m| numbers(OP, "a matrix", m.view()))?;
        // f = Ka: coefficients that are those of the mode.
        let k = super::laplace::covariance_of(&self.kernel, self.x.view(), None)?;
        let size = self.mode.iter().fold(1f64, |m, v| m.max(v.abs()));
        let near = (k.dot(&self.alpha) - &self.mode).iter().all(|v| v.abs() <= 1e-6 * size);
        require(OP, near, || "coefficients that are not those of the mode".to_owned())?;
        number(OP, "the evidence", self.log_evidence).map(drop)
    }
}
