//! What t-SNE is to embed, and how.

use ndarray::{Array2, ArrayView2};

use super::affinity::affinities;
use super::descent::{Schedule, descend};
use super::fitted::FittedTSne;
use super::start::start;
use crate::check::{not_negative, parameter, positive, room, sample};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, Report};
use crate::ops::Affinities;
use crate::{Device, Progress, Result};

/// Where the points of the picture are at the start.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TSneStart {
    /// At their principal components, scaled down: the picture keeps the large directions of the data.
    #[default]
    Pca,
    /// At their [`LaplacianEigenmaps`](crate::models::graph::LaplacianEigenmaps), scaled down.
    Spectral,
    /// At random near the origin.
    Random,
    /// Here, `n x k`.
    Given(Array2<f64>),
}

/// `min_y KL(P‖Q)` with `q_ij ∝ 1 / (1 + |y_i - y_j|²)` and `p_ij` from Gaussians around each point of the data that have as
/// many neighbours as the perplexity says: points that are near in the data are near in the picture.
///
/// All pairs push each other apart, nothing of that is approximated: `O(n²)` operations an iteration in O(n) memory. Of
/// at most 1,000 points each has affinities to all others; of more, to its `3 perplexity + 1` nearest neighbours, as in
/// scikit-learn, and those whose neighbour it is. The same seed gives the same picture on the same device, to the last bit; the
/// start by principal components needs none.
///
/// On a GPU neighbours are searched and forces computed in f32, for pictures of up to three dimensions; affinities and steps are
/// f64. A descent is chaotic: pictures of two devices differ, and are equally good.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((30, 3), |(i, j)| (i % 3) as f64 * 10.0 + ((i * 7 + j * 5) % 11) as f64 * 0.1);
/// let fit = TSne::new(2).perplexity(5.0).max_iterations(300).fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.embedding().dim(), (30, 2));
/// assert!(fit.divergence() < 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TSne {
    dimensions: usize,
    perplexity: f64,
    start: TSneStart,
    exaggeration: f64,
    exaggerated: usize,
    rate: Option<f64>,
    max_iterations: usize,
    seed: u64,
    progress: Progress,
}

impl TSne {
    /// A map into so many dimensions, usually two.
    pub fn new(dimensions: usize) -> Self {
        TSne {
            dimensions,
            perplexity: 30.0,
            start: TSneStart::Pca,
            exaggeration: 12.0,
            exaggerated: 250,
            rate: None,
            max_iterations: 1000,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

setters!(TSne {
    /// Dimensions of the picture.
    dimensions: usize,
    /// How many neighbours a point has, about: `exp` of the entropy of its affinities. Above 1, below n; 30 by default.
    perplexity: f64,
    /// Where the points are at the start; at their principal components by default.
    start: TSneStart,
    /// What affinities are multiplied by at first, so that clusters find together; 12 by default.
    early_exaggeration => exaggeration: f64,
    /// For how many iterations they are; 250 by default.
    exaggerated_iterations => exaggerated: usize,
    /// The step size; n / 48 and at least 50 by default.
    learning_rate => rate: into Option<f64>,
    /// Iterations in all; 1000 by default. It ends sooner if the gradient vanishes.
    max_iterations: usize,
    /// Seed of a random start, and of dimensions that the data do not have.
    seed: u64,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits!(TSne: Fit -> FittedTSne);

impl Fit for TSne {
    type Fitted = FittedTSne;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedTSne> {
        const OP: &str = "TSne::fit";
        sample(OP, "x", x, 2)?;
        let n = x.nrows();
        parameter("dimensions", self.dimensions as f64, self.dimensions >= 1, "must be at least 1")?;
        room("dimensions", self.dimensions, n.saturating_mul(64))?;
        positive("early_exaggeration", self.exaggeration)?;
        let rate = self.rate.unwrap_or((n as f64 / self.exaggeration.max(1.0) / 4.0).max(50.0));
        not_negative("learning_rate", rate)?;
        let p = affinities(OP, device, x, self.perplexity)?;
        // Pictures of more than three coordinates have no shader.
        let flops = 16.0 * n as f64 * n as f64;
        let device = if self.dimensions <= 3 { device.suited_to(flops) } else { Device::cpu() };
        let p = Affinities::new(&device, p)?;
        let y = start(OP, x, self.dimensions, self.perplexity, &self.start, self.seed)?;
        let schedule = Schedule {
            exaggeration: self.exaggeration,
            exaggerated: self.exaggerated,
            iterations: self.max_iterations,
            rate,
        };
        let (y, trace, iterations, flat) = descend(OP, &device, &p, y, &schedule, &self.progress)?;
        let kl = trace[trace.len() - 1];
        let finite = kl.is_finite() && y.iter().all(|v| v.is_finite());
        parameter("learning_rate", rate, finite, "must be smaller: the descent has diverged")?;
        let report = Report::new(trace, iterations, flat, vec![kl]);
        Ok(FittedTSne::new(x.to_owned(), y, self.perplexity, kl, report))
    }
}
