//! Bumps and steps along each feature. Checked in `tests/learn/preprocess.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::{bounded, kept, range};
use crate::check::{blame, columns, finite, numbers, parameter, positive, require, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::Transform;
use crate::saved::Format;
use crate::{Device, Result};

/// The form of a basis function of `u = (x - c) / s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Form {
    /// `exp(-u² / 2)`.
    Gaussian,
    /// `1 / (1 + exp(-u))`.
    Sigmoidal,
}

/// `φ_jk(x) = f((x_j - c_jk) / s_j)`: for each feature j, k functions whose centres are even from its least value to its
/// largest.
///
/// The width s is the distance between centres unless it is given; of a constant feature it is 1, and of a single centre
/// half the range.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let fit = Basis::gaussian(3).fit(&Device::cpu(), array![[0.0], [2.0]])?;
/// assert_eq!(fit.centres(), array![[0.0, 1.0, 2.0]]);
/// assert_eq!(fit.transform(array![[1.0]])?[[0, 1]], 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Basis {
    form: Form,
    count: usize,
    width: Option<f64>,
}

impl Basis {
    /// `exp(-(x - c)² / 2s²)`, so many for each feature.
    pub fn gaussian(count: usize) -> Self {
        Basis { form: Form::Gaussian, count, width: None }
    }

    /// `1 / (1 + exp(-(x - c) / s))`, so many for each feature.
    pub fn sigmoidal(count: usize) -> Self {
        Basis { form: Form::Sigmoidal, count, width: None }
    }
}

impl Basis {
    /// Functions with centres and widths of one's own, `d x k` both: a row for each feature.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let basis = Basis::gaussian(2).given(array![[0.0, 3.0]], array![[1.0, 2.0]])?;
    /// let z = basis.transform(array![[1.0]])?;
    /// assert!((z[[0, 0]] - (-0.5_f64).exp()).abs() < 1e-15 && (z[[0, 1]] - (-0.5_f64).exp()).abs() < 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless both have the same shape, with as many columns as there are functions;
    /// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for a width that is not
    /// positive.
    pub fn given(&self, centres: Array2<f64>, widths: Array2<f64>) -> Result<FittedBasis> {
        const OP: &str = "Basis::given";
        finite(OP, "centres", centres.view())?;
        let fits = centres.dim() == widths.dim() && centres.ncols() == self.count;
        require(OP, fits, || {
            format!("{} functions, centres {:?}, widths {:?}", self.count, centres.dim(), widths.dim())
        })?;
        widths.iter().try_for_each(|s| positive("width", *s))?;
        let widths = widths.into_iter().collect();
        Ok(FittedBasis { format: Format, form: self.form, centres, widths })
    }
}

setters!(Basis {
    /// The width s of all functions.
    width: into Option<f64>,
});

fits!(Basis: Weighed -> FittedBasis);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl Basis {
    /// Weights count where they are zero: such a row is not there.
    fn run(&self, _: &Device, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>) -> Result<FittedBasis> {
        finite("Basis::fit", "x", x)?;
        let (x, _) = kept(x, w);
        let x = x.view();
        self.width.map_or(Ok(()), |s| positive("width", s))?;
        let k = self.count;
        parameter("count", k as f64, k > 0, "must be at least 1")?;
        room("count", k, x.ncols().saturating_mul(8))?;
        let (least, most) = range(x);
        let span = &most - &least;
        if span.iter().any(|s| !s.is_finite()) {
            return Err(blame("Basis::fit", x));
        }
        let place = |i: usize| if k == 1 { 0.5 } else { i as f64 / (k - 1) as f64 };
        let centres = Array2::from_shape_fn((x.ncols(), k), |(j, i)| least[j] + span[j] * place(i));
        let gap = 1.0 / (k - 1).max(1) as f64 * if k == 1 { 0.5 } else { 1.0 };
        let own = |s: &f64| if *s * gap > 0.0 { *s * gap } else { 1.0 };
        let widths = span.map(|s| self.width.unwrap_or_else(|| own(s)));
        Ok(FittedBasis { format: Format, form: self.form, centres, widths })
    }
}

/// Functions with their centres and widths.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBasis {
    format: Format,
    form: Form,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    centres: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    widths: Array1<f64>,
}

getters!(FittedBasis {
    /// The centres, one row for each feature: `d x k`.
    centres: &Array2<f64>,
    /// The width of the functions of each feature, d; or of each function, feature after feature, if they were given.
    widths: &Array1<f64>,
});

inherent!(FittedBasis: Transform);

impl Transform for FittedBasis {
    /// `m x dk`: the functions of the first feature, then those of the second.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedBasis::transform";
        let (d, k) = self.centres.dim();
        columns(op, x, d)?;
        numbers(op, "x", x)?;
        room("rows of x", x.nrows(), (d * k).saturating_mul(8))?;
        let of = |u: f64| match self.form {
            Form::Gaussian => (-0.5 * u * u).exp(),
            Form::Sigmoidal => 1.0 / (1.0 + (-u).exp()),
        };
        let value = |(i, at): (usize, usize)| {
            let (j, c) = (at / k, at % k);
            let own = if self.widths.len() == d { j } else { at };
            of((x[[i, j]] - self.centres[[j, c]]) / self.widths[own])
        };
        bounded(op, Array2::from_shape_fn((x.nrows(), d * k), value))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBasis);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedBasis {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedBasis";
        finite(op, "centres", self.centres.view())?;
        let fits = [self.centres.nrows(), self.centres.len()].contains(&self.widths.len());
        require(op, fits, || "centres and widths of different numbers of features".to_owned())?;
        self.widths.iter().try_for_each(|s| positive("width", *s))
    }
}
