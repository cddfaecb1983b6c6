//! Ranks that are threads of one process: for tests, and to see what an algorithm would do on a cluster.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::world::Ranks;
use crate::{Error, Result};

/// One of several threads that send each other messages through memory.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    out: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

impl Threads {
    /// Runs `body` on `size` threads (at least one) and returns what each found, in the order of ranks.
    pub fn run<T: Send>(size: usize, body: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        let size = size.max(1);
        let mut from: Vec<Vec<Receiver<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
        let mut out: Vec<Vec<Sender<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
        for sender in &mut out {
            for receivers in &mut from {
                let (to, end) = channel();
                sender.push(to);
                receivers.push(end);
            }
        }
        let ranks =
            out.into_iter().zip(from).enumerate().map(|(rank, (out, from))| Threads { rank, out, from });
        std::thread::scope(|scope| {
            let body = &body;
            let running: Vec<_> = ranks.map(|own| scope.spawn(move || body(&own))).collect();
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }
}

fn gone(rank: usize) -> Error {
    Error::Exchange { what: format!("rank {rank} has gone") }
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.out.len()
    }

    fn send(&self, to: usize, message: &[u8]) -> Result<()> {
        let way = self.out.get(to).ok_or_else(|| gone(to))?;
        way.send(message.to_vec()).map_err(|_| gone(to))
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>> {
        let way = self.from.get(from).ok_or_else(|| gone(from))?;
        way.recv().map_err(|_| gone(from))
    }
}
