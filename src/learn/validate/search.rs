//! The best of candidates by cross-validation. Checked in `tests/learn/search.rs` against scikit-learn.

use ndarray::ArrayView2;

use super::cross::{prepared, scores};
use super::found::{Candidate, Found};
use crate::learn::data::{Inputs, Rows, Targets};
use crate::learn::split::{Fold, KFold, Split};
use crate::learn::traits::{Fit, Predict};
use crate::{Device, Error, Progress, Result};

/// Fits every candidate to the folds, and the best to all rows.
///
/// Candidates are configured models: a grid is an iterator over them, a random search one over
/// [`random_points`](super::random_points). One that fails is left out of the choice, and the table says why; if all
/// fail the first error is that of the search. Ties go to the first. A search is a model itself: a
/// [`cross_validate`](super::cross_validate) of it is nested.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.2 * i as f64);
/// let y = x.column(0).mapv(f64::sin);
/// let grid = [0.01, 1.0, 100.0];
/// let search = Search::over(grid.iter().map(|&l| KernelRidge::new(Kernel::rbf(l), 1e-3)));
/// let best = search.by(KFold::new(5).shuffled(1)).best(r2).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(best.index(), 1);
/// assert!(best.predict(&x)?.len() == 40);
/// println!("{best}"); // the table: mean, standard deviation and folds of every candidate
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Search<M, S = KFold, F = ()> {
    pub(super) candidates: Vec<M>,
    pub(super) split: S,
    pub(super) metric: F,
    pub(super) sign: f64,
    pub(super) progress: Progress,
}

impl<M> Search<M> {
    /// Over these models, by five folds of consecutive rows unless told otherwise.
    pub fn over(candidates: impl IntoIterator<Item = M>) -> Self {
        let candidates = candidates.into_iter().collect();
        Search { candidates, split: KFold::new(5), metric: (), sign: 1.0, progress: Progress::none() }
    }
}

impl<M, S, F> Search<M, S, F> {
    /// The search judged by these folds.
    pub fn by<T: Split>(self, split: T) -> Search<M, T, F> {
        let Search { candidates, metric, sign, progress, .. } = self;
        Search { candidates, split, metric, sign, progress }
    }

    /// The best is that with the highest mean of this metric: [`r2`](crate::learn::r2),
    /// [`accuracy`](crate::learn::accuracy).
    pub fn best<G>(self, metric: G) -> Search<M, S, G> {
        let Search { candidates, split, progress, .. } = self;
        Search { candidates, split, metric, sign: 1.0, progress }
    }

    /// The best is that with the lowest mean of this metric: [`mse`](crate::learn::mse).
    pub fn lowest<G>(self, metric: G) -> Search<M, S, G> {
        Search { sign: -1.0, ..self.best(metric) }
    }

    /// Called after every fold of every candidate with its score; it can cancel.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Judges every candidate by the rows of `x`, `n x d`, and the targets `y`, and fits the best to all of them.
    ///
    /// # Errors
    /// Those of the split, [`Error::Cancelled`], and the first error of the candidates if all of them fail.
    pub fn fit<Y: Targets>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: Y,
    ) -> Result<Found<M, <M as Fit<Y::Of>>::Fitted>>
    where
        M: Fit<Y::Of>,
        Self: Fit<Y::Of, Fitted = Found<M, <M as Fit<Y::Of>>::Fitted>>,
    {
        Fit::<Y::Of>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

impl<M, S, F, Y> Fit<Y> for Search<M, S, F>
where
    Y: Rows + ?Sized,
    M: Fit<Y, Fitted: Predict> + Clone,
    S: Split,
    F: Fn(&Y, &<M::Fitted as Predict>::Output) -> Result<f64>,
{
    type Fitted = Found<M, M::Fitted>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &Y) -> Result<Self::Fitted> {
        let folds = prepared("Search::fit", x, y, &self.split)?;
        let judge = Judge { device, x, y, folds: &folds, metric: &self.metric, progress: &self.progress };
        let count = self.candidates.len();
        let each = self.candidates.iter().enumerate();
        let table = each.map(|(at, model)| judge.candidate(model, at, count)).collect::<Result<Vec<_>>>()?;
        let index = winner(&table, self.sign)?;
        let model = self.candidates[index].clone();
        let fitted = model.fit(device, x, y)?;
        Ok(Found { model, fitted, table, index })
    }
}

/// What candidates are judged by.
pub(super) struct Judge<'a, Y: ?Sized, F> {
    pub device: &'a Device,
    pub x: ArrayView2<'a, f64>,
    pub y: &'a Y,
    pub folds: &'a [Fold],
    pub metric: &'a F,
    pub progress: &'a Progress,
}

impl<Y: Rows + ?Sized, F> Judge<'_, Y, F> {
    /// The scores of a model, the one of this number among so many; an error only if the search is to end.
    pub fn candidate<M>(&self, model: &M, at: usize, count: usize) -> Result<Candidate>
    where
        M: Fit<Y, Fitted: Predict>,
        F: Fn(&Y, &<M::Fitted as Predict>::Output) -> Result<f64>,
    {
        let (k, mut ended) = (self.folds.len(), None);
        let found = scores(model, self.device, self.x, self.y, self.folds, self.metric, |made, score| {
            let told = self.progress.report("Search::fit", at * k + made, count * k, score);
            // Whoever ends the search is not a candidate that fails, though both are `Cancelled`.
            told.inspect_err(|e| ended = Some(e.clone()))
        });
        match ended {
            Some(e) => Err(e),
            None => Ok(Candidate { scores: found, point: vec![] }),
        }
    }
}

/// The candidate with the highest mean, or the lowest; the error of the first if there is none.
pub(super) fn winner(table: &[Candidate], sign: f64) -> Result<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, mean) in table.iter().enumerate().filter_map(|(i, c)| c.mean().map(|mean| (i, sign * mean))) {
        if best.is_none_or(|(_, most)| mean > most) {
            best = Some((i, mean));
        }
    }
    let none = || Error::Shape { op: "Search::fit", what: "there are no candidates".to_owned() };
    let failed = || table.iter().find_map(|c| c.error().cloned()).unwrap_or_else(none);
    best.map(|(i, _)| i).ok_or_else(failed)
}
