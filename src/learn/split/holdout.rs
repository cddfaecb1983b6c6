//! One division: a share of the rows is held out. Checked in `tests/learn/split.rs`.

use super::{By, Fold, Split, indices, members};
use crate::Result;
use crate::check::{parameter, room};
use crate::learn::configure::setters;
use crate::learn::data::Targets;
use crate::random::shuffle;

/// Holds a share of the rows out, at random: `⌈share · n⌉` of n.
///
/// ```
/// use mercer::prelude::*;
/// let (train, test) = Holdout::new(0.25).seed(7).split(100)?;
/// assert_eq!((train.len(), test.len()), (75, 25));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Holdout {
    share: f64,
    seed: u64,
    by: By,
}

impl Holdout {
    /// Holds out this share of the rows, between 0 and 1; the seed is 0.
    pub fn new(share: f64) -> Self {
        Holdout { share, seed: 0, by: By::Rows }
    }

    /// Keeps the shares of these classes, one label for each row, in both parts: each class gives its share, rounded so
    /// that the sum is that of all rows.
    #[must_use]
    pub fn stratified<L: Ord + Clone>(mut self, labels: &(impl Targets<Of = [L]> + ?Sized)) -> Self {
        self.by = By::Classes(indices(labels));
        self
    }

    /// Keeps these groups, one label for each row, together: whole groups are held out, about that share of them.
    #[must_use]
    pub fn grouped<L: Ord + Clone>(mut self, groups: &(impl Targets<Of = [L]> + ?Sized)) -> Self {
        self.by = By::Groups(indices(groups));
        self
    }

    /// The rows to learn from and the rows to judge by, of n; both in ascending order.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a share that leaves either part empty,
    /// [`Error::Shape`](crate::Error::Shape) for labels or groups of another number of rows.
    pub fn split(&self, n: usize) -> Result<Fold> {
        self.by.fits("Holdout::split", n)?;
        room("rows", n, 3 * size_of::<usize>())?;
        let mut held = vec![false; n];
        match &self.by {
            By::Rows => {
                let mut rows: Vec<usize> = (0..n).collect();
                shuffle(&mut rows, self.seed, 0);
                rows[..self.count("rows", n)?].iter().for_each(|&i| held[i] = true);
            }
            By::Groups(groups) => {
                let mut groups = members(groups);
                shuffle(&mut groups, self.seed, 0);
                let count = self.count("groups", groups.len())?;
                groups[..count].iter().flatten().for_each(|&i| held[i] = true);
            }
            By::Classes(classes) => {
                let mut classes = members(classes);
                let sizes: Vec<usize> = classes.iter().map(Vec::len).collect();
                let counts = apportioned(&sizes, self.count("rows", n)?);
                for (k, (rows, count)) in classes.iter_mut().zip(counts).enumerate() {
                    shuffle(rows, self.seed, k as u64);
                    rows[..count].iter().for_each(|&i| held[i] = true);
                }
            }
        }
        Ok((0..n).partition(|&i| !held[i]))
    }

    /// Three parts of n rows: to learn from, to choose by (this share of all rows), and to judge by. The last is that of
    /// [`split`](Holdout::split); classes keep their shares and groups stay together in all of them.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let (train, validation, test) = Holdout::new(0.1).split_in_three(50, 0.1)?;
    /// assert_eq!((train.len(), validation.len(), test.len()), (40, 5, 5));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`split`](Holdout::split), for either share.
    pub fn split_in_three(&self, n: usize, validation: f64) -> Result<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let (rest, test) = self.split(n)?;
        let inside = validation > 0.0 && validation < 1.0;
        parameter("share for validation", validation, inside, "must lie between 0 and 1")?;
        let pick = |of: &[usize]| -> Vec<usize> { rest.iter().map(|&i| of[i]).collect() };
        // Of rows the count is that of the whole, whatever its share of the rest is rounded to.
        let wanted = (validation * n as f64 - 1e-9).ceil().max(1.0);
        let share = (wanted - 0.5) / rest.len() as f64;
        let (share, by) = match &self.by {
            By::Rows => (share, By::Rows),
            By::Classes(of) => (share, By::Classes(pick(of))),
            By::Groups(of) => (validation / (1.0 - self.share), By::Groups(distinct(&pick(of)))),
        };
        let inner = Holdout { share, seed: self.seed.wrapping_add(1), by };
        let (train, held) = inner.split(rest.len())?;
        let back = |of: Vec<usize>| -> Vec<usize> { of.into_iter().map(|i| rest[i]).collect() };
        Ok((back(train), back(held), test))
    }

    /// How many of so many to hold out.
    fn count(&self, what: &str, n: usize) -> Result<usize> {
        let count = (self.share * n as f64).ceil() as usize;
        let inside = self.share > 0.0 && self.share < 1.0 && count >= 1 && count < n;
        let name = format!("share held out of {n} {what}");
        parameter(&name, self.share, inside, "must leave something to learn from and something to judge by")?;
        Ok(count)
    }
}

/// The same groups, numbered without gaps.
fn distinct(of: &[usize]) -> Vec<usize> {
    let mut names = of.to_vec();
    names.sort_unstable();
    names.dedup();
    of.iter().map(|g| names.binary_search(g).unwrap_or(0)).collect()
}

/// `total`, divided in proportion to the sizes, the largest remainders rounded up.
fn apportioned(sizes: &[usize], total: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    let quota = |size: usize| size as f64 * total as f64 / all as f64;
    let mut counts: Vec<usize> = sizes.iter().map(|&size| quota(size).floor() as usize).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let remainder = |k: usize| quota(sizes[k]).fract();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)));
    let missing = total.saturating_sub(counts.iter().sum());
    order.iter().take(missing).for_each(|&k| counts[k] += 1);
    counts
}

setters!(Holdout {
    /// Seed of the shuffle.
    seed: u64,
});

impl Split for Holdout {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        Holdout::split(self, n).map(|fold| vec![fold])
    }
}
