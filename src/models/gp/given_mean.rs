//! Gaussian processes about a mean function that is given: `f ~ GP(m, k)` is `m + GP(0, k)`. Checked in
//! `tests/probability/gp.rs`.

use ndarray::{Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis};

use super::prediction::{Samples, draw};
use super::raised::raised;
use super::{FittedGp, FittedSparseGp, GpRegressor};
use crate::check::finite;
use crate::learn::configure::getters;
use crate::learn::{Fit, Inputs, TargetDim, Targets};
use crate::ops::gram;
use crate::probability::special::sigmoid;
use crate::{Device, Matrix, Result};

/// `m(x)` at each row, a column.
pub(super) fn at(
    op: &'static str,
    mean: impl Fn(ArrayView1<f64>) -> f64,
    x: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    let values: Array1<f64> = x.rows().into_iter().map(mean).collect();
    let values = values.insert_axis(Axis(1));
    crate::check::numbers(op, "the mean function", values.view())?;
    Ok(values)
}

/// What a model makes of `y - m(x)`.
fn residual<D: TargetDim, M: Fit<ArrayRef<f64, D>>>(
    op: &'static str,
    model: &M,
    device: &Device,
    (x, y): (ArrayView2<f64>, &ArrayRef<f64, D>),
    mean: impl Fn(ArrayView1<f64>) -> f64,
) -> Result<M::Fitted> {
    crate::check::pairs(op, x, D::columns(y))?;
    let rest = D::shaped(&D::columns(y) - &at(op, mean, x)?);
    model.fit(device, x, &*rest)
}

/// A process that was fitted about a given mean: predictions are those of the residual plus `m(x)`.
#[derive(Debug, Clone)]
pub struct FittedAbout<F, D = ndarray::Ix1> {
    mean: F,
    residual: FittedGp<D>,
}

getters!(FittedAbout<F, D> {
    /// The process that was fitted to `y - m(x)`; its evidence is that of y.
    residual: &FittedGp<D>,
});

impl GpRegressor {
    /// Fits `y - m(x)`: the process has the given mean m, without coefficients. With a [`Mean`](super::Mean) as well, that is fitted to
    /// what m leaves.
    ///
    /// # Errors
    /// As `fit`, and [`Error::NotFinite`](crate::Error::NotFinite) where m is not finite.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01);
    /// let fitted = gp.fit_about(&Device::cpu(), array![[0.0], [1.0]], array![5.0_f64, 7.0], |x| 5.0 + 2.0 * x[0])?;
    /// let far = fitted.predict_latent(array![[100.0]])?;
    /// assert!((far.mean[0] - 205.0).abs() < 1e-9); // far from data the mean is back
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_about<D: TargetDim, F: Fn(ArrayView1<f64>) -> f64>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        mean: F,
    ) -> Result<FittedAbout<F, D>> {
        let (x, y) = (x.inputs(), y.targets());
        let residual = residual("GpRegressor::fit_about", self, device, (x.view(), &*y), &mean)?;
        Ok(FittedAbout { mean, residual })
    }

    /// Functions drawn from the prior about a given mean at the rows of `x`: `count x m x 1`; the seed decides, and draws of one
    /// seed differ by the kernel alone.
    ///
    /// # Errors
    /// As [`sample_prior`](Self::sample_prior), and where m is not finite.
    pub fn sample_prior_about(
        &self,
        x: impl Inputs,
        mean: impl Fn(ArrayView1<f64>) -> f64,
        count: usize,
        seed: u64,
    ) -> Result<Samples> {
        const OP: &str = "GpRegressor::sample_prior_about";
        let x = x.inputs();
        self.affords_joint(OP, (0, x.nrows()), (count, 1), false)?;
        finite(OP, "x", x.view())?;
        let covariance = gram(self.kernel(), &Matrix::from_host(x.to_owned()), None)?.into_array()?;
        let scale = covariance.diag().mean().unwrap_or(0.0);
        draw(&at(OP, mean, x.view())?, &covariance, scale, count, seed)
    }

    /// Prior functions of a classifier: `σ(f(x))` for f drawn about a given mean, all in (0, 1).
    ///
    /// # Errors
    /// As [`sample_prior_about`](Self::sample_prior_about).
    pub fn sample_prior_probabilities(
        &self,
        x: impl Inputs,
        mean: impl Fn(ArrayView1<f64>) -> f64,
        count: usize,
        seed: u64,
    ) -> Result<Samples> {
        let mut drawn = self.sample_prior_about(x, mean, count, seed)?;
        drawn.values.mapv_inplace(sigmoid);
        Ok(drawn)
    }

    /// `log p(y | θ)` on a grid of two hyper-parameters of [`theta`](Self::theta), by their numbers and values on the scale of the
    /// optimiser: a row for each value of the first. What cannot be factored is minus infinity.
    ///
    /// # Errors
    /// As [`log_evidence`](Self::log_evidence), and [`Error::Parameter`](crate::Error::Parameter) for a number that is not there.
    pub fn evidence_grid<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        (first, rows): (usize, &[f64]),
        (second, columns): (usize, &[f64]),
    ) -> Result<Array2<f64>> {
        let (x, y) = (x.inputs(), y.targets());
        let theta = self.theta();
        for at in [first, second] {
            let inside = at < theta.len();
            crate::check::parameter(
                "number of a hyper-parameter",
                at as f64,
                inside,
                "must be one of `theta`",
            )?;
        }
        crate::check::parameter(
            "number of the second hyper-parameter",
            second as f64,
            first != second,
            "must be another than the first",
        )?;
        let mut out = Array2::zeros((rows.len(), columns.len()));
        for ((i, j), value) in out.indexed_iter_mut() {
            let mut theta = theta.clone();
            theta[first] = rows[i];
            theta[second] = columns[j];
            *value = match self.with_theta(&theta)?.log_evidence(device, x.view(), &*y) {
                Ok(found) => found.value,
                Err(crate::Error::NotPositiveDefinite { .. }) => f64::NEG_INFINITY,
                Err(other) => return Err(other),
            };
        }
        Ok(out)
    }
}

impl<D: TargetDim, F: Fn(ArrayView1<f64>) -> f64> FittedAbout<F, D> {
    /// `m(x)` at each row.
    fn offset(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        at("FittedAbout", &self.mean, x)
    }
}

raised!(FittedAbout, FittedGp, f64);

impl<D: TargetDim> FittedGp<D> {
    /// `log p(y)` by parts, `(fit, complexity, constant)`: `-½ yᵀC⁻¹y` rewards what explains the data, `-½ ln|C|` what is simple.
    /// Their sum is the log evidence.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the covariance was not stored.
    pub fn evidence_parts(&self) -> Result<(f64, f64, f64)> {
        let (n, q) = self.y().dim();
        let complexity = -0.5 * q as f64 * self.factor()?.log_det()?;
        let constant = -0.5 * (n * q) as f64 * std::f64::consts::TAU.ln();
        Ok((self.log_evidence() - complexity - constant, complexity, constant))
    }
}

impl super::SparseGpRegressor {
    /// Fits `y - m(x)` through inducing points: the process has the given mean m. Predictions are those of the residual plus
    /// `m(x)`.
    ///
    /// # Errors
    /// As `fit`, and [`Error::NotFinite`](crate::Error::NotFinite) where m is not finite.
    pub fn fit_about<D: TargetDim, F: Fn(ArrayView1<f64>) -> f64>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        mean: F,
    ) -> Result<SparseAbout<F, D>> {
        let (x, y) = (x.inputs(), y.targets());
        let residual = residual("SparseGpRegressor::fit_about", self, device, (x.view(), &*y), &mean)?;
        Ok(SparseAbout { mean, residual })
    }
}

/// A sparse process that was fitted about a given mean.
#[derive(Debug, Clone)]
pub struct SparseAbout<F, D = ndarray::Ix1> {
    mean: F,
    residual: FittedSparseGp<D>,
}

getters!(SparseAbout<F, D> {
    /// The sparse process that was fitted to `y - m(x)`; its bound is that of y.
    residual: &FittedSparseGp<D>,
});

impl<D: TargetDim, F: Fn(ArrayView1<f64>) -> f64> SparseAbout<F, D> {
    /// `m(x)` at each row.
    fn offset(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        at("SparseAbout", &self.mean, x)
    }
}

raised!(SparseAbout, FittedSparseGp, f64);
