//! Exchanges between ranks: sums, gathers and broadcasts up and down one fixed tree, errors included. Checked in
//! `tests/ranks/meeting.rs`.

use std::cell::Cell;

use super::fault::Fault;
use super::world::{Alone, Ranks};
use crate::saved::{Checkpoint, Wire, garbled};
use crate::{Error, Result};

/// Work that ranks do together: between [`meet`]'s beginning and end any of them may fail at any place.
pub struct Meeting<'a> {
    ranks: &'a dyn Ranks,
    /// Whether an exchange has ended in an error, which all ranks have then.
    over: Cell<bool>,
}

/// Runs `body` on every rank. If it fails on one, all of them return its error: those that wait in an exchange at once, the
/// others at their next.
///
/// ```
/// use mercer::learn::ranks::{Ranks, Threads, meet};
/// let sums = Threads::run(3, |ranks| meet(ranks, |all| all.sum("doc", vec![ranks.rank() as f64, 1.0])));
/// for sum in sums {
///     assert_eq!(sum?, [3.0, 3.0]);
/// }
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// That of the lowest rank that has one, as [`Error::OnRank`] unless all ranks have the same or it is
/// [`Error::Cancelled`].
pub fn meet<T>(ranks: &dyn Ranks, body: impl FnOnce(&Meeting) -> Result<T>) -> Result<T> {
    let meeting = Meeting { ranks, over: Cell::new(false) };
    let found = body(&meeting);
    if meeting.over.get() || meeting.alone() {
        return found;
    }
    let (found, told) = match found {
        Ok(found) => (Some(found), Ok(())),
        Err(e) => (None, Err(e)),
    };
    meeting.exchange("the end", told, |(), ()| Ok(()))?;
    found.ok_or_else(garbled)
}

impl Meeting<'static> {
    /// That of one process, which exchanges nothing.
    pub(crate) fn alone_here() -> Self {
        Meeting { ranks: &Alone, over: Cell::new(false) }
    }
}

impl Meeting<'_> {
    /// The place of this process, from 0.
    pub fn rank(&self) -> usize {
        self.ranks.rank()
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.ranks.size()
    }

    /// Whether there is nobody else.
    pub fn alone(&self) -> bool {
        self.size() == 1
    }

    /// The values of all ranks, put together by `add` in an order that depends on the number of ranks alone; every rank
    /// has the result. Rank r begins with its own and adds those of r + 1, r + 2, r + 4, ..., each of which has added
    /// those below it in the tree before.
    ///
    /// # Errors
    /// That of any rank; [`Error::Exchange`] if ranks are at different places of a program, named by `op`.
    pub fn together<T: Wire>(
        &self,
        op: &'static str,
        own: T,
        add: impl FnMut(&mut T, T) -> Result<()>,
    ) -> Result<T> {
        if self.alone() {
            return Ok(own);
        }
        let mut add = add;
        self.exchange(op, Ok(own), |a, b| add(a, b))
    }

    /// The sums of numbers, entry by entry.
    ///
    /// # Errors
    /// As [`Meeting::together`], and [`Error::Exchange`] for lists of different lengths.
    pub fn sum(&self, op: &'static str, own: Vec<f64>) -> Result<Vec<f64>> {
        self.together(op, own, |a, b| {
            if a.len() != b.len() {
                return Err(Error::Exchange { what: format!("{op}: {} numbers and {}", a.len(), b.len()) });
            }
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            Ok(())
        })
    }

    /// The sum of one number.
    ///
    /// # Errors
    /// As [`Meeting::together`].
    pub fn total(&self, op: &'static str, own: f64) -> Result<f64> {
        self.together(op, own, |a, b| {
            *a += b;
            Ok(())
        })
    }

    /// Whether it holds on any rank.
    ///
    /// # Errors
    /// As [`Meeting::together`].
    pub fn any(&self, op: &'static str, own: bool) -> Result<bool> {
        self.together(op, own, |a, b| {
            *a |= b;
            Ok(())
        })
    }

    /// What each rank has, in the order of ranks.
    ///
    /// # Errors
    /// As [`Meeting::together`].
    pub fn gather<T: Wire>(&self, op: &'static str, own: T) -> Result<Vec<T>> {
        let mut all = self.together(op, vec![(self.rank(), own)], |a, mut b| {
            a.append(&mut b);
            Ok(())
        })?;
        all.sort_by_key(|(rank, _)| *rank);
        Ok(all.into_iter().map(|(_, value)| value).collect())
    }

    /// What rank 0 has; the others give what they like.
    ///
    /// # Errors
    /// As [`Meeting::together`].
    pub fn broadcast<T: Wire>(&self, op: &'static str, own: Option<T>) -> Result<T> {
        let own = own.filter(|_| self.rank() == 0);
        self.together(op, own, |_, _| Ok(()))?.ok_or_else(garbled)
    }

    /// Deals out the indices `0..count`, the i-th to rank `i mod size`; every rank has the answers to all of them, in
    /// order: permutations, restarts, folds, candidates, chains.
    ///
    /// # Errors
    /// That of the lowest rank that has one.
    pub fn deal<T: Wire>(
        &self,
        op: &'static str,
        count: usize,
        work: impl Fn(usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        let own = (self.rank()..count)
            .step_by(self.size())
            .map(|i| Ok((i, work(i)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut all = self.together(op, own, |a, mut b| {
            a.append(&mut b);
            Ok(())
        })?;
        all.sort_by_key(|(i, _)| *i);
        Ok(all.into_iter().map(|(_, value)| value).collect())
    }

    /// A checkpoint for this rank, known by what all ranks depend on: rank 0 reads the file and tells all, and writes it alone.
    pub(crate) fn checkpoint(&self, of: &Checkpoint) -> Result<Checkpoint> {
        let read = if self.rank() == 0 { Some(of.found()?) } else { None };
        let digests = self.gather("checkpoint", of.digest())?;
        Ok(of.shared(self.broadcast("checkpoint", read)?, digests, self.rank() == 0))
    }

    fn exchange<T: Wire>(
        &self,
        op: &'static str,
        own: Result<T>,
        add: impl FnMut(&mut T, T) -> Result<()>,
    ) -> Result<T> {
        let found = self.up_and_down(op, own, add);
        if found.is_err() {
            self.over.set(true);
        }
        found
    }

    fn up_and_down<T: Wire>(
        &self,
        op: &'static str,
        own: Result<T>,
        mut add: impl FnMut(&mut T, T) -> Result<()>,
    ) -> Result<T> {
        let (rank, size) = (self.rank(), self.size());
        let mut value = own.map_err(|error| Fault { rank, everywhere: true, error });
        let mut step = 1;
        while step < size && rank.is_multiple_of(2 * step) {
            if rank + step < size {
                let theirs = opened(op, &self.ranks.receive(rank + step)?, rank);
                value = match (value, theirs) {
                    (Ok(mut a), Ok(b)) => match add(&mut a, b) {
                        Ok(()) => Ok(a),
                        Err(error) => Err(Fault { rank, everywhere: false, error }),
                    },
                    (a, b) => Fault::of(a.err(), b.err())
                        .map_or_else(|| Err(Fault { rank, everywhere: false, error: garbled() }), Err),
                };
            }
            step *= 2;
        }
        // `step` is now the lowest bit of this rank: the distance to the one that waits for it, or beyond all for rank 0.
        let result = if rank == 0 {
            sealed(op, value)
        } else {
            self.ranks.send(rank - step, &sealed(op, value))?;
            self.ranks.receive(rank - step)?
        };
        let mut below = step;
        while below > 1 {
            below /= 2;
            if rank + below < size {
                self.ranks.send(rank + below, &result)?;
            }
        }
        opened(op, &result, rank).map_err(Fault::into_error)
    }
}

/// A message: the place in the program, then a value or a fault.
fn sealed<T: Wire>(op: &'static str, value: std::result::Result<T, Fault>) -> Vec<u8> {
    let mut message = Vec::new();
    match value {
        Ok(value) => {
            true.write(&mut message);
            op.write(&mut message);
            value.write(&mut message);
        }
        Err(fault) => {
            false.write(&mut message);
            (fault.rank, fault.everywhere, fault.error).write(&mut message);
        }
    }
    message
}

fn opened<T: Wire>(op: &'static str, message: &[u8], here: usize) -> std::result::Result<T, Fault> {
    let mut rest = message;
    let mut read = || {
        if !bool::read(&mut rest)? {
            return Ok(Err(<(usize, bool, Error)>::read(&mut rest)?));
        }
        let theirs = String::read(&mut rest)?;
        if theirs != op {
            return Err(Error::Exchange { what: format!("one rank is at {op:?}, another at {theirs:?}") });
        }
        let value = T::read(&mut rest)?;
        if rest.is_empty() { Ok(Ok(value)) } else { Err(garbled()) }
    };
    match read() {
        Ok(Ok(value)) => Ok(value),
        Ok(Err((rank, everywhere, error))) => Err(Fault { rank, everywhere, error }),
        Err(error) => Err(Fault { rank: here, everywhere: false, error }),
    }
}
