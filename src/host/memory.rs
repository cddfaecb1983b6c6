//! Memory of the host for matrices large enough that the kernel's page faults cost more than the arithmetic.
//!
//! A new 4096 x 4096 matrix is 32,768 pages of 4 KiB, and touching them takes 0.09 s on the machine this was measured on;
//! as 64 huge pages it takes 0.012 s. Linux gives huge pages to those who ask.

use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use super::pool::take;

/// A scalar that can be uploaded: `f32` or `f64`.
pub trait Element: Copy + Into<f64> + Send + Sync + 'static {}
impl Element for f32 {}
impl Element for f64 {}

/// Bytes from which huge pages are asked for; numpy's threshold as well.
const LARGE: usize = 4 << 20;
/// Entries that one thread looks through before another is worth waking.
const TASK: usize = 1 << 15;
/// Rows and columns of a block of a copy: a block read by columns and written by rows stays in the first-level cache.
const BLOCK: usize = 32;

/// A row-major matrix of zeros.
pub(crate) fn zeros(rows: usize, cols: usize) -> Array2<f64> {
    let (mut out, new) = found(rows, cols);
    if !new {
        out.as_slice_mut().expect("row-major").par_chunks_mut(TASK).for_each(|part| part.fill(0.0));
    }
    out
}

/// A row-major matrix to be written: what is in it is of no meaning.
pub(crate) fn room(rows: usize, cols: usize) -> Array2<f64> {
    found(rows, cols).0
}

/// A matrix, and whether its memory is new: untouched then, and zero.
fn found(rows: usize, cols: usize) -> (Array2<f64>, bool) {
    if let Some(out) =
        take(rows.saturating_mul(cols)).and_then(|b| Array2::from_shape_vec((rows, cols), b).ok())
    {
        return (out, false);
    }
    let mut out = Array2::zeros((rows, cols));
    if let Some(slice) = out.as_slice_mut() {
        ask_for_huge_pages(slice);
    }
    (out, true)
}

/// The first entry in row order that is a NaN or larger than `largest` by size, found by every core.
pub(crate) fn first_beyond<T: Element>(a: ArrayView2<'_, T>, largest: f64) -> Option<(usize, usize)> {
    let beyond = |v: T| v.into().is_nan() || v.into().abs() > largest;
    let (rows, cols) = a.dim();
    // No early end inside a row: without branches the compiler uses vectors.
    let any = |&row: &usize| a.row(row).iter().fold(false, |bad, &v| bad | beyond(v));
    let row = (0..rows).into_par_iter().with_min_len(TASK.div_ceil(cols.max(1))).find_first(any)?;
    Some((row, a.row(row).iter().position(|&v| beyond(v))?))
}

/// A row-major copy of a matrix of any layout, made by every core.
pub(crate) fn copy<T: Element>(a: ArrayView2<'_, T>) -> Array2<f64> {
    let (rows, cols) = a.dim();
    let mut out = room(rows, cols);
    if out.is_empty() {
        return out;
    }
    let strips = out.as_slice_mut().expect("a new array is row-major").par_chunks_mut(BLOCK * cols);
    strips.enumerate().for_each(|(strip, to)| {
        let from = a.slice(s![strip * BLOCK..rows.min((strip + 1) * BLOCK), ..]);
        for first in (0..cols).step_by(BLOCK) {
            let block = first..cols.min(first + BLOCK);
            for (row, to) in
                from.slice(s![.., block.clone()]).rows().into_iter().zip(to.chunks_exact_mut(cols))
            {
                to[block.clone()].iter_mut().zip(row).for_each(|(to, &from)| *to = from.into());
            }
        }
    });
    out
}

/// A matrix that several threads write, each entry by one of them.
pub(crate) struct Scattered(*mut f64);
// SAFETY: whoever calls `put` or `put_row` promises that no other thread touches those entries.
unsafe impl Sync for Scattered {}

impl Scattered {
    pub fn new(a: &mut [f64]) -> Self {
        Scattered(a.as_mut_ptr())
    }

    /// # Safety
    /// `at` lies inside the slice, and no other thread reads or writes it.
    pub unsafe fn put(&self, at: usize, value: f64) {
        // SAFETY: promised by the caller.
        unsafe { *self.0.add(at) = value };
    }

    /// # Safety
    /// The row from `at` lies inside the slice, and no other thread reads or writes it.
    pub unsafe fn put_row(&self, at: usize, row: &[f64]) {
        // SAFETY: promised by the caller; the source is another allocation.
        unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), self.0.add(at), row.len()) };
    }

    /// # Safety
    /// `at` lies inside the slice, and no other thread writes it.
    unsafe fn get(&self, at: usize) -> f64 {
        // SAFETY: promised by the caller.
        unsafe { *self.0.add(at) }
    }
}

/// Copies the lower triangle of a row-major square matrix onto the upper one, in blocks that stay in cache.
pub(crate) fn mirror_lower(c: &mut Array2<f64>) {
    let n = c.nrows();
    let shared = Scattered::new(c.as_slice_mut().expect("the caller made it row-major"));
    (0..n.div_ceil(BLOCK)).into_par_iter().with_max_len(1).for_each(|b| {
        let shared = &shared;
        for first in (b * BLOCK..n).step_by(BLOCK) {
            for j in b * BLOCK..n.min((b + 1) * BLOCK) {
                for i in first.max(j + 1)..n.min(first + BLOCK) {
                    // SAFETY: entries above the diagonal in the rows of block `b` are written by this task alone, and
                    // those below the diagonal by nobody.
                    unsafe { shared.put(j * n + i, shared.get(i * n + j)) };
                }
            }
        }
    });
}

#[cfg(target_os = "linux")]
fn ask_for_huge_pages(slice: &mut [f64]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(slice);
    if bytes < LARGE {
        return;
    }
    let start = slice.as_mut_ptr() as usize;
    let first = start.next_multiple_of(PAGE);
    // SAFETY: the range lies inside the slice and starts on a page; the advice changes no content. A refusal (an unusual
    // page size, a kernel without huge pages) leaves everything as it was.
    unsafe {
        libc::madvise(first as *mut libc::c_void, start + bytes - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: &mut [f64]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_across_block_edges() {
        for n in [1, 31, 32, 33, 100] {
            let mut a =
                Array2::from_shape_fn((n, n), |(i, j)| if i >= j { (i * n + j) as f64 } else { f64::NAN });
            mirror_lower(&mut a);
            assert!(a.indexed_iter().all(|((i, j), &v)| v == (i.max(j) * n + i.min(j)) as f64), "{n}");
        }
    }

    #[test]
    fn copies_every_layout() {
        for (rows, cols) in [(1, 1), (31, 70), (64, 33), (0, 3), (900, 700)] {
            let a = Array2::from_shape_fn((rows, cols), |(i, j)| (i * cols + j) as f64);
            assert_eq!(copy(a.view()), a);
            assert_eq!(copy(a.t()), a.t());
            let every_other = a.slice(s![..;2, ..;-1]);
            assert_eq!(copy(every_other), every_other);
            assert!(copy(a.t()).is_standard_layout());
        }
    }
}
