//! What carries messages between ranks, and the process that has nobody to send them to.

use crate::device::Adapter;
use crate::{Device, Error, Result};

/// A fixed number of processes, each with its place, that can send each other bytes.
///
/// Between two of them messages arrive in the order in which they were sent. All else ([`Meeting`](super::Meeting)) is
/// written over this.
pub trait Ranks {
    /// The place of this process, from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// The place of this process among those of its machine, from 0.
    fn local_rank(&self) -> usize {
        self.rank()
    }

    /// Sends `message` to another rank.
    ///
    /// # Errors
    /// [`Error::Exchange`] if nobody is there.
    fn send(&self, to: usize, message: &[u8]) -> Result<()>;

    /// Waits for the next message of another rank.
    ///
    /// # Errors
    /// [`Error::Exchange`] if nobody is there.
    fn receive(&self, from: usize) -> Result<Vec<u8>>;

    /// The adapter of this machine with the number of the local rank, of those that are usable and wanted, beginning again
    /// where there are more ranks than adapters: several may share one. None if there is none.
    fn adapter(&self, wanted: &dyn Fn(&Adapter) -> bool) -> Option<Adapter> {
        let usable: Vec<_> = Device::adapters().into_iter().filter(|a| a.usable && wanted(a)).collect();
        let count = usable.len();
        usable.into_iter().nth(self.local_rank().checked_rem(count)?)
    }

    /// The [`adapter`](Self::adapter) of this rank among those that are hardware, or the CPU if there is none.
    fn device(&self) -> Device {
        let own = self.adapter(&|adapter| !adapter.is_software());
        own.and_then(|adapter| Device::nth(adapter.index).ok()).unwrap_or_else(Device::cpu)
    }
}

/// One process: nothing is ever sent, and nothing is lost by asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&self, to: usize, _: &[u8]) -> Result<()> {
        Err(Error::Exchange { what: format!("there is no rank {to}: this process is alone") })
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>> {
        Err(Error::Exchange { what: format!("there is no rank {from}: this process is alone") })
    }

    fn device(&self) -> Device {
        Device::best()
    }
}
