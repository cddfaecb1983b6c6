//! Forward and backward through the hidden states of many sequences at once.
//!
//! Checked in `tests/ops/forward_backward.rs` against sums over all paths, and on every adapter against the CPU.

mod on_gpu;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::half::single;
use super::require;
use crate::check::{parameter, probabilities};
use crate::matrix::Shared;
use crate::{Matrix, Result};
pub(crate) use on_gpu::{ChainNumbers, Pending, SequenceRows};

const OP: &str = "forward_backward";
/// What a step may leave of all states: below it the answer is that of logarithms.
const LEAST: f64 = 1e-100;

/// What sequences say of their hidden states, as [`forward_backward()`] finds it.
#[derive(Debug, Clone)]
pub struct ForwardBackward {
    /// `p(z_t = k | x)`, `T x K` for all sequences one below the other, where the densities live.
    pub states: Matrix,
    /// The expected number of transitions from i to j in all sequences, `K x K`.
    pub transitions: Array2<f64>,
    /// `log p(x)` of each sequence.
    pub log_likelihoods: Vec<f64>,
}

/// `p(z_t | x_1..T)` by the forward and backward recursions, scaled at each step, for sequences that stand one below the
/// other in `log_b` (`log p(x_t | z_t = k)`, `T x K`), of these lengths.
///
/// On a GPU a workgroup has a sequence and a lane a state, of which there may be 64; a step that f32 cannot carry sends the
/// whole to the CPU. Densities are finite there: of what a state excludes a very small logarithm, say -1e30.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for lengths that do not add up to T, an empty sequence, another number of states;
/// [`Error::Parameter`](crate::Error::Parameter) for probabilities that do not sum to one, or a sequence that is impossible.
///
/// ```
/// use mercer::{Device, Matrix, ops::forward_backward};
/// use ndarray::array;
/// let log_b = Matrix::from_array(&Device::cpu(), array![[0.5f64, 0.1], [0.4, 0.3], [0.1, 0.6]].ln().view())?;
/// let (first, a) = (array![0.6, 0.4], array![[0.7, 0.3], [0.4, 0.6]]);
/// let found = forward_backward(&log_b, &[3], first.view(), a.view())?;
/// assert!((found.log_likelihoods[0].exp() - 0.03628).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn forward_backward(
    log_b: &Matrix,
    lengths: &[usize],
    initial: ArrayView1<f64>,
    transition: ArrayView2<f64>,
) -> Result<ForwardBackward> {
    let (t, k) = log_b.shape();
    let adds_up = lengths.iter().try_fold(0usize, |sum, n| sum.checked_add(*n)) == Some(t);
    let fits = adds_up && !lengths.contains(&0) && initial.len() == k && transition.dim() == (k, k);
    require(OP, fits, || {
        format!("{t} rows of {k} states; {} sequences, transitions of {:?}", lengths.len(), transition.dim())
    })?;
    probabilities("initial", &initial.to_vec())?;
    for (i, row) in transition.rows().into_iter().enumerate() {
        probabilities(&format!("transition[{i}]"), &row.to_vec())?;
    }
    match log_b.place() {
        Shared::Cpu => cpu(log_b.cpu(), lengths, initial, transition),
        Shared::Gpu(gpu) => {
            let log_b = &*single(log_b)?;
            let rows = SequenceRows::new(&log_b.device(), lengths.to_vec())?;
            let numbers = ChainNumbers::new(&log_b.device(), initial, transition)?;
            if let Some(pending) = on_gpu::record(gpu, log_b, &rows, &numbers)? {
                let arrays = Matrix::to_arrays(&pending.matrices())?;
                if let Some((transitions, log_likelihoods)) = pending.read(&arrays, transition) {
                    return Ok(ForwardBackward { states: pending.states, transitions, log_likelihoods });
                }
            }
            let mut found = cpu(&log_b.to_array()?, lengths, initial, transition)?;
            found.states = found.states.to_device(&log_b.device())?;
            Ok(found)
        }
    }
}

/// [`forward_backward()`] on a GPU, not yet read back, of densities that the caller has checked: nothing if there are more
/// states or sequences than the device takes.
///
/// # Errors
/// Those of the device.
pub(crate) fn forward_backward_pending(
    log_b: &Matrix,
    rows: &SequenceRows,
    numbers: &ChainNumbers,
) -> Result<Option<Pending>> {
    match log_b.place() {
        Shared::Cpu => Ok(None),
        Shared::Gpu(gpu) => on_gpu::record(gpu, &*single(log_b)?, rows, numbers),
    }
}

fn cpu(
    log_b: &Array2<f64>,
    lengths: &[usize],
    initial: ArrayView1<f64>,
    transition: ArrayView2<f64>,
) -> Result<ForwardBackward> {
    let (t, k) = log_b.dim();
    let mut rest = log_b.view();
    let mut parts = Vec::with_capacity(lengths.len());
    for n in lengths {
        let (own, others) = rest.split_at(Axis(0), *n);
        parts.push(own);
        rest = others;
    }
    let found: Vec<_> = parts.par_iter().map(|own| one(*own, initial, transition)).collect();
    let (mut states, mut transitions) = (Array2::zeros((t, k)), Array2::zeros((k, k)));
    let (mut log_likelihoods, mut at) = (Vec::with_capacity(lengths.len()), 0);
    for (i, (own, counts, log)) in found.into_iter().enumerate() {
        let requirement = "must be finite: some state must be able to show the sequence";
        parameter(&format!("log-likelihood of sequence {i}"), log, log.is_finite(), requirement)?;
        states.slice_mut(ndarray::s![at..at + own.nrows(), ..]).assign(&own);
        at += own.nrows();
        transitions += &counts;
        log_likelihoods.push(log);
    }
    Ok(ForwardBackward { states: Matrix::from_host(states), transitions, log_likelihoods })
}

/// One sequence: posteriors, transitions and log-likelihood; minus infinity if nothing is left at a step.
fn one(
    log_b: ArrayView2<f64>,
    initial: ArrayView1<f64>,
    a: ArrayView2<f64>,
) -> (Array2<f64>, Array2<f64>, f64) {
    let (t, k) = log_b.dim();
    let mut b = log_b.to_owned();
    let mut log = 0.0;
    for mut row in b.rows_mut() {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|v| (v - top).exp());
        log += top;
    }
    let mut alpha = Array2::<f64>::zeros((t, k));
    for s in 0..t {
        let mut v = if s == 0 { initial.to_owned() } else { alpha.row(s - 1).dot(&a) };
        v *= &b.row(s);
        let sum = v.sum();
        if sum.is_nan() || sum <= LEAST {
            return (alpha, Array2::zeros((k, k)), f64::NEG_INFINITY);
        }
        log += sum.ln();
        alpha.row_mut(s).assign(&(v / sum));
    }
    let (mut states, mut counts) = (alpha.clone(), Array2::<f64>::zeros((k, k)));
    let mut beta = ndarray::Array1::from_elem(k, 1.0 / k as f64);
    for s in (0..t - 1).rev() {
        let next = &b.row(s + 1) * &beta;
        let back = a.dot(&next);
        let mass = alpha.row(s).dot(&back);
        for i in 0..k {
            counts.row_mut(i).scaled_add(alpha[[s, i]] / mass, &(&a.row(i) * &next));
        }
        states.row_mut(s).assign(&(&alpha.row(s) * &back / mass));
        beta = &back / back.sum();
    }
    (states, counts, log)
}
