//! Kernel matrices from several sources: their sum, and how well each fits the targets.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::Result;
use crate::check::{not_negative, parameter, require, symmetric};

/// Rounds of coordinate descent for the weights; each solves one weight exactly.
const ROUNDS: usize = 10_000;

/// `Σ_m c_m K_m` of matrices of one size, with weights `c_m >= 0`; a weight of 0 removes its source.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there is none, or they differ in size;
/// [`Error::Parameter`](crate::Error::Parameter) for a negative weight, or a matrix that is not symmetric.
///
/// ```
/// use mercer::kernel::structures::fuse;
/// use ndarray::array;
/// let (a, b) = (array![[1.0, 0.5], [0.5, 1.0]], array![[2.0, 0.0], [0.0, 2.0]]);
/// assert_eq!(fuse(&[(2.0, a.view()), (0.0, b.view())])?, array![[2.0, 1.0], [1.0, 2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn fuse(sources: &[(f64, ArrayView2<f64>)]) -> Result<Array2<f64>> {
    let all = checked("fuse", sources.iter().map(|(_, k)| *k))?;
    let mut sum = Array2::zeros(all[0].raw_dim());
    for ((weight, _), k) in sources.iter().zip(&all) {
        not_negative("weight of a kernel", *weight)?;
        sum.scaled_add(*weight, k);
    }
    Ok(sum)
}

/// `<K, L> / (|K| |L|)` with the Frobenius inner product: the cosine of two kernel matrices.
///
/// # Errors
/// As [`fuse`], and [`Error::Parameter`](crate::Error::Parameter) if one is zero.
pub fn alignment(k: ArrayView2<f64>, l: ArrayView2<f64>) -> Result<f64> {
    let both = checked("alignment", [k, l].into_iter())?;
    cosine(&both[0], &both[1])
}

/// [`alignment`] of the centred matrices `H K H` and `H L H`: what is the same for all objects does not count.
///
/// # Errors
/// As [`alignment`], also if one is constant.
pub fn centred_alignment(k: ArrayView2<f64>, l: ArrayView2<f64>) -> Result<f64> {
    let both = checked("centred_alignment", [k, l].into_iter())?;
    cosine(&centred(&both[0]), &centred(&both[1]))
}

/// The weights `c >= 0` of length 1 for which `Σ_m c_m K_m`, centred, is best aligned with `y yᵀ`: `argmax cᵀa / √(cᵀMc)` with
/// `a_m = <K_m, y yᵀ>` and `M_ml = <K_m, K_l>` (Cortes, Mohri and Rostamizadeh). For two classes y is ±1.
///
/// # Errors
/// As [`fuse`]; [`Error::Shape`](crate::Error::Shape) if y has another length; [`Error::Parameter`](crate::Error::Parameter) if no
/// source is aligned with y at all.
///
/// ```
/// use mercer::kernel::structures::aligned_weights;
/// use ndarray::array;
/// let y = array![1.0, 1.0, -1.0, -1.0];
/// let fits = ndarray::Array2::from_shape_fn((4, 4), |(i, j)| y[i] * y[j]);
/// let c = aligned_weights(&[fits.view(), ndarray::Array2::eye(4).view()], y.view())?;
/// assert!(c[0] > 0.9 && c[1] < 0.2);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn aligned_weights(sources: &[ArrayView2<f64>], y: ArrayView1<f64>) -> Result<Array1<f64>> {
    const OP: &str = "aligned_weights";
    let all: Vec<Array2<f64>> = checked(OP, sources.iter().copied())?.iter().map(centred).collect();
    let (n, count) = (all[0].nrows(), all.len());
    require(OP, y.len() == n, || format!("{n} objects, {} targets", y.len()))?;
    crate::check::numbers(OP, "y", y.insert_axis(Axis(1)))?;
    let fit = Array1::from_shape_fn(count, |m| y.dot(&all[m].dot(&y)));
    let shared = Array2::from_shape_fn((count, count), |(m, l)| (&all[m] * &all[l]).sum());
    let best = fit.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    parameter("alignment of the best kernel", best, best > 0.0, "a kernel must be aligned with y")?;
    // min cᵀMc - 2 cᵀa over c >= 0 has the same direction.
    let mut c = Array1::<f64>::zeros(count);
    for _ in 0..ROUNDS {
        let mut moved = 0f64;
        for m in (0..count).filter(|&m| shared[[m, m]] > 0.0) {
            let to = (c[m] + (fit[m] - shared.row(m).dot(&c)) / shared[[m, m]]).max(0.0);
            moved = moved.max((to - c[m]).abs());
            c[m] = to;
        }
        if moved <= 1e-15 * c.iter().copied().fold(0.0, f64::max) {
            break;
        }
    }
    let length = c.dot(&c).sqrt();
    parameter("length of the weights", length, length > 0.0 && length.is_finite(), "must be positive")?;
    Ok(c / length)
}

fn checked<'a>(op: &'static str, all: impl Iterator<Item = ArrayView2<'a, f64>>) -> Result<Vec<Array2<f64>>> {
    let all = all.map(|k| symmetric(op, k)).collect::<Result<Vec<_>>>()?;
    let same = !all.is_empty() && all.iter().all(|k| k.dim() == all[0].dim());
    require(op, same, || "there must be kernel matrices, all of one size".to_owned())?;
    Ok(all)
}

fn cosine(k: &Array2<f64>, l: &Array2<f64>) -> Result<f64> {
    let size = |a: &Array2<f64>| a.iter().map(|v| v * v).sum::<f64>().sqrt();
    let (a, b) = (size(k), size(l));
    parameter("size of a kernel matrix", a.min(b), a > 0.0 && b > 0.0, "must not be zero")?;
    Ok((k * l).sum() / a / b)
}

fn centred(k: &Array2<f64>) -> Array2<f64> {
    let n = k.nrows() as f64;
    let mean = k.sum_axis(Axis(0)) / n;
    let all = mean.sum() / n;
    Array2::from_shape_fn(k.raw_dim(), |(i, j)| k[[i, j]] - mean[i] - mean[j] + all)
}
