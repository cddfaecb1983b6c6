//! Coordinate ascent where the counts live: λ and γ stay on the device and come down for the bound, in f64. Checked in
//! `tests/topics/devices.rs` against the CPU.

use super::model::{OP, TopicModel};
use super::variational::{Ascent, Documents, bound};
use crate::matrix::SparseMatrix;
use crate::ops::{TopicPriors, WordCounts, topic_sweep};
use crate::{Device, Matrix, Result};

/// A gain below which rounding to f32 hides whether there is one, relative to the bound.
const ROUNDING: f64 = 1e-7;

/// Sweeps on the device until the bound rises no more than rounding lets one see, or a document is beyond f32: the CPU goes
/// on from there. Nothing where the work is too little for the device or has no room there.
pub(super) fn sweeps(
    model: &TopicModel,
    device: &Device,
    documents: &Documents,
    at: &mut Ascent,
) -> Result<()> {
    let stored: usize = documents.rows.iter().map(Vec::len).sum();
    let sweeps = (model.max_iterations * model.local_passes) as f64;
    let device = device.suited_to(4.0 * sweeps * stored as f64 * model.topics as f64);
    let counts = sparse(documents)?;
    if !device.is_gpu() || !WordCounts::fits(&device, model.topics, &counts) {
        return Ok(());
    }
    let counts = WordCounts::new(&device, counts)?;
    let mut lambda = Matrix::upload(OP, &device, at.lambda.t())?;
    let mut gamma = Matrix::upload(OP, &device, at.gamma.view())?;
    let priors = TopicPriors { alpha: model.alpha, eta: model.eta, passes: model.local_passes };
    let mut rising = true;
    while rising && at.trace.len() < model.max_iterations {
        let made = topic_sweep(&counts, &lambda, &gamma, &priors)?;
        let down = Matrix::to_arrays(&[&made.lambda, &made.gamma, &made.entropies])?;
        let [own, of_documents, entropies] = &down[..] else { return Ok(()) };
        let value = bound(model, &own.t().to_owned(), of_documents, entropies.sum());
        if entropies.iter().any(|e| *e < 0.0) || !value.is_finite() {
            return Ok(());
        }
        let least = model.tolerance.max(ROUNDING) * value.abs();
        rising = at.trace.last().is_none_or(|before| value - before > least);
        at.lambda.assign(&own.t());
        at.gamma.assign(of_documents);
        at.trace.push(value);
        model.progress.report(OP, at.trace.len(), model.max_iterations, value)?;
        (lambda, gamma) = (made.lambda, made.gamma);
    }
    Ok(())
}

/// The counts in compressed rows.
fn sparse(documents: &Documents) -> Result<SparseMatrix> {
    let mut offsets = vec![0];
    documents.rows.iter().for_each(|own| offsets.push(offsets[offsets.len() - 1] + own.len()));
    let (columns, values) = documents.rows.iter().flatten().copied().unzip();
    SparseMatrix::from_rows(documents.rows.len(), documents.words, offsets, columns, values)
}
