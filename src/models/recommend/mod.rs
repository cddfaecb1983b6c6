//! Recommenders: predict what users would rate items that they have not rated. Checked in `tests/recommend`.
//!
//! | to do | use |
//! |---|---|
//! | hold ratings, most of them missing | [`Ratings`] |
//! | factors of users and items, from ratings or from clicks | [`Als`] |
//! | the same one rating at a time | [`SgdFactorisation`] |
//! | the same with error bars | [`ProbabilisticFactorisation`] |
//! | one ridge regression a user, on features of the items | [`ContentRidge`] |
//! | what similar users or similar items were given | [`Neighbours`] |
//! | groups of users and groups of items | [`BlockModel`] |
//! | a table without gaps | [`full_factors`] |
//! | judge lists | [`ranking`], [`precision_at`], [`recall_at`], [`ndcg_at`] |
//! | hold out ratings by user or by time | [`PerUser`], [`ByTime`] |
//!
//! A row of inputs is a pair of numbers, the user and the item, counted from 0; its target is the rating. So ratings
//! are ordinary observations, and every split and every search of [`learn`](crate::learn) works on them. Ratings are
//! small systems by the thousand: everything here runs on the CPU in f64, whatever the device.
//!
//! # Cold start
//! A user without a rating has no factors: the prediction is what is known of the item alone, and
//! [`cold_users`](FittedFactors::cold_users) says who they are. A user or an item beyond the table is an
//! [`Error::Parameter`](crate::Error::Parameter).

mod als;
mod block;
mod content;
mod factors;
mod full;
mod neighbours;
mod probabilistic;
mod ranking;
mod rated;
mod ratings;
mod sgd;
mod splits;

pub use als::{Als, Feedback};
pub use block::{BlockModel, FittedBlockModel};
pub use content::ContentRidge;
pub use factors::FittedFactors;
pub use full::{FullFactors, full_factors};
pub use neighbours::{Around, FittedNeighbours, Neighbours, SimilarityMeans};
pub use probabilistic::{FactorPosterior, FittedProbabilistic, ProbabilisticFactorisation};
pub use ranking::{Ranking, ndcg_at, precision_at, ranking, recall_at};
pub use rated::Recommend;
pub use ratings::{Rating, Ratings};
pub use sgd::{RatingPenalty, SgdFactorisation, sgd_step};
pub use splits::{ByTime, PerUser};
