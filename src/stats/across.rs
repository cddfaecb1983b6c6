//! Sums over all pairs of rows that lie on several ranks: every rank has all points and adds up a share of the pairs.
//! Checked in `tests/ranks/suite/kernels.rs` against one process.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::{Hsic, HsicTerms, Mmd};
use crate::check::{numbers, require};
use crate::learn::Inputs;
use crate::learn::ranks::{Meeting, Ranks, meet};
use crate::ops::{Weights, gram_diagonal, gram_sum, gram_vec};
use crate::saved::garbled;
use crate::stats::resample::finite;
use crate::{Kernel, Matrix, Result};

/// All rows, and this rank's even share of them.
struct Shared {
    points: Matrix,
    own: std::ops::Range<usize>,
}

impl Shared {
    fn new(all: &Meeting, op: &'static str, x: ArrayView2<f64>) -> Result<Self> {
        let points = all.everything(op, x)?;
        let own = all.share(points.nrows());
        Ok(Shared { points: Matrix::from_host(points), own })
    }

    fn rows(&self) -> Matrix {
        Matrix::from_host(self.points.cpu().slice(s![self.own.clone(), ..]).to_owned())
    }

    /// `K v` in the rows of this rank.
    fn product(&self, kernel: &Kernel, v: Array2<f64>) -> Result<Array2<f64>> {
        if self.own.is_empty() {
            return Ok(Array2::zeros((0, v.ncols())));
        }
        gram_vec(kernel, &self.rows(), Some(&self.points), &Matrix::from_host(v))?.to_array()
    }
}

fn plain(op: &'static str, kernel: &Kernel) -> Result<()> {
    require(op, !kernel.has_white_noise(), || "white noise has no place in a sum over pairs".to_owned())
}

impl Mmd {
    /// [`biased`](Self::biased) and [`unbiased`](Self::unbiased) of samples whose rows lie on several ranks, in f64 on the
    /// CPU. Points are sent to all, and every rank makes an even share of the rows of K.
    ///
    /// # Errors
    /// As those, the same on every rank; [`Error::Shape`](crate::Error::Shape) for a kernel with white noise.
    pub fn across(&self, ranks: &dyn Ranks, x: impl Inputs, y: impl Inputs) -> Result<(f64, f64)> {
        const OP: &str = "Mmd::across";
        let (x, y) = (x.inputs(), y.inputs());
        meet(ranks, |all| {
            plain(OP, self.kernel())?;
            numbers(OP, "x", x.view())?;
            numbers(OP, "y", y.view())?;
            let (x, y) = (all.everything(OP, x.view())?, all.everything(OP, y.view())?);
            let (p, q) = (x.ncols(), y.ncols());
            require(OP, p == q && p > 0, || format!("x has {p} features, y has {q}"))?;
            let (m, n) = (x.nrows(), y.nrows());
            require(OP, m > 1 && n > 1, || format!("samples of {m} and {n} observations"))?;
            let pooled = concatenate(Axis(0), &[x.view(), y.view()]).map_err(|_| garbled())?;
            let shared = Shared { points: Matrix::from_host(pooled), own: all.share(m + n) };
            let weight = |i: usize| if i < m { 1.0 / m as f64 } else { -1.0 / n as f64 };
            let v = Array2::from_shape_fn((m + n, 3), |(i, c)| match c {
                0 => weight(i),
                1 => f64::from(u8::from(i < m)),
                _ => f64::from(u8::from(i >= m)),
            });
            let f = shared.product(self.kernel(), v)?;
            let diagonal = gram_diagonal(self.kernel(), &shared.points)?.to_array()?;
            // w'Kw without its diagonal; the diagonal's part of it; sums within each sample without theirs.
            let mut sums = vec![0.0; 4];
            for (row, i) in f.rows().into_iter().zip(shared.own.clone()) {
                let (w, k) = (weight(i), diagonal[[i, 0]]);
                sums[0] += w * row[0] - w * w * k;
                sums[1] += w * w * k;
                sums[if i < m { 2 } else { 3 }] += row[if i < m { 1 } else { 2 }] - k;
            }
            let sums = all.sum(OP, sums)?;
            let (m, n) = (m as f64, n as f64);
            let unbiased = sums[0] + sums[2] / (m * m * (m - 1.0)) + sums[3] / (n * n * (n - 1.0));
            Ok((finite(OP, sums[0] + sums[1])?.max(0.0), finite(OP, unbiased)?))
        })
    }
}

impl Hsic {
    /// [`terms`](Self::terms) of paired samples whose rows lie on several ranks, in f64 on the CPU; their
    /// [`value`](HsicTerms::value) is the biased estimate.
    ///
    /// # Errors
    /// As `terms`, the same on every rank; [`Error::Shape`](crate::Error::Shape) for a kernel with white noise.
    pub fn across(&self, ranks: &dyn Ranks, x: impl Inputs, y: impl Inputs) -> Result<HsicTerms> {
        const OP: &str = "Hsic::across";
        let (x, y) = (x.inputs(), y.inputs());
        meet(ranks, |all| {
            plain(OP, &self.k)?;
            plain(OP, &self.l)?;
            numbers(OP, "x", x.view())?;
            numbers(OP, "y", y.view())?;
            require(OP, x.nrows() == y.nrows(), || format!("{} rows of x, {} of y", x.nrows(), y.nrows()))?;
            let both = concatenate(Axis(1), &[x.view(), y.view()]).map_err(|_| garbled())?;
            all.part(OP, both.view())?;
            let shared = Shared::new(all, OP, both.view())?;
            let (n, p) = (shared.points.rows(), x.ncols());
            require(OP, n > 1, || "fewer than two pairs".to_owned())?;
            let half = |columns: std::ops::Range<usize>| {
                let points = shared.points.cpu().slice(s![.., columns]).to_owned();
                Shared { points: Matrix::from_host(points), own: shared.own.clone() }
            };
            let ones = || Array2::<f64>::ones((n, 1));
            let k = half(0..p).product(&self.k, ones())? / n as f64;
            let l = half(p..p + y.ncols()).product(&self.l, ones())? / n as f64;
            let mut joint = 0.0;
            if !shared.own.is_empty() {
                let (u, v) =
                    (Matrix::from_host(Array2::ones((shared.own.len(), 1))), Matrix::from_host(ones()));
                let weights = Weights::LowRank { u: &u, v: &v };
                joint =
                    gram_sum(&self.on_pairs(p, y.ncols()), &shared.rows(), Some(&shared.points), weights)?;
            }
            let sums = all.sum(OP, vec![joint, k.sum(), l.sum(), (&k * &l).sum()])?;
            let n = n as f64;
            let terms = HsicTerms {
                joint: sums[0] / (n * n),
                product: sums[1] / n * (sums[2] / n),
                cross: sums[3] / n,
            };
            finite(OP, terms.value()).map(|_| terms)
        })
    }
}
