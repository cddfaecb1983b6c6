//! Sparse codes for a given dictionary, by proximal gradients.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::Result;
use crate::check::{finite, not_negative, numbers, require};
use crate::learn::Inputs;
use crate::linalg::eigh;
use crate::optim::soft_threshold;

const OP: &str = "sparse_code";

/// How codes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SparseCoder {
    /// Proximal gradient steps: the error falls as 1/t.
    Ista,
    /// The same with Nesterov's momentum, which starts anew where it would raise the objective: 1/t².
    #[default]
    Fista,
}

/// The codes `argmin_z ½‖x - Dᵀz‖² + λ‖z‖₁` of the rows of x for the atoms in the rows of D, k x d: one row a row of x.
///
/// Each step is `z ← S(z - ∇/L, λ/L)` with the soft threshold S and the largest eigenvalue L of `DDᵀ`, until no entry
/// moves by more than the tolerance relative to the largest.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let atoms = array![[1.0, 0.0], [0.0, 1.0]]; // orthonormal: the code is the soft threshold of the projection
/// let z = sparse_code(&atoms, array![[3.0, -0.2]], 0.5, SparseCoder::Fista)?;
/// assert!((z[[0, 0]] - 2.5).abs() < 1e-9 && z[[0, 1]] == 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for rows of another width than the atoms',
/// [`Error::Parameter`](crate::Error::Parameter) for a negative λ, and bad data.
pub fn sparse_code(
    dictionary: &Array2<f64>,
    x: impl Inputs,
    penalty: f64,
    coder: SparseCoder,
) -> Result<Array2<f64>> {
    let x = x.inputs();
    finite("sparse_code", "the dictionary", dictionary.view())?;
    finite("sparse_code", "x", x.view())?;
    not_negative("penalty", penalty)?;
    let (d, own) = (dictionary.ncols(), x.ncols());
    require("sparse_code", d == own, || format!("atoms of {d} numbers, rows of {own}"))?;
    let start = Array2::zeros((x.nrows(), dictionary.nrows()));
    codes(dictionary.view(), x.view(), penalty, coder, start)
}

/// The most steps of one code.
const STEPS: usize = 5000;
/// What counts as no move.
const TOLERANCE: f64 = 1e-10;

/// [`sparse_code`] from given codes on: what it finds is never worse than them.
pub(super) fn codes(
    dictionary: ArrayView2<f64>,
    x: ArrayView2<f64>,
    penalty: f64,
    coder: SparseCoder,
    mut z: Array2<f64>,
) -> Result<Array2<f64>> {
    let gram = dictionary.dot(&dictionary.t());
    numbers(OP, "products of atoms", gram.view())?;
    let largest = eigh(gram.view())?.values.iter().fold(0f64, |m, v| m.max(*v));
    if largest <= 0.0 {
        return Ok(Array2::zeros(z.raw_dim()));
    }
    let inner = x.dot(&dictionary.t());
    numbers(OP, "products of atoms and rows", inner.view())?;
    let k = gram.nrows();
    // ½ zᵀGz - bᵀz + λ‖z‖₁, which is the objective but for ½‖x‖².
    let value = |z: &[f64], b: &[f64]| -> f64 {
        let quadratic: f64 = (0..k).map(|i| z[i] * (0..k).map(|j| gram[[i, j]] * z[j]).sum::<f64>()).sum();
        let linear: f64 = z.iter().zip(b).map(|(z, b)| b * z).sum();
        0.5 * quadratic - linear + penalty * z.iter().map(|v| v.abs()).sum::<f64>()
    };
    let step = |at: &[f64], b: &[f64]| -> Vec<f64> {
        let slope = |i: usize| (0..k).map(|j| gram[[i, j]] * at[j]).sum::<f64>() - b[i];
        (0..k).map(|i| soft_threshold(at[i] - slope(i) / largest, penalty / largest)).collect()
    };
    let solve = |start: Vec<f64>, b: &[f64]| -> Vec<f64> {
        let (mut now, mut before, mut t) = (start.clone(), start, 1f64);
        let mut last = value(&now, b);
        for _ in 0..STEPS {
            let next_t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
            let momentum = if coder == SparseCoder::Fista { (t - 1.0) / next_t } else { 0.0 };
            let ahead: Vec<f64> = now.iter().zip(&before).map(|(a, b)| a + momentum * (a - b)).collect();
            let mut next = step(&ahead, b);
            let mut reached = value(&next, b);
            t = next_t;
            if reached > last && momentum > 0.0 {
                next = step(&now, b);
                reached = value(&next, b);
                t = 1.0;
            }
            let move_ = next.iter().zip(&now).fold(0f64, |m, (a, b)| m.max((a - b).abs()));
            let size = next.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
            before = std::mem::replace(&mut now, next);
            last = reached;
            if move_ <= TOLERANCE * size {
                break;
            }
        }
        now
    };
    let found: Vec<Vec<f64>> =
        (0..x.nrows()).into_par_iter().map(|n| solve(z.row(n).to_vec(), &inner.row(n).to_vec())).collect();
    z.rows_mut()
        .into_iter()
        .zip(&found)
        .for_each(|(mut row, own)| row.iter_mut().zip(own).for_each(|(a, b)| *a = *b));
    // The folds above pass over what is not a number.
    numbers(OP, "the codes", z.view())?;
    Ok(z)
}
