//! Epoch after epoch of training by a rule: on the host with any objective, or on a device with a network that lives there.

use super::resident::{Resident, read};
use super::training::{Learned, Training};
use crate::check::is_finite;
use crate::learn::{Report, Stop};
use crate::optim::{EarlyStopping, StepRule};
use crate::{Error, Result};

/// One training by a rule.
pub(super) struct Run<'a> {
    pub training: &'a Training,
    pub op: &'static str,
    pub rule: Box<dyn StepRule>,
    pub train: &'a [usize],
    pub held: &'a [usize],
    /// Loss, epoch and parameters of the best epoch.
    pub best: Option<(f64, usize, Vec<f64>)>,
    pub steps: usize,
}

impl Run<'_> {
    pub fn epochs(
        &mut self,
        start: Vec<f64>,
        weight: impl Fn(&[usize]) -> f64,
        mean: impl Fn(&[f64], &[usize], u64, &mut [f64]) -> Result<f64>,
        validate: impl Fn(&[f64]) -> Result<f64>,
    ) -> Result<Learned> {
        let t = self.training;
        let batches = t.batches(self.train.len());
        let mut watch = EarlyStopping::new(t.patience)?;
        let mut gradient = vec![0.0; start.len()];
        let (mut theta, mut trace, mut exploded, mut stopped) = (start, Vec::new(), None, false);
        'epochs: for epoch in 0..t.epochs {
            let (mut sum, mut total) = (0.0, 0.0);
            for batch in batches.epoch(epoch)? {
                let rows: Vec<usize> = batch.iter().map(|&r| self.train[r]).collect();
                let w = weight(&rows);
                if w == 0.0 {
                    continue;
                }
                self.steps += 1;
                let seed = t.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(self.steps as u64);
                let value = if self.rule.looks_ahead() {
                    mean(&self.rule.look_ahead(&theta), &rows, seed, &mut gradient)?
                } else {
                    mean(&theta, &rows, seed, &mut gradient)?
                };
                if !value.is_finite() || !is_finite(&gradient) {
                    exploded = Some(self.steps);
                    break 'epochs;
                }
                self.rule.step(&mut theta, &gradient)?;
                (sum, total) = (sum + w * value, total + w);
            }
            let loss = sum / total;
            trace.push(loss);
            t.progress.report(self.op, epoch + 1, t.epochs, loss)?;
            let judged = if self.held.is_empty() { loss } else { validate(&theta)? };
            if judged.is_finite() && self.best.as_ref().is_none_or(|best| judged < best.0) {
                self.best = Some((judged, epoch + 1, theta.clone()));
            }
            if !self.held.is_empty() && watch.look(judged, &theta) {
                stopped = true;
                break;
            }
        }
        self.learned(theta, trace, exploded, stopped, watch)
    }

    /// The last parameters, or those of the best epoch if there was a reason not to trust the last.
    fn learned(
        &mut self,
        theta: Vec<f64>,
        trace: Vec<f64>,
        exploded: Option<usize>,
        stopped: bool,
        watch: EarlyStopping,
    ) -> Result<Learned> {
        let epochs = trace.len();
        let finite = theta.iter().all(|v| v.is_finite());
        let keep_last = exploded.is_none() && self.held.is_empty() && finite;
        let last = trace.last().copied().unwrap_or(f64::NAN);
        let (parameters, best_epoch, loss) = if keep_last {
            (theta, epochs, last)
        } else {
            let Some((loss, epoch, best)) = self.best.take() else {
                let residual = f64::INFINITY;
                let (op, iterations) = (self.op, self.steps);
                return Err(Error::NoConvergence { op, iterations, residual, tolerance: 0.0 });
            };
            (best, epoch, loss)
        };
        let mut report = Report::new(trace, epochs, stopped, vec![last]);
        if exploded.is_some() {
            report.stop = Stop::Diverged;
        }
        Ok(Learned { parameters, loss, report, best_epoch, exploded, validation: watch.trace().to_vec() })
    }
}

/// Epochs whose losses stay on the device until they are read together, where nothing is held out and nobody watches.
const PENDING: usize = 64;

/// The same on a device. None if the loss was no longer a number there: f64 goes further, and the CPU has the last word.
pub(super) fn epochs_there(
    t: &Training,
    op: &'static str,
    mut there: Resident,
    (train, held): (&[usize], &[usize]),
) -> Result<Option<Learned>> {
    let batches = t.batches(train.len());
    let mut watch = EarlyStopping::new(t.patience)?;
    let (mut trace, mut stopped, mut best) = (Vec::new(), false, None::<(f64, usize)>);
    let (mut pending, most) = (Vec::new(), if held.is_empty() && t.progress.is_none() { PENDING } else { 1 });
    for epoch in 0..t.epochs {
        let rows = |batch: Vec<usize>| batch.into_iter().map(|r| train[r]).collect();
        let all: Vec<Vec<usize>> = batches.epoch(epoch)?.into_iter().map(rows).collect();
        pending.push(there.epoch(&all)?);
        if pending.len() < most && epoch + 1 < t.epochs {
            continue;
        }
        let losses = read(&pending)?;
        pending.clear();
        if !is_finite(&losses) {
            return Ok(None);
        }
        trace.extend(&losses);
        t.progress.report(op, epoch + 1, t.epochs, losses[losses.len() - 1])?;
        if held.is_empty() {
            continue;
        }
        let judged = there.validate(held)?;
        if judged.is_finite() && best.is_none_or(|(least, _)| judged < least) {
            best = Some((judged, epoch + 1));
            there.keep()?;
        }
        if watch.look(judged, &[]) {
            stopped = true;
            break;
        }
    }
    let last = trace.last().copied().unwrap_or(f64::NAN);
    let epochs = trace.len();
    let parameters = there.parameters()?;
    if !is_finite(&parameters) || (best.is_none() && !held.is_empty()) {
        return Ok(None);
    }
    let (loss, best_epoch) = best.unwrap_or((last, epochs));
    let report = Report::new(trace, epochs, stopped, vec![last]);
    let validation = watch.trace().to_vec();
    Ok(Some(Learned { parameters, loss, report, best_epoch, exploded: None, validation }))
}
