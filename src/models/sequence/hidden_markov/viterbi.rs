//! The most probable path of states. Checked in `tests/sequence/hidden_markov.rs` against enumeration.

use ndarray::{Array1, Array2, ArrayView2};

/// The most probable states of a whole sequence together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// `argmax_z p(z, x)`; of several, the first in the order of states.
    pub states: Vec<usize>,
    /// `max_z log p(z, x)`.
    pub log_joint: f64,
}

pub(super) fn decode(initial: &Array1<f64>, transition: &Array2<f64>, log_b: ArrayView2<f64>) -> Decoded {
    let (t, k) = log_b.dim();
    let log_a = transition.mapv(f64::ln);
    let mut best: Vec<f64> = (0..k).map(|j| initial[j].ln() + log_b[[0, j]]).collect();
    let mut from = vec![0u32; t * k];
    for s in 1..t {
        let mut next = vec![f64::NEG_INFINITY; k];
        for j in 0..k {
            for i in 0..k {
                let value = best[i] + log_a[[i, j]];
                if value > next[j] {
                    next[j] = value;
                    from[s * k + j] = i as u32;
                }
            }
            next[j] += log_b[[s, j]];
        }
        best = next;
    }
    let top = (0..k).fold(0, |a, j| if best[j] > best[a] { j } else { a });
    let mut states = vec![top; t];
    for s in (1..t).rev() {
        states[s - 1] = from[s * k + states[s]] as usize;
    }
    Decoded { states, log_joint: best[top] }
}
