//! Any energy over finitely many states. Checked in `tests/energy/enumerated.rs`.

use ndarray::Array1;

use crate::Result;
use crate::check::{finite, number, parameter, require};
use crate::inference::logs::normalise;

/// `p(x | η) = exp(-Σ_c E_c(x | η)) / Z` over finitely many states: exact probabilities and the gradient of the likelihood by
/// its positive and its negative phase.
///
/// `energy(x, η)` returns `Σ_c E_c(x)` and its gradient by η, for the state of number x.
///
/// ```
/// use mercer::models::energy::EnergyModel;
/// // Three states, the energy η x.
/// let model = EnergyModel::new(3, |x, eta| (eta[0] * x as f64, vec![x as f64]))?;
/// let p = model.probabilities(&[2f64.ln()])?;
/// assert!((p[0] - 4.0 / 7.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EnergyModel<F> {
    states: usize,
    energy: F,
}

const OP: &str = "EnergyModel";

impl<F: Fn(usize, &[f64]) -> (f64, Vec<f64>)> EnergyModel<F> {
    /// A model of so many states.
    ///
    /// # Errors
    /// None, or more than 2²⁴ of them.
    pub fn new(states: usize, energy: F) -> Result<Self> {
        parameter("states", states as f64, (1..=1 << 24).contains(&states), "must be between 1 and 2^24")?;
        Ok(EnergyModel { states, energy })
    }

    fn energies(&self, eta: &[f64]) -> Result<Vec<(f64, Vec<f64>)>> {
        let all: Vec<(f64, Vec<f64>)> = (0..self.states).map(|x| (self.energy)(x, eta)).collect();
        for (x, (e, g)) in all.iter().enumerate() {
            parameter(
                &format!("energy of state {x}"),
                *e,
                !e.is_nan() && *e > f64::NEG_INFINITY,
                "must be a number",
            )?;
            require(OP, g.len() == eta.len(), || {
                format!("{} parameters, a gradient of {}", eta.len(), g.len())
            })?;
        }
        Ok(all)
    }

    /// `p(x)` of every state.
    ///
    /// # Errors
    /// An energy that is NaN, or infinite everywhere.
    pub fn probabilities(&self, eta: &[f64]) -> Result<Vec<f64>> {
        Ok(normalised(&self.energies(eta)?)?.0)
    }

    /// The mean log-likelihood of the data and its gradient: `-(1/N) Σ_n ∇E(x_n) + E_p[∇E(x)]`, the positive and the
    /// negative phase.
    ///
    /// # Errors
    /// As [`EnergyModel::probabilities`]; no data, or a state that is not there or cannot be.
    pub fn gradient(&self, data: &[usize], eta: &[f64]) -> Result<(f64, Array1<f64>)> {
        let fits = !data.is_empty() && data.iter().all(|x| *x < self.states);
        require(OP, fits, || "data must be states, and not empty".to_owned())?;
        let all = self.energies(eta)?;
        let (p, log_z) = normalised(&all)?;
        let (mut value, mut g, n) = (0.0, Array1::<f64>::zeros(eta.len()), data.len() as f64);
        for &x in data {
            value += (-all[x].0 - log_z) / n;
            g.scaled_add(-1.0 / n, &Array1::from(all[x].1.clone()));
        }
        for (p, (_, e)) in p.iter().zip(&all).filter(|(p, _)| **p > 0.0) {
            g.scaled_add(*p, &Array1::from(e.clone()));
        }
        finite(OP, "the gradient", g.view().insert_axis(ndarray::Axis(0)))?;
        Ok((number(OP, "the log-likelihood", value)?, g))
    }
}

/// `p(x)` of every state, and `ln Z`.
fn normalised(energies: &[(f64, Vec<f64>)]) -> Result<(Vec<f64>, f64)> {
    let mut p: Vec<f64> = energies.iter().map(|e| -e.0).collect();
    let log_z = normalise(&mut p);
    parameter("log Z", log_z, log_z.is_finite(), "must be finite")?;
    Ok((p, log_z))
}
