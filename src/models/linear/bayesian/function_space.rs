//! The posterior as a Gaussian process with `k = φᵀφ'/α`, while there are fewer observations than features.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};

use crate::check::number;
#[cfg(feature = "serde")]
use crate::check::{numbers, parameter, require};
use crate::linalg::{SpdFactor, SpdParams};
use crate::ops::{Side, Trans, Triangle, product, solve_triangular, syrk};
use crate::probability::posterior_variance::left;
use crate::{Device, Error, Matrix, Result};

/// The data, `LLᵀ = C = I/β + ΦΦᵀ/α` and `C⁻¹t`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FunctionSpace {
    alpha: f64,
    beta: f64,
    /// Φ, n x d with n < d.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub phi: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub t: Array1<f64>,
    /// None while there are no data.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::lower_or_none"))]
    l: Option<Matrix>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub log_evidence: f64,
}

impl FunctionSpace {
    pub fn before(alpha: f64, beta: f64, d: usize) -> Self {
        let (phi, t, mean) = (Array2::zeros((0, d)), Array1::zeros(0), Array1::zeros(d));
        FunctionSpace { alpha, beta, phi, t, l: None, mean, log_evidence: 0.0 }
    }

    /// All data so far and these.
    pub fn joined(&self, phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        let refused = |e: ndarray::ShapeError| Error::Shape {
            op: "FittedBayesianLinearRegression::update",
            what: e.to_string(),
        };
        let phi = concatenate(Axis(0), &[self.phi.view(), phi]).map_err(refused)?;
        let t = concatenate(Axis(0), &[self.t.view(), t]).map_err(refused)?;
        Ok((phi, t))
    }

    pub fn replace(&mut self, phi: Array2<f64>, t: Array1<f64>) -> Result<()> {
        let rows = Matrix::from_host(phi.clone());
        let mut c = syrk(1.0 / self.alpha, &rows, Trans::No)?.to_array()?;
        c.diag_mut().mapv_inplace(|v| v + 1.0 / self.beta);
        let factor = SpdFactor::new(&Device::cpu(), c.view(), &SpdParams::default())?;
        let dual = factor.solve(t.view().insert_axis(Axis(1)))?.x.index_axis_move(Axis(1), 0);
        let constant = t.len() as f64 * std::f64::consts::TAU.ln();
        let log_evidence = -0.5 * (t.dot(&dual) + factor.log_det()? + constant);
        self.log_evidence = number("BayesianLinearRegression", "the log evidence", log_evidence)?;
        self.mean = phi.t().dot(&dual) / self.alpha;
        self.l = Some(factor.factor().clone());
        (self.phi, self.t) = (phi, t);
        Ok(())
    }

    /// `L⁻¹ ΦΦ'ᵀ/α`, n x m: what the data explain of the new rows.
    fn explained(&self, new: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut k = Array2::zeros((self.t.len(), new.nrows()));
        let Some(l) = &self.l else { return Ok(k) };
        product(1.0 / self.alpha, self.phi.view(), new.t(), 0.0, k.view_mut());
        solve_triangular(l, Triangle::Lower, Trans::No, Side::Left, &Matrix::from_host(k))?.to_array()
    }

    /// `φᵀSφ` of each row; cancellation may not make it negative.
    pub fn variances(&self, new: ArrayView2<f64>) -> Result<Array1<f64>> {
        let known = self.explained(new)?.mapv(|v| v * v).sum_axis(Axis(0));
        let mut rest = new.map_axis(Axis(1), |row| row.dot(&row) / self.alpha);
        rest.zip_mut_with(&known, |prior, known| *prior = left(*prior, *known));
        Ok(rest)
    }

    /// `φᵀSφ'`.
    pub fn covariance(&self, a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = self.explained(a)?.t().dot(&self.explained(b)?);
        product(1.0 / self.alpha, a, b.t(), -1.0, out.view_mut());
        Ok(out)
    }

    /// Weights from the posterior by Matheron's rule: a draw of the prior, corrected by what it gets wrong of the data.
    ///
    /// `z`, d x count, and `noise`, n x count, are standard normal.
    pub fn turn(&self, z: Array2<f64>, noise: &Array2<f64>) -> Result<Array2<f64>> {
        let mut w = z / self.alpha.sqrt();
        let Some(l) = &self.l else { return Ok(w) };
        let wrong = &self.t.view().insert_axis(Axis(1)) - &self.phi.dot(&w) - &(noise / self.beta.sqrt());
        let half = solve_triangular(l, Triangle::Lower, Trans::No, Side::Left, &Matrix::from_host(wrong))?;
        let dual = solve_triangular(l, Triangle::Lower, Trans::Yes, Side::Left, &half)?;
        product(1.0 / self.alpha, self.phi.t(), dual.cpu().view(), 1.0, w.view_mut());
        Ok(w)
    }
}

#[cfg(feature = "serde")]
impl FunctionSpace {
    /// In order for these precisions, n observations and d features.
    pub fn check(&self, op: &'static str, (alpha, beta): (f64, f64), n: usize, d: usize) -> Result<()> {
        let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
        require(op, (self.alpha, self.beta) == (alpha, beta), || "two pairs of precisions".to_owned())?;
        require(op, self.t.len() == n, || format!("{n} observations were seen, {} are held", self.t.len()))?;
        require(op, n < d && self.l.is_some() == (n > 0), || {
            format!("{n} observations of {d} features, and a factor that does not fit them")
        })?;
        let fits = self.phi.dim() == (n, d) && self.mean.len() == d;
        require(op, fits, || format!("phi is {:?} where {:?} was to be", self.phi.dim(), (n, d)))?;
        numbers(op, "phi", self.phi.view())?;
        numbers(op, "t", column(&self.t).view())?;
        numbers(op, "the mean", column(&self.mean).view())?;
        if let Some(l) = &self.l {
            let own = self.phi.map_axis(Axis(1), |row| row.dot(&row) / alpha + 1.0 / beta);
            crate::saved::Triangular::new(l.cpu()).of_diagonal(op, own.view())?;
        }
        parameter("log_evidence", self.log_evidence, self.log_evidence.is_finite(), "must be finite")
    }
}
