//! Folds and candidates dealt out to ranks, each of which has all of the data. Checked in `tests/ranks/suite/work.rs`.

use super::cross::{CrossValidation, Scores, fitted, prepared, scored};
use super::found::{Candidate, Found};
use super::search::{Judge, Search, winner};
use crate::learn::data::{Inputs, Targets};
use crate::learn::ranks::{Ranks, meet};
use crate::learn::split::Split;
use crate::learn::traits::{Fit, Predict};
use crate::{Device, Error, Progress, Result};

impl<S: Split> CrossValidation<S> {
    /// [`scores`](Self::scores) with the folds dealt out to ranks: every rank gives the same data and has all scores.
    /// Progress hears of the folds of its own rank.
    ///
    /// # Errors
    /// As `scores`, the same on every rank.
    pub fn scores_across<M, Y, F>(
        &self,
        ranks: &dyn Ranks,
        model: &M,
        device: &Device,
        x: impl Inputs,
        y: Y,
        metric: F,
    ) -> Result<Scores>
    where
        Y: Targets,
        M: Fit<Y::Of, Fitted: Predict>,
        F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
    {
        const OP: &str = "cross_validate";
        let (x, y) = (x.inputs(), y.targets());
        meet(ranks, |all| {
            let folds = prepared(OP, x.view(), &*y, &self.split)?;
            let made = all.deal(OP, folds.len(), |i| {
                let (train, test) = &folds[i];
                let fit = fitted(model, device, x.view(), &*y, train)?;
                let score = scored(&fit, x.view(), &*y, test, &metric)?;
                self.progress.report(OP, i + 1, folds.len(), score)?;
                Ok(score)
            })?;
            Ok(Scores::from(made))
        })
    }
}

impl<M, S: Split, F> Search<M, S, F> {
    /// [`fit`](Self::fit) with the candidates dealt out to ranks: every rank gives the same data, has the whole table, and
    /// fits the winner. A candidate that fails is left out of the choice, on whatever rank it did.
    ///
    /// # Errors
    /// As `fit`, the same on every rank.
    pub fn fit_across<Y: Targets>(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        x: impl Inputs,
        y: Y,
    ) -> Result<Found<M, <M as Fit<Y::Of>>::Fitted>>
    where
        M: Fit<Y::Of, Fitted: Predict> + Clone,
        F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
    {
        const OP: &str = "Search::fit";
        let (x, y) = (x.inputs(), y.targets());
        meet(ranks, |all| {
            let folds = prepared(OP, x.view(), &*y, &self.split)?;
            let (metric, quiet) = (&self.metric, Progress::none());
            let judge = Judge { device, x: x.view(), y: &*y, folds: &folds, metric, progress: &quiet };
            let count = self.candidates.len();
            let judged = all.deal(OP, count, |i| {
                let found = judge.candidate(&self.candidates[i], i, count)?.scores;
                let mean = found.as_ref().map_or(f64::NAN, Scores::mean);
                self.progress.report(OP, (i + 1) * folds.len(), count * folds.len(), mean)?;
                Ok(match found {
                    Ok(scores) => (Some(scores.folds().to_vec()), None),
                    Err(error) => (None::<Vec<f64>>, Some(error)),
                })
            })?;
            let lost = || Error::Shape { op: OP, what: "a candidate without scores".to_owned() };
            let table: Vec<Candidate> = judged
                .into_iter()
                .map(|(folds, error)| {
                    let scores = folds.map(Scores::from).ok_or_else(|| error.unwrap_or_else(lost));
                    Candidate { scores, point: vec![] }
                })
                .collect();
            let index = winner(&table, self.sign)?;
            let model = self.candidates[index].clone();
            let fitted = model.fit(device, x.view(), &*y)?;
            Ok(Found { model, fitted, table, index })
        })
    }
}
