//! What the choices of a kernel and a penalty share.

use ndarray::Array2;

use crate::check::{positive, require};
use crate::{Error, Kernel, Result};

/// At least one kernel and one penalty, all positive.
pub(super) fn grid(op: &'static str, kernels: &[Kernel], penalties: &[f64]) -> Result<()> {
    require(op, !kernels.is_empty(), || "there are no kernels to try".to_owned())?;
    require(op, !penalties.is_empty(), || "there are no penalties to try".to_owned())?;
    penalties.iter().try_for_each(|&penalty| positive("penalty", penalty))
}

/// [`grid`] of what was saved, with a score for each pair.
#[cfg(feature = "serde")]
pub(super) fn saved_grid(
    op: &'static str,
    kernels: &[Kernel],
    penalties: &[f64],
    scores: &Array2<f64>,
) -> Result<()> {
    grid(op, kernels, penalties)?;
    let (shape, want) = (scores.dim(), (kernels.len(), penalties.len()));
    require(op, shape == want, || format!("scores of {shape:?} where {want:?} were to be"))
}

/// Where the least of the scores is, none of those that are not finite.
pub(super) fn least(scores: &Array2<f64>) -> Result<(usize, usize)> {
    let finite = scores.indexed_iter().filter(|(_, v)| v.is_finite());
    let best = finite.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at);
    best.ok_or(Error::Parameter {
        name: "the score of every kernel and penalty".to_owned(),
        value: scores[[0, 0]],
        requirement: "one must be finite; scale the data, or try larger penalties",
    })
}

/// Where scores are not finite.
pub(super) fn skipped(scores: &Array2<f64>) -> Vec<(usize, usize)> {
    scores.indexed_iter().filter(|(_, v)| !v.is_finite()).map(|(at, _)| at).collect()
}
