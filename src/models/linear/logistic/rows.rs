//! Value and gradient of one column of scores, row by row: each row is read once and nothing is written but sums.

use std::ops::Range;

use ndarray::Array2;
use pulp::{Arch, Simd, WithSimd};

use super::problem::{Data, Local};

/// Entries of a row that are taken together.
const LANES: usize = 16;

/// The sums over some blocks of rows; none if rows are not whole, or there is more than one column of scores.
pub(super) fn slopes(problem: &Data, w: &[f64], blocks: &[Range<usize>], sloped: bool) -> Option<Local> {
    let (d, p) = (problem.x.ncols(), problem.width());
    let whole = problem.columns == 1 && problem.live.len() == d && d > 0;
    let x = problem.x.as_slice().filter(|_| whole)?;
    let inverse = problem.inverse.as_slice()?;
    let scaled: Vec<f64> = w.iter().zip(inverse).map(|(w, i)| w * i).collect();
    let constant = if problem.intercept { w[d] } else { 0.0 };
    let mut out =
        Local { value: 0.0, loss: 0.0, gradient: Array2::zeros((0, 0)), hessian: None, separated: true };
    let mut sums = vec![0.0; d];
    let mut total = 0.0;
    for rows in blocks {
        let shift = problem.shift.as_slice()?;
        let pass = Pass {
            problem,
            x,
            shift,
            scaled: &scaled,
            constant,
            rows: rows.clone(),
            sloped,
            sums: &mut sums,
        };
        let (loss, slope, separated) = Arch::new().dispatch(pass);
        out.loss += loss;
        total += slope;
        out.separated &= separated;
    }
    if sloped {
        let each = sums.iter().zip(inverse).map(|(g, i)| g * i);
        let last = problem.intercept.then_some(total);
        out.gradient = Array2::from_shape_vec((p, 1), each.chain(last).collect()).expect("p numbers");
    }
    Some(out)
}

struct Pass<'a, 'd> {
    problem: &'a Data<'d>,
    x: &'a [f64],
    shift: &'a [f64],
    /// Parameters of the features as they are.
    scaled: &'a [f64],
    constant: f64,
    rows: Range<usize>,
    sloped: bool,
    sums: &'a mut [f64],
}

impl WithSimd for Pass<'_, '_> {
    /// Loss, sum of slopes, and whether all rows are on the right side.
    type Output = (f64, f64, bool);

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) -> (f64, f64, bool) {
        let Pass { problem, x, shift, scaled, constant, rows, sloped, sums } = self;
        let d = shift.len();
        let (mut loss, mut total, mut separated) = (0.0, 0.0, true);
        let weights = problem.weights.as_slice().expect("made whole");
        let offset = problem.offset.as_ref().map(|o| o.as_slice().expect("made whole"));
        for i in rows {
            let row = &x[i * d..(i + 1) * d];
            let a = dot(row, shift, scaled) + constant;
            let up = problem.index[i] == 1;
            separated &= if up { a > 0.0 } else { a < 0.0 };
            let [value, slope, _] = problem.link.local(offset.map_or(a, |o| a + o[i]), up);
            loss += weights[i] * value;
            if sloped {
                let slope = weights[i] * slope;
                total += slope;
                for ((sum, x), s) in sums.iter_mut().zip(row).zip(shift) {
                    *sum += slope * (x - s);
                }
            }
        }
        (loss, total, separated)
    }
}

/// `Σ_j (x_j - s_j) w_j`, in as many sums as there are lanes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn dot(x: &[f64], s: &[f64], w: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (xs, ss, ws) = (x.chunks_exact(LANES), s.chunks_exact(LANES), w.chunks_exact(LANES));
    let ends = xs.remainder().iter().zip(ss.remainder()).zip(ws.remainder());
    let rest: f64 = ends.map(|((x, s), w)| (x - s) * w).sum();
    for ((x, s), w) in xs.zip(ss).zip(ws) {
        for l in 0..LANES {
            sums[l] += (x[l] - s[l]) * w[l];
        }
    }
    sums.iter().sum::<f64>() + rest
}
