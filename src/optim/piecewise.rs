//! Sums of piecewise linear losses and a quadratic penalty, to the last digits, by an interior point method.
//! Checked in `tests/optim/others.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};

use crate::check::{finite, not_negative, positive, require};
use crate::configure::setters;
use crate::linalg::small_cholesky::Small;
use crate::ops::product;
use crate::{Error, Progress, Result};

/// How far towards the boundary a step may go.
const BACK: f64 = 0.9995;

/// `min_w ½ Σ_j q_j w_j² + Σ_i h_i (t_i - a_iᵀw)₊ + l_i (a_iᵀw - t_i)₊`.
///
/// Quantile regression (h = τ, l = 1 - τ), least absolute deviations, the hinge (l = 0), tubes (two rows for each
/// observation) and absolute penalties (a row for each coefficient) are all of this form. Mehrotra's predictor and corrector
/// on `Aw + u - v = t`, `u, v ≥ 0` and multipliers in `[-l, h]`: twenty iterations, each a factorisation of the size of w.
///
/// ```
/// use mercer::optim::PiecewiseLinear;
/// use ndarray::{array, Array2};
/// // The median of five numbers.
/// let (a, t) = (Array2::ones((5, 1)), array![1.0, 2.0, 4.0, 7.0, 11.0]);
/// let one = ndarray::Array1::ones(5);
/// let found = PiecewiseLinear::new().run(a.view(), t.view(), one.view(), one.view(), array![0.0].view())?;
/// assert!((found.point[0] - 4.0).abs() < 1e-8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PiecewiseLinear {
    max_iterations: usize,
    tolerance: f64,
    progress: Progress,
}

/// What [`PiecewiseLinear::run`] has found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PiecewiseMinimum {
    /// w.
    pub point: Array1<f64>,
    /// The multipliers of the rows, in `[-l_i, h_i]`: how hard each pulls.
    pub multipliers: Array1<f64>,
    /// The objective at w.
    pub objective: f64,
    /// The objective is above the minimum by this at most, but for the rounding of the multipliers' equations.
    pub gap: f64,
    /// Whether the gap is within the tolerance.
    pub converged: bool,
    /// Iterations made.
    pub iterations: usize,
    /// The gap before each iteration.
    pub gaps: Vec<f64>,
}

impl Default for PiecewiseLinear {
    fn default() -> Self {
        PiecewiseLinear { max_iterations: 200, tolerance: 1e-11, progress: Progress::none() }
    }
}

setters!(PiecewiseLinear {
    /// Most iterations; 200 unless said otherwise.
    max_iterations: usize,
    /// The duality gap to reach, relative to the objective at w = 0 or a thousandth of all
    /// prices; 1e-11 unless said otherwise.
    tolerance: f64,
    /// Callback after every iteration, which can stop the search.
    progress: Progress,
});

struct State {
    w: Array1<f64>,
    a: Array1<f64>,
    u: Array1<f64>,
    v: Array1<f64>,
}

impl PiecewiseLinear {
    /// At most 200 iterations to a relative gap of 1e-11.
    pub fn new() -> Self {
        Self::default()
    }

    /// The minimum for rows `a_i`, m x p, targets t, prices `high` and `low` of either side, and `squares` q.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for operands that do not fit, are not finite or are
    /// negative, or a row whose prices are both zero; [`Error::NotPositiveDefinite`] if the columns depend on each other and
    /// have no penalty; [`Error::Cancelled`].
    pub fn run(
        &self,
        rows: ArrayView2<f64>,
        t: ArrayView1<f64>,
        high: ArrayView1<f64>,
        low: ArrayView1<f64>,
        squares: ArrayView1<f64>,
    ) -> Result<PiecewiseMinimum> {
        const OP: &str = "PiecewiseLinear::run";
        finite(OP, "the rows", rows)?;
        finite(OP, "the targets", t.insert_axis(Axis(1)))?;
        let (m, p) = rows.dim();
        require(OP, t.len() == m && high.len() == m && low.len() == m && squares.len() == p, || {
            format!(
                "{m} x {p} rows, {} targets, {} and {} prices, {} squares",
                t.len(),
                high.len(),
                low.len(),
                squares.len()
            )
        })?;
        for (h, l) in high.iter().zip(low) {
            not_negative("price", *h)?;
            not_negative("price", *l)?;
            positive("sum of the prices of a row", h + l)?;
        }
        squares.iter().try_for_each(|q| not_negative("square", *q))?;
        // In units of the targets and of each column, so that one tolerance serves all data.
        let unit = t.iter().fold(0f64, |s, v| s.max(v.abs()));
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let scale = rows.map_axis(Axis(0), |c| c.iter().fold(0f64, |s, v| s.max(v.abs())));
        let scale = scale.mapv(|s| if s > 0.0 { s } else { 1.0 });
        let price = high.iter().chain(low).fold(0f64, |s, v| s.max(*v));
        let q = Zip::from(&squares).and(&scale).map_collect(|q, s| (q / s) / s * unit / price);
        let problem =
            Scaled { rows: &rows / &scale, t: &t / unit, high: &high / price, low: &low / price, q };
        let mut found = self.scaled(&problem)?;
        found.point = found.point / &scale * unit;
        found.multipliers *= price;
        found.objective *= unit * price;
        found.gap *= unit * price;
        found.gaps.iter_mut().for_each(|g| *g *= unit * price);
        match found.point.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            None => Ok(found),
            Some((row, &value)) => Err(Error::NotFinite { op: OP, what: "the minimum", value, row, col: 0 }),
        }
    }

    fn scaled(&self, problem: &Scaled) -> Result<PiecewiseMinimum> {
        const OP: &str = "PiecewiseLinear::run";
        let (m, p) = problem.rows.dim();
        let mut now = problem.start();
        // Targets are at most one in these units: a minimum of zero is met as well as one of their size.
        let worst = problem.objective(&Array1::zeros(p)).max(1e-3 * (problem.high.sum() + problem.low.sum()));
        let mut gaps = Vec::new();
        let (mut converged, mut iterations) = (false, 0);
        loop {
            let (zu, zv) = (&problem.high - &now.a, &problem.low + &now.a);
            let gap = now.u.dot(&zu) + now.v.dot(&zv);
            let primal = &problem.t - &problem.rows.dot(&now.w) - &now.u + &now.v;
            let dual = problem.rows.t().dot(&now.a) - &problem.q * &now.w;
            gaps.push(gap);
            let feasible = length(&primal) <= 1e-9 * (m as f64).sqrt() && length(&dual) <= 1e-9 * m as f64;
            converged = converged || (gap <= self.tolerance * worst && feasible);
            if converged || iterations >= self.max_iterations || !gap.is_finite() {
                break;
            }
            let d =
                Zip::from(&now.u).and(&zu).and(&now.v).and(&zv).map_collect(|u, zu, v, zv| u / zu + v / zv);
            let factor = match problem.factor(&d) {
                // So near the end that no digits are left to step by.
                Err(Error::NotPositiveDefinite { .. }) if gap <= 1e-6 * worst => break,
                other => other?,
            };
            let Some(factor) = factor else { break };
            // Predict without a barrier, then aim at what the prediction says can be reached.
            let solve = |target_u: &Array1<f64>, target_v: &Array1<f64>| -> [Array1<f64>; 4] {
                let gu = (target_u - &(&now.u * &zu)) / &zu;
                let gv = (target_v - &(&now.v * &zv)) / &zv;
                let g = &primal - &gu + &gv;
                let right = &dual + &problem.rows.t().dot(&(&g / &d));
                let dw = factor.solve_rows(right.view().insert_axis(Axis(0))).row(0).to_owned();
                let da = (&g - &problem.rows.dot(&dw)) / &d;
                let du = gu + &now.u / &zu * &da;
                let dv = gv - &now.v / &zv * &da;
                [dw, da, du, dv]
            };
            let zero = Array1::zeros(m);
            let [_, da, du, dv] = solve(&zero, &zero);
            let (s, z) = (reach(&now.u, &du).min(reach(&now.v, &dv)), reach(&zu, &-&da).min(reach(&zv, &da)));
            let reached = (&now.u + &(s * &du)).dot(&(&zu - &(z * &da)))
                + (&now.v + &(s * &dv)).dot(&(&zv + &(z * &da)));
            let mu = gap / (2 * m) as f64 * (reached / gap).max(0.0).powi(3).min(1.0);
            let [dw, da, du, dv] = solve(&(mu + &du * &da), &(mu - &dv * &da));
            let s = (BACK * reach(&now.u, &du).min(reach(&now.v, &dv))).min(1.0);
            let z = (BACK * reach(&zu, &-&da).min(reach(&zv, &da))).min(1.0);
            // One length for both where squares couple them.
            let (s, z) = if problem.q.iter().any(|q| *q > 0.0) { (s.min(z), s.min(z)) } else { (s, z) };
            now.w.scaled_add(s, &dw);
            now.u.scaled_add(s, &du);
            now.v.scaled_add(s, &dv);
            now.a.scaled_add(z, &da);
            iterations += 1;
            self.progress.report(OP, iterations, self.max_iterations, gap)?;
        }
        let (objective, gap) = (problem.objective(&now.w), gaps.last().copied().unwrap_or(f64::NAN));
        let (point, multipliers) = (now.w, now.a);
        Ok(PiecewiseMinimum { point, multipliers, objective, gap, converged, iterations, gaps })
    }
}

struct Scaled {
    rows: Array2<f64>,
    t: Array1<f64>,
    high: Array1<f64>,
    low: Array1<f64>,
    q: Array1<f64>,
}

impl Scaled {
    fn start(&self) -> State {
        let spread = self.t.iter().fold(0f64, |s, v| s.max(v.abs())).max(1.0);
        State {
            w: Array1::zeros(self.rows.ncols()),
            a: 0.5 * (&self.high - &self.low),
            u: self.t.mapv(|t| t.max(0.0) + spread),
            v: self.t.mapv(|t| (-t).max(0.0) + spread),
        }
    }

    fn objective(&self, w: &Array1<f64>) -> f64 {
        let left = &self.t - &self.rows.dot(w);
        let cost = Zip::from(&left)
            .and(&self.high)
            .and(&self.low)
            .fold(0.0, |sum, r, h, l| sum + (h * r).max(-l * r));
        cost + 0.5 * Zip::from(w).and(&self.q).fold(0.0, |sum, w, q| sum + q * w * w)
    }

    /// `Q + AᵀD⁻¹A`, factored; none if it has no digits left, which ends the iteration.
    fn factor(&self, d: &Array1<f64>) -> Result<Option<Small>> {
        let weighted = &self.rows / &d.view().insert_axis(Axis(1));
        let mut h = Array2::zeros((self.rows.ncols(), self.rows.ncols()));
        product(1.0, self.rows.t(), weighted.view(), 0.0, h.view_mut());
        if h.iter().any(|v| !v.is_finite()) {
            return Ok(None);
        }
        h.diag_mut().zip_mut_with(&self.q, |h, q| *h += q);
        let size = h.diag().iter().fold(0f64, |s, v| s.max(*v));
        h.diag_mut().mapv_inplace(|v| v + 1e-14 * size);
        Small::new("PiecewiseLinear::run", h.view()).map(Some)
    }
}

fn length(v: &Array1<f64>) -> f64 {
    v.dot(v).sqrt()
}

/// The longest step along which x stays positive, at most 1/`BACK`.
fn reach(x: &Array1<f64>, step: &Array1<f64>) -> f64 {
    Zip::from(x).and(step).fold(1.0 / BACK, |s: f64, x, d| if *d < 0.0 { s.min(-x / d) } else { s })
}
