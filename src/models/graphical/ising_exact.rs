//! All states of a small lattice: the reference for its sampling and its mean field.

use ndarray::Array2;

use super::ising::Ising;
use crate::Result;
use crate::check::parameter;

/// The answers of enumeration.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IsingExact {
    /// `log Σ_z exp(...)`.
    pub log_partition: f64,
    /// `E[z_i]`.
    pub magnetisation: Array2<f64>,
    /// `E[Σ_{edges} z_i z_j]`.
    pub agreement: f64,
    /// The log weight `η Σ z_i z_j + Σ h_i z_i` of every state, bit i of its number the i-th site, 1 for +1.
    pub log_weights: Vec<f64>,
}

impl Ising {
    /// Everything by going through all states, of at most 2²⁰.
    ///
    /// # Errors
    /// More than twenty sites.
    pub fn enumerate(&self) -> Result<IsingExact> {
        let (n, m) = self.field().dim();
        let sites = n * m;
        parameter("sites", sites as f64, sites <= 20, "must be at most 20 to go through all states")?;
        let mut log_weights = Vec::with_capacity(1 << sites);
        let mut agreements = Vec::with_capacity(1 << sites);
        for state in 0..1u32 << sites {
            let spin = |(i, j): (usize, usize)| if state >> (i * m + j) & 1 == 1 { 1i8 } else { -1 };
            let spins = Array2::from_shape_fn((n, m), spin);
            let agreement = self.agreement(spins.view());
            let outer: f64 = spins.iter().zip(self.field()).map(|(s, h)| f64::from(*s) * h).sum();
            log_weights.push(self.coupling() * agreement + outer);
            agreements.push(agreement);
        }
        let log_partition = crate::inference::logs::log_sum_exp(&log_weights);
        let (mut magnetisation, mut agreement) = (Array2::<f64>::zeros((n, m)), 0.0);
        for (state, log) in log_weights.iter().enumerate() {
            let p = (log - log_partition).exp();
            agreement += p * agreements[state];
            for ((i, j), v) in magnetisation.indexed_iter_mut() {
                *v += if state >> (i * m + j) & 1 == 1 { p } else { -p };
            }
        }
        Ok(IsingExact { log_partition, magnetisation, agreement, log_weights })
    }
}
