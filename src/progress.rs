//! What long work says of itself while it runs, and how it is stopped. Checked in `tests/learn/progress.rs`.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{Error, Result};

/// One step of a long computation, as a [`Progress`] callback sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The computation: a model, a test, a solver.
    pub op: &'static str,
    /// Steps made so far: iterations, blocks, folds, in all starts together.
    pub made: usize,
    /// Steps that will be made, if that is known; at most so many where an iteration may converge sooner.
    pub total: Option<usize>,
    /// What the computation watches: an objective, a residual, a score. NaN if there is nothing to watch.
    pub value: f64,
}

impl Step {
    /// Steps made, of all that will be made: in [0, 1], zero if their number is not known.
    pub fn share(&self) -> f64 {
        self.total.map_or(0.0, |all| (self.made as f64 / all.max(1) as f64).min(1.0))
    }
}

/// A callback of a long computation: none, one that looks on, or one that can stop it.
///
/// It is called after every step, and where a step keeps a GPU busy for long also between two submissions, about ten times a
/// second: then with the numbers of the last step. On [`ControlFlow::Break`] the computation ends in [`Error::Cancelled`].
/// It equals only itself and its clones, and is left out of saved models.
///
/// ```
/// use std::ops::ControlFlow;
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| (i as f64).sin());
/// let stop = Progress::new(|step| if step.made < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
/// let model = GaussianMixture::new(3).tolerance(0.0).progress(stop);
/// assert!(matches!(model.fit(&Device::cpu(), &x), Err(Error::Cancelled { .. })));
/// ```
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Callback>>);

type Callback = dyn Fn(&Step) -> ControlFlow<()> + Send + Sync;

impl Progress {
    /// Calls `f` after every step; [`ControlFlow::Break`] cancels.
    pub fn new(f: impl Fn(&Step) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Progress(Some(Arc::new(f)))
    }

    /// Calls `f` after every step, and never cancels.
    pub fn watch(f: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        Self::new(move |step| {
            f(step);
            ControlFlow::Continue(())
        })
    }

    /// Nobody is told anything.
    pub fn none() -> Self {
        Progress(None)
    }

    /// Whether nobody is told anything: then numbers need not come back to be told.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Tells of a step; the error if the caller has had enough.
    pub(crate) fn report(
        &self,
        op: &'static str,
        made: usize,
        total: impl Into<Option<usize>>,
        value: f64,
    ) -> Result<()> {
        let step = Step { op, made, total: total.into(), value };
        WATCHES.with_borrow_mut(|all| {
            if let Some((_, last)) = all.iter_mut().rev().find(|(watch, _)| watch == self) {
                *last = step;
            }
        });
        self.tell(&step)
    }

    fn tell(&self, step: &Step) -> Result<()> {
        let Some(f) = &self.0 else { return Ok(()) };
        match f(step) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled { op: step.op, iterations: step.made }),
        }
    }

    /// As long as the guard lives, a GPU that this thread keeps busy calls back between two submissions. Of nested guards the
    /// innermost with a callback is called.
    pub(crate) fn between_submissions(&self, op: &'static str) -> Watch {
        let told = self.0.is_some();
        if told {
            let none_yet = Step { op, made: 0, total: None, value: f64::NAN };
            WATCHES.with_borrow_mut(|all| all.push((self.clone(), none_yet)));
        }
        Watch { told, here: PhantomData }
    }
}

thread_local! {
    /// Who wants to know, innermost last, and the last step of each.
    static WATCHES: RefCell<Vec<(Progress, Step)>> = const { RefCell::new(Vec::new()) };
}

/// What [`Progress::between_submissions`] returns; it belongs to its thread, and guards end in the order of their scopes.
pub(crate) struct Watch {
    told: bool,
    here: PhantomData<*const ()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.told {
            WATCHES.with_borrow_mut(Vec::pop);
        }
    }
}

/// Tells whoever watches this thread that a device is still at it; the error if that is enough.
#[cfg(feature = "gpu")]
pub(crate) fn still_busy() -> Result<()> {
    // Nothing is borrowed while a user's callback runs.
    let innermost = WATCHES.with_borrow(|all| all.last().cloned());
    innermost.map_or(Ok(()), |(progress, step)| progress.tell(&step))
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(set)" } else { "Progress(none)" })
    }
}

impl PartialEq for Progress {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
