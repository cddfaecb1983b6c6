//! One decomposition from which ridge regression is solved for any penalty.
//!
//! Of `XᵀX = V Λ Vᵀ` or of `XXᵀ = U Λ Uᵀ`, whichever is smaller; the rows of X are centred and weighted before.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::linear::Form;
use crate::linalg::eigh;
use crate::ops::{Trans, product, syrk};
use crate::{Matrix, Result};

pub(super) struct Spectrum {
    pub form: Form,
    /// Λ, descending, none negative.
    pub values: Array1<f64>,
    /// n x k: `XV = UΛ^½` in the primal form, U in the dual one.
    pub turned: Array2<f64>,
    /// V in the primal form, X in the dual one.
    back: Array2<f64>,
}

impl Spectrum {
    pub fn new(x: Array2<f64>) -> Result<Self> {
        let form = Form::of(x.nrows(), x.ncols());
        let x = Matrix::from_host(x);
        let trans = if form == Form::Primal { Trans::Yes } else { Trans::No };
        let e = eigh(syrk(1.0, &x, trans)?.cpu().view())?;
        let values = e.values.mapv(|v| v.max(0.0));
        let (turned, back) = match form {
            Form::Primal => {
                let mut turned = Array2::zeros(x.shape());
                product(1.0, x.cpu().view(), e.vectors.view(), 0.0, turned.view_mut());
                (turned, e.vectors)
            }
            Form::Dual => (e.vectors, x.to_array()?),
        };
        Ok(Spectrum { form, values, turned, back })
    }

    /// `turnedᵀ Y`, k x t: all that is needed of the targets.
    pub fn project(&self, y: ArrayView2<f64>) -> Array2<f64> {
        let mut out = Array2::zeros((self.turned.ncols(), y.ncols()));
        product(1.0, self.turned.t(), y, 0.0, out.view_mut());
        out
    }

    /// What a penalty makes of each direction: fitted values are `turned diag(filter) turnedᵀ Y`.
    pub fn filter(&self, penalty: f64) -> Array1<f64> {
        match self.form {
            Form::Primal => self.values.mapv(|v| 1.0 / (v + penalty)),
            Form::Dual => self.values.mapv(|v| v / (v + penalty)),
        }
    }

    /// Fitted values for the targets whose projection this is, n x t.
    pub fn fitted(&self, penalty: f64, projection: &Array2<f64>) -> Array2<f64> {
        let scaled = projection * &self.filter(penalty).insert_axis(Axis(1));
        let mut out = Array2::zeros((self.turned.nrows(), scaled.ncols()));
        product(1.0, self.turned.view(), scaled.view(), 0.0, out.view_mut());
        out
    }

    /// The diagonal of `X (XᵀX + λI)⁻¹ Xᵀ` for each penalty, n x g.
    pub fn leverages(&self, penalties: &[f64]) -> Array2<f64> {
        let (n, k) = self.turned.dim();
        let mut filters = Array2::zeros((k, penalties.len()));
        for (mut column, &penalty) in filters.columns_mut().into_iter().zip(penalties) {
            column.assign(&self.filter(penalty));
        }
        let mut out = Array2::zeros((n, penalties.len()));
        product(1.0, self.turned.mapv(|v| v * v).view(), filters.view(), 0.0, out.view_mut());
        out
    }

    /// The coefficients for the targets whose projection this is, d x t.
    pub fn coefficients(&self, penalty: f64, projection: &Array2<f64>) -> Array2<f64> {
        let scaled = projection / &self.values.mapv(|v| v + penalty).insert_axis(Axis(1));
        let times = |a: ArrayView2<f64>, b: ArrayView2<f64>| {
            let mut out = Array2::zeros((a.nrows(), b.ncols()));
            product(1.0, a, b, 0.0, out.view_mut());
            out
        };
        match self.form {
            Form::Primal => times(self.back.view(), scaled.view()),
            Form::Dual => times(self.back.t(), times(self.turned.view(), scaled.view()).view()),
        }
    }
}
