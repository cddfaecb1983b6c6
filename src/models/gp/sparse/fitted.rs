//! A fitted sparse process: what was learned, what happened, and predictions.

#[cfg(feature = "serde")]
mod saved;

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, Zip, s};

use super::data::chunk;
use super::factors::{Factors, whitened};
use super::regressor::{SparseGpRegressor, SparseMethod};
use super::search::Place;
use crate::linalg::Noise;
use crate::matrix::window::windows;
use crate::check::inputs;
use crate::models::gp::predict::{Prediction, Predictive, noise_of};
use crate::models::gp::space::at_bounds;
use crate::learn::metrics::r_squared;
use crate::probability::posterior_variance::{known, left};
use crate::ops::{Along, Reduction, Side, Trans, Triangle, gemm, gram_diagonal, reduce, solve_triangular};
use crate::optim::Minimum;
use crate::{Kernel, Matrix, Result};

/// A sparse Gaussian process after its fit. All of it is f64 on the CPU, whatever the device of the search.
#[derive(Debug, Clone)]
pub struct FittedSparseGp {
    /// With the parameters that were learned.
    model: SparseGpRegressor,
    value: f64,
    gap: f64,
    jitter: f64,
    minimum: Option<Minimum>,
    pub(super) z: Matrix,
    /// L, `chol(B)` and β.
    pub(super) l: Matrix,
    pub(super) lb: Matrix,
    pub(super) beta: Matrix,
}

impl FittedSparseGp {
    /// From factors on the CPU.
    pub(super) fn new(
        model: &SparseGpRegressor,
        Place { kernel, noise, z }: Place,
        f: Factors,
        minimum: Option<Minimum>,
    ) -> Self {
        let model = SparseGpRegressor { kernel, noise, ..model.clone() };
        let (value, gap, jitter) = (f.value, f.gap, f.jitter);
        let (z, beta) = (Matrix::from_host(z), Matrix::from_host(f.beta));
        FittedSparseGp { model, value, gap, jitter, minimum, z, l: f.l, lb: f.lb, beta }
    }

    /// The mean at each row of `x` (`t x d`): `aᵀβ` with `a = L⁻¹ k(Z, x)`, `t x p`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` is empty or has another number of features,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.each(x, |_, _, _| Ok(()))
    }

    /// Mean and variance at each row of `x`: `k(x, x) - |a|² + aᵀB⁻¹a`, and the noise if asked.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and for a variance that overflows; [`Error::Parameter`](crate::Error::Parameter) for
    /// noise that is not a variance.
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<Prediction> {
        let noise = noise_of(&Noise::Same(self.noise()), what)?;
        let mut variance = Array1::from_elem(x.nrows(), noise);
        let squares = |a: &Matrix| reduce(a, Along::EachColumn, Reduction::SumSquares)?.into_array();
        let mean = self.each(x, |rows, points, a| {
            let b = solve_triangular(&self.lb, Triangle::Lower, Trans::No, Side::Left, a)?;
            let prior = gram_diagonal(self.kernel(), points)?.into_array()?.index_axis_move(Axis(1), 0);
            let (explained, learned) = (squares(a)?, squares(&b)?);
            // The first difference is that of a semi-definite matrix, below zero by rounding only.
            let rest = Zip::from(&prior).and(explained.row(0)).map_collect(|&p, &e| left(p, e));
            variance.slice_mut(s![rows]).zip_mut_with(&(rest + learned.row(0)), |v, own| *v += own);
            Ok(())
        })?;
        known("FittedSparseGp::predict", 0, &variance)?;
        Ok(Prediction { mean, variance })
    }

    /// R² of the mean at `x` for `y`, `t x p`: `1 - Σ(y - ŷ)² / Σ(y - ȳ)²`, the mean over the columns.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`Error::Shape`](crate::Error::Shape) or
    /// [`Error::NotFinite`](crate::Error::NotFinite) for a bad `y`, or for a single observation.
    pub fn score(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        r_squared("FittedSparseGp::score", y, self.predict(x)?.view())
    }

    /// Means; `then` gets each chunk's rows, points and A.
    fn each(
        &self,
        x: ArrayView2<f64>,
        mut then: impl FnMut(Range<usize>, &Matrix, &Matrix) -> Result<()>,
    ) -> Result<Array2<f64>> {
        inputs("FittedSparseGp::predict", x, self.z.cols())?;
        let mut mean = Array2::zeros((x.nrows(), self.beta.cols()));
        for rows in windows(x.nrows(), chunk(self.z.rows())) {
            let points = Matrix::from_host(x.slice(s![rows.clone(), ..]).to_owned());
            let a = whitened(self.kernel(), &self.z, &self.l, &points)?;
            let own = gemm(1.0, &a, Trans::Yes, &self.beta, Trans::No)?.into_array()?;
            mean.slice_mut(s![rows.clone(), ..]).assign(&own);
            then(rows, &points, &a)?;
        }
        Ok(mean)
    }

    /// The model, with the parameters that were learned.
    pub fn model(&self) -> &SparseGpRegressor {
        &self.model
    }

    /// The kernel with its fitted parameters.
    pub fn kernel(&self) -> &Kernel {
        &self.model.kernel
    }

    /// The variance of the noise.
    pub fn noise(&self) -> f64 {
        self.model.noise
    }

    /// The inducing inputs, `m x d`.
    pub fn inducing(&self) -> ArrayView2<'_, f64> {
        self.z.cpu().view()
    }

    /// How K was approximated.
    pub fn method(&self) -> SparseMethod {
        self.model.method
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

    /// How the search for the parameters went, if there was one. Its values are those of `-F`, less the logarithm of the
    /// priors, as its device saw them.
    pub fn optimisation(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }

    /// Names of the hyper-parameters that the search left at a bound and would have taken further: bounds to be widened,
    /// or parameters of which the data say nothing.
    pub fn at_bounds(&self) -> Vec<String> {
        let held = self.minimum.iter().flat_map(|m| m.at_bounds.iter().copied());
        at_bounds(&self.model.kernel, !self.model.noise_fixed, held)
    }
}
