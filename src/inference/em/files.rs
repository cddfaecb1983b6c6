//! Data in files, read a batch at a time: nobody holds all of them. Checked in `tests/ranks/files.rs`.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ndarray::Array2;
#[cfg(feature = "npy")]
use ndarray::{ArrayView2, s};

use super::batches::Batches;
use crate::check::parameter;
use crate::learn::ranks::Ranks;
use crate::{Error, Result};

fn failed(path: &Path, what: impl ToString) -> Error {
    Error::File { path: path.display().to_string(), what: what.to_string() }
}

/// The rows of one rank of all `n`: as many as each other's, up to one.
fn share(n: usize, ranks: &dyn Ranks) -> Range<usize> {
    ranks.rank() * n / ranks.size()..(ranks.rank() + 1) * n / ranks.size()
}

/// Numbers in a text file, a row a line, between commas: read in chunks, again at every visit.
///
/// ```
/// use mercer::inference::em::CsvBatches;
/// use mercer::prelude::*;
/// let path = std::env::temp_dir().join(format!("mercer-doc-{}.csv", std::process::id()));
/// std::fs::write(&path, "height,width\n1.0,2.5\n1.5,2.0\n7.0,-1\n7.5,-1.5\n").unwrap();
/// let rows = CsvBatches::open(&path, true, 3)?;
/// let fit = GaussianMixture::new(1).fit_batches(&Device::cpu(), &rows)?;
/// assert_eq!((rows.rows(), rows.columns(), fit.means()[[0, 0]]), (4, 2, 4.25));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CsvBatches {
    path: PathBuf,
    columns: usize,
    /// Where every batch of the file begins: its first row, its line and its byte.
    marks: Vec<(usize, usize, u64)>,
    size: usize,
    total: usize,
    own: Range<usize>,
}

impl CsvBatches {
    /// The file at `path`, whose first line are names if `header`, in batches of so many rows. It is read once to count
    /// them.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, [`Error::Parameter`] for batches without rows.
    pub fn open(path: impl AsRef<Path>, header: bool, rows: usize) -> Result<Self> {
        let path = path.as_ref().to_owned();
        parameter("rows of a batch", rows as f64, rows > 0, "must be at least 1")?;
        let mut file = BufReader::new(File::open(&path).map_err(|e| failed(&path, e))?);
        let (mut total, mut line, mut byte, mut columns, mut marks) = (0, 0, 0u64, 0, Vec::new());
        let mut text = String::new();
        loop {
            text.clear();
            let read = file.read_line(&mut text).map_err(|e| failed(&path, e))?;
            if read == 0 {
                break;
            }
            if (line > 0 || !header) && !text.trim().is_empty() {
                if total == 0 {
                    columns = text.split(',').count();
                }
                if total % rows == 0 {
                    marks.push((total, line, byte));
                }
                total += 1;
            }
            line += 1;
            byte += read as u64;
        }
        Ok(CsvBatches { path, columns, marks, size: rows, total, own: 0..total })
    }

    /// This rank's share of the rows: as many as every other's, up to one.
    #[must_use]
    pub fn share(mut self, ranks: &dyn Ranks) -> Self {
        self.own = share(self.total, ranks);
        self
    }

    /// The rows of the file.
    pub fn rows(&self) -> usize {
        self.total
    }

    /// The numbers of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The rows of the file from one to another.
    fn read(&self, wanted: Range<usize>) -> Result<Array2<f64>> {
        let (first, mut line, byte) = self.marks[wanted.start / self.size];
        let mut file = BufReader::new(File::open(&self.path).map_err(|e| failed(&self.path, e))?);
        file.seek(SeekFrom::Start(byte)).map_err(|e| failed(&self.path, e))?;
        let mut numbers = Vec::with_capacity(wanted.len() * self.columns);
        let (mut row, mut text) = (first, String::new());
        while row < wanted.end {
            text.clear();
            if file.read_line(&mut text).map_err(|e| failed(&self.path, e))? == 0 {
                return Err(failed(&self.path, format!("ends after {row} rows, and had {}", self.total)));
            }
            line += 1;
            if text.trim().is_empty() {
                continue;
            }
            row += 1;
            if row <= wanted.start {
                continue;
            }
            let before = numbers.len();
            for (j, word) in text.trim().split(',').enumerate() {
                let number = word.trim().parse::<f64>();
                let what = || format!("line {line}, column {}: {word:?} is no number", j + 1);
                numbers.push(number.map_err(|_| failed(&self.path, what()))?);
            }
            if numbers.len() - before != self.columns {
                let found = numbers.len() - before;
                return Err(failed(
                    &self.path,
                    format!("line {line} has {found} numbers, the first row {}", self.columns),
                ));
            }
        }
        Array2::from_shape_vec((wanted.len(), self.columns), numbers).map_err(|e| failed(&self.path, e))
    }
}

/// The rows of batch `index` of a share that is cut into batches of so many.
fn batch(own: &Range<usize>, size: usize, index: usize) -> Range<usize> {
    let from = own.start + index * size;
    from..own.end.min(from + size)
}

impl Batches<Array2<f64>> for CsvBatches {
    fn count(&self) -> usize {
        self.own.len().div_ceil(self.size)
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&Array2<f64>) -> Result<()>) -> Result<()> {
        f(&self.read(batch(&self.own, self.size, index))?)
    }
}

/// A `.npy` file of two dimensions, of f64 or f32, mapped into memory: the system reads what is looked at.
///
/// By the feature `npy`.
#[cfg(feature = "npy")]
#[derive(Debug, Clone)]
pub struct NpyBatches {
    path: PathBuf,
    map: std::sync::Arc<memmap2::Mmap>,
    shape: (usize, usize),
    size: usize,
    own: Range<usize>,
}

#[cfg(feature = "npy")]
impl NpyBatches {
    /// The file at `path`, in batches of so many rows. Nobody may change it while it is open.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read or holds something else, [`Error::Parameter`] for batches without rows.
    pub fn open(path: impl AsRef<Path>, rows: usize) -> Result<Self> {
        let path = path.as_ref().to_owned();
        parameter("rows of a batch", rows as f64, rows > 0, "must be at least 1")?;
        let file = File::open(&path).map_err(|e| failed(&path, e))?;
        // SAFETY: the map is only read; that the file does not change meanwhile is asked of the caller.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| failed(&path, e))?;
        let mut opened = NpyBatches { path, map: map.into(), shape: (0, 0), size: rows, own: 0..0 };
        opened.shape = opened.look(|v| v.dim(), |v| v.dim())?;
        opened.own = 0..opened.shape.0;
        Ok(opened)
    }

    /// This rank's share of the rows: as many as every other's, up to one.
    #[must_use]
    pub fn share(mut self, ranks: &dyn Ranks) -> Self {
        self.own = share(self.shape.0, ranks);
        self
    }

    /// Rows and columns of the file.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn look<T>(
        &self,
        double: impl FnOnce(ArrayView2<f64>) -> T,
        single: impl FnOnce(ArrayView2<f32>) -> T,
    ) -> Result<T> {
        use ndarray_npy::ViewNpyExt;
        if let Ok(view) = ArrayView2::<f64>::view_npy(&self.map) {
            return Ok(double(view));
        }
        let view = ArrayView2::<f32>::view_npy(&self.map);
        view.map(single)
            .map_err(|e| failed(&self.path, format!("no two-dimensional array of f64 or f32: {e}")))
    }
}

#[cfg(feature = "npy")]
impl Batches<Array2<f64>> for NpyBatches {
    fn count(&self) -> usize {
        self.own.len().div_ceil(self.size)
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&Array2<f64>) -> Result<()>) -> Result<()> {
        let rows = batch(&self.own, self.size, index);
        let part = self.look(
            |all| all.slice(s![rows.clone(), ..]).to_owned(),
            |all| all.slice(s![rows.clone(), ..]).mapv(f64::from),
        )?;
        f(&part)
    }
}
