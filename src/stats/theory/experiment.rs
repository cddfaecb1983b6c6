//! The threshold classifier on uniform inputs: everything about it is known, so that bounds can be watched.

use crate::Result;
use crate::check::{parameter, room};

/// `t̂ = 1(x ≥ θ)` for `x ~ U(-½, ½)` and labels by θ = 0: the true risk of θ is `|θ|`.
///
/// ```
/// use mercer::stats::theory::ThresholdExperiment;
/// let seen = ThresholdExperiment::draw(100, 7)?;
/// let theta = seen.erm();
/// assert_eq!(seen.training_loss(theta), 0.0); // some threshold makes no errors
/// assert!(ThresholdExperiment::risk(theta) < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdExperiment {
    /// In ascending order.
    x: Vec<f64>,
}

impl ThresholdExperiment {
    /// A data set of n examples; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for none, or more than memory has room for.
    pub fn draw(examples: usize, seed: u64) -> Result<Self> {
        parameter("examples", examples as f64, examples > 0, "must be at least 1")?;
        room("examples", examples, 8)?;
        let mut next = crate::random::uniforms(seed, 0);
        let mut x: Vec<f64> = (0..examples).map(|_| next() - 0.5).collect();
        x.sort_by(f64::total_cmp);
        Ok(ThresholdExperiment { x })
    }

    /// The inputs, in ascending order.
    pub fn inputs(&self) -> &[f64] {
        &self.x
    }

    /// The share of examples that the threshold θ misclassifies.
    pub fn training_loss(&self, theta: f64) -> f64 {
        let below = |t: f64| self.x.partition_point(|x| *x < t);
        below(theta).abs_diff(below(0.0)) as f64 / self.x.len() as f64
    }

    /// The risk `|θ|`, at most ½.
    pub fn risk(theta: f64) -> f64 {
        theta.abs().min(0.5)
    }

    /// An empirical risk minimiser: the middle between the largest example of class 0 and the smallest of class 1.
    pub fn erm(&self) -> f64 {
        let at = self.x.partition_point(|x| *x < 0.0);
        let low = if at == 0 { -0.5 } else { self.x[at - 1] };
        let high = self.x.get(at).copied().unwrap_or(0.5);
        0.5 * (low + high)
    }

    /// `sup_θ |L_D(θ) - L(θ)|` over all thresholds in [-½, ½].
    pub fn largest_deviation(&self) -> f64 {
        // Between examples the training loss is constant and the risk is linear: the ends decide, from either side.
        let n = self.x.len() as f64;
        let zero = self.x.partition_point(|x| *x < 0.0);
        let gap = |below: usize, theta: f64| (below.abs_diff(zero) as f64 / n - Self::risk(theta)).abs();
        let at_examples =
            self.x.iter().enumerate().map(|(i, &x)| gap(i, x).max(gap(i + 1, x))).fold(0.0, f64::max);
        at_examples.max(gap(0, -0.5)).max(gap(self.x.len(), 0.5))
    }
}
