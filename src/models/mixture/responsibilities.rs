//! The E-step that all mixtures share: from joint log densities to responsibilities and the log-likelihood.

use ndarray::{Array1, Array2, Axis};

use crate::inference::em::Observations;
use crate::ops::{
    Along, Moments, Reduction, Second, Zip, logsumexp, moments, moments_pending, reduce, softmax,
    softmax_logsumexp, zip,
};
use crate::{Matrix, Result};

/// Responsibilities times weights, and `sum_i w_i log p(x_i)`, which is the one number that comes back.
pub(super) fn responsibilities(log_joint: Matrix, rows: &Observations) -> Result<(Matrix, f64)> {
    let (r, sum) = pending(log_joint, rows)?;
    Ok((r, sum.to_array()?[[0, 0]]))
}

/// The moments of the rows about these centres by their responsibilities, and `sum_i w_i log p(x_i)`: both come back from a
/// GPU together.
pub(super) fn expected(
    log_joint: Matrix,
    rows: &Observations,
    centres: &Matrix,
    second: Second,
) -> Result<(Moments, f64)> {
    let (r, sum) = pending(log_joint, rows)?;
    let Some(found) = moments_pending(rows.x()?, &r, centres, second)? else {
        return Ok((moments(rows.x()?, &r, centres, second)?, sum.to_array()?[[0, 0]]));
    };
    let mut all = vec![&sum];
    all.extend(found.matrices());
    let down = Matrix::to_arrays(&all)?;
    Ok((found.read(&down[1..]), down[0][[0, 0]]))
}

/// Responsibilities times weights, and their sum where it was made.
fn pending(log_joint: Matrix, rows: &Observations) -> Result<(Matrix, Matrix)> {
    let (mut r, mut whole) = softmax_logsumexp(log_joint)?;
    if let Some(w) = rows.weight_column()? {
        r = zip(&r, w, Zip::Mul)?;
        whole = zip(&whole, w, Zip::Mul)?;
    }
    Ok((r, reduce(&whole, Along::EachColumn, Reduction::Sum)?))
}

/// `p(k | x_i)` from joint log densities, `m x K`.
pub(super) fn shares(log_joint: &Matrix) -> Result<Array2<f64>> {
    softmax(log_joint)?.to_array()
}

/// `log p(x_i)` from joint log densities.
pub(super) fn densities(log_joint: &Matrix) -> Result<Array1<f64>> {
    Ok(logsumexp(log_joint)?.to_array()?.index_axis_move(Axis(1), 0))
}
