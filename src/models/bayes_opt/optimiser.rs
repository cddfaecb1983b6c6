//! Ask and tell.

use ndarray::{Array1, Array2, Axis, Ix1};

use super::acquisition::{Acquisition, Reference};
use super::design::{UnitBox, latin_hypercube};
use super::model::default_model;
use crate::check::zeros;
#[cfg(feature = "serde")]
use crate::check::{parameter, require};
use crate::learn::configure::{getters, setters};
use crate::models::gp::{FittedGp, GpRegressor};
use crate::saved::Format;
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
/// may come back in any order. [Thompson sampling](BayesOptimiser::thompson_sampling) needs no such belief.
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
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct BayesOptimiser {
    format: Format,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    pub(super) device: Device,
    pub(super) space: UnitBox,
    /// With the hyper-parameters that were learned last.
    pub(super) model: GpRegressor,
    pub(super) rule: Rule,
    initial: usize,
    pub(super) seed: u64,
    /// As they were told: through the unit cube and back they would be rounded.
    pub(super) told: Vec<Vec<f64>>,
    pub(super) y: Vec<f64>,
    pub(super) pending: Vec<Vec<f64>>,
    /// Points given out so far.
    pub(super) asked: u64,
    /// To everything told, if nothing was told since.
    pub(super) fitted: Option<FittedGp<Ix1>>,
}

/// How the next point is chosen.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Rule {
    /// Where a score is best.
    Score(Acquisition, Reference),
    /// Where a function drawn from the posterior is lowest.
    Thompson,
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
            format: Format,
            device: device.clone(),
            space,
            model: default_model(d)?,
            rule: Rule::Score(Acquisition::LogExpectedImprovement, Reference::Joint),
            initial: 2 * (d + 1),
            seed: 0,
            told: Vec::new(),
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
        self.rule = Rule::Score(acquisition, reference);
        Ok(self)
    }

    /// The next point is the minimum of one function drawn from the posterior ([`Path`](crate::models::gp::Path)): a
    /// point is asked for as often as it is probable to be the best. Every draw is another, so that points which are
    /// pending need not be believed in, and a batch of any size costs one fit.
    ///
    /// The kernel of the model must have a spectral measure, as the default one has; [`ask`](BayesOptimiser::ask) says if
    /// it has not.
    ///
    /// ```
    /// use mercer::Device;
    /// use mercer::models::bayes_opt::BayesOptimiser;
    ///
    /// let mut search = BayesOptimiser::new(&Device::cpu(), &[(-1.0, 1.0)])?.thompson_sampling().seed(1);
    /// for _ in 0..4 {
    ///     for x in search.ask_batch(4)?.rows() {
    ///         search.tell(&[x[0]], (x[0] - 0.3).powi(2))?;
    ///     }
    /// }
    /// assert!(search.best().unwrap().1 < 1e-3);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn thompson_sampling(mut self) -> Self {
        self.rule = Rule::Thompson;
        self
    }

    /// Another model of f, on the unit cube and for observations of mean zero and variance one. Hyper-parameters that
    /// are not fixed are learned again when something was told, from where they were, by the minimiser that the model
    /// [brings](GpRegressor::optimise) or by one with a single restart.
    #[must_use]
    pub fn model(mut self, model: GpRegressor) -> Self {
        self.model = model;
        self.fitted = None;
        self
    }

    /// Points of the Latin hypercube; at least one. Who asks for more before anything was told gets another hypercube.
    #[must_use]
    pub fn initial(mut self, points: usize) -> Self {
        self.initial = points.max(1);
        self
    }

    /// On another device: after loading a search it goes on on the CPU unless told otherwise.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The next point to evaluate.
    ///
    /// # Errors
    /// Those of the model's fit; [`Error::Parameter`] for a hypercube that memory has no room for;
    /// [`Error::Unsupported`] for Thompson sampling with a kernel that has no known spectral measure.
    pub fn ask(&mut self) -> Result<Vec<f64>> {
        let unit = if self.y.is_empty() || self.y.len() + self.pending.len() < self.initial {
            let (cube, row) = (self.asked / self.initial as u64, self.asked % self.initial as u64);
            latin_hypercube(self.initial, self.space.dim(), self.seed, cube)?.row(row as usize).to_vec()
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
    /// As [`BayesOptimiser::ask`], and for more points than memory has room for; then none of them was asked for.
    pub fn ask_batch(&mut self, count: usize) -> Result<Array2<f64>> {
        let (asked, waiting) = (self.asked, self.pending.len());
        let mut batch = zeros("count", count, self.space.dim())?;
        for mut row in batch.axis_iter_mut(Axis(0)) {
            let x = self.ask().inspect_err(|_| {
                self.asked = asked;
                self.pending.truncate(waiting);
            })?;
            row.assign(&Array1::from(x));
        }
        Ok(batch)
    }

    /// No longer counts on an observation at `x`, whose evaluation may have failed; whether it was
    /// [pending](BayesOptimiser::pending).
    pub fn forget(&mut self, x: &[f64]) -> bool {
        let at = self.pending.iter().position(|p| p == x);
        at.map(|at| self.pending.remove(at)).is_some()
    }

    /// Observes `y` at `x`, whether or not it was asked for.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for an observation that is not a number, [`Error::Shape`] or [`Error::Parameter`] for a
    /// point that is not in the box.
    pub fn tell(&mut self, x: &[f64], y: f64) -> Result<()> {
        self.space.inner(x)?;
        observable(self.y.len(), y)?;
        self.forget(x);
        self.told.push(x.to_vec());
        self.y.push(y);
        self.fitted = None;
        Ok(())
    }

    /// Everything told, on the unit cube: one point a row.
    pub(super) fn unit_points(&self) -> Result<Array2<f64>> {
        let mut unit = Array2::zeros((self.told.len(), self.space.dim()));
        for (mut row, x) in unit.rows_mut().into_iter().zip(&self.told) {
            row.assign(&Array1::from(self.space.inner(x)?));
        }
        Ok(unit)
    }

    /// The lowest observation and where it was made; none before the first.
    pub fn best(&self) -> Option<(Vec<f64>, f64)> {
        let at = (0..self.y.len()).min_by(|&a, &b| self.y[a].total_cmp(&self.y[b]))?;
        Some((self.told[at].clone(), self.y[at]))
    }

    /// Everything told so far: points, one a row, and observations.
    pub fn history(&self) -> (Array2<f64>, &[f64]) {
        (Array2::from_shape_fn((self.y.len(), self.space.dim()), |(i, f)| self.told[i][f]), &self.y)
    }
}

setters!(BayesOptimiser {
    /// Seed of the hypercubes, the candidates and the functions that are drawn.
    seed: u64,
});

getters!(BayesOptimiser {
    /// The points that were asked for and neither told nor forgotten, the oldest first.
    pending: &[Vec<f64>],
    /// The device that models are fitted on, if they are large enough for it.
    device: &Device,
});

#[cfg(feature = "serde")]
crate::saved::saved!(BayesOptimiser);

#[cfg(feature = "serde")]
impl crate::saved::Checked for BayesOptimiser {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved BayesOptimiser";
        self.space.check()?;
        if let Rule::Score(acquisition, _) = self.rule {
            acquisition.check()?;
        }
        parameter("initial", self.initial as f64, self.initial > 0, "there must be at least one")?;
        parameter("asked", self.asked as f64, self.asked < u64::MAX / 2, "nobody has asked for so many")?;
        self.model.kernel().fits(OP, self.space.dim())?;
        let (points, observed) = (self.told.len(), self.y.len());
        require(OP, points == observed, || format!("{points} points, {observed} observations"))?;
        self.y.iter().enumerate().try_for_each(|(i, y)| observable(i, *y))?;
        let unit = self.unit_points()?;
        self.pending.iter().try_for_each(|x| self.space.inner(x).map(drop))?;
        require(OP, self.fitted.as_ref().is_none_or(|gp| gp.x() == unit), || {
            "the model is not one of the points that were told".to_owned()
        })
    }
}

/// An observation that a model can learn from: differences of observations must be numbers too.
fn observable(row: usize, value: f64) -> Result<()> {
    if value.abs() < f64::MAX / 4.0 {
        return Ok(());
    }
    Err(Error::NotFinite { op: "BayesOptimiser::tell", what: "y", value, row, col: 0 })
}
