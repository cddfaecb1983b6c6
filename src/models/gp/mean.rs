//! Mean functions `m(x) = h(x)ᵀβ`, with β by generalised least squares.
//!
//! Features are measured from the middle of the data, and the columns of H are made orthonormal, `H = UR`: inputs far
//! from the origin cost β no digits, and columns that depend on each other are seen in H itself, whatever C is. What
//! plain least squares explain is taken from y before anything is solved for, so that a residual which is small beside
//! a large mean has its own digits.

#[cfg(feature = "serde")]
mod saved;
#[cfg(feature = "serde")]
pub(super) use saved::SavedTrend;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use crate::check::require;
use crate::linalg::{SpdFactor, SpdParams, outside};
use crate::ops::{Triangle, solve_in_place};
use crate::{Device, Error, Result};

/// Roundings of an input that a column which depends on the others may be off by.
const ROUNDINGS: f64 = 8.0;

/// The mean of the process before data: `m(x) = h(x)ᵀβ`.
///
/// β maximises the likelihood given the other hyper-parameters: `β = (HᵀC⁻¹H)⁻¹HᵀC⁻¹y`, `C = K + noise`. Predictions
/// take it as known; to count the uncertainty about it put the mean into the kernel instead,
/// `k + Kernel::constant(c) + Kernel::linear_weighted(w)` with large c and w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mean {
    /// Zero.
    #[default]
    Zero,
    /// A constant β₀.
    Constant,
    /// A linear function `β₀ + Σ_f β_f x_f`.
    Linear,
}

impl Mean {
    /// p, for d features.
    fn coefficients(self, d: usize) -> usize {
        match self {
            Mean::Zero => 0,
            Mean::Constant => 1,
            Mean::Linear => 1 + d,
        }
    }
}

/// Where features are measured from, and in what unit: the middle of the data and half their range.
#[derive(Debug)]
struct Frame {
    mean: Mean,
    centre: Array1<f64>,
    unit: Array1<f64>,
}

impl Frame {
    fn new(mean: Mean, x: ArrayView2<f64>) -> Self {
        let ends = x.map_axis(Axis(0), |c| {
            c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h): (f64, f64), v| (l.min(*v), h.max(*v)))
        });
        let centre = ends.mapv(|(low, high)| 0.5 * low + 0.5 * high);
        // A feature without a range stays a column of zeros, which is refused.
        let unit = ends.mapv(|(low, high)| if high > low { 0.5 * high - 0.5 * low } else { 1.0 });
        Frame { mean, centre, unit }
    }

    /// The columns of the mean function at some inputs, `m x p`.
    fn columns(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let shape = (x.nrows(), self.mean.coefficients(x.ncols()));
        Array2::from_shape_fn(shape, |(i, j)| match j {
            0 => 1.0,
            _ => (x[[i, j - 1]] - self.centre[j - 1]) / self.unit[j - 1],
        })
    }

    /// What the rounding of inputs may put into a column, in its units.
    fn rounding(&self) -> f64 {
        let far = self.centre.iter().zip(&self.unit).map(|(c, u)| 1.0 + c.abs() / u);
        let far = if self.mean == Mean::Linear { far.fold(1.0, f64::max) } else { 1.0 };
        ROUNDINGS * f64::EPSILON * far
    }

    /// β of features as they are, from that of features in this frame.
    fn outside(&self, mut beta: Array2<f64>) -> Array2<f64> {
        for j in 1..beta.nrows() {
            let slope = &beta.row(j) / self.unit[j - 1];
            beta.row_mut(0).scaled_add(-self.centre[j - 1], &slope);
            beta.row_mut(j).assign(&slope);
        }
        beta
    }
}

/// What C is to be solved with, `[U r]`: the columns of the mean function, and what they leave of y.
#[derive(Debug)]
pub(super) struct Design {
    frame: Frame,
    /// U, `n x p`, orthonormal; no columns for a mean of zero.
    u: Array2<f64>,
    /// R, `p x p`, upper triangular.
    r: Array2<f64>,
    /// `Uᵀy`, `p x q`.
    first: Array2<f64>,
    /// `y - UUᵀy`, `n x q`.
    rest: Array2<f64>,
}

impl Design {
    /// # Errors
    /// [`Error::Shape`] if there are fewer points than coefficients, [`Error::NotPositiveDefinite`] if columns depend
    /// on each other.
    pub fn new(mean: Mean, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Self> {
        let (n, p) = (x.nrows(), mean.coefficients(x.ncols()));
        require("GpRegressor::fit", p <= n, || {
            format!("a mean of {p} coefficients cannot be told from {n} points; take a simpler mean")
        })?;
        let frame = Frame::new(mean, x);
        let (u, r) = orthonormal(&frame.columns(x), frame.rounding())?;
        let first = u.t().dot(&y);
        let rest = &y - &u.dot(&first);
        Ok(Design { frame, u, r, first, rest })
    }

    /// `[U r]`, `n x (p + q)`.
    pub fn right(&self) -> Result<Array2<f64>> {
        concatenate(Axis(1), &[self.u.view(), self.rest.view()])
            .map_err(|e| Error::Shape { op: "GpRegressor::fit", what: e.to_string() })
    }

    /// From `C⁻¹[U r]`: β, `α = C⁻¹(y - Hβ)` and `y - Hβ`.
    pub fn solved(self, solved: Array2<f64>) -> Result<(Trend, Array2<f64>, Array2<f64>)> {
        let Design { frame, u, r, first, rest } = self;
        let p = u.ncols();
        // Copies, each in one piece: a view of some columns would lie in memory as nothing that is loaded does.
        let (weighted, own) = (solved.slice(s![.., ..p]).to_owned(), solved.slice(s![.., p..]).to_owned());
        if p == 0 {
            let (coefficients, inner) = (first.clone(), first);
            return Ok((Trend { frame, coefficients, inner, weighted, normal: None }, own, rest));
        }
        let gram = u.t().dot(&weighted);
        let gram = (&gram + &gram.t()) * 0.5;
        let normal = SpdFactor::new(&Device::cpu(), gram.view(), &SpdParams::default()).map_err(renamed)?;
        let more = normal.solve(u.t().dot(&own).view())?.x;
        let (alpha, residual) = (own - weighted.dot(&more), rest - u.dot(&more));
        let mut inner = first + more;
        solve_in_place(r.view(), Triangle::Upper, inner.view_mut());
        let coefficients = frame.outside(inner.clone());
        Ok((Trend { frame, coefficients, inner, weighted, normal: Some(normal) }, alpha, residual))
    }
}

/// `H = UR` by Gram and Schmidt, each projection made twice; an entry of H is known to `rounding`.
fn orthonormal(h: &Array2<f64>, rounding: f64) -> Result<(Array2<f64>, Array2<f64>)> {
    let (n, p) = h.dim();
    let mut u = Array2::zeros((n, p));
    for j in 0..p {
        let found = outside(h.column(j), &[u.slice(s![.., ..j]).t()], rounding * (n as f64).sqrt());
        let dependent = || renamed(Error::NotPositiveDefinite { op: "", pivot: j, value: 0.0 });
        u.column_mut(j).assign(&found.ok_or_else(dependent)?);
    }
    // Of which what is below the diagonal is rounding, and not read.
    let r = u.t().dot(h);
    Ok((u, r))
}

/// Whose move it is: not the kernel's.
fn renamed(e: Error) -> Error {
    match e {
        Error::NotPositiveDefinite { pivot, value, .. } => {
            Error::NotPositiveDefinite { op: "GpRegressor::fit, columns of the mean", pivot, value }
        }
        other => other,
    }
}

/// β and what it was found by; all of it empty for a mean of zero.
#[derive(Debug)]
pub(super) struct Trend {
    frame: Frame,
    /// β, `p x q`.
    pub coefficients: Array2<f64>,
    /// β of features in the frame.
    inner: Array2<f64>,
    /// `C⁻¹U`, `n x p`.
    pub weighted: Array2<f64>,
    /// `UᵀC⁻¹U`, factored.
    pub normal: Option<SpdFactor>,
}

impl Trend {
    /// `Hβ` at new inputs.
    pub fn at(&self, x: ArrayView2<f64>) -> Array2<f64> {
        if self.normal.is_none() {
            return Array2::zeros((x.nrows(), self.inner.ncols()));
        }
        self.frame.columns(x).dot(&self.inner)
    }

    /// The derivative of `Hβ` by each feature, for one column of y.
    pub fn slope(&self, column: usize) -> Array1<f64> {
        let beta = self.coefficients.column(column);
        (0..self.frame.centre.len()).map(|f| beta.get(1 + f).copied().unwrap_or(0.0)).collect()
    }
}
