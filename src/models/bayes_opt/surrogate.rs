//! The posterior at candidates as acquisitions see it: beside that of f, the posterior of the improvement over the incumbent.
//!
//! Checked in `tests.rs` against the numbers of the notes, and the derivatives against differences.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Ix1, s};

use super::acquisition::{Acquisition, Belief, Reference};
use crate::Result;
use crate::models::gp::{CovarianceWith, FittedGp};
use crate::probability::posterior_variance::{known, left};

/// Deviations below this, of a process with unit variance, are rounding; a logarithm must not see them.
const LEAST: f64 = 1e-9;

/// A fitted process and what improvements are measured from: x̃ among the evaluated points.
pub(super) struct Surrogate<'a> {
    gp: &'a FittedGp<Ix1>,
    /// The row of x̃.
    at: usize,
    /// ỹ or μ(x̃).
    level: f64,
    /// Covariances with f(x̃), if that is not taken as known.
    joint: Option<CovarianceWith<'a, Ix1>>,
}

impl<'a> Surrogate<'a> {
    pub fn new(gp: &'a FittedGp<Ix1>, reference: Reference) -> Result<Self> {
        let candidates = match reference {
            Reference::BestObservation => gp.y().column(0).to_owned(),
            Reference::BestMean | Reference::Joint => gp.predict(gp.x())?,
        };
        let at =
            (0..candidates.len()).fold(0, |best, i| if candidates[i] < candidates[best] { i } else { best });
        let joint =
            (reference == Reference::Joint).then(|| gp.covariance_with(gp.x().row(at))).transpose()?;
        Ok(Surrogate { gp, at, level: candidates[at], joint })
    }

    /// x̃.
    pub fn incumbent(&self) -> ArrayView1<'_, f64> {
        self.gp.x().index_axis_move(Axis(0), self.at)
    }

    /// μ, σ, g and τ at each row of `x`.
    pub fn beliefs(&self, x: ArrayView2<f64>) -> Result<Vec<[f64; 4]>> {
        let p = self.gp.predict_latent(x)?;
        let squares = match &self.joint {
            None => p.variance.to_vec(),
            Some(with) => {
                let each = p.variance.iter().zip(with.at(x)?);
                each.map(|(v, shared)| left(v + with.variance(), 2.0 * shared)).collect()
            }
        };
        known("BayesOptimiser", 0, &squares)?;
        let each = p.mean.iter().zip(&p.variance).zip(&squares);
        Ok(each.map(|((m, v), t)| [*m, v.sqrt(), self.level - m, t.sqrt()]).collect())
    }

    /// The scores of `acquisition` at each row of `x`.
    pub fn scores(&self, acquisition: Acquisition, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        Ok(self.beliefs(x)?.into_iter().map(|[m, s, g, t]| acquisition.value(m, s, g, t)).collect())
    }

    /// What the search minimises, at each row of `x`.
    pub fn costs(&self, acquisition: Acquisition, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        let cost = |[m, s, g, t]: [f64; 4]| acquisition.cost(m, s, g, t.max(LEAST));
        Ok(self.beliefs(x)?.into_iter().map(cost).collect())
    }

    /// Everything at one point, with derivatives.
    pub fn belief(&self, x: &[f64]) -> Result<Belief> {
        let at = Array2::from_shape_fn((1, x.len()), |(_, f)| x[f]);
        let [mean, sd, gain, spread] = self.beliefs(at.view())?[0];
        let (sd, spread) = (sd.max(LEAST), spread.max(LEAST));
        let by = self.gp.predict_gradient(&at)?;
        let d_square = match &self.joint {
            None => by.variance.clone(),
            Some(with) => &by.variance - &(with.gradient(&at)? * 2.0),
        };
        Ok(Belief {
            mean,
            sd,
            gain,
            spread,
            d_mean: by.mean.slice(s![0, 0, ..]).to_vec(),
            d_sd: (by.variance.row(0).to_owned() * (0.5 / sd)).to_vec(),
            d_spread: (d_square.row(0).to_owned() * (0.5 / spread)).to_vec(),
        })
    }
}
