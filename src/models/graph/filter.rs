//! The small end of a spectrum, stretched: a Chebyshev polynomial of a Laplacian, whose leading eigenvectors are the
//! Laplacian's smallest ones, much farther apart than in the Laplacian itself.

#![allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]

use ndarray::{Array1, Array2, ArrayView2, s};
use pulp::Arch;
use rayon::prelude::*;

use crate::check::require;
use crate::linalg::{EigenParams, Eigenpairs, Operator, eigh, leading_eigenpairs};
use crate::matrix::SparseMatrix;
use crate::{Error, Result};

/// The highest degree: eigenvalues below the 10,000th part of the largest are told apart by their neighbours alone.
const DEGREE: f64 = 200.0;
/// Vectors that are multiplied side by side, and rows of one task.
const LANES: usize = 4;
const ROWS: usize = 256;
/// Times that the place of the cut is looked for.
const LOOKS: usize = 4;
/// Residual of an eigenpair, relative to the largest eigenvalue, that is small enough.
const RESIDUAL: f64 = 1e-7;

/// `T_m((top + cut - 2 L) / (top - cut))`: at most 1 in size for eigenvalues of L between `cut` and `top`, and growing like
/// `exp(2 m √((cut - λ) / top))` below the cut.
struct Filtered<'a> {
    l: &'a SparseMatrix,
    cut: f64,
    top: f64,
    degree: usize,
}

impl Operator for Filtered<'_> {
    fn dim(&self) -> usize {
        self.l.rows()
    }

    /// By the recurrence `T_{m+1}(A) V = 2 A T_m(A) V - T_{m-1}(A) V`, each step one pass over the sparse rows.
    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (n, r) = v.dim();
        require("spectrum", n == self.dim(), || format!("{n} rows of a graph of {} vertices", self.dim()))?;
        if r == 0 {
            return Ok(Array2::zeros((n, 0)));
        }
        let wide = r.next_multiple_of(LANES);
        let mut now = vec![0.0; n * wide];
        for (to, from) in now.chunks_exact_mut(wide).zip(v.rows()) {
            to.iter_mut().zip(from).for_each(|(t, f)| *t = *f);
        }
        let mut other = vec![0.0; n * wide];
        let width = self.top - self.cut;
        let (by, own) = (-2.0 / width, (self.top + self.cut) / width);
        self.step(&now, &mut other, wide, [by, own, 0.0]);
        for _ in 1..self.degree {
            self.step(&other, &mut now, wide, [2.0 * by, 2.0 * own, -1.0]);
            std::mem::swap(&mut now, &mut other);
        }
        Ok(Array2::from_shape_fn((n, r), |(i, j)| other[i * wide + j]))
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        let all: Vec<usize> = (0..self.dim()).collect();
        Ok(self.columns(&all)?.diag().to_owned())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        let mut unit = Array2::zeros((self.dim(), which.len()));
        which.iter().enumerate().for_each(|(c, &j)| unit[[j, c]] = 1.0);
        self.apply(unit.view())
    }
}

impl Filtered<'_> {
    /// `out = by L v + own v + kept out`, for rows of `wide` numbers, whole lanes of them.
    fn step(&self, v: &[f64], out: &mut [f64], wide: usize, [by, own, kept]: [f64; 3]) {
        out.par_chunks_mut(ROWS * wide).enumerate().for_each(|(task, out)| {
            Arch::new().dispatch(
                #[inline(always)]
                || {
                    for (i, out) in (task * ROWS..).zip(out.chunks_exact_mut(wide)) {
                        let entries = self.l.offsets()[i]..self.l.offsets()[i + 1];
                        let (columns, values) =
                            (&self.l.columns()[entries.clone()], &self.l.values()[entries]);
                        let here = &v[i * wide..(i + 1) * wide];
                        for (c, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                            let mut sum = [0.0; LANES];
                            for (j, value) in columns.iter().zip(values) {
                                let there = &v[j * wide + c * LANES..][..LANES];
                                (0..LANES).for_each(|l| sum[l] += value * there[l]);
                            }
                            let here = &here[c * LANES..][..LANES];
                            (0..LANES).for_each(|l| out[l] = by * sum[l] + own * here[l] + kept * out[l]);
                        }
                    }
                },
            );
        });
    }
}

/// The k smallest eigenvalues of a sparse symmetric matrix with eigenvalues between 0 and `top`, and their vectors.
///
/// What a rough solution finds is never below the wanted eigenvalues: the cut goes above it, and a better solution with that
/// filter finds where it should have been. Then the eigenpairs are computed in earnest.
///
/// # Errors
/// [`Error::NoConvergence`].
pub(super) fn smallest(l: &SparseMatrix, top: f64, k: usize) -> Result<(Array1<f64>, Array2<f64>)> {
    let mut filter = Filtered { l, cut: 0.0, top, degree: 1 };
    for _ in 0..LOOKS {
        let rough = EigenParams::new().tolerance(1e-2);
        let (values, _) = ritz(l, &leading_eigenpairs(&filter, k, &rough)?.vectors)?;
        // A filter of this degree grows to about exp(4) at zero.
        let cut = (1.5 * values[k - 1]).clamp(top * (2.0 / DEGREE).powi(2), 0.5 * top);
        let better = filter.degree == 1 || cut < 0.5 * filter.cut;
        if !better {
            break;
        }
        filter = Filtered { l, cut, top, degree: (2.0 / (cut / top).sqrt()).ceil() as usize };
    }
    let found = leading_eigenpairs(&filter, k, &EigenParams::new().tolerance(1e-10))?;
    verified(l, top, &found)
}

/// The eigenpairs of L itself within the span of what was found.
///
/// # Errors
/// [`Error::NoConvergence`] where a residual says that the span is none of L's.
pub(super) fn verified(l: &SparseMatrix, top: f64, found: &Eigenpairs) -> Result<(Array1<f64>, Array2<f64>)> {
    let (values, vectors) = ritz(l, &found.vectors)?;
    let rest = &l.times(vectors.view())? - &(&vectors * &values);
    let worst = rest.columns().into_iter().map(|r| r.dot(&r).sqrt()).fold(0.0, f64::max) / top;
    if worst <= RESIDUAL {
        return Ok((values, vectors));
    }
    let (op, iterations) = ("spectrum", found.iterations);
    Err(Error::NoConvergence { op, iterations, residual: worst, tolerance: RESIDUAL })
}

/// The eigenpairs of L within the span of orthonormal columns, ascending: none is below the eigenvalue that it stands for.
fn ritz(l: &SparseMatrix, v: &Array2<f64>) -> Result<(Array1<f64>, Array2<f64>)> {
    let small = v.t().dot(&l.times(v.view())?);
    let found = eigh(((&small + &small.t()) * 0.5).view())?;
    Ok((found.values.slice(s![..;-1]).to_owned(), v.dot(&found.vectors.slice(s![.., ..;-1]))))
}

#[cfg(test)]
mod tests {
    use super::smallest;
    use crate::models::graph::{Graph, Laplacian};

    /// A path of 800 vertices, cut in two: eigenvalues crowd at zero, and two of them are zero.
    #[test]
    fn crowded_eigenvalues_are_found_without_the_whole_decomposition() {
        let n = 800;
        let edges: Vec<_> = (1..n).filter(|i| *i != 300).map(|i| (i - 1, i, 1.0)).collect();
        let l = Graph::from_edges(n, &edges).unwrap().laplacian(Laplacian::Unnormalised).unwrap();
        let (values, _) = smallest(&l, 4.0, 4).unwrap();
        let of = |length: f64, m: f64| 2.0 - 2.0 * (std::f64::consts::PI * m / length).cos();
        let want = [0.0, 0.0, of(500.0, 1.0), of(300.0, 1.0)];
        assert!(values.iter().zip(want).all(|(v, w)| (v - w).abs() < 1e-10), "{values} and {want:?}");
    }
}
