//! Which rows to learn from and which to judge by.
//!
//! | split | tests |
//! |---|---|
//! | [`Holdout`] | a share of the rows, once |
//! | [`KFold`] | every row once: k parts, one after the other held out; [`KFold::repeated`] does it several times |
//! | [`LeaveOneOut`] | every row once, alone |
//! | [`TimeSeries`] | what comes later: every test is after its training rows |
//!
//! [`KFold::stratified`] and [`Holdout::stratified`] keep the shares of classes in every part; [`KFold::grouped`] and
//! [`Holdout::grouped`] do not tear rows of one group (a patient, a day) apart. Checked in `tests/learn/split.rs`
//! against scikit-learn.
//!
//! ```
//! use mercer::prelude::*;
//! let grapes = ["merlot", "merlot", "barolo", "barolo"];
//! let (train, test) = Holdout::new(0.5).stratified(&grapes).seed(7).split(4)?;
//! assert_eq!((train.len(), test.len()), (2, 2));
//! let folds = KFold::new(2).split(4)?;
//! assert_eq!(folds[0], (vec![2, 3], vec![0, 1]));
//! # Ok::<(), mercer::Error>(())
//! ```

mod holdout;
mod kfold;
mod others;

pub use holdout::Holdout;
pub use kfold::KFold;
pub use others::{LeaveOneOut, TimeSeries};

use crate::Result;
use crate::check::require;
use crate::learn::data::Targets;
use crate::learn::labels::Labels;

/// Row indices to learn from, and row indices to judge by.
pub type Fold = (Vec<usize>, Vec<usize>);

/// Divides n rows into those to learn from and those to judge by, once or several times.
pub trait Split {
    /// The train and test rows of each division of n rows.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a division that n rows do not have,
    /// [`Error::Shape`](crate::Error::Shape) for labels or groups of another number of rows.
    fn split(&self, n: usize) -> Result<Vec<Fold>>;
}

impl<S: Split + ?Sized> Split for &S {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        (**self).split(n)
    }
}

/// Divisions that were made elsewhere.
impl Split for Vec<Fold> {
    fn split(&self, n: usize) -> Result<Vec<Fold>> {
        let inside = self.iter().all(|(train, test)| train.iter().chain(test).all(|i| *i < n));
        require("split", inside, || format!("a fold has rows beyond the {n} that there are"))?;
        Ok(self.clone())
    }
}

/// What a division must respect.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum By {
    /// Nothing: rows are alike.
    #[default]
    Rows,
    /// The shares of classes: the class of each row.
    Classes(Vec<usize>),
    /// Groups that stay together: the group of each row.
    Groups(Vec<usize>),
}

impl By {
    /// An error unless it speaks of n rows.
    fn fits(&self, op: &'static str, n: usize) -> Result<()> {
        let (By::Classes(of) | By::Groups(of)) = self else { return Ok(()) };
        require(op, of.len() == n, || format!("{n} rows, labels or groups of {}", of.len()))
    }
}

/// The place of each label among the distinct ones, in ascending order.
fn indices<L: Ord + Clone>(labels: &(impl Targets<Of = [L]> + ?Sized)) -> Vec<usize> {
    Labels::of(&labels.targets()).map(|(_, index)| index).unwrap_or_default()
}

/// The rows of each class or group.
fn members(of: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![vec![]; of.iter().max().map_or(0, |most| most + 1)];
    of.iter().enumerate().for_each(|(row, &part)| members[part].push(row));
    members
}
