//! A fitted sparse process: what was learned, what happened, and predictions.

use std::marker::PhantomData;
use std::ops::Range;

use ndarray::{Array, Array1, Array2, ArrayView2, Axis, Ix2, Zip, s};

use super::data::chunk;
use super::first_pass::{Factors, whitened};
use super::model::{SparseGpRegressor, SparseMethod};
use super::variables::SearchPoint;
use crate::check::inputs;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, PredictDistribution, TargetDim};
use crate::linalg::Noise;
use crate::matrix::window::windows;
use crate::models::gp::hyper_space::at_bounds;
use crate::models::gp::prediction::{Prediction, Predictive};
use crate::ops::{Along, Reduction, Side, Trans, Triangle, gemm, gram_diagonal, reduce, solve_triangular};
use crate::optim::Minimum;
use crate::probability::posterior_variance::{known, left};
use crate::{Device, Kernel, Matrix, Result};

/// A sparse Gaussian process after its fit. All of it is f64 on the CPU, whatever the device of the search.
#[derive(Debug, Clone)]
pub struct FittedSparseGp<D = Ix2> {
    /// With the parameters that were learned.
    pub(super) model: SparseGpRegressor,
    /// Where the search ran.
    pub(super) device: Device,
    pub(super) value: f64,
    pub(super) gap: f64,
    pub(super) jitter: f64,
    pub(super) minimum: Option<Minimum>,
    pub(super) z: Matrix,
    /// L, `chol(B)` and β.
    pub(super) l: Matrix,
    pub(super) lb: Matrix,
    pub(super) beta: Matrix,
    pub(super) targets: PhantomData<D>,
}

getters!(FittedSparseGp<D> {
    /// The model, with the parameters that were learned.
    model: &SparseGpRegressor,
    /// The kernel with its fitted parameters.
    kernel => model.kernel: &Kernel,
    /// The variance of the noise.
    noise => model.noise: f64,
    /// The method by which K was approximated.
    method => model.method: SparseMethod,
    /// The bound of the log evidence; for DTC and FITC, that evidence of their own model.
    log_evidence => value: f64,
    /// The variance that the inducing points do not explain, `tr(K - Q)`: zero if they miss nothing.
    unexplained => gap: f64,
    /// What was added to the diagonal of `K_zz`, in absolute terms.
    jitter: f64,
    /// The device that the search ran on: the CPU if there was none, or too little for a GPU.
    device: &Device,
});

inherent!(
    FittedSparseGp<D: TargetDim>: Predict -> Array<f64, D>, PredictDistribution -> Prediction<D>, R2
);

impl<D: TargetDim> Predict for FittedSparseGp<D> {
    type Output = Array<f64, D>;

    /// `aᵀβ` with `a = L⁻¹ k(Z, x)`.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.each(x, |_, _, _| Ok(())).map(D::shaped)
    }
}

impl<D: TargetDim> PredictDistribution for FittedSparseGp<D> {
    type Distribution = Prediction<D>;

    fn predict_distribution(&self, x: ArrayView2<f64>) -> Result<Prediction<D>> {
        self.predict_with(x, Predictive::Observed)
    }
}

impl<D: TargetDim> FittedSparseGp<D> {
    /// From factors on the CPU.
    pub(super) fn new(
        model: &SparseGpRegressor,
        device: Device,
        SearchPoint { kernel, noise, z }: SearchPoint,
        f: Factors,
        minimum: Option<Minimum>,
    ) -> Self {
        let model = SparseGpRegressor { kernel, noise, ..model.clone() };
        let (value, gap, jitter) = (f.value, f.gap, f.jitter);
        let (z, beta) = (Matrix::from_host(z), Matrix::from_host(f.beta));
        let (l, lb, targets) = (f.l, f.lb, PhantomData);
        FittedSparseGp { model, device, value, gap, jitter, minimum, z, l, lb, beta, targets }
    }

    /// The distribution of f at each row of `x`: noise is not included.
    ///
    /// # Errors
    /// As [`predict_with`](Self::predict_with).
    pub fn predict_latent(&self, x: impl Inputs) -> Result<Prediction<D>> {
        self.predict_with(x, Predictive::Latent)
    }

    /// Mean and variance at each row of `x`: `k(x, x) - |a|² + aᵀB⁻¹a`, and the noise if asked.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and for a variance that overflows; [`Error::Parameter`](crate::Error::Parameter) for
    /// noise that is not a variance.
    pub fn predict_with(&self, x: impl Inputs, what: Predictive) -> Result<Prediction<D>> {
        let x = x.inputs();
        let noise = what.noise(&Noise::Same(self.noise()))?;
        let mut variance = Array1::from_elem(x.nrows(), noise);
        let squares = |a: &Matrix| reduce(a, Along::EachColumn, Reduction::SumSquares)?.into_array();
        let mean = self.each(x.view(), |rows, points, a| {
            let b = solve_triangular(&self.lb, Triangle::Lower, Trans::No, Side::Left, a)?;
            let prior = gram_diagonal(self.kernel(), points)?.into_array()?.index_axis_move(Axis(1), 0);
            let (explained, learned) = (squares(a)?, squares(&b)?);
            // The first difference is that of a semi-definite matrix, below zero by rounding only.
            let rest = Zip::from(&prior).and(explained.row(0)).map_collect(|&p, &e| left(p, e));
            variance.slice_mut(s![rows]).zip_mut_with(&(rest + learned.row(0)), |v, own| *v += own);
            Ok(())
        })?;
        known("FittedSparseGp::predict", 0, &variance)?;
        Ok(Prediction::new(mean, variance, None))
    }

    /// Means; `then` gets each chunk's rows, points and A.
    pub(super) fn each(
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

    /// The model as it was learned, with nothing left to be searched: the same inducing inputs.
    pub(in crate::models::gp) fn settled(&self) -> SparseGpRegressor {
        let inducing = super::Inducing::Given(self.inducing().to_owned());
        SparseGpRegressor { inducing, minimiser: None, move_inducing: false, ..self.model.clone() }
    }

    /// The diagonal Λ of the approximation's `C = Q + Λ` at the rows of `x`: the noise, and for FITC what the inducing points leave.
    pub(in crate::models::gp) fn own_variances(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let mut out = Array1::from_elem(x.nrows(), self.noise());
        if self.method() == SparseMethod::Fitc {
            self.each(x, |rows, points, a| {
                let prior = gram_diagonal(self.kernel(), points)?.into_array()?.index_axis_move(Axis(1), 0);
                let explained = reduce(a, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
                let rest = Zip::from(&prior).and(explained.row(0)).map_collect(|&p, &e| left(p, e));
                out.slice_mut(s![rows]).zip_mut_with(&rest, |v, own| *v += own);
                Ok(())
            })?;
        }
        Ok(out)
    }

    /// The inducing inputs, `m x d`.
    pub fn inducing(&self) -> ArrayView2<'_, f64> {
        self.z.cpu().view()
    }

    /// The search for the parameters, if there was one. Its values are those of `-F`, less the logarithm of the priors.
    pub fn search(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }

    /// Names of the hyper-parameters that the search left at a bound and would have taken further: bounds to be widened,
    /// or parameters of which the data say nothing.
    pub fn at_bounds(&self) -> Vec<String> {
        let held = self.minimum.iter().flat_map(|m| m.at_bounds.iter().copied());
        at_bounds(&self.model.kernel, !self.model.noise_fixed, held)
    }
}
