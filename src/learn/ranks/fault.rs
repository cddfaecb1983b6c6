//! Errors on their way to other ranks: each arrives as what it was.

use crate::saved::{Wire, garbled};
use crate::{Error, Result};

/// `variant => number { fields }` for every variant with named fields, in both directions.
macro_rules! errors {
    ($($number:literal $variant:ident { $($field:ident),* }),+ $(,)?) => {
        impl Wire for Error {
            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $(Error::$variant { $($field),* } => {
                        to.push($number);
                        $($field.write(to);)*
                    })+
                    Error::OnRank { rank, error } => {
                        to.push(100);
                        rank.write(to);
                        error.write(to);
                    }
                    Error::NoGpu(what) => {
                        to.push(101);
                        what.write(to);
                    }
                    Error::DeviceLost(what) => {
                        to.push(102);
                        what.write(to);
                    }
                }
            }

            fn read(from: &mut &[u8]) -> Result<Self> {
                Ok(match u8::read(from)? {
                    $($number => Error::$variant { $($field: Wire::read(from)?),* },)+
                    100 => Error::OnRank { rank: Wire::read(from)?, error: Box::new(Wire::read(from)?) },
                    101 => Error::NoGpu(Wire::read(from)?),
                    102 => Error::DeviceLost(Wire::read(from)?),
                    _ => return Err(garbled()),
                })
            }
        }
    };
}

errors! {
    0 Shape { op, what },
    1 Overflow { op, what, value, row, col },
    2 NotFinite { op, what, value, row, col },
    3 Parameter { name, value, requirement },
    4 UnknownName { kind, name, known },
    5 DeviceMismatch { op, left, right },
    6 NotPositiveDefinite { op, pivot, value },
    7 Separable { op },
    8 Singular { op, index, value },
    9 NoConvergence { op, iterations, residual, tolerance },
    10 Cancelled { op, iterations },
    11 Unsupported { op, what, device, instead },
    12 TooLarge { what, need, limit },
    13 OverBudget { op, need, budget, instead },
    14 MissingFeature { adapter, feature },
    15 Gpu { op, message },
    16 OutOfMemory { op, message },
    17 Timeout { seconds },
    18 Exchange { what },
    19 File { path, what },
}

/// What one or several ranks met: the error of the lowest, and whether all so far met the same.
pub(super) struct Fault {
    pub rank: usize,
    pub everywhere: bool,
    pub error: Error,
}

impl Fault {
    /// That of two groups of ranks of which the first has the lower ones; `None` met nothing.
    pub fn of(low: Option<Fault>, high: Option<Fault>) -> Option<Fault> {
        match (low, high) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(Fault { everywhere: false, ..one }),
            (Some(low), Some(high)) => {
                let same = low.error.bytes() == high.error.bytes();
                Some(Fault { everywhere: low.everywhere && high.everywhere && same, ..low })
            }
        }
    }

    /// As every rank returns it. What all ranks met, such as a parameter out of its domain, has no rank, nor has the
    /// wish to stop.
    pub fn into_error(self) -> Error {
        match self.error {
            error @ (Error::Cancelled { .. } | Error::OnRank { .. }) => error,
            error if self.everywhere => error,
            error => Error::OnRank { rank: self.rank, error: Box::new(error) },
        }
    }
}
