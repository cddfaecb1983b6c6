//! Parallel tempering: chains at several temperatures that exchange their states. Checked in
//! `tests/inference/monte_carlo.rs`.

use ndarray::Array2;

use super::chains::{Chains, McmcParams};
use super::metropolis::at_start;
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::learn::Inputs;
use crate::random::Philox;

/// Chains of the target itself, and how often neighbours exchanged.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tempered {
    /// The samples at temperature one, one chain for each start.
    pub chains: Chains,
    /// The share of exchanges that were accepted between each temperature and the next.
    pub exchanges: Vec<f64>,
}

/// Metropolis chains of `p(x)^(1/T)` for each temperature T, which propose to exchange states after every sweep:
/// `min(1, exp((1/T_a - 1/T_b)(log p(x_b) - log p(x_a))))`. Hot chains cross between modes, cold ones stay in them.
///
/// `temperatures` begin with 1 and rise; the random walk at T has steps of `step √T`.
///
/// ```
/// use mercer::inference::monte_carlo::{McmcParams, parallel_tempering};
/// // Two modes, ten apart, that a random walk of this step never crosses between.
/// let density = |x: &[f64]| Ok((-0.5 * (x[0] - 5.0f64).powi(2)).exp().ln().max(-600.0)
///     .max(-0.5 * (x[0] + 5.0f64).powi(2)));
/// let params = McmcParams::new().samples(8000).seed(4);
/// let t = parallel_tempering(&ndarray::array![[5.0]], &[1.0, 3.0, 9.0, 27.0], 1.0, &params, density)?;
/// let right = t.chains.pooled().iter().filter(|x| **x > 0.0).count() as f64 / 8000.0;
/// assert!((right - 0.5).abs() < 0.15, "{right}");
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`metropolis`](super::metropolis), and for temperatures that do not begin with 1 or do not rise; a chain of temperature
/// one that neither a proposal nor an exchange moves after the burn-in.
pub fn parallel_tempering(
    starts: impl Inputs,
    temperatures: &[f64],
    step: f64,
    params: &McmcParams,
    mut log_density: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<Tempered> {
    const OP: &str = "parallel_tempering";
    let starts = starts.inputs();
    let last = params.check(OP, starts.view())?;
    positive("step", step)?;
    require(OP, temperatures.len() > 1, || "there must be two temperatures or more".to_owned())?;
    parameter("temperatures[0]", temperatures[0], temperatures[0] == 1.0, "the first temperature must be 1")?;
    for pair in temperatures.windows(2) {
        parameter(
            "temperature",
            pair[1],
            pair[1] > pair[0] && pair[1].is_finite(),
            "temperatures must rise",
        )?;
    }
    let k = temperatures.len();
    let (mut draws, mut met, mut asked) = (Vec::new(), vec![0.0; k - 1], 0.0);
    for (c, start) in starts.rows().into_iter().enumerate() {
        let mut rng = Philox::new(params.seed, c as u64);
        let height = at_start(log_density(&start.to_vec())?)?;
        let mut states = vec![(start.to_vec(), height); k];
        let mut kept = Array2::zeros((params.samples, start.len()));
        // Where the chain of temperature one was when its burn-in ended, and whether it has left.
        let (mut row, mut from, mut moved) = (0, start.to_vec(), false);
        for t in 1..=last {
            for ((x, h), temperature) in states.iter_mut().zip(temperatures) {
                let next: Vec<f64> = x.iter().map(|v| v + step * temperature.sqrt() * rng.normal()).collect();
                let height = log_density(&next)?;
                // Written so that a NaN is refused.
                if (1.0 - rng.uniform()).ln() < (height - *h) / temperature {
                    (*x, *h) = (next, height);
                }
            }
            asked += 1.0;
            for i in 0..k - 1 {
                let gain =
                    (1.0 / temperatures[i] - 1.0 / temperatures[i + 1]) * (states[i + 1].1 - states[i].1);
                if (1.0 - rng.uniform()).ln() < gain {
                    states.swap(i, i + 1);
                    met[i] += 1.0;
                }
            }
            if t == params.burn_in {
                from.clone_from(&states[0].0);
            }
            moved |= t > params.burn_in && states[0].0 != from;
            if t > params.burn_in && (t - params.burn_in).is_multiple_of(params.thin) {
                kept.row_mut(row).assign(&ndarray::ArrayView1::from(&states[0].0));
                row += 1;
            }
            params.progress.report(OP, c * last + t, starts.nrows() * last, states[0].1)?;
        }
        parameter(
            "step",
            step,
            moved,
            "the chain of temperature 1 never moved: take a smaller step, or temperatures closer to each other",
        )?;
        draws.push(kept);
    }
    Ok(Tempered { chains: Chains::new(draws)?, exchanges: met.iter().map(|m| m / asked).collect() })
}
