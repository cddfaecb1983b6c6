//! Values as bytes, bit for bit: what ranks send each other, and what a checkpoint holds. Checked in `tests/ranks/wire.rs`.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use ndarray::{Array1, Array2, Array3, ShapeBuilder};

use crate::{Error, Result};

/// A value that becomes bytes and comes back the same, to the last bit. Numbers are little-endian.
pub trait Wire: Sized {
    /// Appends the value.
    fn write(&self, to: &mut Vec<u8>);

    /// Takes a value from the front.
    ///
    /// # Errors
    /// [`Error::Exchange`] for bytes that are no such value.
    fn read(from: &mut &[u8]) -> Result<Self>;

    /// The value as bytes.
    fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.write(&mut to);
        to
    }
}

/// The error of bytes that are not what they should be.
pub(crate) fn garbled() -> Error {
    Error::Exchange { what: "bytes that are no such value; do all ranks run the same program?".to_owned() }
}

/// The first `count` bytes, taken off.
fn take<'a>(from: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let (head, rest) = from.split_at_checked(count).ok_or_else(garbled)?;
    *from = rest;
    Ok(head)
}

macro_rules! numbers {
    ($($type:ty),+) => {$(
        impl Wire for $type {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut &[u8]) -> Result<Self> {
                let bytes = take(from, size_of::<$type>())?;
                Ok(<$type>::from_le_bytes(bytes.try_into().map_err(|_| garbled())?))
            }
        }
    )+};
}

numbers!(f64, f32, u8, u16, u32, u64, i8, i16, i32, i64);

impl Wire for usize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u64).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        usize::try_from(u64::read(from)?).map_err(|_| garbled())
    }
}

impl Wire for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(garbled()),
        }
    }
}

impl Wire for () {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut &[u8]) -> Result<Self> {
        Ok(())
    }
}

impl Wire for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let length = usize::read(from)?;
        String::from_utf8(take(from, length)?.to_vec()).map_err(|_| garbled())
    }
}

/// Texts of the program that came from another process: each different one is kept once, for as long as this one lives.
static TEXTS: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);

impl Wire for &'static str {
    fn write(&self, to: &mut Vec<u8>) {
        (*self).to_owned().write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let text = String::read(from)?;
        let mut known = TEXTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(same) = known.get(text.as_str()) {
            return Ok(same);
        }
        let kept: &'static str = Box::leak(text.into_boxed_str());
        known.insert(kept);
        Ok(kept)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        if bool::read(from)? { T::read(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        for v in self {
            v.write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let length = usize::read(from)?;
        // Nobody's word for a length is memory's: it grows with what is there.
        (0..length).map(|_| T::read(from)).collect()
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

impl<A: Wire, B: Wire, C: Wire> Wire for (A, B, C) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
        self.2.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Ok((A::read(from)?, B::read(from)?, C::read(from)?))
    }
}

/// Eight bytes a number, without a length: arrays have shapes.
fn numbers(from: &mut &[u8], count: Option<usize>) -> Result<Vec<f64>> {
    let bytes = take(from, count.and_then(|c| c.checked_mul(8)).ok_or_else(garbled)?)?;
    let (eights, _) = bytes.as_chunks::<8>();
    Ok(eights.iter().map(|b| f64::from_le_bytes(*b)).collect())
}

impl Wire for Array1<f64> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|v| v.write(to));
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let length = usize::read(from)?;
        numbers(from, Some(length)).map(Array1::from)
    }
}

/// Said of the rows of an array that lies in memory column by column.
const BY_COLUMNS: u64 = 1 << 63;

/// The order in memory returns too: sums over it are made in that order.
impl Wire for Array2<f64> {
    fn write(&self, to: &mut Vec<u8>) {
        let by_columns = !self.is_standard_layout() && self.t().is_standard_layout();
        let (rows, columns) = (self.nrows() as u64, self.ncols() as u64);
        (if by_columns { rows | BY_COLUMNS } else { rows }, columns).write(to);
        to.reserve(8 * self.len());
        if by_columns {
            self.t().iter().for_each(|v| v.write(to));
        } else {
            self.iter().for_each(|v| v.write(to));
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let (rows, columns) = <(u64, usize)>::read(from)?;
        let by_columns = rows & BY_COLUMNS != 0;
        let rows = usize::try_from(rows & !BY_COLUMNS).map_err(|_| garbled())?;
        let all = numbers(from, rows.checked_mul(columns))?;
        if by_columns {
            return Array2::from_shape_vec((rows, columns).f(), all).map_err(|_| garbled());
        }
        Array2::from_shape_vec((rows, columns), all).map_err(|_| garbled())
    }
}

impl Wire for Array3<f64> {
    fn write(&self, to: &mut Vec<u8>) {
        self.dim().write(to);
        self.iter().for_each(|v| v.write(to));
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        let shape = <(usize, usize, usize)>::read(from)?;
        let all = numbers(from, shape.0.checked_mul(shape.1).and_then(|c| c.checked_mul(shape.2)))?;
        Array3::from_shape_vec(shape, all).map_err(|_| garbled())
    }
}

/// [`Wire`] of a struct, field by field: `wired!(Sums { mass, total })`.
macro_rules! wired {
    ($own:ident $(<$param:ident>)? { $($field:ident),+ $(,)? }) => {
        impl $(<$param: $crate::saved::Wire>)? $crate::saved::Wire for $own $(<$param>)? {
            fn write(&self, to: &mut Vec<u8>) {
                $($crate::saved::Wire::write(&self.$field, to);)+
            }

            fn read(from: &mut &[u8]) -> $crate::Result<Self> {
                Ok($own { $($field: $crate::saved::Wire::read(from)?),+ })
            }
        }
    };
}

pub(crate) use wired;
