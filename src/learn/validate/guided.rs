//! Searches over points of a box: at random, or asked of an optimiser. Checked in `tests/learn/search.rs`.

use ndarray::ArrayView2;

use super::cross::prepared;
use super::found::Found;
use super::search::{Judge, winner};
use crate::check::{parameter, room};
use crate::learn::data::{Inputs, Rows, Targets};
use crate::learn::split::{KFold, Split};
use crate::learn::traits::{Fit, Predict};
use crate::random::uniforms;
use crate::{Device, Progress, Result};

/// Proposes points and learns from their costs: smaller is better.
pub trait Ask {
    /// The next point to try.
    ///
    /// # Errors
    /// Whatever the proposal meets.
    fn ask(&mut self) -> Result<Vec<f64>>;

    /// Learns that `point` costs so much.
    ///
    /// # Errors
    /// For a point or a cost that it cannot learn from.
    fn tell(&mut self, point: &[f64], cost: f64) -> Result<()>;

    /// Learns that `point` could not be tried.
    fn forget(&mut self, point: &[f64]);
}

/// `count` points of the box, uniform and independent; the seed decides. For a scale, exponentiate: `10f64.powf(p[0])`.
///
/// ```
/// use mercer::prelude::*;
/// let points = random_points(&[(-3.0, 1.0), (0.0, 2.0)], 20, 7)?;
/// let candidates = points.iter().map(|p| KernelRidge::new(Kernel::rbf(10f64.powf(p[1])), 10f64.powf(p[0])));
/// let search = Search::over(candidates).best(r2::<ndarray::ArrayRef1<f64>, ndarray::Array1<f64>, _>);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an interval that is none, or more points than memory has room for.
pub fn random_points(bounds: &[(f64, f64)], count: usize, seed: u64) -> Result<Vec<Vec<f64>>> {
    for (low, high) in bounds {
        let fits = low <= high && (high - low).is_finite();
        parameter("bounds", high - low, fits, "must be finite, the lower before the upper")?;
    }
    room("count", count, 8 * bounds.len() + size_of::<Vec<f64>>())?;
    let mut uniform = uniforms(seed, 0);
    let mut point = || bounds.iter().map(|(low, high)| low + (high - low) * uniform()).collect();
    Ok((0..count).map(|_| point()).collect())
}

/// A [`Search`](super::Search) whose candidates are asked of an optimiser, each in the light of those before it.
///
/// `start` makes the optimiser, `steps` points are asked of it, and `model` makes a candidate of a point. The costs that it
/// is told are the mean scores, negated where larger is better. A candidate that fails is recorded and forgotten.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let device = Device::cpu();
/// let x = Array2::from_shape_fn((30, 1), |(i, _)| 0.2 * i as f64);
/// let y = x.column(0).mapv(f64::sin);
/// let search = Guided::new(
///     || BayesOptimiser::new(&Device::cpu(), &[(-2.0, 1.0)]),
///     8,
///     |p: &[f64]| KernelRidge::new(Kernel::rbf(10f64.powf(p[0])), 1e-3),
/// );
/// let best = search.by(KFold::new(3).shuffled(0)).best(r2).fit(&device, &x, &y)?;
/// assert_eq!(best.table().len(), 8);
/// assert!(best.best_score() > 0.99);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Guided<O, C, S = KFold, F = ()> {
    start: O,
    steps: usize,
    model: C,
    split: S,
    metric: F,
    sign: f64,
    progress: Progress,
}

impl<O, C> Guided<O, C> {
    /// Asks an optimiser that `start` makes for so many points, by five folds of consecutive rows unless told otherwise.
    pub fn new<A, M>(start: O, steps: usize, model: C) -> Self
    where
        O: Fn() -> Result<A>,
        A: Ask,
        C: Fn(&[f64]) -> M,
    {
        let (split, progress) = (KFold::new(5), Progress::none());
        Guided { start, steps, model, split, metric: (), sign: 1.0, progress }
    }
}

impl<O, C, S, F> Guided<O, C, S, F> {
    /// The search judged by these folds.
    pub fn by<T: Split>(self, split: T) -> Guided<O, C, T, F> {
        let Guided { start, steps, model, metric, sign, progress, .. } = self;
        Guided { start, steps, model, split, metric, sign, progress }
    }

    /// The best is that with the highest mean of this metric.
    pub fn best<G>(self, metric: G) -> Guided<O, C, S, G> {
        let Guided { start, steps, model, split, progress, .. } = self;
        Guided { start, steps, model, split, metric, sign: 1.0, progress }
    }

    /// The best is that with the lowest mean of this metric.
    pub fn lowest<G>(self, metric: G) -> Guided<O, C, S, G> {
        Guided { sign: -1.0, ..self.best(metric) }
    }

    /// Called after every fold of every candidate with its score; it can cancel.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Judges as many candidates as there are steps, and fits the best to all rows.
    ///
    /// # Errors
    /// As [`Search::fit`](super::Search::fit), and those of the optimiser.
    pub fn fit<Y: Targets>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: Y,
    ) -> Result<<Self as Fit<Y::Of>>::Fitted>
    where
        Self: Fit<Y::Of>,
    {
        Fit::<Y::Of>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

impl<O, C, S, F, A, M, Y> Fit<Y> for Guided<O, C, S, F>
where
    O: Fn() -> Result<A>,
    A: Ask,
    C: Fn(&[f64]) -> M,
    Y: Rows + ?Sized,
    M: Fit<Y, Fitted: Predict>,
    S: Split,
    F: Fn(&Y, &<M::Fitted as Predict>::Output) -> Result<f64>,
{
    type Fitted = Found<M, M::Fitted>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &Y) -> Result<Self::Fitted> {
        parameter("steps", self.steps as f64, self.steps > 0, "must be at least 1")?;
        let folds = prepared("Guided::fit", x, y, &self.split)?;
        let judge = Judge { device, x, y, folds: &folds, metric: &self.metric, progress: &self.progress };
        let mut optimiser = (self.start)()?;
        let mut table = Vec::new();
        for step in 0..self.steps {
            let point = optimiser.ask()?;
            let mut candidate = judge.candidate(&(self.model)(&point), step, self.steps)?;
            match candidate.mean() {
                Some(mean) => optimiser.tell(&point, -self.sign * mean)?,
                None => optimiser.forget(&point),
            }
            candidate.point = point;
            table.push(candidate);
        }
        let index = winner(&table, self.sign)?;
        let model = (self.model)(&table[index].point);
        let fitted = model.fit(device, x, y)?;
        Ok(Found { model, fitted, table, index })
    }
}
