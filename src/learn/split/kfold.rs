//! k parts, one after the other held out. Checked in `tests/learn/split.rs` against scikit-learn.

use super::{By, Fold, Split, indices, members};
use crate::Result;
use crate::check::{parameter, room};
use crate::learn::configure::setters;
use crate::learn::data::Targets;
use crate::random::shuffle;

/// Divides the rows into k parts whose sizes differ by one at most, and holds out one after the other.
///
/// Without a seed the parts are consecutive rows, as in scikit-learn: shuffle where the order of rows means something.
///
/// ```
/// use mercer::prelude::*;
/// let folds = KFold::new(5).shuffled(0).split(52)?;
/// assert!(folds.iter().all(|(train, test)| train.len() + test.len() == 52 && (10..=11).contains(&test.len())));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KFold {
    folds: usize,
    seed: Option<u64>,
    repeats: usize,
    by: By,
}

impl KFold {
    /// k parts of consecutive rows; k is at least 2 and at most the number of rows.
    pub fn new(folds: usize) -> Self {
        KFold { folds, seed: None, repeats: 1, by: By::Rows }
    }

    /// Keeps the shares of these classes, one label for each row, in every part, as far as whole rows can.
    #[must_use]
    pub fn stratified<L: Ord + Clone>(mut self, labels: &(impl Targets<Of = [L]> + ?Sized)) -> Self {
        self.by = By::Classes(indices(labels));
        self
    }

    /// Keeps the rows of each of these groups, one label for each row, in the same part: the largest group first, each
    /// to the part that has the fewest rows.
    #[must_use]
    pub fn grouped<L: Ord + Clone>(mut self, groups: &(impl Targets<Of = [L]> + ?Sized)) -> Self {
        self.by = By::Groups(indices(groups));
        self
    }

    /// The part of each of n rows, of the repetition of this number.
    fn parts(&self, n: usize, repeat: u64) -> Result<Vec<usize>> {
        let mut part = vec![0; n];
        match &self.by {
            By::Rows => {
                let mut rows: Vec<usize> = (0..n).collect();
                self.shuffle(&mut rows, repeat);
                let (least, more) = (n / self.folds, n % self.folds);
                let sizes = (0..self.folds).map(|k| least + usize::from(k < more));
                let ids = sizes.enumerate().flat_map(|(k, size)| std::iter::repeat_n(k, size));
                rows.into_iter().zip(ids).for_each(|(row, k)| part[row] = k);
            }
            By::Classes(classes) => {
                let mut members = members(classes);
                let most = members.iter().map(Vec::len).max().unwrap_or(0);
                let requirement = "must not be more than the rows of the largest class";
                parameter("folds", self.folds as f64, self.folds <= most, requirement)?;
                // Classes in the order of their first rows, dealt to the parts in turn: sizes differ by one at most.
                members.sort_by_key(|rows| rows[0]);
                let mut dealt = 0;
                for rows in &mut members {
                    let mut counts = vec![0usize; self.folds];
                    (dealt..dealt + rows.len()).for_each(|i| counts[i % self.folds] += 1);
                    dealt += rows.len();
                    let mut ids: Vec<usize> =
                        counts.iter().enumerate().flat_map(|(k, &c)| std::iter::repeat_n(k, c)).collect();
                    self.shuffle(&mut ids, repeat.wrapping_mul(n as u64).wrapping_add(rows[0] as u64));
                    rows.iter().zip(ids).for_each(|(&row, k)| part[row] = k);
                }
            }
            By::Groups(groups) => {
                let mut members = members(groups);
                let requirement = "must not be more than there are groups";
                parameter("folds", self.folds as f64, self.folds <= members.len(), requirement)?;
                self.shuffle(&mut members, repeat);
                members.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
                let mut sizes = vec![0; self.folds];
                for rows in members {
                    let k = (0..self.folds).min_by_key(|&k| sizes[k]).unwrap_or(0);
                    sizes[k] += rows.len();
                    for row in rows {
                        part[row] = k;
                    }
                }
            }
        }
        Ok(part)
    }

    fn shuffle<T>(&self, rows: &mut [T], stream: u64) {
        if let Some(seed) = self.seed {
            shuffle(rows, seed, stream);
        }
    }
}

setters!(KFold {
    /// Divides the rows at random; the seed decides.
    shuffled => seed: into Option<u64>,
    /// How often to do it, shuffled anew each time; 1 by default. More than once takes a seed.
    repeated => repeats: usize,
});

impl Split for KFold {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        let requirement = "must be at least 2 and at most the number of rows";
        parameter("folds", self.folds as f64, self.folds >= 2 && self.folds <= n, requirement)?;
        self.by.fits("KFold::split", n)?;
        let seeded = self.repeats == 1 || (self.repeats > 1 && self.seed.is_some());
        parameter("repeats", self.repeats as f64, seeded, "must be 1, or more with a seed to shuffle by")?;
        room("repeats", self.repeats, self.folds.saturating_mul(n).saturating_mul(8))?;
        let mut folds = Vec::new();
        for repeat in 0..self.repeats {
            let part = self.parts(n, repeat as u64)?;
            folds.extend((0..self.folds).map(|k| (0..n).partition(|&i| part[i] != k)));
        }
        Ok(folds)
    }
}
