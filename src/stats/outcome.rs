//! What a test answers, whichever test it is.

use std::fmt;

use crate::{Device, Kernel};

/// The answer of a test, and what was done to find it.
#[derive(Debug, Clone, PartialEq)]
pub struct TestOutcome {
    /// The statistic of the data; large values speak against the hypothesis.
    pub statistic: f64,
    /// The probability, under the hypothesis, of a statistic at least as large.
    pub p_value: f64,
    /// The level that the test was asked for.
    pub alpha: f64,
    /// What the statistic must exceed to be rejected at that level; infinite if so few resamples never can.
    pub threshold: f64,
    /// The statistic of every resample, if they were asked for.
    pub null: Option<Vec<f64>>,
    /// Each kernel that took part, in the order of the collection; one entry unless the test is an aggregated one.
    pub kernels: Vec<KernelOutcome>,
    /// Place in `kernels` of the one with the strongest evidence against the hypothesis.
    pub strongest_index: usize,
    /// How, where and at what cost it was found.
    pub run: Run,
}

/// One kernel's part in a test.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelOutcome {
    /// The kernel; for independence the one on x and the one on y.
    pub kernels: Vec<Kernel>,
    /// Its own statistic.
    pub statistic: f64,
    /// Its own p-value, not corrected for the others.
    pub p_value: f64,
    /// Whether the test rejects because of it: its own p-value lies within its share of the level.
    pub rejects: bool,
}

/// How an outcome was found: method, resamples, seed, device, memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The statistic and where its null distribution comes from, in words.
    pub method: String,
    /// Permutations or bootstrap samples; 0 for an asymptotic distribution.
    pub resamples: usize,
    /// The seed of every random decision, if there was one.
    pub seed: Option<u64>,
    /// Where it ran.
    pub device: String,
    /// The most bytes held at a time by the matrices of the test, the data aside.
    pub bytes: u64,
}

impl TestOutcome {
    /// Whether the hypothesis is rejected at the level asked for.
    pub fn rejects(&self) -> bool {
        self.p_value <= self.alpha
    }

    /// The kernel with the strongest evidence against the hypothesis, if the test has kernels.
    pub fn strongest(&self) -> Option<&KernelOutcome> {
        self.kernels.get(self.strongest_index)
    }
}

impl Run {
    /// A run by this method on this device.
    pub fn new(
        method: impl Into<String>,
        resamples: usize,
        seed: Option<u64>,
        device: &Device,
        bytes: u64,
    ) -> Self {
        Run { method: method.into(), resamples, seed, device: device.to_string(), bytes }
    }
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.rejects() { "rejected" } else { "not rejected" };
        write!(
            f,
            "{verdict} at level {}: statistic {:.4e}, p = {:.4}",
            self.alpha, self.statistic, self.p_value
        )?;
        if let Some(strongest) = self.strongest() {
            let names: Vec<String> = strongest.kernels.iter().map(ToString::to_string).collect();
            write!(f, ", strongest {}", names.join(" and "))?;
        }
        write!(f, " ({}, {} resamples, {})", self.run.method, self.run.resamples, self.run.device)
    }
}
