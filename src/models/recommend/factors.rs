//! Factors of users and of items: what most recommenders have found.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::rated::{Recommend, recommends};
use super::ratings::{Rating, Ratings};
#[cfg(feature = "serde")]
use crate::Result;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::configure::getters;
use crate::learn::{Report, Reported};
use crate::saved::Format;

/// `ŷ_ui = μ + b_u + c_i + ψ_u · φ_i`: a factor for each user and each item.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedFactors {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) user_factors: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) item_factors: Array2<f64>,
    pub(super) mean: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) user_biases: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) item_biases: Array1<f64>,
    cold_users: Vec<usize>,
    cold_items: Vec<usize>,
    pub(super) report: Report,
}

getters!(FittedFactors {
    /// The factors ψ of users, one a row.
    user_factors: &Array2<f64>,
    /// The factors φ of items, one a row.
    item_factors: &Array2<f64>,
    /// The mean μ; 0 without biases.
    mean: f64,
    /// The biases b of users; 0 without biases.
    user_biases: &Array1<f64>,
    /// The biases c of items; 0 without biases.
    item_biases: &Array1<f64>,
    /// Users without a rating: nothing is known of their taste.
    cold_users: &[usize],
    /// Items without a rating.
    cold_items: &[usize],
    /// How the fit went; the trace is the objective.
    report: &Report,
});

impl FittedFactors {
    /// Without a mean and without biases.
    pub(super) fn new(ratings: &Ratings, user: Array2<f64>, item: Array2<f64>, report: Report) -> Self {
        FittedFactors {
            format: Format,
            mean: 0.0,
            user_biases: Array1::zeros(user.nrows()),
            item_biases: Array1::zeros(item.nrows()),
            user_factors: user,
            item_factors: item,
            cold_users: ratings.cold_users(),
            cold_items: ratings.cold_items(),
            report,
        }
    }

    /// `Σ w (y - ŷ)²` over the ratings of a table of the same size.
    pub(super) fn squared_error(&self, ratings: &Ratings) -> f64 {
        self.sum_of_pairs(ratings, |r, p| r.weight * (r.value - p).powi(2))
    }

    /// `Σ f(r, ŷ)` over the ratings, on every core; users are added up in their order.
    pub(super) fn sum_of_pairs(&self, ratings: &Ratings, f: impl Fn(&Rating, f64) -> f64 + Sync) -> f64 {
        let of_user = |u: usize| -> f64 {
            ratings.of_user(u).iter().map(|r| f(r, self.rating(r.user, r.item))).sum::<f64>()
        };
        let each: Vec<f64> = (0..ratings.users()).into_par_iter().with_min_len(32).map(of_user).collect();
        each.iter().sum()
    }
}

impl Recommend for FittedFactors {
    fn size(&self) -> (usize, usize) {
        (self.user_factors.nrows(), self.item_factors.nrows())
    }

    fn rating(&self, user: usize, item: usize) -> f64 {
        let product = self.user_factors.row(user).dot(&self.item_factors.row(item));
        self.mean + self.user_biases[user] + self.item_biases[item] + product
    }
}

recommends!(FittedFactors);

impl Reported for FittedFactors {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedFactors);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedFactors {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedFactors";
        let ((n, k), (m, l)) = (self.user_factors.dim(), self.item_factors.dim());
        let fits = k == l && self.user_biases.len() == n && self.item_biases.len() == m;
        require(OP, fits, || format!("factors of {n} x {k} and {m} x {l}, or biases of other sizes"))?;
        finite(OP, "the factors of users", self.user_factors.view())?;
        finite(OP, "the factors of items", self.item_factors.view())
    }
}
