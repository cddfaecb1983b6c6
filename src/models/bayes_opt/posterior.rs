//! What is known: the model of what was told, and what it says.

use ndarray::{Array1, Array2, Axis, Ix1, concatenate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::acquisition::{Acquisition, Reference};
use super::model::{scaling, standardised};
use super::optimiser::{BayesOptimiser, Rule};
use super::propose::{propose, propose_by};
use super::surrogate::Surrogate;
use crate::Progress;
use crate::check::require;
use crate::learn::Inputs;
use crate::models::gp::{FittedGp, Path, Prediction};
use crate::optim::Minimiser;
use crate::probability::posterior_variance::known;
use crate::{Error, Result};

/// Frequencies that a function is drawn by.
const FREQUENCIES: usize = 1000;

/// The evaluated point that the posterior thinks best.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The point.
    pub x: Vec<f64>,
    /// The posterior mean of f there.
    pub mean: f64,
    /// Its posterior standard deviation.
    pub deviation: f64,
}

impl BayesOptimiser {
    /// The evaluated point with the lowest posterior mean: what to use when observations are noisy, where the lowest
    /// one is mostly luck.
    ///
    /// # Errors
    /// [`Error::Shape`] before the first observation; those of the model's fit.
    pub fn recommend(&mut self) -> Result<Recommendation> {
        let (centre, scale) = scaling(&self.y);
        let gp = self.learned()?;
        let p = gp.predict_latent(gp.x())?;
        let at = (0..p.mean.len()).fold(0, |b, i| if p.mean[i] < p.mean[b] { i } else { b });
        let (mean, deviation) = (centre + scale * p.mean[at], scale * p.variance[at].sqrt());
        Ok(Recommendation { x: self.told[at].clone(), mean, deviation })
    }

    /// Means and variances of f at the rows of `x`, given what was told.
    ///
    /// # Errors
    /// As [`BayesOptimiser::recommend`], and for points that are not in the box; [`Error::NotFinite`] for a variance that
    /// overflows, of observations beyond 1e150.
    pub fn posterior(&mut self, x: impl Inputs) -> Result<Prediction<Ix1>> {
        let (centre, scale) = scaling(&self.y);
        let unit = self.space.rows(x.inputs().view())?;
        let mut p = self.learned()?.predict_latent(unit)?;
        p.mean.mapv_inplace(|m| centre + scale * m);
        p.variance *= scale * scale;
        known("BayesOptimiser::posterior", 0, &p.variance)?;
        Ok(p)
    }

    /// The scores at the rows of `x`, given what was told, in the units of the observations. Of Thompson sampling they are
    /// the values of the function that the next [`ask`](BayesOptimiser::ask) will seek the minimum of.
    ///
    /// # Errors
    /// As [`BayesOptimiser::posterior`].
    pub fn scores(&mut self, x: impl Inputs) -> Result<Vec<f64>> {
        let (centre, scale) = scaling(&self.y);
        let (rule, mut rng) = (self.rule, self.generator());
        let unit = self.space.rows(x.inputs().view())?;
        let gp = self.learned()?;
        let scores = match rule {
            Rule::Thompson => path(gp, &mut rng)?.at(unit)?.to_vec(),
            Rule::Score(acquisition, reference) => {
                Surrogate::new(gp, reference)?.scores(acquisition, unit.view())?
            }
        };
        let units = |s: f64| match rule {
            Rule::Thompson | Rule::Score(Acquisition::LowerConfidenceBound { .. }, _) => centre + scale * s,
            Rule::Score(Acquisition::ProbabilityOfImprovement { .. }, _) => s,
            Rule::Score(Acquisition::ExpectedImprovement, _) => scale * s,
            Rule::Score(Acquisition::LogExpectedImprovement, _) => scale.ln() + s,
        };
        Ok(scores.into_iter().map(units).collect())
    }

    /// The process conditioned on everything told, with the hyper-parameters that it was given or has learned, and how
    /// that went. It sees points of the unit cube, and observations of mean zero and variance one.
    ///
    /// # Errors
    /// As [`BayesOptimiser::recommend`].
    pub fn learned(&mut self) -> Result<&FittedGp<Ix1>> {
        if self.fitted.is_none() {
            require("BayesOptimiser", !self.y.is_empty(), || "nothing was told yet".to_owned())?;
            let learned = self.learn(&self.unit_points()?, &standardised(&self.y))?;
            self.model = self.model.with_theta(&learned.model().theta())?;
            self.fitted = Some(learned);
        }
        self.fitted.as_ref().ok_or(Error::Shape { op: "BayesOptimiser", what: "no model".to_owned() })
    }

    /// The fit, by the model's own minimiser if it has one.
    fn learn(&self, x: &Array2<f64>, y: &Array1<f64>) -> Result<FittedGp<Ix1>> {
        if self.model.is_searched() {
            return self.model.fit(&self.device, x, y);
        }
        let learner = Minimiser::new()
            .max_iterations(100)
            .tolerance(1e-4)
            .restarts(1)
            .seed(self.seed ^ (y.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .progress(Progress::none());
        self.model.clone().optimise(learner).fit(&self.device, x, y)
    }

    /// The generator of the next proposal.
    fn generator(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        // Stream 0 and those at the other end belong to hypercubes.
        rng.set_stream(1 + self.asked);
        rng
    }

    /// The best point of the unit cube, given what was told and what is pending.
    pub(super) fn propose(&mut self) -> Result<Vec<f64>> {
        let (mut rng, d) = (self.generator(), self.space.dim());
        let (acquisition, reference) = match self.rule {
            Rule::Score(acquisition, reference) => (acquisition, reference),
            Rule::Thompson => {
                let gp = self.learned()?;
                let path = path(gp, &mut rng)?;
                return propose_by(&path, Surrogate::new(gp, Reference::BestMean)?.incumbent(), &mut rng);
            }
        };
        let pending = self.pending.iter().map(|p| self.space.inner(p)).collect::<Result<Vec<_>>>()?;
        let gp = self.learned()?;
        if pending.is_empty() {
            return propose(&Surrogate::new(gp, reference)?, acquisition, &mut rng);
        }
        // Conditioning on its own mean leaves the mean as it is: all believed values come from the data alone.
        let x = Array2::from_shape_fn((pending.len(), d), |(i, f)| pending[i][f]);
        let believed = gp.predict(&x)?;
        let misfit = |e: ndarray::ShapeError| Error::Shape { op: "BayesOptimiser::ask", what: e.to_string() };
        let x = concatenate(Axis(0), &[gp.x(), x.view()]).map_err(misfit)?;
        let y = concatenate(Axis(0), &[gp.y().column(0), believed.view()]).map_err(misfit)?;
        // Nothing is to be learned from beliefs, whatever minimiser the model brings.
        let believer = self.model.clone().optimise(None).fit(&self.device, &x, &y)?;
        propose(&Surrogate::new(&believer, reference)?, acquisition, &mut rng)
    }
}

/// A function drawn from the posterior, by the first number of the generator.
fn path<'a>(gp: &'a FittedGp<Ix1>, rng: &mut ChaCha8Rng) -> Result<Path<'a, Ix1>> {
    gp.path(FREQUENCIES, rng.random())
}
