//! What a long test says of itself while it runs, and how it is stopped. Checked in `tests/stats/progress.rs`.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::linalg::Progress;
use crate::{Error, Result};

/// A [`Progress`] as a field of a test: called after each step (a block of a Gram matrix, or a part of the resamples) with
/// the steps made so far and their share of all; on [`ControlFlow::Break`] the test ends in [`Error::Cancelled`].
///
/// It prints as its name and equals only itself and its clones.
///
/// ```
/// use std::ops::ControlFlow;
/// use mercer::{Device, Error, stats::{TwoSampleTest, Watch}};
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| (i as f64).sin());
/// let stop = Watch::new(|_, share| if share < 0.5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
/// let test = TwoSampleTest { progress: Some(stop), ..TwoSampleTest::default() };
/// assert!(matches!(test.run(&Device::cpu(), x.view(), x.view()), Err(Error::Cancelled { .. })));
/// ```
#[derive(Clone)]
pub struct Watch(Progress);

impl Watch {
    /// Calls `f` with the steps made and their share of all.
    pub fn new(f: impl Fn(usize, f64) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Watch(Arc::new(f))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The steps of a test, counted.
pub(super) struct Steps<'a> {
    op: &'static str,
    watch: Option<&'a Watch>,
    made: usize,
    all: usize,
}

impl<'a> Steps<'a> {
    pub fn new(op: &'static str, watch: Option<&'a Watch>, all: usize) -> Self {
        Steps { op, watch, made: 0, all }
    }

    /// One step more.
    pub fn made(&mut self) -> Result<()> {
        self.made += 1;
        let share = self.made as f64 / self.all.max(1) as f64;
        match self.watch {
            Some(Watch(f)) if f(self.made, share).is_break() => {
                Err(Error::Cancelled { op: self.op, iterations: self.made })
            }
            _ => Ok(()),
        }
    }
}
