//! Forward and backward: what all observations say of every state, in logarithms, which takes longer than by scaling and
//! underflows nowhere. Checked in `tests/sequence/hidden_markov.rs`.

use ndarray::{Array1, Array2, ArrayView2};

use crate::inference::logs::log_sum_exp;

/// What a sequence says of its hidden states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Smoothed {
    /// `p(z_t = k | x_1..T)`, `T x K`.
    pub states: Array2<f64>,
    /// `p(z_t = k | x_1..t)`, `T x K`: what was known at the time.
    pub filtered: Array2<f64>,
    /// `Σ_t p(z_t = i, z_{t+1} = j | x)`, `K x K`: the expected number of transitions.
    pub transitions: Array2<f64>,
    /// `log p(x)`, minus infinity for a sequence that the model excludes.
    pub log_likelihood: f64,
}

/// In logarithms throughout: the definition.
pub(super) fn in_logs(initial: &Array1<f64>, transition: &Array2<f64>, log_b: ArrayView2<f64>) -> Smoothed {
    let (t, k) = log_b.dim();
    let log_a = transition.mapv(f64::ln);
    let mut alpha = Array2::from_elem((t, k), f64::NEG_INFINITY);
    let mut beta = Array2::<f64>::zeros((t, k));
    for j in 0..k {
        alpha[[0, j]] = initial[j].ln() + log_b[[0, j]];
    }
    for s in 1..t {
        for j in 0..k {
            let from: Vec<f64> = (0..k).map(|i| alpha[[s - 1, i]] + log_a[[i, j]]).collect();
            alpha[[s, j]] = log_sum_exp(&from) + log_b[[s, j]];
        }
    }
    for s in (0..t - 1).rev() {
        for i in 0..k {
            let to: Vec<f64> = (0..k).map(|j| log_a[[i, j]] + log_b[[s + 1, j]] + beta[[s + 1, j]]).collect();
            beta[[s, i]] = log_sum_exp(&to);
        }
    }
    let log_likelihood = log_sum_exp(&alpha.row(t - 1).to_vec());
    let mut transitions = Array2::<f64>::zeros((k, k));
    if log_likelihood == f64::NEG_INFINITY {
        let nothing = Array2::zeros((t, k));
        return Smoothed { states: nothing.clone(), filtered: nothing, transitions, log_likelihood };
    }
    for s in 0..t - 1 {
        for i in 0..k {
            for j in 0..k {
                let log =
                    alpha[[s, i]] + log_a[[i, j]] + log_b[[s + 1, j]] + beta[[s + 1, j]] - log_likelihood;
                transitions[[i, j]] += log.exp();
            }
        }
    }
    // Every step sums to one, whatever rounding a long sequence leaves in its likelihood.
    let (mut states, mut filtered) = (&alpha + &beta, alpha);
    for mut row in states.rows_mut().into_iter().chain(filtered.rows_mut()) {
        let all = log_sum_exp(&row.to_vec());
        row.mapv_inplace(|v| (v - all).exp());
    }
    Smoothed { states, filtered, transitions, log_likelihood }
}
