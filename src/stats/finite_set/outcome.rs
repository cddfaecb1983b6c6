//! What a finite-set test answers: the common outcome, and where it looked.

use ndarray::Array2;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::optim::Minimum;
use crate::stats::outcome::{Done, KernelOutcome, TestOutcome};
use crate::stats::quantile::upper_quantile;
use crate::{Device, Error, Kernel, Result};

/// The answer, and where the two sides differ most.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteSetOutcome {
    /// Statistic, p-value, threshold and what was done.
    pub outcome: TestOutcome,
    /// Locations, one a row; for the smoothed characteristic function frequencies, in radians per unit of the data.
    pub locations: Array2<f64>,
    /// The width of the kernel; for independence the one on x and the one on y.
    pub widths: Vec<f64>,
    /// What the search for the locations did, if there was one. It minimised minus the statistic.
    pub search: Option<Minimum>,
}

/// `P(χ²_J ≥ statistic)` and what goes with it.
pub(super) fn chi_squared(
    statistic: f64,
    features: usize,
    alpha: f64,
    kernels: Vec<Kernel>,
    done: Done,
) -> Result<TestOutcome> {
    let law = ChiSquared::new(features as f64).map_err(|_| Error::Parameter {
        name: "locations".to_owned(),
        value: features as f64,
        requirement: "there must be one or more",
    })?;
    let p_value = law.sf(statistic);
    // Waves have no kernel to name.
    let own = if kernels.is_empty() {
        vec![]
    } else {
        vec![KernelOutcome { kernels, statistic, p_value, rejects: p_value <= alpha }]
    };
    Ok(TestOutcome {
        statistic,
        p_value,
        alpha,
        threshold: upper_quantile(|x| law.sf(x), alpha),
        null: None,
        kernels: own,
        fired: 0,
        done,
    })
}

/// What was done, in words and bytes: `rows` observations with `features` features each.
pub(super) fn done(method: &str, seed: u64, device: &Device, rows: usize, features: usize) -> Done {
    Done::new(format!("{method}, chi-squared"), 0, Some(seed), device, (8 * rows * features) as u64)
}
