//! `K + noise` whose rows are shared out among ranks: every rank has all points and multiplies its own rows.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix1, Ix2, concatenate};

use crate::learn::plan::affords;
use crate::learn::ranks::{Meeting, Part};
use crate::linalg::{KernelOperator, Operator};
use crate::saved::garbled;
use crate::{Matrix, Precision, Result};

/// An operator over the points of all ranks, of which this rank makes a share of the rows, where its points live.
///
/// White noise that is part of the kernel would be lost between the share and the whole: it must have none.
pub(crate) struct SplitKernel<'a> {
    all: &'a Meeting<'a>,
    whole: &'a KernelOperator,
    /// The share of the rows, which need not be those that came from this rank: shares are even. None if it is empty.
    own: Option<Matrix>,
    precision: Precision,
}

/// Points, targets and weights.
pub(crate) type Data<'a> = (CowArray<'a, f64, Ix2>, CowArray<'a, f64, Ix2>, Option<CowArray<'a, f64, Ix1>>);

/// Those of all ranks, in the order of ranks; the budget must hold them. Those of one process as they are.
pub(crate) fn gathered<'a>(
    all: &Meeting,
    op: &'static str,
    part: Part,
    (x, y, w): (ArrayView2<'a, f64>, ArrayView2<'a, f64>, Option<ArrayView1<'a, f64>>),
    budget: u64,
) -> Result<Data<'a>> {
    if all.alone() {
        return Ok((x.into(), y.into(), w.map(Into::into)));
    }
    let bytes = 8 * (part.total * (x.ncols() + y.ncols() + usize::from(w.is_some()))) as u64;
    affords(op, bytes, budget, "use Falkon, which sends landmarks only")?;
    let w = w.map(|w| all.everything(op, w.insert_axis(Axis(1)))).transpose()?;
    let w = w.map(|w| w.index_axis_move(Axis(1), 0).into());
    Ok((all.everything(op, x)?.into(), all.everything(op, y)?.into(), w))
}

impl<'a> SplitKernel<'a> {
    /// Of an operator that every rank has whole, with the precision of the least exact of them, so that all ranks take the
    /// same decisions.
    pub fn new(all: &'a Meeting<'a>, whole: &'a KernelOperator, precision: Precision) -> Result<Self> {
        let rows = all.share(whole.dim());
        let own = (!all.alone() && !rows.is_empty()).then(|| whole.rows(rows)).transpose()?;
        Ok(SplitKernel { all, whole, own, precision })
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
        let none = || Ok(Array2::zeros((0, v.ncols())));
        let own = self.own.as_ref().map_or_else(none, |own| self.whole.between(own, v))?;
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

    fn precision(&self) -> Precision {
        self.precision
    }
}
