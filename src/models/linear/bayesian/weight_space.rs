//! The posterior as a Gaussian of d weights, by the Cholesky factor of its precision.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::model::Prior;
use crate::check::number;
#[cfg(feature = "serde")]
use crate::check::{finite, parameter, require};
use crate::linalg::{SpdFactor, SpdParams};
use crate::models::linear::centred::Centred;
use crate::ops::{Side, Trans, Triangle, solve_triangular};
use crate::{Device, Matrix, Result};

/// `S⁻¹ = LLᵀ`, its product with the mean, the mean, and `log p` of all targets so far.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct WeightSpace {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    precision: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    information: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::lower"))]
    l: Matrix,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    log_det: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub log_evidence: f64,
}

impl WeightSpace {
    pub fn before(prior: &Prior, d: usize) -> Result<Self> {
        let (mean, precision) = match prior {
            Prior::Isotropic(alpha) => (Array1::zeros(d), Array2::from_diag_elem(d, *alpha)),
            Prior::Full { mean, precision } => (mean.clone(), precision.clone()),
        };
        let information = precision.dot(&mean);
        let factor = SpdFactor::new(&Device::cpu(), precision.view(), &SpdParams::default())?;
        let (l, log_det) = (factor.factor().clone(), factor.log_det()?);
        Ok(WeightSpace { precision, information, l, log_det, mean, log_evidence: 0.0 })
    }

    /// Information adds up; that is why the order does not matter. The evidence gains `log p(t | what was known)`.
    pub fn update(&mut self, phi: ArrayView2<f64>, t: ArrayView1<f64>, beta: f64) -> Result<()> {
        let data = Centred::new(phi, t.insert_axis(Axis(1)), None, false);
        let (gram, cross) = data.products();
        let precision = &self.precision + &(gram * beta);
        let information = &self.information + &(cross.index_axis_move(Axis(1), 0) * beta);
        let factor = SpdFactor::new(&Device::cpu(), precision.view(), &SpdParams::default())?;
        let mean = factor.solve(information.view().insert_axis(Axis(1)))?.x.index_axis_move(Axis(1), 0);
        let log_det = factor.log_det()?;
        let left = &t - &phi.dot(&mean);
        let step = &mean - &self.mean;
        let misfit = beta * left.dot(&left) + step.dot(&self.precision.dot(&step));
        let noise = t.len() as f64 * (beta / std::f64::consts::TAU).ln();
        let gain = 0.5 * (self.log_det - log_det + noise - misfit);
        let log_evidence = number("BayesianLinearRegression", "the log evidence", self.log_evidence + gain)?;
        let l = factor.factor().clone();
        *self = WeightSpace { precision, information, l, log_det, mean, log_evidence };
        Ok(())
    }

    /// `L⁻¹Φᵀ`: inner products of its columns are covariances.
    pub fn whitened(&self, phi: ArrayView2<f64>) -> Result<Array2<f64>> {
        let columns = Matrix::from_host(phi.t().to_owned());
        solve_triangular(&self.l, Triangle::Lower, Trans::No, Side::Left, &columns)?.to_array()
    }

    /// `m + L⁻ᵀz` for each column of standard normal `z`, d x count.
    pub fn turn(&self, z: Array2<f64>) -> Result<Array2<f64>> {
        let z = Matrix::from_host(z);
        let w = solve_triangular(&self.l, Triangle::Lower, Trans::Yes, Side::Left, &z)?.to_array()?;
        Ok(w + self.mean.view().insert_axis(Axis(1)))
    }
}

#[cfg(feature = "serde")]
impl WeightSpace {
    /// In order for d features.
    pub fn check(&self, op: &'static str, d: usize) -> Result<()> {
        let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
        let (m, b) = (column(&self.mean), column(&self.information));
        let fits = self.precision.dim() == (d, d) && m.nrows() == d && b.nrows() == d;
        require(op, fits, || format!("{d} features, the precision is {:?}", self.precision.dim()))?;
        finite(op, "the precision", self.precision.view())?;
        finite(op, "the information", b.view())?;
        finite(op, "the mean", m.view())?;
        let l = crate::saved::Triangular::new(self.l.cpu()).of_diagonal(op, self.precision.diag())?;
        crate::saved::solves(op, &l, m.view(), b.view(), b.view())?;
        parameter("log_det", self.log_det, self.log_det.is_finite(), "must be finite")?;
        parameter("log_evidence", self.log_evidence, self.log_evidence.is_finite(), "must be finite")
    }
}
