//! Gaussian processes whose mean has functions of the user's and coefficients that are estimated. Checked in
//! `tests/probability/gp.rs`.

use ndarray::{Array2, ArrayRef, ArrayView1, ArrayView2, Axis, s};

use super::raised::raised;
use super::{FittedGp, FittedSparseGp, GpRegressor, SparseGpRegressor};
use crate::check::{finite, numbers, pairs, require};
use crate::learn::configure::getters;
use crate::learn::{Fit, Inputs, TargetDim, Targets};
use crate::probability::gaussian::factor::{lower, solve_one};
use crate::{Device, Error, Result};

const OP: &str = "GpRegressor::fit_on_basis";

/// A process about `h(x)ᵀβ` with functions h of the user's: predictions are those of the residual plus `h(x)ᵀβ`.
#[derive(Debug, Clone)]
pub struct FittedOnBasis<F, D = ndarray::Ix1> {
    basis: F,
    coefficients: Array2<f64>,
    residual: FittedGp<D>,
}

getters!(FittedOnBasis<F, D> {
    /// β, `p x q`: a row for each function, a column for each target.
    coefficients: &Array2<f64>,
    /// The process that was fitted to `y - h(x)ᵀβ`; its evidence is that of y at this β.
    residual: &FittedGp<D>,
});

/// H, `m x p`.
pub(super) fn design(
    basis: &impl Fn(ArrayView1<f64>) -> Vec<f64>,
    x: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    let rows: Vec<Vec<f64>> = x.rows().into_iter().map(basis).collect();
    let p = rows.first().map_or(0, Vec::len);
    require(OP, p > 0 && rows.iter().all(|r| r.len() == p), || {
        "the basis must have as many functions, at least one, at every row".to_owned()
    })?;
    let h = Array2::from_shape_fn((rows.len(), p), |(i, j)| rows[i][j]);
    numbers(OP, "the basis", h.view())?;
    Ok(h)
}

impl GpRegressor {
    /// Fits `y = h(x)ᵀβ + f(x) + ε` with functions h of the user's, `β = (HᵀC⁻¹H)⁻¹HᵀC⁻¹y` by generalised least squares.
    ///
    /// If hyper-parameters are to be [optimised](GpRegressor::optimise) they are those of what plain least squares leave of y, and β
    /// is found at them.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::Array2;
    /// let x = Array2::from_shape_fn((30, 1), |(i, _)| 0.2 * i as f64);
    /// let y = x.column(0).mapv(|x| 3.0 * (2.0 * x).sin() + 1.0);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01);
    /// let fitted = gp.fit_on_basis(&Device::cpu(), &x, &y, |x| vec![1.0, (2.0 * x[0]).sin()])?;
    /// assert!((fitted.coefficients()[[1, 0]] - 3.0).abs() < 1e-9);
    /// let far = fitted.predict_latent(ndarray::array![[100.0]])?;
    /// assert!((far.mean[0] - (3.0 * 200.0_f64.sin() + 1.0)).abs() < 1e-8);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `fit`; [`Error::Shape`] for rows with other numbers of functions, [`Error::NotFinite`] where one is not finite,
    /// [`Error::Singular`] for functions that depend on each other at the data.
    pub fn fit_on_basis<D: TargetDim, F: Fn(ArrayView1<f64>) -> Vec<f64>>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        basis: F,
    ) -> Result<FittedOnBasis<F, D>> {
        let (x, y) = (x.inputs(), y.targets());
        let y = D::columns(&y);
        pairs(OP, x.view(), y)?;
        let h = design(&basis, x.view())?;
        let (p, q) = (h.ncols(), y.ncols());
        let plain = weighed(&h, &h, y)?;
        let rest = D::shaped(&y - &h.dot(&plain));
        let learned = Fit::fit(self, device, x.view(), &*rest)?.model().clone().optimise(None);
        // C⁻¹[y H], as the weights of a process with those targets.
        let both =
            Array2::from_shape_fn((x.nrows(), q + p), |(i, j)| if j < q { y[[i, j]] } else { h[[i, j - q]] });
        let solved: FittedGp<ndarray::Ix2> = Fit::fit(&learned, device, x.view(), &*both)?;
        let through = solved.alpha().slice(s![.., q..q + p]).to_owned();
        let coefficients = weighed(&h, &through, y)?;
        let rest = D::shaped(&y - &h.dot(&coefficients));
        let residual = Fit::fit(&learned, device, x.view(), &*rest)?;
        Ok(FittedOnBasis { basis, coefficients, residual })
    }
}

/// `(HᵀG)⁻¹Gᵀy`, `G = C⁻¹H`; columns are brought to length one first.
fn weighed(h: &Array2<f64>, g: &Array2<f64>, y: ArrayView2<f64>) -> Result<Array2<f64>> {
    let a = h.t().dot(g);
    let scale = a.diag().mapv(|v| v.max(0.0).sqrt().recip());
    let even = &a * &scale * scale.view().insert_axis(Axis(1));
    let even = (&even + &even.t()) * 0.5;
    let singular = |index: usize, value: f64| Error::Singular { op: OP, index, value };
    if let Some(index) = scale.iter().position(|s| !s.is_finite()) {
        return Err(singular(index, 0.0));
    }
    let l = lower(OP, even.view()).map_err(|e| match e {
        Error::NotPositiveDefinite { pivot, value, .. } => singular(pivot, value),
        other => other,
    })?;
    if let Some((index, value)) = l.diag().iter().copied().enumerate().find(|(_, v)| v * v < 1e-13) {
        return Err(singular(index, value));
    }
    let right = g.t().dot(&y) * scale.view().insert_axis(Axis(1));
    let mut out = Array2::zeros(right.raw_dim());
    for (mut to, b) in out.columns_mut().into_iter().zip(right.columns()) {
        to.assign(&(solve_one(&l, b) * &scale));
    }
    finite(OP, "the coefficients", out.view())?;
    Ok(out)
}

/// `h(x)ᵀβ` at each row, `m x q`.
fn offset(
    basis: &impl Fn(ArrayView1<f64>) -> Vec<f64>,
    coefficients: &Array2<f64>,
    x: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    let h = design(basis, x)?;
    require(OP, h.ncols() == coefficients.nrows(), || {
        format!("{} functions, fitted with {}", h.ncols(), coefficients.nrows())
    })?;
    Ok(h.dot(coefficients))
}

impl<D: TargetDim, F: Fn(ArrayView1<f64>) -> Vec<f64>> FittedOnBasis<F, D> {
    /// `h(x)ᵀβ` at each row; β is taken as known.
    fn offset(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        offset(&self.basis, &self.coefficients, x)
    }
}

raised!(FittedOnBasis, FittedGp, Vec<f64>);

/// A sparse process about `h(x)ᵀβ` with functions h of the user's.
#[derive(Debug, Clone)]
pub struct SparseOnBasis<F, D = ndarray::Ix1> {
    basis: F,
    coefficients: Array2<f64>,
    residual: FittedSparseGp<D>,
}

getters!(SparseOnBasis<F, D> {
    /// β, `p x q`: a row for each function, a column for each target.
    coefficients: &Array2<f64>,
    /// The sparse process that was fitted to `y - h(x)ᵀβ`; its bound is that of y at this β.
    residual: &FittedSparseGp<D>,
});

impl<D: TargetDim, F: Fn(ArrayView1<f64>) -> Vec<f64>> SparseOnBasis<F, D> {
    /// `h(x)ᵀβ` at each row; β is taken as known.
    fn offset(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        offset(&self.basis, &self.coefficients, x)
    }
}

raised!(SparseOnBasis, FittedSparseGp, Vec<f64>);

impl SparseGpRegressor {
    /// Fits `y = h(x)ᵀβ + f(x) + ε` through inducing points, `β = (HᵀC⁻¹H)⁻¹HᵀC⁻¹y` by generalised least squares under the approximation's
    /// own `C = Q + Λ`, with `C⁻¹H = Λ⁻¹(H - m)` for the means m that the process predicts of H at the data.
    ///
    /// If hyper-parameters or inducing inputs are to be optimised they are those of what plain least squares leave of y.
    ///
    /// # Errors
    /// As `fit` and [`GpRegressor::fit_on_basis`].
    pub fn fit_on_basis<D: TargetDim, F: Fn(ArrayView1<f64>) -> Vec<f64>>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        basis: F,
    ) -> Result<SparseOnBasis<F, D>> {
        let (x, y) = (x.inputs(), y.targets());
        let y = D::columns(&y);
        pairs(OP, x.view(), y)?;
        let h = design(&basis, x.view())?;
        let rest = D::shaped(&y - &h.dot(&weighed(&h, &h, y)?));
        let learned = Fit::fit(self, device, x.view(), &*rest)?.settled();
        let solved: FittedSparseGp<ndarray::Ix2> = Fit::fit(&learned, device, x.view(), &*h)?;
        let own = solved.own_variances(x.view())?.insert_axis(Axis(1));
        let through = (&h - &solved.predict(x.view())?) / own;
        let coefficients = weighed(&h, &through, y)?;
        let rest = D::shaped(&y - &h.dot(&coefficients));
        let residual = Fit::fit(&learned, device, x.view(), &*rest)?;
        Ok(SparseOnBasis { basis, coefficients, residual })
    }
}
