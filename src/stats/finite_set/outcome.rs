//! What a finite-set test answers: the common outcome, and where it looked.

use ndarray::Array2;
use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::check::{parameter, room};
use crate::optim::Minimum;
use crate::stats::outcome::{KernelOutcome, Run, TestOutcome};
use crate::stats::resample::{Null, Resampling, Steps, finite, judged, threshold, upper_quantile};
use crate::{Device, Error, Kernel, Result};

/// The first permutation's place among the seed's streams: before it are the split and the first locations.
const FIRST: usize = 1 << 20;
/// Permutations between two calls of the progress.
const STEP: usize = 256;

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
pub(in crate::stats) struct Verdict<'a> {
    pub op: &'static str,
    /// The statistic in words.
    pub method: &'a str,
    pub resampling: &'a Resampling,
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
        finite(self.op, statistic)?;
        let Resampling { null, alpha, seed, keep_null, progress, .. } = self.resampling;
        let mut sample = None;
        let (p_value, threshold, resamples) = match *null {
            Null::ChiSquared => {
                let law = self.law()?;
                (law.sf(statistic), upper_quantile(|x| law.sf(x), *alpha), 0)
            }
            Null::Permutations(count) => {
                parameter("resamples", count as f64, count > 0, "there must be one or more")?;
                room("resamples", count, 8)?;
                let value = |b: usize| match permuted(FIRST + b) {
                    // Features that no longer vary show no difference.
                    Err(Error::NotPositiveDefinite { .. }) => Ok(0.0),
                    found => found.and_then(|v| finite(self.op, v)),
                };
                let mut steps = Steps::new(self.op, progress, count.div_ceil(STEP));
                let mut all: Vec<f64> = Vec::with_capacity(count);
                for first in (0..count).step_by(STEP) {
                    let some = (first..count.min(first + STEP)).into_par_iter().map(value);
                    all.extend(some.collect::<Result<Vec<f64>>>()?);
                    steps.made()?;
                }
                let found = (judged(statistic, &all, 0.0), threshold(*alpha, &all), count);
                sample = keep_null.then_some(all);
                found
            }
            _ => return Err(null.refused(self.op, "use permutations, or the chi-squared law")),
        };
        let own = KernelOutcome { kernels: self.kernels, statistic, p_value, rejects: p_value <= *alpha };
        let bytes = (8 * self.rows * self.features) as u64;
        let method = format!("{}, {}", self.method, null.name());
        Ok(TestOutcome {
            statistic,
            p_value,
            alpha: *alpha,
            threshold,
            null: sample,
            kernels: if own.kernels.is_empty() { vec![] } else { vec![own] },
            strongest_index: 0,
            run: Run::new(method, resamples, Some(*seed), device, bytes),
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
