//! The configuration and its weighted least squares.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::FittedHuberRegression;
use crate::check::{not_negative, pairs, parameter};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Report, TargetDim};
use crate::linalg::{SpdParams, solve_spd};
use crate::models::linear::function::Linear;
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// Robust regression: the `w`, `b` and σ that minimise `Σ_i s_i (σ + σ H(r_i/σ)) + λ‖w‖²`, `r_i = y_i - wᵀx_i - b`, where
/// `H(z) = z²` for |z| ≤ ε and `2ε|z| - ε²` beyond.
///
/// Residuals beyond ε times the scale σ of the noise count linearly: outliers pull, but no harder the farther they are. This
/// is scikit-learn's `HuberRegressor`. By weighted least squares, each weight `min(1, εσ/|r_i|)`, which never lets the
/// objective rise; in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((20, 1), |(i, _)| i as f64);
/// let mut y = ndarray::Array1::from_shape_fn(20, |i| 2.0 * i as f64 + 0.1 * (13.0 * i as f64).sin());
/// y[19] = -100.0;
/// let fit = HuberRegression::new().fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[0, 0]] - 2.0).abs() < 0.01);
/// assert!(fit.outliers()[[19, 0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HuberRegression {
    epsilon: f64,
    penalty: f64,
    intercept: bool,
    tolerance: f64,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Default for HuberRegression {
    fn default() -> Self {
        let progress = Progress::none();
        HuberRegression {
            epsilon: 1.35,
            penalty: 0.0,
            intercept: true,
            tolerance: 1e-10,
            max_iterations: 10_000,
            progress,
        }
    }
}

impl HuberRegression {
    /// With ε = 1.35, which is 95 % as good as least squares where the noise is normal, no penalty, and an intercept.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(HuberRegression {
    /// Scales of the noise beyond which a residual counts linearly, ε > 1.
    epsilon: f64,
    /// The penalty λ ≥ 0.
    penalty: f64,
    /// Whether there is an intercept b.
    intercept: bool,
    /// The fit ends when nothing moves by more than this times the scale of the noise; 1e-10 unless said otherwise.
    tolerance: f64,
    /// Most iterations; 10,000 unless said otherwise.
    max_iterations: usize,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits!(HuberRegression: Regression -> FittedHuberRegression);

/// What is found for one target.
struct One {
    w: Array1<f64>,
    scale: f64,
    beyond: Vec<bool>,
    trace: Vec<f64>,
    converged: bool,
}

impl HuberRegression {
    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedHuberRegression<D>> {
        const OP: &str = "HuberRegression::fit";
        pairs(OP, x, y)?;
        parameter(
            "epsilon",
            self.epsilon,
            self.epsilon > 1.0 && self.epsilon.is_finite(),
            "must be above 1",
        )?;
        not_negative("penalty", self.penalty)?;
        not_negative("tolerance", self.tolerance)?;
        let ((n, d), t) = (x.dim(), y.ncols());
        let s = w.map_or_else(|| Array1::ones(n), |w| w.to_owned());
        let mean = if self.intercept {
            x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d))
        } else {
            Array1::zeros(d)
        };
        let rows = &x - &mean;
        let unit = rows.map_axis(Axis(0), |c| c.iter().fold(0f64, |m, v| m.max(v.abs())));
        let unit = unit.mapv(|u| if u > 0.0 { u } else { 1.0 });
        let rows = rows / &unit;
        let mut coefficients = Array2::zeros((d, t));
        let (mut intercept, mut scales) = (Array1::zeros(t), Array1::zeros(t));
        let mut outliers = Array2::from_elem((n, t), false);
        let (mut trace, mut starts, mut iterations, mut converged) = (vec![], vec![], 0, true);
        for k in 0..t {
            let one = self.one(&rows, y.column(k), &s, &unit)?;
            coefficients.column_mut(k).assign(&(&one.w.slice(s![..d]) / &unit));
            intercept[k] = if self.intercept { one.w[d] - coefficients.column(k).dot(&mean) } else { 0.0 };
            scales[k] = one.scale;
            one.beyond.iter().enumerate().for_each(|(i, b)| outliers[[i, k]] = *b);
            iterations = iterations.max(one.trace.len().saturating_sub(1));
            converged = converged && one.converged;
            starts.push(one.trace.last().copied().unwrap_or(0.0));
            trace = one.trace;
        }
        let linear = Linear::new(OP, coefficients, intercept)?;
        let report = Report::new(trace, iterations, converged, starts);
        Ok(FittedHuberRegression { format: Format, linear, scales, outliers, report, targets: PhantomData })
    }

    /// Of one target, for columns of unit size; the last entry of w is the intercept if there is one.
    fn one(
        &self,
        rows: &Array2<f64>,
        y: ArrayView1<f64>,
        s: &Array1<f64>,
        unit: &Array1<f64>,
    ) -> Result<One> {
        let (n, d) = rows.dim();
        let p = d + usize::from(self.intercept);
        let ones = Array2::from_shape_fn((n, p), |(i, j)| if j < d { rows[[i, j]] } else { 1.0 });
        let size = y.iter().fold(0f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
        let total = s.sum();
        let mut w = Array1::<f64>::zeros(p);
        let mut weights = s.clone();
        let mut scale: f64 = 0.0;
        let (mut trace, mut converged) = (Vec::new(), false);
        let mut left = y.to_owned();
        for i in 0..=self.max_iterations {
            let weighted = &ones * &weights.view().insert_axis(Axis(1));
            let mut a = ones.t().dot(&weighted);
            for j in 0..d {
                // λ‖w‖² in the units of the columns, over σ: both terms of the objective have the factor 1/σ.
                a[[j, j]] += if i == 0 { 0.0 } else { self.penalty * scale } / unit[j].powi(2);
            }
            let largest = a.diag().iter().fold(0f64, |m, v| m.max(*v));
            a.diag_mut().mapv_inplace(|v| v + 1e-13 * largest);
            let b = weighted.t().dot(&y).insert_axis(Axis(1));
            let next = solve_spd(&Device::cpu(), a.view(), b.view(), &SpdParams::new().condition(false))?
                .x
                .column(0)
                .to_owned();
            let moved = (&next - &w).iter().fold(0f64, |m, v| m.max(v.abs()));
            w = next;
            left = &y - &ones.dot(&w);
            let before = scale;
            scale = self.scale(&left, s, total, if i == 0 { None } else { Some(scale) });
            trace.push(self.objective(&left, s, scale, &w, unit));
            let least = self.tolerance * scale + 4.0 * f64::EPSILON * size;
            let still = moved <= least && (scale - before).abs() <= least;
            if (i > 0 && still) || scale <= 1e-13 * size {
                converged = true;
                break;
            }
            self.progress.report("HuberRegression::fit", i + 1, self.max_iterations, scale)?;
            let most = self.epsilon * scale;
            weights = s * &left.mapv(|r| if r.abs() > most { most / r.abs() } else { 1.0 });
        }
        let most = self.epsilon * scale.max(1e-13 * size);
        let beyond = left.iter().map(|r| r.abs() > most).collect();
        Ok(One { w, scale, beyond, trace, converged })
    }

    /// The σ that is best for these residuals: `σ² = Σ_in s r² / (Σ s - ε² Σ_out s)`, for the set of those within εσ.
    fn scale(&self, left: &Array1<f64>, s: &Array1<f64>, total: f64, start: Option<f64>) -> f64 {
        let squares = left.iter().zip(s).map(|(r, s)| s * r * r).sum::<f64>();
        let mut scale = start.unwrap_or_else(|| (squares / total).sqrt());
        for _ in 0..100 {
            let most = self.epsilon * scale;
            let (mut inside, mut outside) = (0.0, 0.0);
            for (r, s) in left.iter().zip(s) {
                if r.abs() <= most { inside += s * r * r } else { outside += s }
            }
            let weight = total - self.epsilon.powi(2) * outside;
            // Too many outside for this σ: it is too small.
            let next = if weight > 0.0 { (inside / weight).sqrt() } else { 2.0 * scale };
            if (next - scale).abs() <= 1e-15 * scale {
                return next;
            }
            scale = if weight > 0.0 { 0.5 * (next + scale) } else { next };
        }
        scale
    }

    fn objective(
        &self,
        left: &Array1<f64>,
        s: &Array1<f64>,
        scale: f64,
        w: &Array1<f64>,
        unit: &Array1<f64>,
    ) -> f64 {
        let most = self.epsilon * scale;
        let one = |(r, s): (&f64, &f64)| {
            let h = if r.abs() <= most {
                if scale > 0.0 { r * r / scale } else { 0.0 }
            } else {
                2.0 * self.epsilon * r.abs() - self.epsilon.powi(2) * scale
            };
            s * (scale + h)
        };
        let shrunk = w.iter().zip(unit).map(|(w, u)| (w / u).powi(2)).sum::<f64>();
        left.iter().zip(s).map(one).sum::<f64>() + self.penalty * shrunk
    }
}
