//! A sweep of coordinate ascent for latent Dirichlet allocation, over the counts of words in documents.
//!
//! Checked in `tests/ops/topic_sweep.rs` against the updates written out, and on every adapter against the CPU.

mod on_gpu;

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;
use statrs::function::gamma::digamma;

use super::half::single;
use super::require;
use crate::check::{parameter, positive};
use crate::device::Place;
use crate::matrix::{Shared, SparseMatrix};
use crate::{Device, Error, Matrix, Result};
use on_gpu::{Resident, on_gpu};

const OP: &str = "topic_sweep";
/// Topics that a workgroup has lanes for.
const TOPICS: usize = 64;
/// Words of one document that a GPU takes: an invocation makes fewer iterations than that in one pass.
const WORDS: usize = 32_768;
/// The largest count that a GPU takes.
const COUNT: f64 = 1e7;

/// Counts of words, documents x words, where a sweep is to be made: uploaded once.
pub struct WordCounts {
    counts: SparseMatrix,
    device: Device,
    there: Option<Resident>,
}

impl WordCounts {
    /// Whether a device has room for a sweep over these counts with so many topics: always the CPU; a GPU for 64 topics,
    /// 32,768 different words in a document, counts up to 1e7 and entries that fit a binding.
    pub fn fits(device: &Device, topics: usize, counts: &SparseMatrix) -> bool {
        let Place::Gpu(gpu) = device.place() else { return true };
        let longest = counts.offsets().windows(2).map(|o| o[1] - o[0]).max().unwrap_or(0);
        let largest = counts.values().iter().copied().fold(0.0, f64::max);
        let (rows, entries) = (counts.rows().max(counts.cols()), counts.stored());
        let bytes = (8 * entries).max(rows.saturating_mul(4 * topics.next_multiple_of(4))) as u64;
        let room = bytes <= gpu.limits().binding_bytes;
        room && topics <= TOPICS && longest <= WORDS && largest <= COUNT
    }

    /// The counts of each document in a row.
    ///
    /// # Errors
    /// [`Error::Shape`] without documents, with one that has no word, or for more than the device [fits](Self::fits);
    /// [`Error::Parameter`] for a count that is not positive.
    pub fn new(device: &Device, counts: SparseMatrix) -> Result<Self> {
        let worded = counts.rows() > 0 && counts.offsets().windows(2).all(|o| o[0] < o[1]);
        require(OP, worded && Self::fits(device, 1, &counts), || {
            format!("{} documents, or one without words or beyond the device", counts.rows())
        })?;
        counts.values().iter().try_for_each(|v| positive("count", *v))?;
        let there = match device.place() {
            Place::Cpu => None,
            Place::Gpu(gpu) => Some(gpu.guard(OP, || Resident::new(gpu, &counts))?),
        };
        Ok(WordCounts { counts, device: device.clone(), there })
    }
}

/// Where a sweep begins, and how it goes.
#[derive(Debug, Clone, Copy)]
pub struct TopicPriors {
    /// α, of the topics of a document.
    pub alpha: f64,
    /// η, of the words of a topic.
    pub eta: f64,
    /// Updates of each document's topics.
    pub passes: usize,
}

/// What a sweep leaves.
#[derive(Debug, Clone)]
pub struct TopicSweep {
    /// λ, words x topics.
    pub lambda: Matrix,
    /// γ, documents x topics.
    pub gamma: Matrix,
    /// `-Σ n φ log φ` of each document, in a row: minus one where f32 cannot carry it.
    pub entropies: Matrix,
}

/// `φ_dw ∝ exp(ψ(γ_d) + E log β_w)` and `γ_d = α + Σ_w n_dw φ_dw` so many times, then `λ_w = η + Σ_d n_dw φ_dw`.
///
/// `lambda` is words x topics and `gamma` documents x topics, both positive; on a GPU there may be 64 topics. A workgroup has a
/// document, and then a word: sums have a fixed order, the same bits each time.
///
/// # Errors
/// [`Error::Shape`] for operands that do not fit, [`Error::Parameter`] for priors that are not positive or no passes,
/// [`Error::DeviceMismatch`].
///
/// ```
/// use mercer::{Device, Matrix, matrix::SparseMatrix, ops::{TopicPriors, WordCounts, topic_sweep}};
/// let cpu = Device::cpu();
/// let counts = SparseMatrix::from_triplets(2, 2, &[(0, 0, 3.0), (1, 1, 2.0)])?;
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&cpu, a.view());
/// let (lambda, gamma) = (on(ndarray::array![[2.0, 1.0], [1.0, 2.0]])?, on(ndarray::array![[1.0, 1.0], [1.0, 1.0]])?);
/// let priors = TopicPriors { alpha: 0.5, eta: 0.1, passes: 2 };
/// let found = topic_sweep(&WordCounts::new(&cpu, counts)?, &lambda, &gamma, &priors)?;
/// // Every word has gone to some topic.
/// assert!((found.lambda.to_array()?.sum() - (5.0 + 4.0 * 0.1)).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn topic_sweep(
    counts: &WordCounts,
    lambda: &Matrix,
    gamma: &Matrix,
    priors: &TopicPriors,
) -> Result<TopicSweep> {
    let (words, k) = lambda.shape();
    let fits = words == counts.counts.cols() && gamma.shape() == (counts.counts.rows(), k);
    require(OP, fits && (k <= TOPICS || !counts.device.is_gpu()), || {
        format!("{} documents of {} words, lambda {words} x {k}", counts.counts.rows(), counts.counts.cols())
    })?;
    positive("alpha", priors.alpha)?;
    positive("eta", priors.eta)?;
    parameter("passes", priors.passes as f64, priors.passes > 0, "must be at least 1")?;
    if lambda.device() != counts.device {
        return Err(Error::Shape { op: OP, what: "counts and topics live apart".to_owned() });
    }
    match (lambda.shared(OP, &[gamma])?, &counts.there) {
        (Shared::Gpu(gpu), Some(there)) => {
            let (lambda, gamma) = (single(lambda)?, single(gamma)?);
            gpu.guard(OP, || on_gpu(gpu, there, &lambda, &gamma, priors))
        }
        _ => Ok(cpu(&counts.counts, lambda.cpu(), gamma.cpu(), priors)),
    }
}

/// `E log β`, words x topics.
fn expected(lambda: &Array2<f64>) -> Array2<f64> {
    let all = lambda.sum_axis(Axis(0)).mapv(digamma);
    lambda.mapv(digamma) - &all
}

fn cpu(counts: &SparseMatrix, lambda: &Array2<f64>, gamma: &Array2<f64>, priors: &TopicPriors) -> TopicSweep {
    let logs = expected(lambda);
    let document = |d: usize| {
        let (mut own, mut phi, mut entropy) = (gamma.row(d).to_owned(), Vec::new(), 0.0);
        for _ in 0..priors.passes {
            let theta = own.mapv(digamma);
            (phi, entropy) = (Vec::new(), 0.0);
            own.fill(priors.alpha);
            for (w, n) in counts.row(d) {
                let mut p: Array1<f64> = &theta + &logs.row(w);
                let top = p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                p.mapv_inplace(|v| (v - top).exp());
                p /= p.sum();
                entropy -= n * p.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>();
                own.scaled_add(n, &p);
                phi.push((w, p * n));
            }
        }
        (own, phi, entropy)
    };
    let found: Vec<_> = (0..counts.rows()).into_par_iter().map(document).collect();
    let (mut lambda, mut gamma) = (Array2::from_elem(lambda.dim(), priors.eta), gamma.clone());
    let mut entropies = Array2::zeros((1, counts.rows()));
    for (d, (own, phi, entropy)) in found.into_iter().enumerate() {
        gamma.row_mut(d).assign(&own);
        entropies[[0, d]] = entropy;
        for (w, p) in phi {
            lambda.row_mut(w).scaled_add(1.0, &p);
        }
    }
    let [lambda, gamma, entropies] = [lambda, gamma, entropies].map(Matrix::from_host);
    TopicSweep { lambda, gamma, entropies }
}
