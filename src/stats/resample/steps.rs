//! The steps of a test, counted for its progress.

use crate::progress::Watch;
use crate::{Progress, Result};

pub(in crate::stats) struct Steps<'a> {
    op: &'static str,
    progress: &'a Progress,
    made: usize,
    all: usize,
    /// A step may keep a GPU busy for long.
    _watch: Watch,
}

impl<'a> Steps<'a> {
    pub fn new(op: &'static str, progress: &'a Progress, all: usize) -> Self {
        Steps { op, progress, made: 0, all, _watch: progress.between_submissions(op) }
    }

    /// One step more: a block of a Gram matrix, or a part of the resamples.
    pub fn made(&mut self) -> Result<()> {
        self.made += 1;
        self.progress.report(self.op, self.made, self.all, f64::NAN)
    }
}
