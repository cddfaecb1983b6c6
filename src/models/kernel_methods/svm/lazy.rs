//! A square matrix whose rows are computed when they are first asked for.

/// Rows of kernel values; memory that no row was written to is never touched.
pub(super) struct Lazy {
    width: usize,
    values: Vec<f64>,
    filled: Vec<bool>,
}

impl Lazy {
    pub fn new(width: usize) -> Self {
        Lazy { width, values: vec![0.0; width * width], filled: vec![false; width] }
    }

    /// Row i, by `fill` if it was never asked for.
    pub fn row(&mut self, i: usize, fill: impl FnOnce(&mut [f64])) -> &[f64] {
        let row = &mut self.values[i * self.width..(i + 1) * self.width];
        if !std::mem::replace(&mut self.filled[i], true) {
            fill(row);
        }
        row
    }

    /// Rows i and j, which have been asked for before.
    pub fn pair(&self, i: usize, j: usize) -> (&[f64], &[f64]) {
        let row = |i: usize| &self.values[i * self.width..(i + 1) * self.width];
        (row(i), row(j))
    }
}
