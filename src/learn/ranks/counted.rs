//! What goes over the wire, counted.

use std::cell::Cell;

use super::world::Ranks;
use crate::{Device, Result};

/// Messages and bytes that one rank has sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// Messages sent. An exchange among P ranks is `2 (P - 1)` of them over all ranks.
    pub messages: usize,
    /// Bytes sent.
    pub bytes: usize,
}

/// Ranks whose messages are counted: `Counted::new(&world)` is used in its place.
pub struct Counted<'a> {
    ranks: &'a dyn Ranks,
    sent: Cell<Traffic>,
}

impl<'a> Counted<'a> {
    /// Counts from zero.
    pub fn new(ranks: &'a dyn Ranks) -> Self {
        Counted { ranks, sent: Cell::default() }
    }

    /// What this rank has sent so far.
    pub fn sent(&self) -> Traffic {
        self.sent.get()
    }
}

impl Ranks for Counted<'_> {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn local_rank(&self) -> usize {
        self.ranks.local_rank()
    }

    fn send(&self, to: usize, message: &[u8]) -> Result<()> {
        let Traffic { messages, bytes } = self.sent.get();
        self.sent.set(Traffic { messages: messages + 1, bytes: bytes + message.len() });
        self.ranks.send(to, message)
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>> {
        self.ranks.receive(from)
    }

    fn device(&self) -> Device {
        self.ranks.device()
    }
}
