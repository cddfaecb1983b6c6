//! Lagrangians, dual functions and optimality conditions. Checked in `tests/svm/duality.rs`.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::minimiser::Minimiser;
use super::quadratic::QuadraticProgram;
use crate::check::{finite, largest, require};
use crate::linalg::eigh;
use crate::{Error, Result};

const OP: &str = "a convex program";
/// Part of a vector outside the range of P that is rounding.
const OUTSIDE: f64 = 1e-10;

/// What is left of the Karush-Kuhn-Tucker conditions at a point and its multipliers; all zero at the optimum.
///
/// For a convex program with a point that satisfies its inequalities strictly (Slater's condition) they are necessary and
/// sufficient.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Kkt {
    /// `max_i max(0, f_i(x))`.
    pub inequality: f64,
    /// `max_j |h_j(x)|`.
    pub equality: f64,
    /// `max_i max(0, -λ_i)`.
    pub sign: f64,
    /// `max_i |λ_i f_i(x)|`.
    pub slackness: f64,
    /// The largest entry of `∇f₀ + Σ λ_i ∇f_i + Σ ν_j ∇h_j`.
    pub stationarity: f64,
}

impl Kkt {
    fn of(f: &Array1<f64>, h: &Array1<f64>, lambda: ArrayView1<f64>, gradient: &Array1<f64>) -> Self {
        let most = |v: &mut dyn Iterator<Item = f64>| {
            v.fold(0.0, |m: f64, v| if v > m || v.is_nan() { v } else { m })
        };
        Kkt {
            inequality: most(&mut f.iter().copied()),
            equality: most(&mut h.iter().map(|v| v.abs())),
            sign: most(&mut lambda.iter().map(|v| -v)),
            slackness: most(&mut lambda.iter().zip(f).map(|(l, f)| (l * f).abs())),
            stationarity: most(&mut gradient.iter().map(|v| v.abs())),
        }
    }

    /// The largest of them.
    pub fn worst(&self) -> f64 {
        let all = [self.inequality, self.equality, self.sign, self.slackness, self.stationarity];
        all.into_iter().fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m })
    }
}

/// Duality of a quadratic program. Its bounds count as inequalities, upper ones first, after those of A.
impl QuadraticProgram {
    /// `L(x, λ, ν) = ½xᵀPx + qᵀx + λᵀ(Ax - b) + νᵀ(Ex - d)`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for multipliers that do not fit.
    pub fn lagrangian(
        &self,
        x: ArrayView1<f64>,
        lambda: ArrayView1<f64>,
        nu: ArrayView1<f64>,
    ) -> Result<f64> {
        let whole = self.whole()?;
        whole.fits(Some(x), lambda, nu)?;
        let (f, h) = (whole.a.dot(&x) - &whole.b, whole.e.dot(&x) - &whole.d);
        Ok(whole.value(x) + lambda.dot(&f) + nu.dot(&h))
    }

    /// `g(λ, ν) = inf_x L(x, λ, ν) = -½vᵀP⁺v - λᵀb - νᵀd` with `v = q + Aᵀλ + Eᵀν`; -∞ where v has a part outside the
    /// range of P. It is concave, and for λ ≥ 0 never above the minimum.
    ///
    /// # Errors
    /// As [`QuadraticProgram::lagrangian`].
    pub fn dual_function(&self, lambda: ArrayView1<f64>, nu: ArrayView1<f64>) -> Result<f64> {
        let whole = self.whole()?;
        whole.fits(None, lambda, nu)?;
        let v = &whole.q + &whole.a.t().dot(&lambda) + whole.e.t().dot(&nu);
        let eigen = eigh(whole.p.view())?;
        let least = 1e-13 * eigen.values[0].abs();
        let size = v.iter().fold(0f64, |m, v| m.max(v.abs()));
        let mut inner = 0.0;
        for (value, vector) in eigen.values.iter().zip(eigen.vectors.columns()) {
            let along = vector.dot(&v);
            if *value > least {
                inner += along * along / value;
            } else if along.abs() > OUTSIDE * size || *value < -least {
                return Ok(f64::NEG_INFINITY);
            }
        }
        Ok(-0.5 * inner - lambda.dot(&whole.b) - nu.dot(&whole.d))
    }

    /// What is left of the optimality conditions at x with these multipliers.
    ///
    /// # Errors
    /// As [`QuadraticProgram::lagrangian`].
    pub fn kkt(&self, x: ArrayView1<f64>, lambda: ArrayView1<f64>, nu: ArrayView1<f64>) -> Result<Kkt> {
        let whole = self.whole()?;
        whole.fits(Some(x), lambda, nu)?;
        let (f, h) = (whole.a.dot(&x) - &whole.b, whole.e.dot(&x) - &whole.d);
        let gradient = whole.p.dot(&x) + &whole.q + whole.a.t().dot(&lambda) + whole.e.t().dot(&nu);
        Ok(Kkt::of(&f, &h, lambda, &gradient))
    }

    fn fits(&self, x: Option<ArrayView1<f64>>, lambda: ArrayView1<f64>, nu: ArrayView1<f64>) -> Result<()> {
        let (n, m, r) = (self.q.len(), self.b.len(), self.d.len());
        let fits = x.is_none_or(|x| x.len() == n) && lambda.len() == m && nu.len() == r;
        require(OP, fits, || {
            format!("{n} variables, {m} inequalities and {r} equalities want as many numbers each")
        })
    }
}

/// A function and its gradient.
pub(super) type Smooth = Arc<dyn Fn(ArrayView1<f64>) -> (f64, Array1<f64>) + Send + Sync>;

/// `min f₀(x)` with `f_i(x) ≤ 0` and `h_j(x) = 0`, all differentiable: for looking at duality, not for large problems.
///
/// ```
/// use mercer::optim::ConvexProgram;
/// use ndarray::array;
/// // min x² with x ≥ 1: the multiplier is 2, and the gap is zero.
/// let program = ConvexProgram::new(1, |x| (x[0] * x[0], array![2.0 * x[0]])).inequality(|x| (1.0 - x[0], array![-1.0]));
/// assert!(program.kkt(array![1.0].view(), array![2.0].view(), array![].view())?.worst() < 1e-15);
/// let g = program.dual_function(array![1.5].view(), array![].view(), array![0.0].view())?;
/// assert!((g - (1.5 - 1.5 * 1.5 / 4.0)).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct ConvexProgram {
    pub(super) variables: usize,
    pub(super) objective: Smooth,
    pub(super) inequalities: Vec<Smooth>,
    pub(super) equalities: Vec<Smooth>,
}

impl std::fmt::Debug for ConvexProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (m, r) = (self.inequalities.len(), self.equalities.len());
        write!(f, "ConvexProgram({} variables, {m} inequalities, {r} equalities)", self.variables)
    }
}

impl ConvexProgram {
    /// The objective f₀ of so many variables: a value and a gradient.
    pub fn new(
        variables: usize,
        objective: impl Fn(ArrayView1<f64>) -> (f64, Array1<f64>) + Send + Sync + 'static,
    ) -> Self {
        let objective = Arc::new(objective);
        ConvexProgram { variables, objective, inequalities: Vec::new(), equalities: Vec::new() }
    }

    /// With one more `f_i(x) ≤ 0`.
    #[must_use]
    pub fn inequality(
        mut self,
        f: impl Fn(ArrayView1<f64>) -> (f64, Array1<f64>) + Send + Sync + 'static,
    ) -> Self {
        self.inequalities.push(Arc::new(f));
        self
    }

    /// With one more `h_j(x) = 0`.
    #[must_use]
    pub fn equality(
        mut self,
        h: impl Fn(ArrayView1<f64>) -> (f64, Array1<f64>) + Send + Sync + 'static,
    ) -> Self {
        self.equalities.push(Arc::new(h));
        self
    }

    /// `L = f₀ + Σ λ_i f_i + Σ ν_j h_j` and its gradient by x.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a point, multipliers or gradients that do not fit.
    pub fn lagrangian(
        &self,
        x: ArrayView1<f64>,
        lambda: ArrayView1<f64>,
        nu: ArrayView1<f64>,
    ) -> Result<(f64, Array1<f64>)> {
        let (m, r) = (self.inequalities.len(), self.equalities.len());
        let fits = x.len() == self.variables && lambda.len() == m && nu.len() == r;
        require(OP, fits, || format!("{} variables, {m} inequalities, {r} equalities", self.variables))?;
        let (mut value, mut gradient) = (self.objective)(x);
        require(OP, gradient.len() == self.variables, || format!("a gradient of {}", gradient.len()))?;
        let terms = self.inequalities.iter().zip(lambda).chain(self.equalities.iter().zip(nu));
        for (f, weight) in terms {
            let (v, slope) = f(x);
            require(OP, slope.len() == self.variables, || format!("a gradient of {}", slope.len()))?;
            value += weight * v;
            gradient.scaled_add(*weight, &slope);
        }
        Ok((value, gradient))
    }

    /// `sup_{λ ≥ 0, ν} L`: the objective where x is feasible to `tolerance`, else +∞.
    pub fn supremum(&self, x: ArrayView1<f64>, tolerance: f64) -> f64 {
        let below = self.inequalities.iter().all(|f| f(x).0 <= tolerance);
        let on = self.equalities.iter().all(|h| h(x).0.abs() <= tolerance);
        if below && on { (self.objective)(x).0 } else { f64::INFINITY }
    }

    /// `g(λ, ν) = inf_x L`, searched from `start`; for λ ≥ 0 never above the minimum of a convex program.
    ///
    /// # Errors
    /// As [`ConvexProgram::lagrangian`], and those of [`Minimiser`]; [`Error::NoConvergence`] where no infimum is found, as of
    /// a Lagrangian that falls forever.
    pub fn dual_function(
        &self,
        lambda: ArrayView1<f64>,
        nu: ArrayView1<f64>,
        start: ArrayView1<f64>,
    ) -> Result<f64> {
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); start.len()];
        let search = Minimiser::new().tolerance(1e-10).max_iterations(1000);
        let found = search.run(&start.to_vec(), &bounds, |x| {
            let (value, gradient) = self.lagrangian(ArrayView1::from(x), lambda, nu)?;
            Ok((value, gradient.to_vec()))
        })?;
        let residual = largest(&found.gradient);
        // Values may be as exact as they get before the gradient is: it says whether this is an infimum.
        let first = largest(&self.lagrangian(start, lambda, nu)?.1);
        if residual > 1e-6 * first.max(1.0) {
            let iterations = found.iterations;
            return Err(Error::NoConvergence { op: OP, iterations, residual, tolerance: 1e-10 });
        }
        Ok(found.value)
    }

    /// What is left of the optimality conditions at x with these multipliers.
    ///
    /// # Errors
    /// As [`ConvexProgram::lagrangian`].
    pub fn kkt(&self, x: ArrayView1<f64>, lambda: ArrayView1<f64>, nu: ArrayView1<f64>) -> Result<Kkt> {
        let (_, gradient) = self.lagrangian(x, lambda, nu)?;
        let f = self.inequalities.iter().map(|f| f(x).0).collect();
        let h = self.equalities.iter().map(|h| h(x).0).collect();
        Ok(Kkt::of(&f, &h, lambda, &gradient))
    }
}

/// `max_i min_j A_ij` and `min_j max_i A_ij` of a payoff matrix: the first is never above the second, and equal to it if
/// and only if there is a saddle point.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for an empty matrix, [`Error::NotFinite`](crate::Error::NotFinite).
///
/// ```
/// use mercer::optim::max_min;
/// assert_eq!(max_min(ndarray::array![[1.0, 2.0], [0.0, 3.0]].view())?, (1.0, 1.0));
/// assert_eq!(max_min(ndarray::array![[1.0, -1.0], [-1.0, 1.0]].view())?, (-1.0, 1.0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn max_min(payoff: ArrayView2<f64>) -> Result<(f64, f64)> {
    finite("max_min", "the payoff", payoff)?;
    let least = |v: ArrayView1<f64>| v.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |v: ArrayView1<f64>| v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lower = payoff.axis_iter(Axis(0)).map(least).fold(f64::NEG_INFINITY, f64::max);
    let upper = payoff.axis_iter(Axis(1)).map(most).fold(f64::INFINITY, f64::min);
    Ok((lower, upper))
}

/// The minimum of `½xᵀPx + qᵀx` on `Ex = d` and its Lagrange multipliers: `[P Eᵀ; E 0] [x; ν] = [-q; d]`.
///
/// # Errors
/// As [`QuadraticProgram::solve`].
pub fn on_equalities(
    p: Array2<f64>,
    q: Array1<f64>,
    e: Array2<f64>,
    d: Array1<f64>,
) -> Result<(Array1<f64>, Array1<f64>)> {
    let found = QuadraticProgram::new(p, q).equal(e, d).solve()?;
    Ok((found.x, found.equality))
}
