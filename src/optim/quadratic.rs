//! Convex quadratic programs. Checked in `tests/svm/quadratic.rs` against KKT conditions and
//! machines of `models::kernel_methods`.

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate, s};

use super::duality::Kkt;
use crate::Result;
use crate::check::{finite, numbers, parameter, require, symmetric};
use crate::linalg::eigh;

pub(super) const OP: &str = "QuadraticProgram::solve";
/// Negative curvature that counts as rounding, relative to the largest entry of P.
const CURVED: f64 = 1e-9;

/// `min ½xᵀPx + qᵀx` with `Ax ≤ b`, `Ex = d` and bounds on x, P positive semi-definite.
///
/// Solved by Mehrotra's predictor and corrector with dense factors: for problems of up to a thousand variables, as a
/// reference for solvers that know more of theirs, and to show duality at work.
///
/// ```
/// use mercer::optim::QuadraticProgram;
/// use ndarray::array;
/// // The point of x + y = 1, x ≥ 0.7 that is nearest to the origin.
/// let found = QuadraticProgram::new(array![[1.0, 0.0], [0.0, 1.0]], array![0.0, 0.0])
///     .equal(array![[1.0, 1.0]], array![1.0])
///     .bounds(array![0.7, f64::NEG_INFINITY], array![f64::INFINITY, f64::INFINITY])
///     .solve()?;
/// assert!((found.x[0] - 0.7).abs() < 1e-9 && (found.x[1] - 0.3).abs() < 1e-9);
/// assert!(found.gap() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticProgram {
    pub(super) p: Array2<f64>,
    pub(super) q: Array1<f64>,
    pub(super) a: Array2<f64>,
    pub(super) b: Array1<f64>,
    pub(super) e: Array2<f64>,
    pub(super) d: Array1<f64>,
    bounds: Option<(Array1<f64>, Array1<f64>)>,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
}

/// The solution of a [`QuadraticProgram`], with its multipliers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct QuadraticSolution {
    /// x.
    pub x: Array1<f64>,
    /// λ ≥ 0 of `Ax ≤ b`, then of the finite upper bounds, then of the finite lower ones.
    pub inequality: Array1<f64>,
    /// ν of `Ex = d`.
    pub equality: Array1<f64>,
    /// The objective at x.
    pub primal: f64,
    /// The dual function at (λ, ν).
    pub dual: f64,
    /// What is left of the optimality conditions.
    pub kkt: Kkt,
    /// Factorisations made.
    pub iterations: usize,
}

impl QuadraticSolution {
    /// `primal - dual`.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }
}

impl QuadraticProgram {
    /// `½xᵀPx + qᵀx` without constraints.
    pub fn new(p: Array2<f64>, q: Array1<f64>) -> Self {
        let n = q.len();
        let (none, nothing) = (Array2::zeros((0, n)), Array1::zeros(0));
        QuadraticProgram {
            p,
            q,
            a: none.clone(),
            b: nothing.clone(),
            e: none,
            d: nothing,
            bounds: None,
            tolerance: 1e-10,
            max_iterations: 200,
        }
    }

    /// With `Ax ≤ b`.
    #[must_use]
    pub fn at_most(mut self, a: Array2<f64>, b: Array1<f64>) -> Self {
        (self.a, self.b) = (a, b);
        self
    }

    /// With `Ex = d`.
    #[must_use]
    pub fn equal(mut self, e: Array2<f64>, d: Array1<f64>) -> Self {
        (self.e, self.d) = (e, d);
        self
    }

    /// With `low ≤ x ≤ high`; infinities are no bounds.
    #[must_use]
    pub fn bounds(mut self, low: Array1<f64>, high: Array1<f64>) -> Self {
        self.bounds = Some((low, high));
        self
    }

    /// Residual, relative to the size of the data, at which the search ends; 1e-10 by default.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Most factorisations; 200 by default.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// The same program with its bounds among the rows of A, checked.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for a P that is not symmetric.
    pub(super) fn whole(&self) -> Result<Self> {
        let n = self.q.len();
        require(OP, n > 0, || "there are no variables".to_owned())?;
        let shapes = self.p.dim() == (n, n)
            && self.a.dim() == (self.b.len(), n)
            && self.e.dim() == (self.d.len(), n)
            && self.bounds.as_ref().is_none_or(|(l, h)| l.len() == n && h.len() == n);
        require(OP, shapes, || format!("{n} variables: P, A, E and the bounds do not all fit them"))?;
        let column = |v: &Array1<f64>| v.clone().insert_axis(Axis(1));
        finite(OP, "q", column(&self.q).view())?;
        numbers(OP, "A", self.a.view())?;
        numbers(OP, "b", column(&self.b).view())?;
        numbers(OP, "E", self.e.view())?;
        numbers(OP, "d", column(&self.d).view())?;
        let mut whole = QuadraticProgram { p: symmetric(OP, self.p.view())?, bounds: None, ..self.clone() };
        if let Some((low, high)) = &self.bounds {
            let crossed = (0..n).find(|&i| low[i] > high[i] || low[i].is_nan() || high[i].is_nan());
            require(OP, crossed.is_none(), || {
                format!("the bounds of variable {} cross", crossed.unwrap_or(0))
            })?;
            let above: Vec<usize> = (0..n).filter(|&i| high[i].is_finite()).collect();
            let below: Vec<usize> = (0..n).filter(|&i| low[i].is_finite()).collect();
            let eye = Array2::<f64>::eye(n);
            let (up, down) = (eye.select(Axis(0), &above), -eye.select(Axis(0), &below));
            whole.a = concatenate(Axis(0), &[self.a.view(), up.view(), down.view()]).expect("n columns all");
            let (up, down) = (high.select(Axis(0), &above), -low.select(Axis(0), &below));
            whole.b = concatenate(Axis(0), &[self.b.view(), up.view(), down.view()]).expect("vectors");
        }
        Ok(whole)
    }

    /// `½xᵀPx + qᵀx`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an x of another length, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn objective(&self, x: ArrayView1<f64>) -> Result<f64> {
        let n = self.q.len();
        require("QuadraticProgram::objective", x.len() == n && self.p.dim() == (n, n), || {
            format!("P is {:?}, q has {n} entries, x has {}", self.p.dim(), x.len())
        })?;
        numbers("QuadraticProgram::objective", "x", x.insert_axis(Axis(1)))?;
        Ok(self.value(x))
    }

    pub(super) fn value(&self, x: ArrayView1<f64>) -> f64 {
        0.5 * x.dot(&self.p.dot(&x)) + self.q.dot(&x)
    }

    /// An error unless P has no negative direction among those that `Ex = d` leaves: there is a minimum nowhere else.
    pub(super) fn convex(&self) -> Result<()> {
        let mut left = self.p.clone();
        if self.e.nrows() > 0 {
            // What E sees is taken from both sides.
            let seen = eigh(self.e.t().dot(&self.e).view())?;
            let most = seen.values[0].max(0.0) * 1e-12;
            let count = seen.values.iter().filter(|v| **v > most).count();
            let v = seen.vectors.slice(s![.., ..count]);
            let outside = Array2::eye(self.q.len()) - v.dot(&v.t());
            left = outside.dot(&self.p).dot(&outside);
            left = (&left + &left.t()) * 0.5;
        }
        let values = eigh(left.view())?.values;
        let (most, least) = (values[0].abs(), values[values.len() - 1]);
        let size = most.max(self.p.iter().fold(0f64, |m, v| m.max(v.abs())));
        let requirement = "must not be negative: the program is not convex";
        parameter("least eigenvalue of P", least, least >= -CURVED * size, requirement)
    }
}
