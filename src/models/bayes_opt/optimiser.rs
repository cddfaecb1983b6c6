//! Ask and tell.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::acquisition::{Acquisition, Reference};
use super::design::{UnitBox, latin_hypercube};
use super::model::{default_model, scaling};
use super::propose::propose;
use super::surrogate::Surrogate;
use crate::models::gp::{FittedGp, GpRegressor, Prediction, Predictive};
use crate::optim::Minimiser;
use crate::{Device, Error, Result};

/// `min f(x)` over a box, from few and perhaps noisy evaluations `y = f(x) + ε`: a Gaussian process is fitted to what
/// is known, and the next point is where an [`Acquisition`] says that it is worth most.
///
/// Inputs are scaled to the unit cube and observations to mean zero and variance one, so the default kernel (Matérn
/// 5/2 with a length scale for each input, and noise, all learned again after each observation) fits most problems. To
/// maximise, tell `-f`.
///
/// The first points are a Latin hypercube. Points that were asked for and not yet told count as observed at their
/// posterior mean (the *kriging believer*), so asking several times gives a batch of different points, and evaluations
/// may come back in any order.
///
/// ```
/// use mercer::Device;
/// use mercer::models::bayes_opt::BayesOptimiser;
///
/// let f = |x: &[f64]| (x[0] - 0.3).powi(2) + (3.0 * x[1]).cos();
/// let mut search = BayesOptimiser::new(&Device::cpu(), &[(-1.0, 1.0), (0.0, 2.0)])?.seed(4);
/// for _ in 0..20 {
///     let x = search.ask()?;
///     search.tell(&x, f(&x))?;
/// }
/// let (_, y) = search.best().unwrap();
/// assert!(y < -0.99); // the minimum is -1
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct BayesOptimiser {
    device: Device,
    space: UnitBox,
    model: GpRegressor,
    acquisition: Acquisition,
    reference: Reference,
    initial: usize,
    seed: u64,
    /// On the unit cube.
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    pending: Vec<Vec<f64>>,
    /// Points given out so far.
    asked: u64,
    fitted: Option<FittedGp>,
}

/// The evaluated point that the posterior thinks best.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// Where.
    pub x: Vec<f64>,
    /// The posterior mean of f there.
    pub mean: f64,
    /// Its posterior standard deviation.
    pub deviation: f64,
}

impl BayesOptimiser {
    /// Over the box with these lower and upper bounds, with [`Acquisition::LogExpectedImprovement`] from
    /// [`Reference::Joint`], after `2 (d + 1)` points of a Latin hypercube.
    ///
    /// # Errors
    /// [`Error::Shape`] for no bounds, [`Error::Parameter`] for bounds that are not finite and in order.
    pub fn new(device: &Device, bounds: &[(f64, f64)]) -> Result<Self> {
        let space = UnitBox::new(bounds)?;
        let d = bounds.len();
        Ok(BayesOptimiser {
            device: device.clone(),
            space,
            model: default_model(d)?,
            acquisition: Acquisition::LogExpectedImprovement,
            reference: Reference::Joint,
            initial: 2 * (d + 1),
            seed: 0,
            x: Vec::new(),
            y: Vec::new(),
            pending: Vec::new(),
            asked: 0,
            fitted: None,
        })
    }

    /// Another score, and what improvements are measured from.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a confidence level out of (0, 1) or a negative margin.
    pub fn acquisition(mut self, acquisition: Acquisition, reference: Reference) -> Result<Self> {
        acquisition.check()?;
        (self.acquisition, self.reference) = (acquisition, reference);
        Ok(self)
    }

    /// Another model of f, on the unit cube and for observations of mean zero and variance one. Hyper-parameters that
    /// are not fixed are learned again when something was told, from where they were.
    #[must_use]
    pub fn model(mut self, model: GpRegressor) -> Self {
        self.model = model;
        self
    }

    /// Points of the Latin hypercube; at least one.
    #[must_use]
    pub fn initial(mut self, points: usize) -> Self {
        self.initial = points.max(1);
        self
    }

    /// Of everything random here.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The next point to evaluate.
    ///
    /// # Errors
    /// Those of the model's fit.
    pub fn ask(&mut self) -> Result<Vec<f64>> {
        let known = self.x.len() + self.pending.len();
        let unit = if known < self.initial {
            latin_hypercube(self.initial, self.space.dim(), self.seed).row(known).to_vec()
        } else {
            self.propose()?
        };
        self.asked += 1;
        let x = self.space.outer(&unit);
        self.pending.push(x.clone());
        Ok(x)
    }

    /// The next `count` points, one a row, to be evaluated side by side: each counts on the ones before it.
    ///
    /// # Errors
    /// As [`BayesOptimiser::ask`].
    pub fn ask_batch(&mut self, count: usize) -> Result<Array2<f64>> {
        let mut batch = Array2::zeros((count, self.space.dim()));
        for mut row in batch.axis_iter_mut(Axis(0)) {
            row.assign(&Array1::from(self.ask()?));
        }
        Ok(batch)
    }

    /// Observes `y` at `x`, whether or not it was asked for.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for an observation that is not a number, [`Error::Shape`] or [`Error::Parameter`] for a
    /// point that is not in the box.
    pub fn tell(&mut self, x: &[f64], y: f64) -> Result<()> {
        let unit = self.space.inner(x)?;
        // Differences of observations must be numbers too.
        if y.is_nan() || y.abs() >= f64::MAX / 4.0 {
            return Err(Error::NotFinite {
                op: "BayesOptimiser::tell",
                what: "y",
                value: y,
                row: self.y.len(),
                col: 0,
            });
        }
        if let Some(at) = self.pending.iter().position(|p| p == x) {
            self.pending.remove(at);
        }
        self.x.push(unit);
        self.y.push(y);
        self.fitted = None;
        Ok(())
    }

    /// The lowest observation and where it was made; none before the first.
    pub fn best(&self) -> Option<(Vec<f64>, f64)> {
        let at = (0..self.y.len()).min_by(|&a, &b| self.y[a].total_cmp(&self.y[b]))?;
        Some((self.space.outer(&self.x[at]), self.y[at]))
    }

    /// The evaluated point with the lowest posterior mean: what to use when observations are noisy, where the lowest
    /// one is mostly luck.
    ///
    /// # Errors
    /// [`Error::Shape`] before the first observation; those of the model's fit.
    pub fn recommend(&mut self) -> Result<Recommendation> {
        let (centre, scale) = scaling(&self.y);
        let gp = self.fitted()?;
        let p = gp.predict_variance(gp.x(), Predictive::Latent)?;
        let at = (0..p.mean.nrows()).fold(0, |b, i| if p.mean[[i, 0]] < p.mean[[b, 0]] { i } else { b });
        let (mean, deviation) = (centre + scale * p.mean[[at, 0]], scale * p.variance[at].sqrt());
        Ok(Recommendation { x: self.space.outer(&self.x[at]), mean, deviation })
    }

    /// Means and variances of f at the rows of `x`, given what was told.
    ///
    /// # Errors
    /// As [`BayesOptimiser::recommend`], and for points that are not in the box.
    pub fn posterior(&mut self, x: ArrayView2<f64>) -> Result<Prediction> {
        let (centre, scale) = scaling(&self.y);
        let unit = self.space.rows(x)?;
        let mut p = self.fitted()?.predict_variance(unit.view(), Predictive::Latent)?;
        p.mean.mapv_inplace(|m| centre + scale * m);
        p.variance *= scale * scale;
        Ok(p)
    }

    /// The scores at the rows of `x`, given what was told, in the units of the observations.
    ///
    /// # Errors
    /// As [`BayesOptimiser::posterior`].
    pub fn scores(&mut self, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        let (centre, scale) = scaling(&self.y);
        let (acquisition, reference) = (self.acquisition, self.reference);
        let unit = self.space.rows(x)?;
        let scores = Surrogate::new(self.fitted()?, reference)?.scores(acquisition, unit.view())?;
        let units = |s: f64| match acquisition {
            Acquisition::LowerConfidenceBound { .. } => centre + scale * s,
            Acquisition::ProbabilityOfImprovement { .. } => s,
            Acquisition::ExpectedImprovement => scale * s,
            Acquisition::LogExpectedImprovement => scale.ln() + s,
        };
        Ok(scores.into_iter().map(units).collect())
    }

    /// Everything told so far: points, one a row, and observations.
    pub fn history(&self) -> (Array2<f64>, &[f64]) {
        let d = self.space.dim();
        let x: Vec<f64> = self.x.iter().flat_map(|x| self.space.outer(x)).collect();
        (Array2::from_shape_fn((self.y.len(), d), |(i, f)| x[i * d + f]), &self.y)
    }

    fn propose(&mut self) -> Result<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        // Stream 0 belongs to the hypercube.
        rng.set_stream(1 + self.asked);
        let (acquisition, reference, d) = (self.acquisition, self.reference, self.space.dim());
        let pending = self.pending.iter().map(|p| self.space.inner(p)).collect::<Result<Vec<_>>>()?;
        let gp = self.fitted()?;
        if pending.is_empty() {
            return propose(&Surrogate::new(gp, reference)?, acquisition, &mut rng);
        }
        // Conditioning on its own mean leaves the mean as it is: all believed values come from the data alone.
        let x = Array2::from_shape_fn((pending.len(), d), |(i, f)| pending[i][f]);
        let believed = gp.predict(x.view())?;
        let misfit = |e: ndarray::ShapeError| Error::Shape { op: "BayesOptimiser::ask", what: e.to_string() };
        let x = concatenate(Axis(0), &[gp.x(), x.view()]).map_err(misfit)?;
        let y = concatenate(Axis(0), &[gp.y(), believed.view()]).map_err(misfit)?;
        let believer = self.model.fit(&self.device, x.view(), y.view())?;
        propose(&Surrogate::new(&believer, reference)?, acquisition, &mut rng)
    }

    /// The model of what was told; its hyper-parameters are learned when something new was.
    fn fitted(&mut self) -> Result<&FittedGp> {
        if self.fitted.is_none() {
            let (centre, scale) = scaling(&self.y);
            let (n, d) = (self.y.len(), self.space.dim());
            if n == 0 {
                return Err(Error::Shape { op: "BayesOptimiser", what: "nothing was told yet".to_owned() });
            }
            let x = Array2::from_shape_fn((n, d), |(i, f)| self.x[i][f]);
            let y = Array2::from_shape_fn((n, 1), |(i, _)| (self.y[i] - centre) / scale);
            let learner = Minimiser {
                max_iterations: 100,
                tolerance: 1e-4,
                restarts: 1,
                seed: n as u64,
                progress: None,
            };
            let learned = self.model.clone().optimise(learner).fit(&self.device, x.view(), y.view())?;
            self.model = self.model.with_theta(&learned.model().theta())?;
            self.fitted = Some(learned);
        }
        self.fitted.as_ref().ok_or(Error::Shape { op: "BayesOptimiser", what: "no model".to_owned() })
    }
}
