//! A fitted sparse process: what was learned, what happened, and predictions.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::data::{chunk, parts};
use super::factors::{Factors, whitened};
use super::regressor::SparseMethod;
use super::search::Place;
use crate::linalg::Noise;
use crate::models::check::inputs;
use crate::models::gp::predict::{Prediction, Predictive, noise_of};
use crate::ops::{Along, Reduction, Side, Trans, Triangle, gemm, gram_diagonal, reduce, solve_triangular};
use crate::optim::Minimum;
use crate::{Device, Kernel, Matrix, Result};

/// A sparse Gaussian process after its fit.
#[derive(Debug)]
pub struct FittedSparseGp {
    pub(super) device: Device,
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    pub(super) inducing: Array2<f64>,
    pub(super) method: SparseMethod,
    pub(super) value: f64,
    pub(super) gap: f64,
    pub(super) jitter: f64,
    pub(super) minimum: Option<Minimum>,
    /// Z, L, `chol(B)` and β, where predictions are made.
    pub(super) z: Matrix,
    pub(super) l: Matrix,
    pub(super) lb: Matrix,
    pub(super) beta: Matrix,
}

impl FittedSparseGp {
    pub(super) fn new(
        device: &Device,
        Place { kernel, noise, z: inducing }: Place,
        method: SparseMethod,
        f: Factors,
        minimum: Option<Minimum>,
    ) -> Result<Self> {
        let beta = Matrix::upload("SparseGpRegressor", device, f.beta.view())?;
        let lb = f.lb.to_device(device)?;
        let (value, gap, jitter, z, l) = (f.value, f.gap, f.jitter, f.z, f.l_on);
        let device = device.clone();
        Ok(FittedSparseGp {
            device,
            kernel,
            noise,
            inducing,
            method,
            value,
            gap,
            jitter,
            minimum,
            z,
            l,
            lb,
            beta,
        })
    }

    /// The mean at each row of `x` (`t x d`): `aᵀβ` with `a = L⁻¹ k(Z, x)`, `t x p`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` is empty or has another number of features,
    /// [`Error::NotFinite`](crate::Error::NotFinite); those of the device.
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.each(x, |_, _, _| Ok(()))
    }

    /// Mean and variance at each row of `x`: `k(x, x) - |a|² + aᵀB⁻¹a`, and the noise if asked.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`Error::Parameter`](crate::Error::Parameter) for noise that is not a variance.
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<Prediction> {
        let noise = noise_of(&Noise::Same(self.noise), what)?;
        let mut variance = Array1::from_elem(x.nrows(), noise);
        let squares = |a: &Matrix| reduce(a, Along::EachColumn, Reduction::SumSquares)?.into_array();
        let mean = self.each(x, |rows, points, a| {
            let b = solve_triangular(&self.lb, Triangle::Lower, Trans::No, Side::Left, a)?;
            let points = Matrix::from_host(points.to_owned());
            let prior = gram_diagonal(&self.kernel, &points)?.into_array()?.index_axis_move(Axis(1), 0);
            let (known, learned) = (squares(a)?, squares(&b)?);
            // The first difference is that of a semi-definite matrix, below zero by rounding only.
            let rest = (prior - known.row(0)).mapv(|v| v.max(0.0));
            variance.slice_mut(s![rows]).zip_mut_with(&(rest + learned.row(0)), |v, own| *v += own);
            Ok(())
        })?;
        Ok(Prediction { mean, variance })
    }

    /// Means; `then` gets each chunk's rows, points and A.
    fn each(
        &self,
        x: ArrayView2<f64>,
        mut then: impl FnMut(Range<usize>, ArrayView2<f64>, &Matrix) -> Result<()>,
    ) -> Result<Array2<f64>> {
        const OP: &str = "FittedSparseGp::predict";
        inputs(OP, x, self.inducing.ncols())?;
        let mut mean = Array2::zeros((x.nrows(), self.beta.cols()));
        for part in parts(OP, &self.device, x, chunk(self.inducing.nrows()))? {
            let a = whitened(&self.kernel, &self.z, &self.l, &part.x)?;
            let own = gemm(1.0, &a, Trans::Yes, &self.beta, Trans::No)?.into_array()?;
            mean.slice_mut(s![part.rows.clone(), ..]).assign(&own);
            then(part.rows.clone(), x.slice(s![part.rows, ..]), &a)?;
        }
        Ok(mean)
    }

    /// The kernel with its fitted parameters.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The variance of the noise.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The inducing inputs, `m x d`.
    pub fn inducing(&self) -> ArrayView2<'_, f64> {
        self.inducing.view()
    }

    /// How K was approximated.
    pub fn method(&self) -> SparseMethod {
        self.method
    }

    /// The bound of the log marginal likelihood; for DTC and FITC, that likelihood of their own model.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.value
    }

    /// `tr(K - Q)`: the variance that the inducing points do not explain. Zero if they miss nothing.
    pub fn unexplained(&self) -> f64 {
        self.gap
    }

    /// What was added to the diagonal of `K_zz`, in absolute terms.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// How the search for the parameters went, if there was one. Its values are those of `-F`.
    pub fn optimisation(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }
}
