//! Kernel rows in a cache of bounded size, and views of it for problems on some of the points.
//!
//! Points stand in blocks, one for each class. A row is kept in pieces, one for each block, so that the machines of all
//! pairs that a class belongs to share the piece of the class with itself.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use ndarray::{Array2, Axis};

use crate::kernel::GramRows;
use crate::ops::gram_vec;
use crate::{Kernel, Matrix, Result};

/// When a piece was used last, and its values.
type Piece = (u64, Box<[f64]>);

/// Pieces of rows that were used last, as many as the bytes allow, and never fewer than one.
pub(super) struct RowCache<'x> {
    kernel: &'x Kernel,
    x: &'x Array2<f64>,
    rows: GramRows,
    diagonal: Vec<f64>,
    blocks: Vec<Range<usize>>,
    bytes: usize,
    held: usize,
    pieces: HashMap<(usize, usize), Piece>,
    by_age: BTreeMap<u64, (usize, usize)>,
    clock: u64,
}

impl<'x> RowCache<'x> {
    /// Rows of the Gram matrix of `x`, whose points stand in these blocks.
    pub fn new(
        op: &'static str,
        kernel: &'x Kernel,
        x: &'x Array2<f64>,
        blocks: Vec<Range<usize>>,
        bytes: usize,
    ) -> Result<Self> {
        let rows = GramRows::new(op, kernel, x.view())?;
        let diagonal = rows.diagonal();
        let (pieces, by_age) = (HashMap::new(), BTreeMap::new());
        Ok(RowCache { kernel, x, rows, diagonal, blocks, bytes, held: 0, pieces, by_age, clock: 0 })
    }

    /// The same with all points in one block.
    pub fn whole(op: &'static str, kernel: &'x Kernel, x: &'x Array2<f64>, bytes: usize) -> Result<Self> {
        let all = 0..x.nrows();
        Self::new(op, kernel, x, std::iter::once(all).collect(), bytes)
    }

    /// Calls `f` with row i on one block.
    fn with<T>(&mut self, i: usize, block: usize, f: impl FnOnce(&[f64]) -> T) -> T {
        self.clock += 1;
        let (key, now) = ((i, block), self.clock);
        if let Some((age, piece)) = self.pieces.get_mut(&key) {
            self.by_age.remove(age);
            self.by_age.insert(now, key);
            *age = now;
            return f(piece);
        }
        let range = self.blocks[block].clone();
        let need = 8 * range.len();
        while self.held + need > self.bytes
            && let Some((_, old)) = self.by_age.pop_first()
        {
            self.held -= self.pieces.remove(&old).map_or(0, |(_, piece)| 8 * piece.len());
        }
        let mut piece = vec![0.0; range.len()].into_boxed_slice();
        self.rows.fill(i, range, &mut piece);
        let made = f(&piece);
        self.held += need;
        self.by_age.insert(now, key);
        self.pieces.insert(key, (now, piece));
        made
    }
}

/// Some points of a cache, numbered from zero: what one problem sees.
pub(super) struct View<'c, 'x> {
    cache: &'c mut RowCache<'x>,
    blocks: Vec<usize>,
    /// For each of its points the place in the cache.
    places: Vec<usize>,
    /// For each of its points the place in the row on its blocks; none if they are all.
    picked: Option<Vec<usize>>,
    buffer: Vec<f64>,
}

impl<'c, 'x> View<'c, 'x> {
    /// All points of these blocks.
    pub fn new(cache: &'c mut RowCache<'x>, blocks: &[usize]) -> Self {
        let places = blocks.iter().flat_map(|&b| cache.blocks[b].clone()).collect();
        View { cache, blocks: blocks.to_vec(), places, picked: None, buffer: Vec::new() }
    }

    /// Some points of this view.
    pub fn some(&mut self, points: &[usize]) -> View<'_, 'x> {
        let places = points.iter().map(|&i| self.places[i]).collect();
        let picked = points.iter().map(|&i| self.picked.as_ref().map_or(i, |p| p[i])).collect();
        let blocks = self.blocks.clone();
        View { cache: self.cache, blocks, places, picked: Some(picked), buffer: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The place of a point in the cache.
    pub fn place(&self, i: usize) -> usize {
        self.places[i]
    }

    /// `k(x_i, x_i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.cache.diagonal[self.places[i]]
    }

    /// `k(x_i, x_j)` for every j.
    pub fn row(&mut self, i: usize, out: &mut [f64]) {
        let place = self.places[i];
        let full = if self.picked.is_some() {
            self.buffer.resize(self.blocks.iter().map(|&b| self.cache.blocks[b].len()).sum(), 0.0);
            &mut self.buffer[..]
        } else {
            &mut *out
        };
        let mut from = 0;
        for &block in &self.blocks {
            let to = from + self.cache.blocks[block].len();
            self.cache.with(place, block, |piece| full[from..to].copy_from_slice(piece));
            from = to;
        }
        if let Some(picked) = &self.picked {
            out.iter_mut().zip(picked).for_each(|(o, &at)| *o = self.buffer[at]);
        }
    }

    /// `Σ_j k(x_i, x_j) v_j` for every i, from the definition: nothing of it comes from the cache.
    pub fn product(&self, v: &[f64]) -> Result<Vec<f64>> {
        let used: Vec<usize> = (0..v.len()).filter(|&j| v[j] != 0.0).collect();
        if used.is_empty() {
            return Ok(vec![0.0; v.len()]);
        }
        let all = Matrix::from_host(self.cache.x.select(Axis(0), &self.places));
        let from: Vec<usize> = used.iter().map(|&j| self.places[j]).collect();
        let some = Matrix::from_host(self.cache.x.select(Axis(0), &from));
        let weights = Matrix::from_host(Array2::from_shape_fn((used.len(), 1), |(j, _)| v[used[j]]));
        let mut out: Vec<f64> =
            gram_vec(self.cache.kernel, &all, Some(&some), &weights)?.into_array()?.into_iter().collect();
        if self.cache.kernel.has_white_noise() {
            for &j in &used {
                let x = self.cache.x.row(self.places[j]);
                let x: Vec<f64> = x.iter().copied().collect();
                out[j] += v[j] * (self.diagonal(j) - self.cache.kernel.value(&x, &x)?);
            }
        }
        Ok(out)
    }
}
