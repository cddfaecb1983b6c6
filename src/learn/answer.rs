//! What models answer: numbers, which are finite, or labels.

use ndarray::{Array, Dimension};

use crate::{Error, Result};

/// An answer of a model. Before it is handed out its numbers are seen to be finite.
pub trait Answer {
    /// The first number that is not finite, with its row and its column; none if all are, or if there are none.
    fn unfit(&self) -> Option<(f64, usize, usize)>;
}

impl<D: Dimension> Answer for Array<f64, D> {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        let columns = if self.ndim() > 1 { self.shape()[1].max(1) } else { 1 };
        let (at, value) = self.iter().enumerate().find(|(_, v)| !v.is_finite())?;
        Some((*value, at / columns, at % columns))
    }
}

impl Answer for f64 {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        (!self.is_finite()).then_some((*self, 0, 0))
    }
}

/// Labels are no numbers.
impl<L> Answer for Vec<L> {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        None
    }
}

/// What a model answers, or an error if that is not finite: no overflow is handed on as a number.
pub(crate) fn answered<A: Answer>(op: &'static str, answer: Result<A>) -> Result<A> {
    let answer = answer?;
    match answer.unfit() {
        None => Ok(answer),
        Some((value, row, col)) => Err(Error::Overflow { op, what: "the answer", value, row, col }),
    }
}
