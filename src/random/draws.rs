//! What is drawn from the words of a stream: uniform and normal numbers, decisions, categories, orders.

use rand::seq::SliceRandom;
use rand_distr::{Distribution, Gamma, StandardNormal};

use super::Philox;
use crate::Result;
use crate::check::parameter;

/// A probability as an integer: a word of 32 bits says yes if it is below `p 2³²`.
///
/// It is made once, in f64 on the host, and compared by every device: none can decide otherwise than the CPU.
///
/// ```
/// use mercer::random::Threshold;
/// let half = Threshold::new(0.5)?;
/// assert!(half.says_yes(0x7fff_ffff) && !half.says_yes(0x8000_0000));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold(u64);

impl Threshold {
    /// The threshold of a probability.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) outside [0, 1].
    pub fn new(probability: f64) -> Result<Self> {
        let holds = (0.0..=1.0).contains(&probability);
        parameter("probability", probability, holds, "must lie in [0, 1]")?;
        Ok(Self::rounded(probability))
    }

    /// The threshold of a number that is a probability by its making.
    pub(crate) fn rounded(probability: f64) -> Self {
        Threshold((probability.clamp(0.0, 1.0) * 4_294_967_296.0).round() as u64)
    }

    /// How many of the 2³² words say yes.
    pub fn words(self) -> u64 {
        self.0
    }

    /// Whether this word is below the threshold.
    pub fn says_yes(self, word: u32) -> bool {
        u64::from(word) < self.0
    }
}

impl Philox {
    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        rand::RngExt::random::<f64>(self)
    }

    /// A number of the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(self)
    }

    /// True with this probability: the next word against a [`Threshold`].
    pub fn bernoulli(&mut self, probability: f64) -> bool {
        Threshold::rounded(probability).says_yes(self.word())
    }

    /// An index, each as probable as its weight is large; the last one if weights are rounded away.
    pub fn categorical(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (i, w) in weights.iter().enumerate() {
            left -= w;
            if left < 0.0 {
                return i;
            }
        }
        weights.iter().rposition(|w| *w > 0.0).unwrap_or(0)
    }

    /// A random order of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(self);
        order
    }

    /// A point of the simplex with density `∝ Π θ_k^{α_k - 1}`; every α must be positive.
    pub fn dirichlet(&mut self, alpha: &[f64]) -> Vec<f64> {
        // ln G(a) = ln G(a + 1) + ln U / a stays finite where a small gamma number underflows.
        let logs: Vec<f64> = alpha
            .iter()
            .map(|&a| {
                let gamma: f64 = Gamma::new(a + 1.0, 1.0).map_or(1.0, |g| g.sample(self));
                gamma.ln() + (1.0 - self.uniform()).ln() / a
            })
            .collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scaled: Vec<f64> = logs.iter().map(|l| (l - top).exp()).collect();
        let all: f64 = scaled.iter().sum();
        scaled.iter().map(|v| v / all).collect()
    }
}
