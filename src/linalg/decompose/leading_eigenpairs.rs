//! A few eigenpairs of a symmetric operator: block Lanczos with full orthogonalisation and thick restarts.
//!
//! The basis grows by the residuals of its leading Ritz vectors, which spans the block Krylov space; when it is full
//! it is replaced by those Ritz vectors. Products with A are kept, so that residuals are measured, not inferred.
//! Checked in `tests/linalg/eigen.rs` against the full decomposition.

use ndarray::{Array1, Array2, Axis, concatenate, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::eigh::{Eigen, eigh};
use super::orthonormal::{extend, lengths};
use crate::check::parameter;
use crate::configure::setters;
use crate::linalg::iterative::operator::Operator;
use crate::ops::{Trans, gemm};
use crate::{Error, Matrix, Precision, Result};

/// Blocks that the basis holds before it is restarted.
const BLOCKS: usize = 5;
/// Operators up to this size are decomposed whole.
const SMALL: usize = 64;

/// How to look for leading eigenpairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EigenParams {
    pub(crate) tolerance: Option<f64>,
    pub(crate) max_iterations: usize,
    pub(crate) oversample: usize,
    pub(crate) seed: u64,
}

impl Default for EigenParams {
    fn default() -> Self {
        EigenParams { tolerance: None, max_iterations: 300, oversample: 4, seed: 0 }
    }
}

impl EigenParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(EigenParams {
    /// Residual `‖Av - λv‖₂ / ‖A‖₂` to reach; by default 1e-10 for an f64 operator and 1e-5 for an f32 one.
    tolerance: into Option<f64>,
    /// Most blocks that are multiplied by A; 300 unless said otherwise.
    max_iterations: usize,
    /// Number of eigenpairs sought beyond those asked for: they make clusters converge.
    oversample: usize,
    /// Seed of the first block.
    seed: u64,
});

/// The leading eigenpairs, and what happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigenpairs {
    /// The largest k eigenvalues (not the largest in absolute value), in descending order.
    pub values: Array1<f64>,
    /// `n x k`, orthonormal columns.
    pub vectors: Array2<f64>,
    /// `‖Av - λv‖₂` of each, with products in the precision of the operator: λ is at most this far from an eigenvalue
    /// of A as that precision sees it.
    pub residuals: Array1<f64>,
    /// Blocks multiplied by A.
    pub iterations: usize,
}

/// The k largest eigenvalues of A and their eigenvectors, from products with A.
///
/// A basis of at most five times `k + oversample` vectors is kept. Where k is a third of n or more, or n is small, A is
/// made dense (n² numbers on the host) and decomposed whole.
///
/// # Errors
/// [`Error::Parameter`] if `k` is zero or above n, or the tolerance is not positive;
/// [`Error::NoConvergence`] if the residuals do not reach it.
///
/// ```
/// use mercer::linalg::{EigenParams, Stored, leading_eigenpairs};
/// use mercer::{Device, Matrix};
/// let a = ndarray::Array2::from_diag(&ndarray::array![1.0, 5.0, -9.0, 3.0]);
/// let op = Stored::new(&Matrix::from_array(&Device::cpu(), a.view())?)?;
/// let top = leading_eigenpairs(&op, 2, &EigenParams::default())?;
/// assert!((top.values[0] - 5.0).abs() < 1e-14 && (top.values[1] - 3.0).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn leading_eigenpairs(op: &dyn Operator, k: usize, params: &EigenParams) -> Result<Eigenpairs> {
    let n = op.dim();
    parameter("k", k as f64, (1..=n).contains(&k), "must be between 1 and the size of the operator")?;
    let usual = if op.precision() == Precision::Double { 1e-10 } else { 1e-5 };
    let tolerance = params.tolerance.unwrap_or(usual);
    parameter("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
    let width = k.saturating_add(params.oversample).min(n);
    if n <= SMALL || 3 * width >= n {
        return whole(op, k);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
    let mut random = || Array2::from_shape_fn((width, n), |_| rng.random::<f64>() * 2.0 - 1.0);
    // Rows are vectors. `image` holds A times each of them.
    let mut basis = extend(&Array2::zeros((0, n)), random())?;
    let mut image = apply(op, &basis)?;
    let mut iterations = 1;
    loop {
        let small = times(&basis, &image, Trans::Yes)?;
        let Eigen { values, vectors } = eigh(((&small + &small.t()) * 0.5).view())?;
        let size = values.iter().fold(0f64, |s, v| s.max(v.abs()));
        let turn = vectors.slice(s![.., ..width]).t().to_owned();
        let (ritz, ritz_image) = (times(&turn, &basis, Trans::No)?, times(&turn, &image, Trans::No)?);
        let values = values.slice(s![..width]).to_owned();
        let rest = &ritz_image - &(&ritz * &values.view().insert_axis(Axis(1)));
        let residuals = lengths(&rest).slice(s![..k]).to_owned();
        let worst = residuals.iter().copied().fold(0.0, f64::max);
        if worst <= tolerance * size {
            let vectors = ritz.slice(s![..k, ..]).t().as_standard_layout().into_owned();
            let values = values.slice(s![..k]).to_owned();
            return Ok(Eigenpairs { values, vectors, residuals, iterations });
        }
        // Written so that a NaN ends it.
        if iterations >= params.max_iterations || !worst.is_finite() {
            let residual = worst / size;
            return Err(Error::NoConvergence { op: "leading_eigenpairs", iterations, residual, tolerance });
        }
        if basis.nrows() + width > (BLOCKS * width).min(n) {
            (basis, image) = (ritz, ritz_image);
        }
        let mut more = extend(&basis, rest)?;
        if more.nrows() == 0 {
            // An invariant subspace that is not the leading one: look elsewhere.
            more = extend(&basis, random())?;
        }
        let more_image = apply(op, &more)?;
        basis = joined(&basis, &more)?;
        image = joined(&image, &more_image)?;
        iterations += 1;
    }
}

/// By the full decomposition, when k is no small part of n.
fn whole(op: &dyn Operator, k: usize) -> Result<Eigenpairs> {
    let dense = op.apply(Array2::eye(op.dim()).view())?;
    let Eigen { values, vectors } = eigh(((&dense + &dense.t()) * 0.5).view())?;
    let (values, vectors) = (values.slice(s![..k]).to_owned(), vectors.slice(s![.., ..k]).to_owned());
    let image =
        gemm(1.0, &Matrix::from_host(dense), Trans::No, &Matrix::from_host(vectors.clone()), Trans::No)?;
    let rest = image.to_array()? - &vectors * &values;
    let residuals = lengths(&rest.reversed_axes());
    Ok(Eigenpairs { values, vectors, residuals, iterations: 1 })
}

fn apply(op: &dyn Operator, rows: &Array2<f64>) -> Result<Array2<f64>> {
    Ok(op.apply(rows.t())?.reversed_axes().as_standard_layout().into_owned())
}

/// `a op(b)` on every core.
fn times(a: &Array2<f64>, b: &Array2<f64>, op: Trans) -> Result<Array2<f64>> {
    gemm(1.0, &Matrix::from_host(a.clone()), Trans::No, &Matrix::from_host(b.clone()), op)?.to_array()
}

fn joined(a: &Array2<f64>, b: &Array2<f64>) -> Result<Array2<f64>> {
    concatenate(Axis(0), &[a.view(), b.view()])
        .map_err(|e| Error::Shape { op: "leading_eigenpairs", what: e.to_string() })
}
