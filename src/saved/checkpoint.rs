//! Where a long fit has got to, in a file: written now and then, read by whoever starts it again. Checked in
//! `tests/ranks/checkpoints.rs`.

use std::fmt::Debug;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ndarray::ArrayView2;

use super::wire::Wire;
use crate::{Error, Result};

/// The first bytes of every such file, and the version of what follows.
const MAGIC: &[u8; 16] = b"mercer progress2";

/// A file that an iterative fit writes its state to every so many iterations, and goes on from if it is there.
///
/// The same fit of the same data on the same ranks, started again, ends in the same bits as one that was never interrupted. The file is
/// replaced as a whole: a process killed while it writes leaves the one before. It is removed when the fit is done. Of
/// several ranks the first writes it, and what it reads all others are sent.
///
/// ```
/// use mercer::prelude::*;
/// use mercer::saved::Checkpoint;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| (i as f64).sin());
/// let file = std::env::temp_dir().join(format!("mercer-doc-{}.state", std::process::id()));
/// let fit = GaussianMixture::new(2).checkpoint(Checkpoint::new(&file).every(5)).fit(&Device::cpu(), &x)?;
/// assert!(fit.report().converged() && !file.exists());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[allow(clippy::option_option, reason = "nobody has looked, or there was nothing")]
pub struct Checkpoint {
    path: PathBuf,
    every: usize,
    /// What was found for this rank, if another one reads the file.
    given: Option<Option<Arc<Vec<u8>>>>,
    writes: bool,
    /// What the fit depends on, as one number.
    digest: u64,
}

impl Checkpoint {
    /// A file at `path`, written every 10 iterations.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Checkpoint { path: path.as_ref().to_owned(), every: 10, given: None, writes: true, digest: 0 }
    }

    /// How many iterations lie between two writes.
    #[must_use]
    pub fn every(mut self, iterations: usize) -> Self {
        self.every = iterations.max(1);
        self
    }

    /// Names what the fit depends on: `settings` as they print, every digit of them. A file that was written with other
    /// settings is refused. Models of this crate name all of their settings and data; a model of your own names its by this.
    #[must_use]
    pub fn of(mut self, settings: &dyn Debug) -> Self {
        self.digest = mixed(self.digest, format!("{settings:#?}").into_bytes().into_iter().map(u64::from));
        self
    }

    /// Names numbers that the fit depends on, and their shape.
    #[must_use]
    pub(crate) fn of_rows(mut self, x: ArrayView2<f64>) -> Self {
        let (n, d) = x.dim();
        self.digest = mixed(mixed(self.digest, [n as u64, d as u64]), x.iter().map(|v| v.to_bits()));
        self
    }

    /// What the fit depends on, as one number.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same for a rank that is told what the file holds, and on what the fit of each rank depends, and which writes it
    /// if `writes`.
    pub(crate) fn shared(&self, found: Option<Vec<u8>>, digests: Vec<u64>, writes: bool) -> Self {
        Checkpoint { given: Some(found.map(Arc::new)), writes, digest: mixed(0, digests), ..self.clone() }
    }

    /// Whether the state is to be written after so many iterations.
    pub(crate) fn due(&self, made: usize) -> bool {
        made > 0 && made.is_multiple_of(self.every)
    }

    fn failed(&self, what: impl ToString) -> Error {
        Error::File { path: self.path.display().to_string(), what: what.to_string() }
    }

    /// The bytes of the file, if there is one.
    pub(crate) fn found(&self) -> Result<Option<Vec<u8>>> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// The state that a fit of this name left, if it left one.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, is damaged, or is that of another fit.
    pub(crate) fn load<T: Wire>(&self, of: &str) -> Result<Option<T>> {
        let found = match &self.given {
            Some(given) => given.as_deref().cloned(),
            None => self.found()?,
        };
        let Some(bytes) = found else { return Ok(None) };
        let damaged = || self.failed("is no checkpoint, or a damaged one; remove it to start afresh");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (body, sum) = rest.split_last_chunk::<8>().ok_or_else(damaged)?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return Err(damaged());
        }
        let mut body = body;
        let name = String::read(&mut body).map_err(|_| damaged())?;
        if name != of {
            return Err(self.failed(format!(
                "is the checkpoint of {name:?}, this is {of:?}; remove it or choose another"
            )));
        }
        if u64::read(&mut body).map_err(|_| damaged())? != self.digest {
            let what = "was written with other settings, of other data, or by ranks that share them out otherwise; remove it \
                or choose another";
            return Err(self.failed(what));
        }
        let state = T::read(&mut body).map_err(|_| damaged())?;
        if body.is_empty() { Ok(Some(state)) } else { Err(damaged()) }
    }

    /// Replaces the file.
    pub(crate) fn store(&self, of: &str, state: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        if !self.writes {
            return Ok(());
        }
        let mut body = of.to_owned().bytes();
        self.digest.write(&mut body);
        state(&mut body);
        let beside = self.path.with_extension("writing");
        let write = || {
            let mut file = fs::File::create(&beside)?;
            file.write_all(MAGIC)?;
            file.write_all(&body)?;
            file.write_all(&checksum(&body).to_le_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &self.path)
        };
        write().map_err(|e| self.failed(e))
    }

    /// Removes the file of a fit that is done.
    pub(crate) fn done(&self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(e) if self.writes && e.kind() != ErrorKind::NotFound => Err(self.failed(e)),
            _ => Ok(()),
        }
    }
}

/// A digest of words in their order: one word that differs makes it another number.
fn mixed(from: u64, words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(from, |h, word| (h.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95))
}

/// FNV-1a: enough to know a file that was cut short.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
