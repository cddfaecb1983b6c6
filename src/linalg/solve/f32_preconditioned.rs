//! Solves on the CPU by an f32 factor: half the time and half the memory of an f64 one, and the same answer.
//!
//! The factor preconditions conjugate gradients whose products and residuals are f64: as long as the condition is
//! within f32's reach, three or four of them do. Checked in `tests/kernel_methods/kernel_ridge.rs` against the f64 factorisation.

use faer::linalg::cholesky::llt::factor;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par, Spec};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::Progress;
use crate::Result;
use crate::host::zero_upper::restored;
use crate::linalg::iterative::cg::{CgParams, CgSolution, conjugate_gradients};
use crate::linalg::iterative::operator::Operator;
use crate::linalg::iterative::preconditioner::Preconditioner;
use crate::ops::product;

/// Relative residual that must be reached, and the products after which it is given up.
const REACHED: f64 = 1e-13;
const PRODUCTS: usize = 12;
/// Right-hand sides up to which a product is made row by row.
const FEW: usize = 4;

/// `A⁻¹B` for a symmetric f64 `a`, or none if f32 is not enough for it; then factor in f64.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for a bad `b`.
pub(crate) fn solve_mixed(a: &Array2<f64>, b: ArrayView2<f64>) -> Result<Option<CgSolution>> {
    let Some(factor) = SingleFactor::new(a) else { return Ok(None) };
    let params = CgParams::new()
        .tolerance(Some(REACHED))
        .max_iterations(PRODUCTS)
        .accept_unconverged(true)
        .progress(Progress::none());
    let found = match conjugate_gradients(&Dense(a), b, &factor, &params) {
        // An indefinite matrix is for the f64 factorisation to name.
        Err(crate::Error::NotPositiveDefinite { .. }) => return Ok(None),
        other => other?,
    };
    Ok(found.info.converged.then_some(found))
}

/// A stored matrix whose products with a few vectors use every core.
struct Dense<'a>(&'a Array2<f64>);

impl Operator for Dense<'_> {
    fn dim(&self) -> usize {
        self.0.nrows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (n, r) = v.dim();
        let mut out = Array2::zeros((n, r));
        let Some(a) = self.0.as_slice().filter(|_| r <= FEW) else {
            product(1.0, self.0.view(), v, 0.0, out.view_mut());
            return Ok(out);
        };
        let columns: Vec<Array1<f64>> = v.columns().into_iter().map(|c| c.to_owned()).collect();
        let slice = out.as_slice_mut().expect("a new array is row-major");
        slice.par_chunks_mut(r).zip(a.par_chunks(n)).with_min_len(64).for_each(|(out, row)| {
            for (out, column) in out.iter_mut().zip(&columns) {
                *out = ndarray::ArrayView1::from(row).dot(column);
            }
        });
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(self.0.diag().to_owned())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        Ok(self.0.select(Axis(1), which))
    }
}

/// `LLᵀ ≈ A / scale` in f32, column-major.
struct SingleFactor {
    l: Vec<f32>,
    n: usize,
}

impl SingleFactor {
    /// None if a pivot is not positive in f32.
    fn new(a: &Array2<f64>) -> Option<Self> {
        let n = a.nrows();
        // A preconditioner may be off by a factor; f32 has no room for large units.
        let scale = a.diag().iter().fold(0f64, |m, v| m.max(v.abs()));
        let rows = a.as_slice().filter(|_| scale > 0.0 && scale.is_finite())?;
        let mut l = vec![0f32; n * n];
        // Column j of the lower triangle is row j of the upper one, which is contiguous.
        l.par_chunks_mut(n).zip(rows.par_chunks(n)).enumerate().for_each(|(j, (column, row))| {
            column[j..].iter_mut().zip(&row[j..]).for_each(|(to, from)| *to = (from / scale) as f32);
        });
        let par = if n < 128 { Par::Seq } else { Par::rayon(0) };
        let params = Spec::default();
        let mut memory =
            faer::dyn_stack::MemBuffer::new(factor::cholesky_in_place_scratch::<f32>(n, par, params));
        let done = restored(|| {
            let view = MatMut::from_column_major_slice_mut(&mut l, n, n);
            let stack = faer::dyn_stack::MemStack::new(&mut memory);
            factor::cholesky_in_place(view, factor::LltRegularization::default(), par, stack, params)
        });
        done.is_ok().then_some(SingleFactor { l, n })
    }
}

impl Preconditioner for SingleFactor {
    fn solve(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (n, width) = r.dim();
        // Residuals shrink far below the range of f32; their size does not matter to a direction.
        let sizes = r.map_axis(Axis(0), |c| c.iter().fold(f64::MIN_POSITIVE, |m: f64, v| m.max(v.abs())));
        let mut x: Vec<f32> = (0..width)
            .flat_map(|c| (0..n).map(move |i| (i, c)))
            .map(|(i, c)| (r[[i, c]] / sizes[c]) as f32)
            .collect();
        restored(|| {
            let l = MatRef::from_column_major_slice(&self.l, n, n);
            let mut x = MatMut::from_column_major_slice_mut(&mut x, n, width);
            solve_lower_triangular_in_place(l, x.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(l.transpose(), x.as_mut(), Par::Seq);
        });
        debug_assert_eq!(n, self.n);
        Ok(Array2::from_shape_fn((n, width), |(i, c)| f64::from(x[c * n + i]) * sizes[c]))
    }
}
