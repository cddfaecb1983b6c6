//! What a finite-set test answers: the common outcome, and where it looked.

use ndarray::Array2;
use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::optim::Minimum;
use crate::check::parameter;
use crate::stats::null::{Null, p_value, threshold};
use crate::stats::outcome::{Done, KernelOutcome, TestOutcome};
use crate::stats::quantile::upper_quantile;
use crate::{Device, Error, Kernel, Result};

/// The first permutation's place among the seed's streams: before it are the split and the first locations.
const FIRST: usize = 1 << 20;

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

/// How the statistic of the tested part is judged.
pub(super) struct Verdict<'a> {
    pub op: &'static str,
    /// The statistic in words.
    pub method: &'a str,
    pub null: Null,
    pub alpha: f64,
    pub seed: u64,
    /// Rows whose features were taken, of both sides together.
    pub rows: usize,
    /// Features of each.
    pub features: usize,
    /// None for waves, which have no kernel to name.
    pub kernels: Vec<Kernel>,
}

impl Verdict<'_> {
    /// The outcome of `statistic`, which permutation b of the tested part would make `permuted(b)`.
    pub fn of(
        self,
        device: &Device,
        statistic: f64,
        permuted: impl Fn(usize) -> Result<f64> + Sync,
    ) -> Result<TestOutcome> {
        let (p_value, threshold, resamples) = match self.null {
            Null::ChiSquared => {
                let law = self.law()?;
                (law.sf(statistic), upper_quantile(|x| law.sf(x), self.alpha), 0)
            }
            Null::Permutations(count) => {
                parameter("resamples", count as f64, count > 0, "there must be one or more")?;
                let value = |b: usize| match permuted(FIRST + b) {
                    // Features that no longer vary show no difference.
                    Err(Error::NotPositiveDefinite { .. }) => Ok(0.0),
                    found => found,
                };
                let null: Vec<f64> = (0..count).into_par_iter().map(value).collect::<Result<_>>()?;
                (p_value(statistic, &null), threshold(self.alpha, &null), count)
            }
            _ => return Err(self.null.refused(self.op, "use permutations, or the chi-squared law")),
        };
        let rejects = p_value <= self.alpha;
        let own = KernelOutcome { kernels: self.kernels, statistic, p_value, rejects };
        let bytes = (8 * self.rows * self.features) as u64;
        let method = format!("{}, {}", self.method, self.null.name());
        Ok(TestOutcome {
            statistic,
            p_value,
            alpha: self.alpha,
            threshold,
            null: None,
            kernels: if own.kernels.is_empty() { vec![] } else { vec![own] },
            fired: 0,
            done: Done::new(method, resamples, Some(self.seed), device, bytes),
        })
    }

    fn law(&self) -> Result<ChiSquared> {
        ChiSquared::new(self.features as f64).map_err(|_| Error::Parameter {
            name: "locations".to_owned(),
            value: self.features as f64,
            requirement: "there must be one or more",
        })
    }
}
