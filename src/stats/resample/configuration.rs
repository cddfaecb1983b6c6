//! What every test that resamples lets its caller choose.

use super::null::Null;
use crate::Progress;
use crate::check::level;
use crate::learn::configure::setters;

/// How a test finds its null distribution: the part of its configuration that all tests share.
///
/// Every test has these setters too, so that one that is told nothing else needs none of this.
///
/// ```
/// use mercer::prelude::*;
/// let exact = Resampling::new(Null::Permutations(999)).alpha(0.01).seed(7);
/// let test = TwoSampleTest::new().resampling(exact.clone());
/// assert_eq!(test, TwoSampleTest::new().null(Null::Permutations(999)).alpha(0.01).seed(7));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Resampling {
    pub(in crate::stats) null: Null,
    pub(in crate::stats) alpha: f64,
    pub(in crate::stats) seed: u64,
    pub(in crate::stats) keep_null: bool,
    pub(in crate::stats) memory: u64,
    pub(in crate::stats) progress: Progress,
}

impl Default for Resampling {
    /// A thousand permutations at level 0.05.
    fn default() -> Self {
        Self::new(Null::Permutations(1000))
    }
}

impl Resampling {
    /// A test at level 0.05 with this null distribution, seed 0, 4 GiB.
    pub fn new(null: Null) -> Self {
        let (alpha, seed, keep_null, memory) = (0.05, 0, false, 1 << 32);
        Resampling { null, alpha, seed, keep_null, memory, progress: Progress::none() }
    }

    /// The error of a level outside of (0, 1).
    pub(in crate::stats) fn check(&self) -> crate::Result<()> {
        level(self.alpha)
    }
}

setters!(Resampling {
    /// Where the null distribution comes from.
    null: Null,
    /// Level of the test, between 0 and 1; 0.05 by default.
    alpha: f64,
    /// Seed of every random decision; 0 by default.
    seed: u64,
    /// Whether the outcome holds the statistic of every resample.
    keep_null: bool,
    /// Bytes that stored matrices may take, 4 GiB by default; what does not fit is computed again when it is needed.
    memory: u64,
    /// Called after every part of the work; it can cancel the test.
    progress: Progress,
});

/// The setters of [`Resampling`] on a test that has one in its field `resampling`.
macro_rules! resampling_setters {
    ($test:ident) => {
        $crate::learn::configure::setters!($test {
            /// Everything about the resamples at once.
            resampling: Resampling,
            /// Where the null distribution comes from.
            null => resampling.null: Null,
            /// Level of the test, between 0 and 1; 0.05 by default.
            alpha => resampling.alpha: f64,
            /// Seed of every random decision; 0 by default.
            seed => resampling.seed: u64,
            /// Whether the outcome holds the statistic of every resample.
            keep_null => resampling.keep_null: bool,
            /// Bytes that stored matrices may take, 4 GiB by default; what does not fit is computed again when it is
            /// needed. Tests that store none do not ask.
            memory => resampling.memory: u64,
            /// Called after every part of the work; it can cancel the test.
            progress => resampling.progress: Progress,
        });
    };
}

pub(in crate::stats) use resampling_setters;
