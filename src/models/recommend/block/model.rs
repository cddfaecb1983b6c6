//! What a block model is to fit.

use super::em::{State, run_once};
use super::fitted::FittedBlockModel;
use crate::check::{components, parameter};
use crate::learn::Report;
use crate::learn::configure::setters;
use crate::models::recommend::rated::rating_fits;
use crate::models::recommend::ratings::Ratings;
use crate::{Progress, Result};

pub(super) const OP: &str = "BlockModel::fit";

/// Block model: users fall into groups r, items into groups c, and `y_ui ~ N(θ_{r(u) c(i)}, σ²)`.
///
/// By hard EM, each user and each item in turn goes to the group in which its ratings have the smallest squared error,
/// and `θ_ab` is the mean of its block: the squared error never rises. [`soft`](BlockModel::soft) is variational EM:
/// groups have probabilities, `Q_ua ∝ π_a exp(Σ_i e_ui Σ_b P_ib log N(y_ui; θ_ab, σ²))`, and the bound on the
/// likelihood never falls. With [`rank`](BlockModel::rank) the blocks have factors, `θ_ab = ψ_a·φ_b`, by least squares
/// on block means weighed by their counts. The best of several starts is kept. An empty block has the mean of all.
/// Runs on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let nan = f64::NAN;
/// let y = array![[5.0, 5.0, 1.0, 1.0], [5.0, 4.0, 1.0, 2.0], [1.0, 1.0, 4.0, 5.0], [2.0, 1.0, 5.0, nan]];
/// let fitted = BlockModel::new(2, 2).fit_ratings(&Ratings::from_table(y)?)?;
/// assert!((fitted.squared_error() - 2.916666667).abs() < 1e-8);
/// assert_eq!(fitted.user_groups()[0], fitted.user_groups()[1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockModel {
    pub(super) user_groups: usize,
    pub(super) item_groups: usize,
    pub(super) soft: bool,
    pub(super) rank: Option<usize>,
    pub(super) restarts: usize,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
    pub(super) seed: u64,
    size: (Option<usize>, Option<usize>),
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl BlockModel {
    /// With so many groups of users and of items, hard, the best of ten starts.
    pub fn new(user_groups: usize, item_groups: usize) -> Self {
        BlockModel {
            user_groups,
            item_groups,
            soft: false,
            rank: None,
            restarts: 10,
            max_iterations: 100,
            tolerance: 1e-8,
            seed: 0,
            size: (None, None),
            progress: Progress::none(),
        }
    }
}

setters!(BlockModel {
    /// Whether groups have probabilities: variational EM.
    soft: bool,
    /// Factors of groups: the means of blocks have this rank. None by default: every block has its own mean.
    rank: into Option<usize>,
    /// How many starts there are; 10 by default.
    restarts: usize,
    /// The most iterations of a start; 100 by default.
    max_iterations: usize,
    /// The gain, relative to the objective, that counts as none; 1e-8 by default.
    tolerance: f64,
    /// Seed of the first start; the i-th uses `seed + i`.
    seed: u64,
    /// Called after every iteration with the objective; it can cancel the fit.
    progress: Progress,
});

rating_fits!(BlockModel: -> FittedBlockModel);

impl BlockModel {
    fn run(&self, ratings: &Ratings) -> Result<FittedBlockModel> {
        components("user_groups", self.user_groups, ratings.users())?;
        components("item_groups", self.item_groups, ratings.items())?;
        parameter("restarts", self.restarts as f64, self.restarts > 0, "must be at least 1")?;
        parameter(
            "max_iterations",
            self.max_iterations as f64,
            self.max_iterations > 0,
            "must be at least 1",
        )?;
        if let Some(rank) = self.rank {
            parameter("rank", rank as f64, rank > 0, "must be at least 1")?;
        }
        let mut best: Option<(State, Report)> = None;
        let mut starts = Vec::new();
        for start in 0..self.restarts {
            let (state, report) = run_once(self, ratings, self.seed.wrapping_add(start as u64))?;
            starts.push(report.objective());
            if best.as_ref().is_none_or(|b| report.objective() > b.1.objective()) {
                best = Some((state, report));
            }
        }
        let (state, mut report) = best.expect("there is at least one start");
        report.starts = starts;
        Ok(FittedBlockModel::new(ratings, state, report))
    }
}
