//! Inputs and weights.

use std::borrow::Cow;

use ndarray::{ArrayBase, ArrayRef, ArrayView, ArrayView1, CowArray, Data, Dimension, Ix1, Ix2};

use crate::matrix::Element;

/// A number of inputs, targets or weights: `f64`, or `f32`, which is widened.
pub trait Real: Element {
    /// The view itself, or a copy in f64.
    fn widened<D: Dimension>(a: ArrayView<'_, Self, D>) -> CowArray<'_, f64, D>;

    /// The columns themselves, or a copy in f64.
    fn columns(a: &ArrayRef<Self, Ix2>) -> Cow<'_, ArrayRef<f64, Ix2>>;
}

impl Real for f64 {
    fn widened<D: Dimension>(a: ArrayView<'_, f64, D>) -> CowArray<'_, f64, D> {
        a.into()
    }

    fn columns(a: &ArrayRef<f64, Ix2>) -> Cow<'_, ArrayRef<f64, Ix2>> {
        Cow::Borrowed(a)
    }
}

impl Real for f32 {
    fn widened<D: Dimension>(a: ArrayView<'_, f32, D>) -> CowArray<'_, f64, D> {
        a.mapv(f64::from).into()
    }

    fn columns(a: &ArrayRef<f32, Ix2>) -> Cow<'_, ArrayRef<f64, Ix2>> {
        Cow::Owned(a.mapv(f64::from))
    }
}

/// Observations, one a row: any two-dimensional array or view of `f64` or `f32`, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of observations",
    note = "inputs are two-dimensional arrays of f64 or f32, one observation a row: `&Array2`, `ArrayView2`, ...",
    note = "a single feature is a column: `x.insert_axis(Axis(1))`"
)]
pub trait Inputs {
    /// `n x d`, in f64.
    fn inputs(&self) -> CowArray<'_, f64, Ix2>;
}

impl<S: Data<Elem = T>, T: Real> Inputs for ArrayBase<S, Ix2> {
    fn inputs(&self) -> CowArray<'_, f64, Ix2> {
        T::widened(self.view())
    }
}

impl<T: Real> Inputs for ArrayRef<T, Ix2> {
    fn inputs(&self) -> CowArray<'_, f64, Ix2> {
        T::widened(self.view())
    }
}

impl<X: Inputs + ?Sized> Inputs for &X {
    fn inputs(&self) -> CowArray<'_, f64, Ix2> {
        (**self).inputs()
    }
}

/// One weight for each observation: a one-dimensional array, a slice or a vector. A weight of 2 is that row twice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of weights",
    note = "weights are a one-dimensional array of f64 or f32, or a slice or vector of f64"
)]
pub trait Weights {
    /// One for each observation, in f64.
    fn weights(&self) -> CowArray<'_, f64, Ix1>;
}

impl<S: Data<Elem = T>, T: Real> Weights for ArrayBase<S, Ix1> {
    fn weights(&self) -> CowArray<'_, f64, Ix1> {
        T::widened(self.view())
    }
}

impl Weights for [f64] {
    fn weights(&self) -> CowArray<'_, f64, Ix1> {
        ArrayView1::from(self).into()
    }
}

impl Weights for Vec<f64> {
    fn weights(&self) -> CowArray<'_, f64, Ix1> {
        ArrayView1::from(self.as_slice()).into()
    }
}

impl<const N: usize> Weights for [f64; N] {
    fn weights(&self) -> CowArray<'_, f64, Ix1> {
        ArrayView1::from(self.as_slice()).into()
    }
}

impl<W: Weights + ?Sized> Weights for &W {
    fn weights(&self) -> CowArray<'_, f64, Ix1> {
        (**self).weights()
    }
}
