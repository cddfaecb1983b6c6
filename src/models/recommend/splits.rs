//! Which ratings to hold out: some of every user, or those that came last.

use super::ratings::Ratings;
use crate::Result;
use crate::check::{parameter, require};
use crate::learn::Fold;
use crate::random::shuffle;

/// Holds out a share of the ratings of every user, at least one if the user has two or more: nobody is cold.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let table = Ratings::from_table(array![[5.0, 1.0, 3.0], [4.0, f64::NAN, 1.0]])?;
/// let (train, test) = PerUser::new(0.3).split(&table)?;
/// assert_eq!((train.len(), test.len()), (3, 2));
/// assert!(table.select(&train)?.cold_users().is_empty());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerUser {
    share: f64,
    seed: u64,
}

impl PerUser {
    /// This share of each user's ratings, between 0 and 1.
    pub fn new(share: f64) -> Self {
        PerUser { share, seed: 0 }
    }

    /// Seed of the choice.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Indices into [`Ratings::entries`] to learn from, and to judge by.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a share outside 0 to 1.
    pub fn split(&self, ratings: &Ratings) -> Result<Fold> {
        share(self.share)?;
        let mut held = vec![false; ratings.len()];
        let mut first = 0;
        for user in 0..ratings.users() {
            let n = ratings.of_user(user).len();
            let mut own: Vec<usize> = (first..first + n).collect();
            shuffle(&mut own, self.seed, user as u64);
            let count =
                ((self.share * n as f64).round() as usize).clamp(usize::from(n > 1), n.saturating_sub(1));
            own.iter().take(count).for_each(|&e| held[e] = true);
            first += n;
        }
        Ok((0..ratings.len()).partition(|&e| !held[e]))
    }
}

/// Holds out the ratings that came last: what is learned lies before what is judged. Users whose first rating is among
/// them are cold.
#[derive(Debug, Clone, PartialEq)]
pub struct ByTime {
    share: f64,
    times: Vec<f64>,
}

impl ByTime {
    /// This share of all ratings, by the time of each of [`Ratings::entries`].
    pub fn new(share: f64, times: &[f64]) -> Self {
        ByTime { share, times: times.to_vec() }
    }

    /// Indices into [`Ratings::entries`] to learn from, and to judge by. Ratings of one moment stay together.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a share that leaves either part empty,
    /// [`Error::Shape`](crate::Error::Shape) for times that are not those of the ratings or hold a NaN.
    pub fn split(&self, ratings: &Ratings) -> Result<Fold> {
        share(self.share)?;
        let n = ratings.len();
        let fits = self.times.len() == n && self.times.iter().all(|t| t.is_finite());
        require("ByTime::split", fits, || format!("{n} ratings, {} finite times", self.times.len()))?;
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let cut = sorted[((1.0 - self.share) * n as f64).floor().min(n as f64 - 1.0) as usize];
        let (train, test): Fold = (0..n).partition(|&e| self.times[e] < cut);
        parameter("share", self.share, !train.is_empty(), "must leave something to learn from")?;
        Ok((train, test))
    }
}

fn share(share: f64) -> Result<()> {
    parameter("share", share, share > 0.0 && share < 1.0, "must lie between 0 and 1")
}
