//! Large host buffers between two uses.
//!
//! A system zeroes every page before it hands it out, and a virtual machine may have to ask its host for it first: the
//! 128 MB of a 4000 x 4000 matrix took 0.05 to 0.2 s where this was measured, and 0.004 s to be written again. So a
//! buffer that a [`Matrix`](crate::Matrix) leaves waits for the next of the same size, as the buffers of a GPU do. Whoever
//! makes a matrix of another size sends all that wait back to the system: large matrices never stand beside buffers that
//! they cannot use. Whatever else is allocated finds at most 256 MB waiting.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::Array2;

/// Bytes from which a buffer is kept here. Smaller ones glibc keeps by itself: its threshold for giving memory back grows
/// with what is freed, up to this.
const LARGE: usize = 32 << 20;
/// Bytes that may wait in all.
const KEPT: usize = 256 << 20;

/// Buffers that wait, the oldest first.
struct Shelf(Mutex<Vec<Vec<f64>>>);

static SHELF: Shelf = Shelf(Mutex::new(Vec::new()));

fn bytes(len: usize) -> usize {
    len.saturating_mul(size_of::<f64>())
}

impl Shelf {
    fn idle(&self) -> MutexGuard<'_, Vec<Vec<f64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, len: usize) -> Option<Vec<f64>> {
        if bytes(len) < LARGE {
            return None;
        }
        let mut idle = self.idle();
        let at = idle.iter().rposition(|buffer| buffer.len() == len);
        if at.is_none() {
            idle.clear();
        }
        at.map(|at| idle.remove(at))
    }

    /// Keeps a buffer, if it is large and not too large; the oldest make room for it.
    fn leave(&self, buffer: Vec<f64>) {
        if !(LARGE..=KEPT).contains(&bytes(buffer.len())) || buffer.len() != buffer.capacity() {
            return;
        }
        let mut idle = self.idle();
        idle.push(buffer);
        while idle.iter().map(|buffer| bytes(buffer.len())).sum::<usize>() > KEPT {
            idle.remove(0);
        }
    }
}

/// A buffer of so many entries, with whatever is in them, if one waits.
pub(crate) fn take(len: usize) -> Option<Vec<f64>> {
    SHELF.take(len)
}

/// The array of a matrix on the host, whose buffer is kept when the matrix goes.
pub(crate) struct Host(Array2<f64>);

impl Host {
    pub fn new(a: Array2<f64>) -> Self {
        Host(a)
    }

    pub fn into_array(mut self) -> Array2<f64> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Host {
    type Target = Array2<f64>;

    fn deref(&self) -> &Array2<f64> {
        &self.0
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        SHELF.leave(std::mem::take(&mut self.0).into_raw_vec_and_offset().0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::host::memory::zeros;

    const LEN: usize = LARGE / 8;

    #[test]
    fn a_buffer_waits_for_its_size_and_never_beside_another() {
        let shelf = Shelf(Mutex::default());
        let buffer = vec![7.0; LEN];
        let at = buffer.as_ptr();
        shelf.leave(buffer);
        assert_eq!(shelf.take(LEN).map(|b| b.as_ptr()), Some(at));
        assert_eq!(shelf.take(LEN), None, "it is in use");
        shelf.leave(vec![7.0; LEN]);
        assert_eq!(shelf.take(LEN - 1), None, "too small to be worth it");
        assert_eq!(shelf.idle().len(), 1, "and no reason to clear the shelf");
        assert_eq!(shelf.take(LEN + 1), None);
        assert!(shelf.idle().is_empty(), "another size was asked for");
    }

    #[test]
    fn no_more_waits_than_is_said() {
        let shelf = Shelf(Mutex::default());
        for len in [LEN - 1, KEPT / 8 + 1] {
            shelf.leave(vec![0.0; len]);
            assert!(shelf.idle().is_empty(), "{len}");
        }
        for len in [KEPT / 16, KEPT / 16, KEPT / 16 + 1] {
            shelf.leave(vec![0.0; len]);
        }
        assert_eq!(shelf.idle().iter().map(Vec::len).collect::<Vec<_>>(), [KEPT / 16 + 1], "the oldest go");
    }

    #[test]
    fn zeros_are_zeros_whatever_was_there() {
        for _ in 0..3 {
            drop(Matrix::from_host(Array2::from_elem((2053, 2049), f64::NAN)));
            assert!(zeros(2049, 2053).iter().all(|&v| v == 0.0));
        }
    }
}
