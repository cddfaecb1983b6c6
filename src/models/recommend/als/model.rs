//! What alternating least squares is to fit, and the alternation.

use ndarray::{Array1, Array2, Axis, concatenate, s};

use super::half::{Half, Partner, solve_rows};
use super::there::There;
use crate::check::{finite, not_negative, parameter, positive, require, room};
use crate::learn::Report;
use crate::learn::configure::setters;
use crate::models::recommend::factors::FittedFactors;
use crate::models::recommend::rated::rating_fits;
use crate::models::recommend::ratings::{Rating, Ratings};
use crate::random::gaussians;
use crate::{Device, Error, Progress, Result};

const OP: &str = "Als::fit";
/// Share of the objective that rounding on a device may add to it.
const RISES: f64 = 1e-6;

/// What a rating says.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feedback {
    /// How much the user likes the item; pairs without a rating say nothing.
    #[default]
    Explicit,
    /// How often the user took the item, `r ≥ 0`: the preference is `1[r > 0]` for every pair, with the confidence
    /// `1 + α r`.
    Implicit {
        /// α > 0.
        alpha: f64,
    },
}

/// Alternating least squares: `min Σ_e w_ui (y_ui - μ - b_u - c_i - ψ_u·φ_i)² + λ_ψ‖Ψ‖² + λ_φ‖Φ‖²`.
///
/// Given the items the users are ridge regressions, and the other way round: each half step solves one k x k system a
/// row exactly, so the objective never rises. It is not convex; the seed decides where it starts, unless the factors of
/// items are given. With [`biases`](Als::biases) the b and c are penalised as the factors are. At the end
/// `λ_φ ΦᵀΦ = λ_ψ ΨᵀΨ`. On a GPU all systems of a side are solved at once in f32, at a rank of at most 64, where there is
/// enough to do and no weight (of implicit feedback `α y`) is more than 20 penalties, which f32 does not carry to 1e-4; the
/// objective is always that of f64.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let nan = f64::NAN;
/// let table = Ratings::from_table(array![[5.0, 4.0, 1.0], [4.0, nan, 1.0], [1.0, 1.0, 5.0]])?;
/// let fitted = Als::new(1).penalty(0.1).fit_ratings(&table)?;
/// assert!(fitted.rating(1, 1) > 2.5); // not rated; the first user is alike
/// assert_eq!(fitted.recommend(1, &table, 3)?.len(), 1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Als {
    rank: usize,
    user_penalty: f64,
    item_penalty: f64,
    biases: bool,
    feedback: Feedback,
    #[cfg_attr(feature = "serde", serde(skip))]
    start: Option<Array2<f64>>,
    seed: u64,
    max_iterations: usize,
    tolerance: f64,
    pub(in crate::models::recommend) size: (Option<usize>, Option<usize>),
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Als {
    /// With k factors, λ = 1 on both sides and no biases.
    pub fn new(rank: usize) -> Self {
        Als {
            rank,
            user_penalty: 1.0,
            item_penalty: 1.0,
            biases: false,
            feedback: Feedback::Explicit,
            start: None,
            seed: 0,
            max_iterations: 100,
            tolerance: 1e-9,
            size: (None, None),
            progress: Progress::none(),
        }
    }

    /// The penalty λ ≥ 0 of both sides.
    #[must_use]
    pub fn penalty(self, penalty: f64) -> Self {
        self.user_penalty(penalty).item_penalty(penalty)
    }
}

setters!(Als {
    /// The penalty `λ_ψ` of the factors of users.
    user_penalty: f64,
    /// The penalty `λ_φ` of the factors of items.
    item_penalty: f64,
    /// Whether users and items have a bias, around the mean of all ratings.
    biases: bool,
    /// Whether ratings are likings or counts.
    feedback: Feedback,
    /// Factors of the items to start from, items x k; drawn by default.
    start: into Option<Array2<f64>>,
    /// Seed of the factors to start from.
    seed: u64,
    /// The most iterations, of two half steps each; 100 by default.
    max_iterations: usize,
    /// The gain of an iteration, relative to the objective, that counts as none; 1e-9 by default.
    tolerance: f64,
    /// Called after every iteration with the objective; it can cancel the fit.
    progress: Progress,
});

rating_fits!(Als: device -> FittedFactors);

impl Als {
    /// The objective of these factors on a table.
    pub fn objective(&self, ratings: &Ratings, fitted: &FittedFactors) -> f64 {
        let norm = |a: &Array2<f64>, b: &Array1<f64>| a.iter().chain(b).map(|v| v * v).sum::<f64>();
        let penalty = self.user_penalty * norm(&fitted.user_factors, &fitted.user_biases)
            + self.item_penalty * norm(&fitted.item_factors, &fitted.item_biases);
        let Feedback::Implicit { alpha } = self.feedback else {
            return fitted.squared_error(ratings) + penalty;
        };
        // Every pair has (0 - ψφ)²; those that were taken have (1 + αr)(1 - ψφ)² instead.
        let inner = fitted.user_factors.t().dot(&fitted.user_factors);
        let all = (&inner * &fitted.item_factors.t().dot(&fitted.item_factors)).sum();
        let taken = fitted.sum_of_pairs(ratings, |r, p| {
            let liked = f64::from(u8::from(r.weight * r.value > 0.0));
            (1.0 + alpha * r.weight * r.value) * (liked - p).powi(2) - p * p
        });
        all + taken + penalty
    }

    /// [`Als::fit_ratings`] on a device.
    ///
    /// # Errors
    /// As `fit`.
    pub fn fit_ratings_on(&self, device: &Device, ratings: &Ratings) -> Result<FittedFactors> {
        self.run_on(device, ratings)
    }

    pub(super) fn biased(&self) -> bool {
        self.biases
    }

    pub(super) fn is_implicit(&self) -> bool {
        matches!(self.feedback, Feedback::Implicit { .. })
    }

    /// λ of a side.
    pub(super) fn penalty_of(&self, users: bool) -> f64 {
        if users { self.user_penalty } else { self.item_penalty }
    }

    /// A rating in the system of one who is rated with or rates p, around this mean.
    pub(super) fn partner(&self, r: &Rating, p: usize, mean: f64) -> Partner {
        match self.feedback {
            Feedback::Explicit => (p, r.weight, r.value - mean),
            Feedback::Implicit { alpha } => {
                // (c - 1) weighs the product beside all pairs, c the target.
                let extra = alpha * r.weight * r.value;
                (p, extra, if extra > 0.0 { (1.0 + extra) / extra } else { 0.0 })
            }
        }
    }

    fn run_on(&self, device: &Device, ratings: &Ratings) -> Result<FittedFactors> {
        self.check(ratings)?;
        let item = if let Some(start) = &self.start {
            start.clone()
        } else {
            let mut normal = gaussians(self.seed, 0);
            let scale = 1.0 / (self.rank as f64).sqrt();
            Array2::from_shape_simple_fn((ratings.items(), self.rank), || normal() * scale)
        };
        let user = Array2::zeros((ratings.users(), self.rank));
        let mut now = FittedFactors::new(ratings, user, item, Report::direct(f64::NAN));
        now.mean = if self.biases { ratings.mean() } else { 0.0 };
        let mut trace = Vec::new();
        let (mut iterations, mut converged) = (0, false);
        let each = 2.0 * (ratings.len() * self.rank * self.rank) as f64;
        let mut there = There::new(self, device, ratings, &now, each * self.max_iterations as f64)?;
        while !converged && iterations < self.max_iterations {
            for users in [true, false] {
                let value = self.step(ratings, &mut there, &mut now, users, trace.last().copied())?;
                trace.push(value);
            }
            let value = trace[trace.len() - 1];
            let before = if iterations == 0 { f64::INFINITY } else { trace[trace.len() - 3] };
            iterations += 1;
            converged = before - value <= self.tolerance * value.abs();
            self.progress.report(OP, iterations, self.max_iterations, value)?;
        }
        finite(OP, "the factors of items", now.item_factors.view())?;
        let last = trace.last().copied().unwrap_or(f64::NAN);
        now.report = Report::new(trace, iterations, converged, vec![last]);
        Ok(now)
    }

    fn check(&self, ratings: &Ratings) -> Result<()> {
        not_negative("user_penalty", self.user_penalty)?;
        not_negative("item_penalty", self.item_penalty)?;
        not_negative("tolerance", self.tolerance)?;
        parameter("rank", self.rank as f64, self.rank > 0, "must be at least 1")?;
        parameter(
            "max_iterations",
            self.max_iterations as f64,
            self.max_iterations > 0,
            "must be at least 1",
        )?;
        let each = (ratings.users() + ratings.items()).saturating_add(self.rank);
        room("rank", self.rank, each.saturating_mul(8))?;
        if let Feedback::Implicit { alpha } = self.feedback {
            positive("alpha", alpha)?;
            let least = ratings.entries().iter().fold(0f64, |m, r| m.min(r.value));
            parameter("count of an implicit rating", least, least >= 0.0, "must not be negative")?;
            parameter("biases", 1.0, !self.biases, "implicit feedback has none: every pair has a target")?;
        }
        if let Some(start) = &self.start {
            let fits = start.dim() == (ratings.items(), self.rank);
            require(OP, fits, || {
                format!("a start of {:?} for {} items of rank {}", start.dim(), ratings.items(), self.rank)
            })?;
            finite(OP, "the start", start.view())?;
        }
        Ok(())
    }

    /// Half a step on the device, or on the CPU where f32 does not carry it: a system that is singular there, or an
    /// objective that rises.
    fn step(
        &self,
        ratings: &Ratings,
        there: &mut Option<There>,
        now: &mut FittedFactors,
        users: bool,
        before: Option<f64>,
    ) -> Result<f64> {
        if let Some(device) = there {
            let kept = now.clone();
            let found = device.half_step(self, now, users).map(|()| self.objective(ratings, now));
            match found {
                Ok(value) if value <= before.unwrap_or(f64::MAX) * (1.0 + RISES) => return Ok(value),
                Ok(_) | Err(Error::NotPositiveDefinite { .. }) => (*now, *there) = (kept, None),
                Err(other) => return Err(other),
            }
        }
        self.half_step(ratings, now, users)?;
        Ok(self.objective(ratings, now))
    }

    /// Solves for one side.
    fn half_step(&self, ratings: &Ratings, now: &mut FittedFactors, users: bool) -> Result<()> {
        let (factors, biases, penalty) = if users {
            (&now.item_factors, &now.item_biases, self.user_penalty)
        } else {
            (&now.user_factors, &now.user_biases, self.item_penalty)
        };
        let partner = |r: &Rating| {
            let p = if users { r.item } else { r.user };
            let (p, weight, target) = self.partner(r, p, now.mean);
            (p, weight, target - biases[p])
        };
        let of = |r: usize| -> Vec<_> {
            if users {
                ratings.of_user(r).iter().map(partner).collect()
            } else {
                ratings.of_item(r).map(partner).collect()
            }
        };
        let rows = if users { ratings.users() } else { ratings.items() };
        if !self.biases {
            let all = matches!(self.feedback, Feedback::Implicit { .. }).then(|| factors.t().dot(factors));
            let found = solve_rows(&Half { other: factors, penalty, shared: all.as_ref() }, rows, of)?;
            *(if users { &mut now.user_factors } else { &mut now.item_factors }) = found;
            return Ok(());
        }
        // A bias is one more factor, against a partner of 1.
        let ones = Array2::ones((factors.nrows(), 1));
        let other = concatenate![Axis(1), *factors, ones];
        let found = solve_rows(&Half { other: &other, penalty, shared: None }, rows, of)?;
        let (own, bias) = (found.slice(s![.., ..self.rank]).to_owned(), found.column(self.rank).to_owned());
        if users {
            (now.user_factors, now.user_biases) = (own, bias);
        } else {
            (now.item_factors, now.item_biases) = (own, bias);
        }
        Ok(())
    }
}
