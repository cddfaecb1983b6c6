//! One row at a time, and the past before the future. Checked in `tests/learn/split.rs` against scikit-learn.

use super::{Fold, Split};
use crate::Result;
use crate::check::{parameter, room};
use crate::learn::configure::setters;

/// Holds out every row once, alone: n divisions, and n fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaveOneOut;

impl Split for LeaveOneOut {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        parameter("rows", n as f64, n > 1, "must be at least 2 to leave one out")?;
        room("rows", n, n.saturating_mul(8))?;
        Ok((0..n).map(|k| (0..n).partition(|&i| i != k)).collect())
    }
}

/// Tests on consecutive blocks at the end, each learned from what comes before it: rows are in the order of time.
///
/// ```
/// use mercer::prelude::*;
/// let folds = TimeSeries::new(2).split(6)?;
/// assert_eq!(folds, [(vec![0, 1], vec![2, 3]), (vec![0, 1, 2, 3], vec![4, 5])]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeSeries {
    tests: usize,
    test_rows: Option<usize>,
    gap: usize,
    max_train: Option<usize>,
}

impl TimeSeries {
    /// So many tests of `n / (tests + 1)` rows each.
    pub fn new(tests: usize) -> Self {
        TimeSeries { tests, test_rows: None, gap: 0, max_train: None }
    }
}

setters!(TimeSeries {
    /// Rows of each test.
    test_rows: into Option<usize>,
    /// Rows left out between training and test; 0 by default.
    gap: usize,
    /// The most rows to learn from, the latest ones; all by default.
    max_train: into Option<usize>,
});

impl Split for TimeSeries {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        let least = self.tests >= 1 && self.tests < n;
        parameter("tests", self.tests as f64, least, "must be at least 1 and fewer than the rows")?;
        let rows = self.test_rows.unwrap_or(n / (self.tests + 1));
        let tested = rows.checked_mul(self.tests).filter(|&all| rows > 0 && all < n);
        parameter(
            "test_rows",
            rows as f64,
            tested.is_some(),
            "must be positive and leave rows to learn from",
        )?;
        let first = n - tested.unwrap_or(0);
        parameter("gap", self.gap as f64, self.gap < first, "must leave rows to learn from")?;
        let most = self.max_train.unwrap_or(n);
        parameter("max_train", most as f64, most > 0, "must be at least 1")?;
        room("tests", self.tests, 8 * n)?;
        let fold = |start: usize| {
            let end = start - self.gap;
            ((end.saturating_sub(most)..end).collect(), (start..start + rows).collect())
        };
        Ok((0..self.tests).map(|k| fold(first + k * rows)).collect())
    }
}
