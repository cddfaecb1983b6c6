//! Data augmentation: more rows by transforms that leave the target alone. Checked in `tests/regression/augment.rs`.

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};

use super::data::{Inputs, Rows, Targets};
use crate::Result;
use crate::check::{finite, require, room};

/// A map of one row to another whose target is the same: a shift, a reflection, a little noise.
pub type RowTransform<'a> = &'a dyn Fn(ArrayView1<f64>) -> Array1<f64>;

/// The rows of `x` and, below them, their images under each transform, with the targets of the rows that they come from.
///
/// Least squares on rows and rows with noise of variance λ/n added is ridge regression, on average: augmentation is a penalty.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for targets that do not fit or a transform to another number of features,
/// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for more rows than memory has
/// room for.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![0.5_f64, 1.5]);
/// let (more, targets) = augment(&x, &y, &[&|row| -&row])?; // an even function
/// assert_eq!((more.row(2)[0], targets.to_vec()), (-1.0, vec![0.5, 1.5, 0.5, 1.5]));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn augment<Y: Rows + ?Sized>(
    x: impl Inputs,
    y: impl Targets<Of = Y>,
    transforms: &[RowTransform],
) -> Result<(Array2<f64>, Y::Owned)> {
    const OP: &str = "augment";
    let (x, y) = (x.inputs(), y.targets());
    finite(OP, "x", x.view())?;
    let ((n, d), copies) = (x.dim(), transforms.len() + 1);
    let targets = y.count().unwrap_or(n);
    require(OP, n == targets, || format!("{n} rows, {targets} targets"))?;
    room("transforms", copies, x.len().saturating_mul(8))?;
    let mut all = x.to_owned();
    for transform in transforms {
        let mut image = Array2::zeros((n, d));
        for (from, mut to) in x.rows().into_iter().zip(image.rows_mut()) {
            let row = transform(from);
            require(OP, row.len() == d, || format!("{d} features, a transform to {}", row.len()))?;
            to.assign(&row);
        }
        finite(OP, "a transform", image.view())?;
        all = concatenate![Axis(0), all, image];
    }
    let rows: Vec<usize> = (0..copies).flat_map(|_| 0..n).collect();
    Ok((all, y.select(&rows)))
}
