//! What a model must say of itself to be fitted by EM.

use crate::Result;

/// Expected sufficient statistics: those of two parts of the data, added, are those of the whole.
pub trait Statistics: Clone {
    /// Adds what was found in another part of the data.
    fn add(&mut self, other: &Self);
    /// Multiplies everything, the objective's part included, as if each observation had `by` times its weight.
    fn scale(&mut self, by: f64);
    /// The total weight of the observations behind it: their number, if they are not weighted.
    fn mass(&self) -> f64;
}

/// A latent-variable model: the two steps of EM and the objective that neither of them lowers.
///
/// Both the maximum-likelihood and the variational kind fit: there θ is the set of parameters and the objective the
/// log-likelihood, here θ stands for the posterior over the parameters and the objective is the evidence lower bound.
pub trait EmModel {
    /// What errors and progress call it.
    const NAME: &'static str;
    /// A part of the data.
    type Batch;
    /// θ.
    type Params: Clone;
    /// What the E-step leaves for the M-step.
    type Stats: Statistics;

    /// The E-step: expected sufficient statistics of `batch` under the posterior of its latent variables at `params`.
    ///
    /// # Errors
    /// Whatever the computation meets; the driver passes it on.
    fn expect(&self, params: &Self::Params, batch: &Self::Batch) -> Result<Self::Stats>;

    /// [`EmModel::expect`] of the part with this number, for a model that treats every part by itself: random numbers of its
    /// own, for instance. The number is not used unless a model does.
    ///
    /// # Errors
    /// Whatever the computation meets; the driver passes it on.
    fn expect_part(&self, params: &Self::Params, batch: &Self::Batch, part: usize) -> Result<Self::Stats> {
        let _ = part;
        self.expect(params, batch)
    }

    /// The M-step: the parameters that maximise the expected complete log-likelihood. `params` are those of the E-step.
    ///
    /// # Errors
    /// Whatever the computation meets; the driver passes it on.
    fn maximise(&self, params: &Self::Params, stats: &Self::Stats) -> Result<Self::Params>;

    /// A step uphill instead of to the top, for [`Mode::Generalised`](super::Mode::Generalised): `step` is in (0, 1], and
    /// a step that is small enough must raise the objective. A model with a closed form need not have one.
    ///
    /// # Errors
    /// Whatever the computation meets; the driver passes it on.
    fn ascend(&self, params: &Self::Params, stats: &Self::Stats, step: f64) -> Result<Self::Params> {
        let _ = step;
        self.maximise(params, stats)
    }

    /// The objective at `params`, where the E-step that gave `stats` was made.
    fn objective(&self, params: &Self::Params, stats: &Self::Stats) -> f64;

    /// How far rounding may move the objective at `params`, relative to its size and to the mass of the data.
    fn rounding(&self, params: &Self::Params) -> f64 {
        let _ = params;
        1e-10
    }
}
