//! What is to be fitted.

use ndarray::{Array2, ArrayView2};

use super::fitted::FittedTopicModel;
use super::gibbs;
use super::variational::{self, Documents};
use crate::check::{not_negative, parameter, positive, require, room, sample};
use crate::configure::setters;
use crate::learn::Fit;
use crate::learn::inherent::fits;
use crate::random::Philox;
use crate::{Device, Progress, Result};

/// How a topic model is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum TopicMethod {
    /// Coordinate ascent over all documents in every iteration.
    Variational,
    /// Coordinate ascent on batches of documents, `λ ← (1-ρ)λ + ρ(η + (D/S) ...)` with `ρ = (t + delay)^-decay`: an iteration
    /// is a pass over all documents.
    Online {
        /// Documents of a batch.
        batch: usize,
        /// At least 0; the larger, the smaller the first steps.
        delay: f64,
        /// In (1/2, 1].
        decay: f64,
    },
    /// Gibbs sampling: an iteration draws the topic of every word once. The second half of the iterations is averaged.
    Gibbs {
        /// Whether θ and β are drawn too, and not integrated out: slower to mix, and its draws are independent given them.
        blocked: bool,
    },
}

/// Latent Dirichlet allocation: `β_k ~ Dir(η)`, `θ_d ~ Dir(α)`, each word of document d has a topic of `θ_d` and is drawn from
/// it. Fitted to counts, documents x words; coordinate ascent over all documents runs on the device, the last steps and the
/// other methods on the CPU.
///
/// ```
/// use mercer::models::topics::{TopicModel, word_counts};
/// use mercer::prelude::*;
/// let documents = [vec![0, 0, 1, 0], vec![0, 1, 1], vec![2, 3, 3], vec![3, 2, 2, 3]];
/// let x = word_counts(&documents, 4)?;
/// let fitted = TopicModel::new(2).alpha(0.5).eta(0.1).seed(1).fit(&Device::best(), &x)?;
/// let tops = fitted.top_words(0, 2)?;
/// assert!(tops == [0, 1] || tops == [1, 0] || tops == [2, 3] || tops == [3, 2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TopicModel {
    pub(super) topics: usize,
    pub(super) alpha: f64,
    pub(super) eta: f64,
    pub(super) method: TopicMethod,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
    pub(super) local_passes: usize,
    pub(super) start: Option<Array2<f64>>,
    pub(super) seed: u64,
    pub(super) progress: Progress,
}

pub(super) const OP: &str = "TopicModel";

setters!(TopicModel {
    /// The concentration α of a document's topics: 0.1.
    alpha: f64,
    /// The concentration η of a topic's words: 0.1.
    eta: f64,
    /// How it is fitted.
    method: TopicMethod,
    /// The most iterations: 100.
    max_iterations: usize,
    /// An iteration that gains no more than this, relative to the bound's size, is the last one: 1e-7.
    tolerance: f64,
    /// Updates of a document's topics in each iteration: 5.
    local_passes: usize,
    /// The first λ, topics x words, all positive; random by the seed unless given.
    start: into Option<Array2<f64>>,
    /// Seed of the start, of the batches and of the draws.
    seed: u64,
    /// Called after every iteration with the bound, or the log joint of Gibbs sampling; it can cancel the fit.
    progress: Progress,
});

fits!(TopicModel: Fit -> FittedTopicModel);

impl TopicModel {
    /// So many topics.
    pub fn new(topics: usize) -> Self {
        TopicModel {
            topics,
            alpha: 0.1,
            eta: 0.1,
            method: TopicMethod::Variational,
            max_iterations: 100,
            tolerance: 1e-7,
            local_passes: 5,
            start: None,
            seed: 0,
            progress: Progress::none(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        parameter("topics", self.topics as f64, self.topics > 0, "must be at least 1")?;
        positive("alpha", self.alpha)?;
        positive("eta", self.eta)?;
        not_negative("tolerance", self.tolerance)?;
        parameter("local_passes", self.local_passes as f64, self.local_passes > 0, "must be at least 1")
    }

    /// Random λ near the mean count of a topic: equal topics would be a saddle.
    pub(super) fn first(&self, words: usize) -> Result<Array2<f64>> {
        if let Some(start) = &self.start {
            let fits = start.dim() == (self.topics, words) && start.iter().all(|v| *v > 0.0 && v.is_finite());
            require(OP, fits, || format!("a start of {:?}, or not positive", start.dim()))?;
            return Ok(start.clone());
        }
        let mut rng = Philox::new(self.seed, 0);
        Ok(Array2::from_shape_fn((self.topics, words), |_| 0.5 + rng.uniform()))
    }
}

impl Fit for TopicModel {
    type Fitted = FittedTopicModel;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedTopicModel> {
        self.check()?;
        sample(OP, "x", x, 1)?;
        room("topics", self.topics.saturating_mul(x.ncols().max(x.nrows())), 24)?;
        let documents = Documents::new(x)?;
        let (lambda, report) = match self.method {
            TopicMethod::Variational => variational::batch(self, device, &documents)?,
            TopicMethod::Online { batch, delay, decay } => {
                parameter("batch", batch as f64, batch > 0, "must be at least 1")?;
                not_negative("delay", delay)?;
                parameter("decay", decay, decay > 0.5 && decay <= 1.0, "must lie in (1/2, 1]")?;
                variational::online(self, &documents, batch, delay, decay)?
            }
            TopicMethod::Gibbs { blocked } => gibbs::run(self, &documents, blocked)?,
        };
        FittedTopicModel::new(lambda, self.alpha, self.eta, report)
    }
}
