//! Targets: numbers of one dimension or two, labels, or nothing.

use std::borrow::Cow;

use ndarray::{
    Array, Array1, Array2, ArrayBase, ArrayRef, ArrayView1, ArrayView2, Axis, Data, Dimension, Ix1, Ix2,
};

use super::inputs::Real;
use crate::Result;
use crate::check::require;

/// Targets as models see them: numbers of one or two dimensions, labels, or nothing.
///
/// It is what [`Targets`] turn into, and what can be cut into parts: [`Rows::select`].
pub trait Rows: ToOwned {
    /// How many observations it has a target for; none if it has nothing to say of any.
    fn count(&self) -> Option<usize>;

    /// The targets of these observations, in this order.
    fn select(&self, rows: &[usize]) -> Self::Owned;
}

impl<D: TargetDim> Rows for ArrayRef<f64, D> {
    fn count(&self) -> Option<usize> {
        Some(D::columns(self).nrows())
    }

    fn select(&self, rows: &[usize]) -> Array<f64, D> {
        D::shaped(D::columns(self).select(Axis(0), rows))
    }
}

impl<L: Clone> Rows for [L] {
    fn count(&self) -> Option<usize> {
        Some(self.len())
    }

    fn select(&self, rows: &[usize]) -> Vec<L> {
        rows.iter().map(|&i| self[i].clone()).collect()
    }
}

/// No targets: models that learn from inputs alone.
impl Rows for () {
    fn count(&self) -> Option<usize> {
        None
    }

    fn select(&self, _: &[usize]) {}
}

/// What is to be predicted of each observation.
///
/// | given | seen by models as | predicted as |
/// |---|---|---|
/// | one-dimensional array of `f64` or `f32` | `ArrayRef<f64, Ix1>` | `Array1<f64>` |
/// | two-dimensional array of either, one column a target | `ArrayRef<f64, Ix2>` | `Array2<f64>` |
/// | slice, vector or fixed array of any `Ord + Clone` type | `[L]` | `Vec<L>` |
/// | one-dimensional array of integers, `bool`, `char`, `String` or `&str` | `[L]` | `Vec<L>` |
/// | `()` | `()` | |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of targets",
    note = "numbers are a one- or two-dimensional array of f64 or f32: `&Array1`, `ArrayView2`, ...; a `Vec<f64>` is \
            `Array1::from(v)`",
    note = "classes are a slice or a vector of any `Ord + Clone` type"
)]
pub trait Targets {
    /// As models see them.
    type Of: Rows + ?Sized;

    /// The targets, borrowed if they are of that form already.
    fn targets(&self) -> Cow<'_, Self::Of>;
}

impl<Y: Targets + ?Sized> Targets for &Y {
    type Of = Y::Of;

    fn targets(&self) -> Cow<'_, Y::Of> {
        (**self).targets()
    }
}

impl Targets for () {
    type Of = ();

    fn targets(&self) -> Cow<'_, ()> {
        Cow::Owned(())
    }
}

/// What a one-dimensional array may hold to be a set of targets: numbers, or labels of the usual types.
pub trait Target: Clone {
    /// As models see many of them.
    type Of: Rows + ?Sized;

    /// Many of them.
    fn many(a: ArrayView1<'_, Self>) -> Cow<'_, Self::Of>;
}

impl Target for f64 {
    type Of = ArrayRef<f64, Ix1>;

    fn many(a: ArrayView1<'_, f64>) -> Cow<'_, Self::Of> {
        Cow::Owned(a.to_owned())
    }
}

impl Target for f32 {
    type Of = ArrayRef<f64, Ix1>;

    fn many(a: ArrayView1<'_, f32>) -> Cow<'_, Self::Of> {
        Cow::Owned(a.mapv(f64::from))
    }
}

macro_rules! labels_in_arrays {
    ($($label:ty),*) => { $(
        impl Target for $label {
            type Of = [$label];

            fn many(a: ArrayView1<'_, Self>) -> Cow<'_, [$label]> {
                Cow::Owned(a.to_vec())
            }
        }
    )* };
}

labels_in_arrays!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool, char, String);

impl<'s> Target for &'s str {
    type Of = [&'s str];

    fn many(a: ArrayView1<'_, Self>) -> Cow<'_, [&'s str]> {
        Cow::Owned(a.to_vec())
    }
}

impl<S: Data<Elem = T>, T: Target> Targets for ArrayBase<S, Ix1> {
    type Of = T::Of;

    fn targets(&self) -> Cow<'_, T::Of> {
        T::many(self.view())
    }
}

impl<S: Data<Elem = T>, T: Real> Targets for ArrayBase<S, Ix2> {
    type Of = ArrayRef<f64, Ix2>;

    fn targets(&self) -> Cow<'_, Self::Of> {
        T::columns(self)
    }
}

impl<D: TargetDim> Targets for ArrayRef<f64, D> {
    type Of = ArrayRef<f64, D>;

    fn targets(&self) -> Cow<'_, Self::Of> {
        Cow::Borrowed(self)
    }
}

impl<L: Ord + Clone> Targets for [L] {
    type Of = [L];

    fn targets(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

impl<L: Ord + Clone> Targets for Vec<L> {
    type Of = [L];

    fn targets(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

impl<L: Ord + Clone, const N: usize> Targets for [L; N] {
    type Of = [L];

    fn targets(&self) -> Cow<'_, [L]> {
        Cow::Borrowed(self)
    }
}

/// Numbers to be predicted, of one dimension or two: a regression remembers which, and predicts in kind.
pub trait TargetDim: Dimension + sealed::Sealed {
    /// One column a target.
    fn columns(a: &ArrayRef<f64, Self>) -> ArrayView2<'_, f64>;

    /// Predictions of one column a target, in the form that the targets had.
    fn shaped(columns: Array2<f64>) -> Array<f64, Self>;

    /// An error if there are more targets than this form has room for: a saved model of three targets is not one of one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape).
    fn fits(op: &'static str, targets: usize) -> Result<()>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for ndarray::Ix1 {}
    impl Sealed for ndarray::Ix2 {}
}

impl TargetDim for Ix1 {
    fn columns(a: &ArrayRef<f64, Ix1>) -> ArrayView2<'_, f64> {
        a.view().insert_axis(Axis(1))
    }

    fn shaped(columns: Array2<f64>) -> Array1<f64> {
        columns.index_axis_move(Axis(1), 0)
    }

    fn fits(op: &'static str, targets: usize) -> Result<()> {
        require(op, targets == 1, || format!("{targets} targets where there is to be one"))
    }
}

impl TargetDim for Ix2 {
    fn columns(a: &ArrayRef<f64, Ix2>) -> ArrayView2<'_, f64> {
        a.view()
    }

    fn shaped(columns: Array2<f64>) -> Array2<f64> {
        columns
    }

    fn fits(op: &'static str, targets: usize) -> Result<()> {
        require(op, targets > 0, || "there are no targets".to_owned())
    }
}
