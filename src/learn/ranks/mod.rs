//! Several processes that fit one model together, each with rows of its own that no other sees.
//!
//! | to do | look at |
//! |---|---|
//! | fit a model whose rows lie on several machines | [`FitAcross`], `fit_across` of the model; [`FitWeightedAcross`] |
//! | be one process, or several | [`Alone`], [`Threads`]; the crate `mercer-mpi` for MPI |
//! | write an algorithm over ranks | [`meet`], [`Meeting`] |
//! | share out independent work | [`Meeting::deal`] |
//! | know what it costs | [`Counted`], `docs/cluster.md` |
//!
//! All that ranks exchange goes up a fixed binary tree to rank 0, added on the way, and down again: the same number of
//! ranks gives the same bits every time. An error travels in the place of the sum, so that an [`Error`] on one rank is
//! the same [`Error`] on all after the next exchange, and nobody waits for one who has gone. What is computed from sums
//! every rank computes for itself; the machines should be of one kind, so that they all take the same decisions. If they
//! do not, the exchange after it is an [`Error::Exchange`].
//!
//! ```
//! use mercer::learn::ranks::{Ranks, Threads};
//! use mercer::prelude::*;
//! let x = ndarray::array![[0.0], [0.2], [5.0], [5.2], [0.1]];
//! let whole = KMeans::new(2).fit(&Device::cpu(), &x)?;
//! let fits = Threads::run(2, |ranks| {
//!     let part = if ranks.rank() == 0 { x.slice(ndarray::s![..2, ..]) } else { x.slice(ndarray::s![2.., ..]) };
//!     KMeans::new(2).fit_across(ranks, &Device::cpu(), part)
//! });
//! for fit in fits {
//!     assert!((fit?.cost() - whole.cost()).abs() < 1e-12);
//! }
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! [`Error`]: crate::Error
//! [`Error::Exchange`]: crate::Error::Exchange

mod across;
mod counted;
mod fault;
mod fits;
mod meeting;
mod rows;
mod threads;
mod world;

pub(crate) use across::across;
pub use across::{FitAcross, FitWeightedAcross};
pub use counted::{Counted, Traffic};
pub(crate) use fits::fits_across;
pub use meeting::{Meeting, meet};
pub(crate) use rows::{Moments, Part};
pub use threads::Threads;
pub use world::{Alone, Ranks};
