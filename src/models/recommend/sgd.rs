//! Matrix factorisation one rating at a time. Checked in `tests/recommend/sgd.rs`.

use ndarray::{Array1, Array2, ArrayView1};

use super::factors::FittedFactors;
use super::rated::rating_fits;
use super::ratings::Ratings;
use crate::check::{finite, not_negative, parameter, positive, require, room};
use crate::learn::Report;
use crate::learn::configure::setters;
use crate::random::{gaussians, shuffle};
use crate::{Error, Progress, Result};

const OP: &str = "SgdFactorisation::fit";

/// What the penalty is at each rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RatingPenalty {
    /// λ at every rating: a user of many ratings is shrunk more often, `λ Σ_u n_u‖ψ_u‖²` in all.
    #[default]
    PerRating,
    /// λ over the number of ratings: `λ Σ_u‖ψ_u‖²` in all, the objective of [`Als`](super::Als).
    PerFactor,
}

/// One step at a rating y: `φ ← (1 - ελ_φ)φ + εeψ`, `ψ ← (1 - ελ_ψ)ψ + εeφ` with `e = y - φ·ψ`, both from the old
/// values; returns φ and ψ.
///
/// # Errors
/// [`Error::Shape`] for factors of different sizes.
pub fn sgd_step(
    item: ArrayView1<f64>,
    user: ArrayView1<f64>,
    rating: f64,
    rate: f64,
    penalties: (f64, f64),
) -> Result<(Array1<f64>, Array1<f64>)> {
    require("sgd_step", item.len() == user.len(), || {
        format!("factors of {} and {}", item.len(), user.len())
    })?;
    let e = rating - item.dot(&user);
    let new_item = &item * (1.0 - rate * penalties.0) + &user * (rate * e);
    let new_user = &user * (1.0 - rate * penalties.1) + &item * (rate * e);
    Ok((new_item, new_user))
}

/// Matrix factorisation by stochastic gradients: at each rating, [`sgd_step`].
///
/// An epoch goes through all ratings in an order that the seed decides; the rate of epoch t is `ε / (1 + decay t)`. A
/// rating of weight w is a step of w times the length. Runs on the CPU, one rating after another.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let table = Ratings::from_table(array![[5.0, 1.0], [4.0, 1.0], [1.0, f64::NAN]])?;
/// let fitted = SgdFactorisation::new(1, 0.05).epochs(200).fit_ratings(&table)?;
/// assert!((fitted.rating(0, 0) - 5.0).abs() < 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NoConvergence`] with the epoch if a rate that is too large makes the factors infinite.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SgdFactorisation {
    rank: usize,
    rate: f64,
    decay: f64,
    user_penalty: f64,
    item_penalty: f64,
    per: RatingPenalty,
    epochs: usize,
    seed: u64,
    size: (Option<usize>, Option<usize>),
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl SgdFactorisation {
    /// With k factors and the rate ε of the first epoch.
    pub fn new(rank: usize, rate: f64) -> Self {
        SgdFactorisation {
            rank,
            rate,
            decay: 0.0,
            user_penalty: 0.02,
            item_penalty: 0.02,
            per: RatingPenalty::PerRating,
            epochs: 50,
            seed: 0,
            size: (None, None),
            progress: Progress::none(),
        }
    }

    /// The penalty λ ≥ 0 of both sides; 0.02 by default.
    #[must_use]
    pub fn penalty(self, penalty: f64) -> Self {
        self.user_penalty(penalty).item_penalty(penalty)
    }
}

setters!(SgdFactorisation {
    /// How fast the rate falls: `ε / (1 + decay t)` at epoch t.
    decay: f64,
    /// The penalty of the factors of users.
    user_penalty: f64,
    /// The penalty of the factors of items.
    item_penalty: f64,
    /// Whether the penalty is that of each rating or of each factor.
    per: RatingPenalty,
    /// How many times all ratings are gone through; 50 by default.
    epochs: usize,
    /// Seed of the first factors and of the order of ratings.
    seed: u64,
    /// Called after every epoch with the sum of squared errors; it can cancel the fit.
    progress: Progress,
});

rating_fits!(SgdFactorisation: -> FittedFactors);

impl SgdFactorisation {
    fn run(&self, ratings: &Ratings) -> Result<FittedFactors> {
        parameter("rank", self.rank as f64, self.rank > 0, "must be at least 1")?;
        room("rank", self.rank, 8 * (ratings.users() + ratings.items()))?;
        let mut normal = gaussians(self.seed, 0);
        let scale = 1.0 / (self.rank as f64).sqrt();
        let mut draw = |rows| Array2::from_shape_simple_fn((rows, self.rank), || normal() * scale);
        let (user, item) = (draw(ratings.users()), draw(ratings.items()));
        self.learn(FittedFactors::new(ratings, user, item, Report::direct(f64::NAN)), ratings)
    }

    /// Goes on from factors that were found before, with ratings of the same table: new ones change the rows of their
    /// users and items, and no other.
    ///
    /// # Errors
    /// As `fit`, and [`Error::Shape`] for a table of another size.
    pub fn learn(&self, mut now: FittedFactors, ratings: &Ratings) -> Result<FittedFactors> {
        positive("rate", self.rate)?;
        not_negative("decay", self.decay)?;
        not_negative("user_penalty", self.user_penalty)?;
        not_negative("item_penalty", self.item_penalty)?;
        let fits = (now.user_factors.nrows(), now.item_factors.nrows()) == (ratings.users(), ratings.items());
        require(OP, fits, || "the table and the factors are of different sizes".to_owned())?;
        let counts: Vec<(f64, f64)> = match self.per {
            RatingPenalty::PerRating => vec![(1.0, 1.0); ratings.len()],
            RatingPenalty::PerFactor => {
                let of = |r: &super::Rating| {
                    (ratings.of_user(r.user).len() as f64, ratings.of_item(r.item).len() as f64)
                };
                ratings.entries().iter().map(of).collect()
            }
        };
        let mut order: Vec<usize> = (0..ratings.len()).collect();
        let mut trace = vec![now.squared_error(ratings)];
        for epoch in 0..self.epochs {
            shuffle(&mut order, self.seed, 1 + epoch as u64);
            let rate = self.rate / (1.0 + self.decay * epoch as f64);
            for &e in &order {
                let r = &ratings.entries()[e];
                let offset = now.mean + now.user_biases[r.user] + now.item_biases[r.item];
                let penalties = (self.item_penalty / counts[e].1, self.user_penalty / counts[e].0);
                let (item, user) = (now.item_factors.row(r.item), now.user_factors.row(r.user));
                let (item, user) = sgd_step(item, user, r.value - offset, rate * r.weight, penalties)?;
                now.item_factors.row_mut(r.item).assign(&item);
                now.user_factors.row_mut(r.user).assign(&user);
            }
            let error = now.squared_error(ratings);
            if !error.is_finite() {
                let tolerance = trace[0];
                return Err(Error::NoConvergence {
                    op: OP,
                    iterations: epoch + 1,
                    residual: error,
                    tolerance,
                });
            }
            trace.push(error);
            self.progress.report(OP, epoch + 1, self.epochs, error)?;
        }
        finite(OP, "the factors of users", now.user_factors.view())?;
        let last = trace.last().copied().unwrap_or(f64::NAN);
        now.report = Report::new(trace, self.epochs, false, vec![last]);
        Ok(now)
    }
}
