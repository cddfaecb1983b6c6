//! `K + noise` whose rows are shared out among ranks: every rank has all points and multiplies its own rows.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use crate::learn::plan::affords;
use crate::learn::ranks::Meeting;
use crate::linalg::{KernelOperator, Noise, Operator};
use crate::ops::gram_vec;
use crate::saved::garbled;
use crate::{Kernel, Matrix, Result};

/// The points of all ranks in f64, and an operator of which this rank makes a share of the rows.
pub(crate) struct SplitKernel<'a> {
    all: &'a Meeting<'a>,
    kernel: &'a Kernel,
    whole: KernelOperator,
    points: Matrix,
    /// The share of the rows, which need not be those that came from this rank: shares are even.
    own: Matrix,
}

/// Points and targets of all ranks, in the order of ranks; the budget must hold them.
pub(crate) fn gathered(
    all: &Meeting,
    op: &'static str,
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    budget: u64,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let part = all.part(op, x)?;
    let bytes = 8 * (part.total * (x.ncols() + y.ncols())) as u64;
    affords(op, bytes, budget, "use Falkon, which sends landmarks only")?;
    Ok((all.everything(op, x)?, all.everything(op, y)?))
}

impl<'a> SplitKernel<'a> {
    /// Of all points, which every rank has, and their noise.
    pub fn new(
        all: &'a Meeting<'a>,
        kernel: &'a Kernel,
        x: &Array2<f64>,
        noise: impl Into<Noise>,
    ) -> Result<Self> {
        let (n, rank, size) = (x.nrows(), all.rank(), all.size());
        let rows = rank * n / size..(rank + 1) * n / size;
        let own = Matrix::from_host(x.slice(s![rows, ..]).to_owned());
        let points = Matrix::from_host(x.clone());
        let whole = KernelOperator::new(kernel, &points, noise)?;
        Ok(SplitKernel { all, kernel, whole, points, own })
    }

    /// The same with all rows made here.
    pub fn whole(&self) -> &KernelOperator {
        &self.whole
    }
}

impl Operator for SplitKernel<'_> {
    fn dim(&self) -> usize {
        self.whole.dim()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.all.alone() {
            return self.whole.apply(v);
        }
        let own = if self.own.rows() == 0 {
            Array2::zeros((0, v.ncols()))
        } else {
            let v = Matrix::from_host(v.as_standard_layout().into_owned());
            gram_vec(self.kernel, &self.own, Some(&self.points), &v)?.to_array()?
        };
        let parts = self.all.gather("a product with K", own)?;
        let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
        let mut out = concatenate(Axis(0), &views).map_err(|_| garbled())?;
        out += &(&v * &self.whole.noise().view().insert_axis(Axis(1)));
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        self.whole.diagonal()
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        self.whole.columns(which)
    }
}
