//! The groups that a block model has found.

use ndarray::Array2;

use super::em::State;
#[cfg(feature = "serde")]
use crate::Result;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::configure::getters;
use crate::learn::labels::most_probable;
use crate::learn::{Report, Reported};
use crate::models::recommend::rated::{Recommend, recommends};
use crate::models::recommend::ratings::Ratings;
use crate::saved::Format;

/// Fitted [`BlockModel`](super::BlockModel): `ŷ_ui = Σ_ab Q_ua P_ib θ_ab`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBlockModel {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    user: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    item: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    means: Array2<f64>,
    factors: Option<Groups>,
    squared_error: f64,
    variance: f64,
    report: Report,
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Groups {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    user: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    item: Array2<f64>,
}

getters!(FittedBlockModel {
    /// The probabilities Q of the groups of users, one row a user; zeros and ones if hard.
    user_probabilities => user: &Array2<f64>,
    /// The probabilities P of the groups of items.
    item_probabilities => item: &Array2<f64>,
    /// The means θ of blocks, groups of users x groups of items.
    means: &Array2<f64>,
    /// `Σ w Q P (y - θ)²`.
    squared_error: f64,
    /// The variance σ² of soft groups; that of all ratings if hard.
    variance: f64,
    /// How the fit went; the trace is the negative squared error if hard, the bound on the log-likelihood if soft.
    report: &Report,
});

impl FittedBlockModel {
    pub(super) fn new(ratings: &Ratings, state: State, report: Report) -> Self {
        let squared_error = state.squared_error(ratings);
        let State { user, item, means, factors, variance, .. } = state;
        let factors = factors.map(|(user, item)| Groups { user, item });
        FittedBlockModel { format: Format, user, item, means, factors, squared_error, variance, report }
    }

    /// The most probable group of each user.
    pub fn user_groups(&self) -> Vec<usize> {
        most_probable(self.user.view())
    }

    /// The most probable group of each item.
    pub fn item_groups(&self) -> Vec<usize> {
        most_probable(self.item.view())
    }

    /// The factors of the groups of users and of items, if a rank was asked for.
    pub fn group_factors(&self) -> Option<(&Array2<f64>, &Array2<f64>)> {
        self.factors.as_ref().map(|g| (&g.user, &g.item))
    }
}

impl Recommend for FittedBlockModel {
    fn size(&self) -> (usize, usize) {
        (self.user.nrows(), self.item.nrows())
    }

    fn rating(&self, user: usize, item: usize) -> f64 {
        self.user.row(user).dot(&self.means.dot(&self.item.row(item)))
    }
}

recommends!(FittedBlockModel);

impl Reported for FittedBlockModel {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBlockModel);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedBlockModel {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedBlockModel";
        let (a, b) = self.means.dim();
        let fits = self.user.ncols() == a && self.item.ncols() == b;
        require(OP, fits, || format!("{a} x {b} blocks and other groups"))?;
        finite(OP, "the groups of users", self.user.view())?;
        finite(OP, "the groups of items", self.item.view())?;
        finite(OP, "the means", self.means.view())
    }
}
