//! Columns without correlation, of variance one. Checked in `tests/learn/preprocess.rs` against scikit-learn.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};

use super::{bounded, kept};
use crate::check::{blame, columns, components, finite, numbers, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::{InverseTransform, Transform};
use crate::linalg::thin_svd;
use crate::saved::Format;
use crate::{Device, Result};

/// `z = Λ^{-1/2} Vᵀ (x - m)`, of covariance I, where `V Λ Vᵀ` is the covariance of x, divided by n - 1.
///
/// By principal axes, the largest variance first, or turned back to where x was, `V Λ^{-1/2} Vᵀ (x - m)`, with
/// [`Whiten::zca`]. Axes whose deviation is rounding beside the largest, or beside the entries of x, are left out, and [`FittedWhiten::rank`] says how
/// many are not. The entry of an axis that is largest in size is positive.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]];
/// let fit = Whiten::new().fit(&Device::cpu(), &x)?;
/// let z = fit.transform(&x)?;
/// assert!(((z.t().dot(&z) / 3.0)[[0, 0]] - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Shape`](crate::Error::Shape) for fewer than two rows, or rows that are all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Whiten {
    components: Option<usize>,
    zca: bool,
}

impl Whiten {
    /// A whitening by all principal axes.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(Whiten {
    /// The most axes to keep, those of the largest variance; all by default.
    components: into Option<usize>,
    /// Whether to turn back to the original axes, which changes x least.
    zca: bool,
});

fits!(Whiten: Weighed -> FittedWhiten);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl Whiten {
    fn run(&self, _: &Device, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>) -> Result<FittedWhiten> {
        finite("Whiten::fit", "x", x)?;
        let (x, w) = kept(x, w);
        let (x, w) = (x.view(), w.view());
        let (op, total) = ("Whiten::fit", w.sum());
        require(op, total > 1.0, || "a covariance takes at least two observations".to_owned())?;
        let kept = self.components.unwrap_or(x.ncols());
        components("components", kept, x.ncols())?;
        let shift = x.row(0).to_owned();
        let rest = &x - &shift;
        let mean = &shift + &(rest.t().dot(&w) / total);
        let mut centred = &x - &mean;
        centred.axis_iter_mut(Axis(0)).zip(w).for_each(|(mut row, w)| row *= w.sqrt());
        if numbers(op, "x", centred.view()).is_err() {
            return Err(blame(op, x));
        }
        let svd = thin_svd(centred.view())?;
        let deviations = &svd.values / (total - 1.0).sqrt();
        // Of the decomposition, and of the data: far from the origin their last digit is no variance.
        let (n, d) = x.dim();
        let largest = x.iter().fold(0f64, |m, v| m.max(v.abs()));
        let rounding = f64::EPSILON
            * (n.max(d) as f64 * deviations.first().unwrap_or(&0.0) + (d as f64).sqrt() * largest);
        let rank = deviations.iter().take(kept).filter(|s| **s > rounding).count();
        require(op, rank > 0, || "the rows are all the same: there is no variance".to_owned())?;
        let mut axes = svd.v.slice_axis(Axis(1), Slice::from(..rank)).t().to_owned();
        for mut axis in axes.axis_iter_mut(Axis(0)) {
            let largest = axis.iter().fold(0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
            axis *= largest.signum();
        }
        let deviations = deviations.slice_axis(Axis(0), Slice::from(..rank)).to_owned();
        Ok(FittedWhiten { format: Format, mean, axes, deviations, zca: self.zca })
    }
}

/// The mean, the axes and the deviations along them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedWhiten {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    axes: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    deviations: Array1<f64>,
    zca: bool,
}

getters!(FittedWhiten {
    /// The mean of x.
    mean: &Array1<f64>,
    /// The axes, one a row: `rank x d`.
    axes: &Array2<f64>,
    /// The standard deviation along each axis.
    deviations: &Array1<f64>,
});

inherent!(FittedWhiten: Transform, InverseTransform);

impl FittedWhiten {
    /// How many axes there are variance along, of those that were wanted.
    pub fn rank(&self) -> usize {
        self.deviations.len()
    }
}

impl Transform for FittedWhiten {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedWhiten::transform";
        columns(op, x, self.mean.len())?;
        numbers(op, "x", x)?;
        let z = (&x - &self.mean).dot(&self.axes.t()) / &self.deviations;
        bounded(op, if self.zca { z.dot(&self.axes) } else { z })
    }
}

impl InverseTransform for FittedWhiten {
    /// What lies off the axes is the mean.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedWhiten::inverse_transform";
        columns(op, z, if self.zca { self.mean.len() } else { self.rank() })?;
        numbers(op, "z", z)?;
        let along = if self.zca { z.dot(&self.axes.t()) } else { z.to_owned() };
        bounded(op, (along * &self.deviations).dot(&self.axes) + &self.mean)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedWhiten);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedWhiten {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedWhiten";
        finite(op, "axes", self.axes.view())?;
        finite(op, "mean", self.mean.view().insert_axis(Axis(1)))?;
        let fits = self.axes.dim() == (self.deviations.len(), self.mean.len());
        require(op, fits, || "axes that do not fit the mean or the deviations".to_owned())?;
        self.deviations.iter().try_for_each(|s| crate::check::positive("deviation", *s))
    }
}
