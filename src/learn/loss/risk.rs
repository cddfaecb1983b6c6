//! The empirical risk of a linear function of features, with its gradient and Hessian. Checked in `tests/regression/risk.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::family::Loss;
use crate::Result;
use crate::check::{self, finite, numbers, require};
use crate::ops::product;

/// `R(w) = Σ_i s_i L(y_i, wᵀφ_i) / Σ_i s_i` for features `φ_i`, one row each, and targets `y_i`.
///
/// The weights s are one unless given: then R is the mean loss. With `φ_i = (x_i, 1)` the last entry of w is an intercept.
///
/// ```
/// use mercer::learn::loss::{EmpiricalRisk, Loss};
/// use ndarray::array;
/// let (phi, y) = (array![[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], array![-1.0, 1.0, 1.0]);
/// let risk = EmpiricalRisk::new(Loss::Logistic, phi.view(), y.view())?;
/// let zero = array![0.0, 0.0];
/// assert!((risk.value(zero.view())? - 2f64.ln()).abs() < 1e-15);
/// assert!((risk.gradient(zero.view())?[1] + 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EmpiricalRisk<'a> {
    loss: Loss,
    features: ArrayView2<'a, f64>,
    targets: ArrayView1<'a, f64>,
    weights: Option<ArrayView1<'a, f64>>,
    total: f64,
}

impl<'a> EmpiricalRisk<'a> {
    /// The risk of this loss on these features, `n x p`, and n targets.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite), and
    /// [`Error::Parameter`](crate::Error::Parameter) for a bad parameter of the loss or labels that are not ±1.
    pub fn new(loss: Loss, features: ArrayView2<'a, f64>, targets: ArrayView1<'a, f64>) -> Result<Self> {
        const OP: &str = "EmpiricalRisk::new";
        loss.check()?;
        finite(OP, "the features", features)?;
        let (n, m) = (features.nrows(), targets.len());
        require(OP, n == m, || format!("{n} rows of features, {m} targets"))?;
        numbers(OP, "the targets", targets.insert_axis(Axis(1)))?;
        targets.iter().try_for_each(|y| loss.check_target(*y))?;
        Ok(EmpiricalRisk { loss, features, targets, weights: None, total: n as f64 })
    }

    /// The same with a weight for each row: a weight of 2 is that row twice.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::Parameter`](crate::Error::Parameter) for weights that do not fit.
    pub fn weighted(mut self, weights: ArrayView1<'a, f64>) -> Result<Self> {
        check::weights("EmpiricalRisk::weighted", weights, self.features.nrows())?;
        self.total = weights.sum();
        self.weights = Some(weights);
        Ok(self)
    }

    /// How many coefficients w has.
    pub fn dim(&self) -> usize {
        self.features.ncols()
    }

    /// `R(w)`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a w of another length.
    pub fn value(&self, w: ArrayView1<f64>) -> Result<f64> {
        let f = self.predictions(w)?;
        Ok(self.mean(&f, |y, f| self.loss.value(y, f)))
    }

    /// `∇R(w) = Σ_i s_i L'(y_i, f_i) φ_i / Σ_i s_i`; a subgradient at kinks.
    ///
    /// # Errors
    /// As [`EmpiricalRisk::value`].
    pub fn gradient(&self, w: ArrayView1<f64>) -> Result<Array1<f64>> {
        Ok(self.value_and_gradient(w)?.1)
    }

    /// The value and the gradient, for the price of one.
    ///
    /// # Errors
    /// As [`EmpiricalRisk::value`].
    pub fn value_and_gradient(&self, w: ArrayView1<f64>) -> Result<(f64, Array1<f64>)> {
        let f = self.predictions(w)?;
        let value = self.mean(&f, |y, f| self.loss.value(y, f));
        let slopes = self.each(&f, |y, f| self.loss.derivative(y, f));
        Ok((value, self.features.t().dot(&slopes)))
    }

    /// `∇²R(w) = Σ_i s_i L''(y_i, f_i) φ_i φ_iᵀ / Σ_i s_i`, positive semi-definite for a convex loss.
    ///
    /// # Errors
    /// As [`EmpiricalRisk::value`].
    pub fn hessian(&self, w: ArrayView1<f64>) -> Result<Array2<f64>> {
        let f = self.predictions(w)?;
        let curvatures = self.each(&f, |y, f| self.loss.second_derivative(y, f));
        let scaled = &self.features * &curvatures.insert_axis(Axis(1));
        let mut out = Array2::zeros((self.dim(), self.dim()));
        product(1.0, self.features.t(), scaled.view(), 0.0, out.view_mut());
        Ok(out)
    }

    /// The gradient of one summand, `L'(y_i, f_i) φ_i`: what stochastic methods step by.
    ///
    /// # Errors
    /// As [`EmpiricalRisk::value`], and for a row that there is not.
    pub fn gradient_of(&self, row: usize, w: ArrayView1<f64>) -> Result<Array1<f64>> {
        const OP: &str = "EmpiricalRisk::gradient_of";
        let (n, p) = self.features.dim();
        require(OP, row < n && w.len() == p, || {
            format!("row {row} of {n}, {} coefficients of {p}", w.len())
        })?;
        let phi = self.features.row(row);
        let slope = self.loss.derivative(self.targets[row], phi.dot(&w));
        Ok(phi.mapv(|v| v * slope))
    }

    fn predictions(&self, w: ArrayView1<f64>) -> Result<Array1<f64>> {
        let (p, given) = (self.dim(), w.len());
        require("EmpiricalRisk", p == given, || format!("{p} features, {given} coefficients"))?;
        Ok(self.features.dot(&w))
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |s| s[i])
    }

    /// `s_i g(y_i, f_i) / Σ s`.
    fn each(&self, f: &Array1<f64>, g: impl Fn(f64, f64) -> f64) -> Array1<f64> {
        let at = |i: usize| self.weight(i) * g(self.targets[i], f[i]) / self.total;
        (0..f.len()).map(at).collect()
    }

    fn mean(&self, f: &Array1<f64>, g: impl Fn(f64, f64) -> f64) -> f64 {
        (0..f.len()).map(|i| self.weight(i) * g(self.targets[i], f[i])).sum::<f64>() / self.total
    }
}
