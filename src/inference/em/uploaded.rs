//! Data in parts, as models of points take them: the first part to start from, and each part uploaded when it is visited.

use ndarray::Array2;

use super::batches::Batches;
use super::observations::Observations;
use crate::check::require;
use crate::learn::ranks::{Meeting, Part};
use crate::matrix::{Origin, Points};
use crate::{Device, Result};

/// The first part of this rank's data, of no rows if it has none, and where it stands among those of all ranks.
pub(crate) fn first_part<D: Batches<Array2<f64>> + ?Sized>(
    all: &Meeting,
    op: &'static str,
    data: &D,
) -> Result<(Array2<f64>, Part)> {
    let mut first = None;
    if data.count() > 0 {
        data.visit(0, &mut |x| {
            first = Some(x.clone());
            Ok(())
        })?;
    }
    // A rank without parts has as many columns as the others.
    let columns = all.together(op, first.as_ref().map_or(0, Array2::ncols), |a, b| {
        *a = b.max(*a);
        Ok(())
    })?;
    let first = first.unwrap_or_else(|| Array2::zeros((0, columns)));
    let part = all.part(op, first.view())?;
    Ok((first, part))
}

/// Parts of the data, uploaded one at a time and made into what a model takes.
pub(crate) struct Uploaded<'a, D: ?Sized, B> {
    pub op: &'static str,
    pub data: &'a D,
    pub device: Device,
    pub columns: usize,
    pub batch: fn(Observations) -> B,
}

impl<D: Batches<Array2<f64>> + ?Sized, B> Batches<B> for Uploaded<'_, D, B> {
    fn count(&self) -> usize {
        self.data.count()
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&B) -> Result<()>) -> Result<()> {
        self.data.visit(index, &mut |x| {
            require(self.op, x.ncols() == self.columns, || {
                format!("part {index} has {} columns, the first {}", x.ncols(), self.columns)
            })?;
            let points = Points::new(self.op, &self.device, x.view(), Origin::Free, f64::INFINITY)?;
            f(&(self.batch)(Observations::unchecked(points, None)))
        })
    }
}
