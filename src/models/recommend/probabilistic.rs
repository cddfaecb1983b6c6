//! Probabilistic matrix factorisation: the most probable factors, or draws from their posterior.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2};

use super::als::{Als, Half, Partner};
use super::factors::FittedFactors;
use super::rated::{Recommend, rating_fits, recommends};
use super::ratings::Ratings;
use crate::check::{parameter, positive, require, room};
use crate::learn::configure::{getters, setters};
use crate::learn::{Inputs, Report, Reported};
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::random::gaussians;
use crate::saved::Format;
use crate::{Progress, Result};

const OP: &str = "ProbabilisticFactorisation::fit";

/// What is found of the posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FactorPosterior {
    /// The most probable factors, which are those of [`Als`] with `λ_φ = σ_y²/σ_φ²` and `λ_ψ = σ_y²/σ_ψ²`.
    #[default]
    Mode,
    /// Draws by Gibbs sampling, after some that are thrown away: each side is a Gaussian given the other.
    Gibbs {
        /// Draws kept.
        draws: usize,
        /// Draws thrown away first.
        warm_up: usize,
    },
}

/// Probabilistic matrix factorisation: `φ_i ~ N(0, σ_φ²I)`, `ψ_u ~ N(0, σ_ψ²I)`, `y_ui ~ N(ψ_u·φ_i, σ_y²)`.
///
/// Gibbs sampling averages predictions over its draws and says how much they vary. Runs on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let table = Ratings::from_table(array![[5.0, 4.0, 1.0], [4.0, f64::NAN, 1.0], [1.0, 1.0, 5.0]])?;
/// let model = ProbabilisticFactorisation::new(1).posterior(FactorPosterior::Gibbs { draws: 200, warm_up: 50 });
/// let fitted = model.fit_ratings(&table)?;
/// let p = fitted.distribution(array![[0.0, 0.0], [1.0, 1.0]])?;
/// assert!(p.1[1] > p.1[0]); // not rated, so less is known
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProbabilisticFactorisation {
    rank: usize,
    noise: f64,
    user_variance: f64,
    item_variance: f64,
    posterior: FactorPosterior,
    seed: u64,
    size: (Option<usize>, Option<usize>),
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl ProbabilisticFactorisation {
    /// With k factors and variances of 1.
    pub fn new(rank: usize) -> Self {
        ProbabilisticFactorisation {
            rank,
            noise: 1.0,
            user_variance: 1.0,
            item_variance: 1.0,
            posterior: FactorPosterior::Mode,
            seed: 0,
            size: (None, None),
            progress: Progress::none(),
        }
    }
}

setters!(ProbabilisticFactorisation {
    /// The variance `σ_y²` of ratings around the product.
    noise: f64,
    /// The prior variance `σ_ψ²` of the factors of users.
    user_variance: f64,
    /// The prior variance `σ_φ²` of the factors of items.
    item_variance: f64,
    /// The mode, or draws.
    posterior: FactorPosterior,
    /// Seed of the start and of the draws.
    seed: u64,
    /// Called after every iteration or draw with the objective or the log joint density; it can cancel the fit.
    progress: Progress,
});

rating_fits!(ProbabilisticFactorisation: -> FittedProbabilistic);

impl ProbabilisticFactorisation {
    /// `log p(Y, Φ, Ψ)` with all constants; which pairs were exposed is no part of it.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for factors of other sizes than the table,
    /// [`Error::Parameter`](crate::Error::Parameter) for variances that are not positive.
    pub fn log_joint(&self, ratings: &Ratings, user: impl Inputs, item: impl Inputs) -> Result<f64> {
        positive("noise", self.noise)?;
        positive("user_variance", self.user_variance)?;
        positive("item_variance", self.item_variance)?;
        let (user, item) = (user.inputs(), item.inputs());
        let fits = user.nrows() == ratings.users()
            && item.nrows() == ratings.items()
            && user.ncols() == item.ncols();
        require("log_joint", fits, || format!("factors of {:?} and {:?}", user.dim(), item.dim()))?;
        let normal = |square: f64, count: f64, variance: f64| {
            -0.5 * count * (TAU * variance).ln() - 0.5 * square / variance
        };
        let (mut square, mut weight) = (0.0, 0.0);
        for r in ratings.entries() {
            square += r.weight * (r.value - user.row(r.user).dot(&item.row(r.item))).powi(2);
            weight += r.weight;
        }
        let squares = |a: &[f64]| a.iter().map(|v| v * v).sum::<f64>();
        let all = |a: ndarray::ArrayView2<f64>| squares(&a.iter().copied().collect::<Vec<_>>());
        Ok(normal(square, weight, self.noise)
            + normal(all(user.view()), user.len() as f64, self.user_variance)
            + normal(all(item.view()), item.len() as f64, self.item_variance))
    }

    fn run(&self, ratings: &Ratings) -> Result<FittedProbabilistic> {
        positive("noise", self.noise)?;
        positive("user_variance", self.user_variance)?;
        positive("item_variance", self.item_variance)?;
        let als = Als::new(self.rank).seed(self.seed).progress(self.progress.clone());
        let als =
            als.user_penalty(self.noise / self.user_variance).item_penalty(self.noise / self.item_variance);
        let mode = als.fit_ratings(ratings)?;
        let FactorPosterior::Gibbs { draws, warm_up } = self.posterior else {
            let own = vec![(mode.user_factors.clone(), mode.item_factors.clone())];
            return Ok(FittedProbabilistic::new(mode, own, self.noise));
        };
        parameter("draws", draws as f64, draws > 0, "must be at least 1")?;
        room("draws", draws, 8 * self.rank * (ratings.users() + ratings.items()))?;
        let mut item = mode.item_factors.clone();
        let mut normal = gaussians(self.seed, 1);
        let (mut kept, mut trace) = (Vec::with_capacity(draws), Vec::new());
        for step in 0..warm_up + draws {
            let of = |u: usize| ratings.of_user(u).iter().map(|r| (r.item, r.weight, r.value)).collect();
            let user = self.draw(&item, self.user_variance, ratings.users(), of, &mut normal)?;
            let of = |i: usize| ratings.of_item(i).map(|r| (r.user, r.weight, r.value)).collect();
            item = self.draw(&user, self.item_variance, ratings.items(), of, &mut normal)?;
            let value = self.log_joint(ratings, &user, &item)?;
            trace.push(value);
            self.progress.report(OP, step + 1, warm_up + draws, value)?;
            if step >= warm_up {
                kept.push((user, item.clone()));
            }
        }
        let mut mode = mode;
        mode.report = Report::new(trace, warm_up + draws, false, Vec::new());
        Ok(FittedProbabilistic::new(mode, kept, self.noise))
    }

    /// Each row from `N(A⁻¹b, σ_y²A⁻¹)`, `A = Σwφφᵀ + (σ_y²/σ²)I`, `b = Σwyφ`.
    fn draw(
        &self,
        other: &Array2<f64>,
        variance: f64,
        rows: usize,
        of: impl Fn(usize) -> Vec<Partner>,
        normal: &mut impl FnMut() -> f64,
    ) -> Result<Array2<f64>> {
        let half = Half { other, penalty: self.noise / variance, shared: None };
        let k = other.ncols();
        let mut all = Array2::zeros((rows, k));
        for r in 0..rows {
            let (mut a, mut b) = half.system(&of(r));
            cholesky(&mut a, k).map_err(|pivot| pivot.error(OP))?;
            solve(&a, &mut b);
            // L⁻ᵀz has the covariance (LLᵀ)⁻¹.
            let mut z: Vec<f64> = (0..k).map(|_| normal() * self.noise.sqrt()).collect();
            for i in (0..k).rev() {
                let dot: f64 = (i + 1..k).map(|p| a[p * k + i] * z[p]).sum();
                z[i] = (z[i] - dot) / a[i * k + i];
            }
            all.row_mut(r).iter_mut().zip(b.iter().zip(&z)).for_each(|(out, (m, e))| *out = m + e);
        }
        Ok(all)
    }
}

/// Fitted [`ProbabilisticFactorisation`]: one pair of factors, or draws of them.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedProbabilistic {
    format: Format,
    mode: FittedFactors,
    draws: Vec<Draw>,
    noise: f64,
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Draw {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    user: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    item: Array2<f64>,
}

getters!(FittedProbabilistic {
    /// The most probable factors, where the draws begin.
    mode: &FittedFactors,
    /// The variance of ratings around the product.
    noise: f64,
    /// How the fit went; the trace of draws is their log joint density.
    report => mode.report: &Report,
});

impl FittedProbabilistic {
    fn new(mode: FittedFactors, draws: Vec<(Array2<f64>, Array2<f64>)>, noise: f64) -> Self {
        let draws = draws.into_iter().map(|(user, item)| Draw { user, item }).collect();
        FittedProbabilistic { format: Format, mode, draws, noise }
    }

    /// How many draws the predictions are averaged over; 1 for the mode.
    pub fn draws(&self) -> usize {
        self.draws.len()
    }

    fn products(&self, user: usize, item: usize) -> impl Iterator<Item = f64> + '_ {
        self.draws.iter().map(move |d| d.user.row(user).dot(&d.item.row(item)))
    }

    /// Mean and variance of a new rating of each pair, its noise included.
    ///
    /// # Errors
    /// As `predict`.
    pub fn distribution(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        let mean = crate::learn::Predict::predict(self, x.view())?;
        let spread = |(row, m): (ndarray::ArrayView1<f64>, &f64)| {
            let all = self.products(row[0] as usize, row[1] as usize).map(|p| (p - m).powi(2)).sum::<f64>();
            all / self.draws.len() as f64 + self.noise
        };
        let variance = x.rows().into_iter().zip(&mean).map(spread).collect();
        Ok((mean, variance))
    }
}

impl Recommend for FittedProbabilistic {
    fn size(&self) -> (usize, usize) {
        self.mode.size()
    }

    fn rating(&self, user: usize, item: usize) -> f64 {
        self.products(user, item).sum::<f64>() / self.draws.len() as f64
    }
}

recommends!(FittedProbabilistic);

impl Reported for FittedProbabilistic {
    fn report(&self) -> &Report {
        self.mode.report()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedProbabilistic);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedProbabilistic {
    fn check(&self) -> Result<()> {
        positive("noise", self.noise)?;
        let size = self.mode.size();
        let fits = self.draws.iter().all(|d| {
            (d.user.nrows(), d.item.nrows()) == size
                && d.user.ncols() == d.item.ncols()
                && d.user.iter().chain(&d.item).all(|v| v.is_finite())
        });
        require("a saved FittedProbabilistic", fits && !self.draws.is_empty(), || {
            "draws of other sizes".to_owned()
        })
    }
}
