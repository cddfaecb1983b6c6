//! Kernels between objects that are no rows of numbers: strings, documents, sequences, sets, trees, vertices, records.
//!
//! | to compare | use |
//! |---|---|
//! | strings | [`StringKernel`]: all substrings, substrings of one length, with gaps, characters |
//! | documents | [`TfIdf`] |
//! | sequences, by all their alignments | [`PairHmm`] |
//! | sets of objects | [`SetKernel`] |
//! | trees | [`TreeKernel`] of [`Tree`]s |
//! | vertices of a graph | [`Diffusion`](crate::models::graph::Diffusion) |
//! | records of several of these | [`Fused`], [`Part`]; [`fuse`], [`alignment`] and [`aligned_weights`] for matrices |
//!
//! All are an [`ObjectKernel`], which makes the matrix between objects and the one between new objects and those. [`Objects`]
//! brings them to every kernel method: there an observation is the number of an object. Checked in `tests/graph/`.
//!
//! ```
//! use mercer::kernel::structures::{Objects, StringKernel};
//! use mercer::prelude::*;
//! let names = ["anna", "hannah", "otto", "ottokar"].map(str::to_owned).to_vec();
//! let names = Objects::<str, _, _>::new(StringKernel::spectrum(2), names)?;
//! let y = ndarray::array![1.0_f64, 1.0, -1.0, -1.0];
//! let fit = KernelRidge::new(names.kernel(), 0.1).fit(&Device::cpu(), names.rows(), &y)?;
//! let new = names.add(vec!["johanna".to_owned(), "lotto".to_owned()])?; // after the fit
//! let said = fit.predict(&new)?;
//! assert!(said[0] > 0.0 && said[1] < 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

mod alignment;
mod documents;
mod fusion;
mod objects;
mod pair_hmm;
mod sets;
mod strings;
mod trees;

pub use alignment::{aligned_weights, alignment, centred_alignment, fuse};
pub use documents::TfIdf;
pub use fusion::{Fused, Part};
pub use objects::{Normalised, ObjectKernel, Objects};
pub use pair_hmm::PairHmm;
pub use sets::SetKernel;
pub use strings::StringKernel;
pub use trees::{Tree, TreeKernel};
