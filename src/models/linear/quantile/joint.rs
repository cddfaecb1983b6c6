//! Several quantiles in one linear program, in which no line crosses the next at any row.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use crate::learn::Report;
use crate::models::linear::centred::Centred;
use crate::models::linear::function::Linear;
use crate::optim::PiecewiseLinear;
use crate::{Progress, Result};

const OP: &str = "Quantiles::fit";

/// `min Σ_k Σ_i s_i ρ_k(y_i - w_kᵀx_i - b_k)/Σ s_i + λ Σ_k ‖w_k‖₁` so that `w_kᵀx_i + b_k ≤ w_{k+1}ᵀx_i + b_{k+1}` at all rows.
///
/// A price on what lies the wrong way round stands for the constraint, and is exact: by the equations of the intercepts the
/// multipliers between two quantiles sum to the pull of the lines below, which is less than one a line.
pub(super) fn joint(
    levels: &[f64],
    penalty: f64,
    progress: &Progress,
    (x, y): (ArrayView2<f64>, ArrayView1<f64>),
    weights: Option<ArrayView1<f64>>,
) -> Result<(Vec<Linear>, Report)> {
    let kept: Vec<usize> = (0..y.len()).filter(|&i| weights.is_none_or(|w| w[i] > 0.0)).collect();
    let (x, y) = (x.select(Axis(0), &kept), y.select(Axis(0), &kept).insert_axis(Axis(1)));
    let share = Array1::from_shape_fn(kept.len(), |i| weights.map_or(1.0, |w| w[kept[i]]));
    let share = &share / share.sum();
    let data = Centred::new(x.view(), y.view(), None, true);
    let (rows, targets) = (data.rows(), data.targets());
    let ((n, d), q) = (rows.dim(), levels.len());
    let p = d + 1;
    let prices = if penalty > 0.0 { q * d } else { 0 };
    let count = n * (2 * q - 1) + prices;
    let mut a = Array2::<f64>::zeros((count, q * p));
    let [mut t, mut high, mut low] = [0; 3].map(|_| Array1::<f64>::zeros(count));
    let place = |mut to: ndarray::ArrayViewMut1<f64>, i: usize, sign: f64| {
        to.slice_mut(s![..d]).assign(&(sign * &rows.row(i)));
        to[d] = sign;
    };
    for (k, tau) in levels.iter().enumerate() {
        for i in 0..n {
            let at = k * n + i;
            place(a.slice_mut(s![at, k * p..(k + 1) * p]), i, 1.0);
            (t[at], high[at], low[at]) = (targets[[i, 0]], tau * share[i], (1.0 - tau) * share[i]);
            if k + 1 < q {
                let at = (q + k) * n + i;
                place(a.slice_mut(s![at, k * p..(k + 1) * p]), i, -1.0);
                place(a.slice_mut(s![at, (k + 1) * p..(k + 2) * p]), i, 1.0);
                high[at] = q as f64;
            }
        }
        for j in 0..d.min(prices) {
            let at = n * (2 * q - 1) + k * d + j;
            a[[at, k * p + j]] = 1.0;
            (high[at], low[at]) = (penalty, penalty);
        }
    }
    let squares = Array1::zeros(q * p);
    let solver = PiecewiseLinear::new().progress(progress.clone());
    let found = solver.run(a.view(), t.view(), high.view(), low.view(), squares.view())?;
    let each = found.point.to_shape((q, p)).expect("p for each quantile").to_owned();
    let mut lines = Vec::with_capacity(q);
    let mut below: Option<(Array1<f64>, Array1<f64>)> = None;
    for own in each.rows() {
        let mut own = own.to_owned();
        if let Some((line, said)) = &below {
            // The last digits of the solver, and of the sums that a prediction makes.
            let gap = rows.dot(&own.slice(s![..d])) + own[d] - said;
            let size = said.fold(0f64, |m, v| m.max(v.abs())) + data.y_mean[0].abs();
            let least = gap.fold(f64::INFINITY, |m, v| m.min(*v)) - 1e-12 * size;
            if (&own.slice(s![..d]) - line).iter().any(|v| *v != 0.0) {
                own[d] += (-least).max(0.0);
            }
        }
        let coefficients = own.slice(s![..d]).to_owned().insert_axis(Axis(1));
        let intercept = data.intercept(&coefficients) + own[d];
        let said = rows.dot(&own.slice(s![..d])) + own[d];
        below = Some((own.slice(s![..d]).to_owned(), said));
        lines.push(Linear::new(OP, coefficients, intercept)?);
    }
    let report = Report::new(found.gaps, found.iterations, found.converged, vec![found.objective]);
    Ok((lines, report))
}
