//! What data leave of a prior variance.

use crate::{Error, Result};

/// `prior - explained`: nothing, rather than less. NaN if the difference is no number, for infinity less infinity is not
/// certainty; [`known`] refuses it.
pub(crate) fn left(prior: f64, explained: f64) -> f64 {
    let rest = prior - explained;
    if rest.is_finite() { rest.max(0.0) } else { f64::NAN }
}

/// Refuses a variance that has overflowed; `first` is the row of x that the first of them belongs to.
pub(crate) fn known<'a>(
    op: &'static str,
    first: usize,
    variances: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    match variances.into_iter().enumerate().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some((at, &value)) => {
            Err(Error::Overflow { op, what: "the variance", value, row: first + at, col: 0 })
        }
    }
}
