//! [`mercer`]'s fits over MPI: every rank calls `fit_across` with the rows that it has.
//!
//! ```no_run
//! use mercer::prelude::*;
//! use mercer::learn::ranks::Ranks;
//! use mercer_mpi::Mpi;
//!
//! let world = Mpi::start()?; // under `mpirun -n 8 ...`, or alone
//! let own = ndarray::Array2::from_shape_fn((1000, 4), |(i, j)| ((i * 7 + j + world.rank()) as f64).sin());
//! let fit = GaussianMixture::new(3).fit_across(&world, &world.device(), &own)?;
//! if world.rank() == 0 {
//!     println!("{}", fit.report());
//! }
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! It is a crate beside `mercer` and not a feature of it: OpenMPI and libclang are on clusters, and whoever builds
//! `mercer` with all of its features, its own tests or docs.rs, should need neither.

use mercer::learn::ranks::Ranks;
use mercer::{Error, Result};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

/// The ranks of `MPI_COMM_WORLD`. MPI ends when it is dropped, and can be started once in a process. Dropped by a panic it
/// ends the processes of all ranks, which would otherwise wait for messages of this one.
pub struct Mpi {
    world: SimpleCommunicator,
    local: usize,
    /// Dropped last: it finalises MPI.
    _universe: Universe,
}

impl Mpi {
    /// Starts MPI in this process.
    ///
    /// # Errors
    /// [`Error::Exchange`] if it was started before.
    pub fn start() -> Result<Self> {
        let again = || Error::Exchange { what: "MPI can be started once in a process".to_owned() };
        let universe = mpi::initialize().ok_or_else(again)?;
        let world = universe.world();
        // Those who share memory are on one machine.
        let local = world.split_shared(world.rank()).rank();
        Ok(Mpi { world, local: usize::try_from(local).unwrap_or(0), _universe: universe })
    }

    fn peer(&self, rank: usize) -> Result<i32> {
        let none = || Error::Exchange { what: format!("there is no rank {rank} of {}", self.size()) };
        i32::try_from(rank).ok().filter(|r| *r < self.world.size()).ok_or_else(none)
    }
}

/// The status that a panic ends a Rust program with.
const PANICKED: i32 = 101;

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.world.abort(PANICKED);
        }
    }
}

impl Ranks for Mpi {
    fn rank(&self) -> usize {
        usize::try_from(self.world.rank()).unwrap_or(0)
    }

    fn size(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    fn local_rank(&self) -> usize {
        self.local
    }

    fn send(&self, to: usize, message: &[u8]) -> Result<()> {
        // MPI counts in i32: what is longer goes in pieces, announced by their total.
        let peer = self.world.process_at_rank(self.peer(to)?);
        peer.send(&(message.len() as u64));
        for piece in message.chunks(PIECE) {
            peer.send(piece);
        }
        Ok(())
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>> {
        let peer = self.world.process_at_rank(self.peer(from)?);
        let (length, _) = peer.receive::<u64>();
        let length = usize::try_from(length)
            .map_err(|_| Error::Exchange { what: format!("a message of {length} bytes") })?;
        let mut message = vec![0u8; length];
        for piece in message.chunks_mut(PIECE) {
            peer.receive_into(piece);
        }
        Ok(message)
    }
}

/// Bytes that MPI carries at a time.
const PIECE: usize = 1 << 30;
