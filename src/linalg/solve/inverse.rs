//! The inverse of a factored matrix where the factor lives: for traces and gradients, which need all of it.
//!
//! Checked in `tests/linalg/spd.rs` against the refined inverse.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::factor::Factor;
use super::spd_factor::SpdFactor;
use crate::host::memory::copy;
use crate::ops::{
    Map, Side, Trans, Triangle, add_diagonal_vector, add_lower, invert_lower, map, on_a_worker, product,
    solve_in_place, solve_triangular, triangle_squared,
};
use crate::{Matrix, Result};

impl SpdFactor {
    /// The **lower triangle** of `(A + jitter I)⁻¹`, as exact as the factor, on its device; what is above the diagonal
    /// is not to be read.
    ///
    /// `2n³/3` operations, where [`SpdFactor::inverse`] refines every column for `4n³`.
    ///
    /// # Errors
    /// Those of the device.
    pub fn inverse_lower(&self) -> Result<Matrix> {
        let l = self.factor();
        match l.host() {
            Some(host) => Ok(Matrix::from_host(on_host(copy(host.view())))),
            None => self.inverse_on_gpu(l),
        }
    }

    /// As [`SpdFactor::inverse_lower`], in the memory of the factor.
    ///
    /// # Errors
    /// Those of the device.
    pub fn into_inverse_lower(self) -> Result<Matrix> {
        if self.factor().host().is_none() {
            return self.inverse_lower();
        }
        Ok(Matrix::from_host(on_host(self.into_factor().into_array()?)))
    }

    /// The lower triangle in f64 on the CPU, whatever the precision of the factor: one of f32 is made again.
    pub(crate) fn exact_inverse_lower(&self) -> Result<Matrix> {
        if self.current().is_f64() {
            return self.inverse_lower();
        }
        let exact = Factor::in_f64(self.reference().lower()?)?;
        Ok(Matrix::from_host(on_host(exact.l.into_array()?)))
    }

    /// `S L⁻ᵀ L⁻¹ S` from the inverse of L.
    fn inverse_on_gpu(&self, l: &Matrix) -> Result<Matrix> {
        let Some(s) = self.scale() else {
            return match &self.current().inverse {
                Some(half) => triangle_squared(half),
                None => triangle_squared(&invert_lower(l)?),
            };
        };
        // S, n x n, made where it is used: nothing of size n² crosses.
        let nothing = map(l, Map::Affine { scale: 0.0, shift: 0.0 })?;
        let s = Matrix::upload("SpdFactor::inverse_lower", &l.device(), s.insert_axis(Axis(1)))?;
        let scale = add_diagonal_vector(&nothing, &s)?;
        triangle_squared(&solve_triangular(l, Triangle::Lower, Trans::No, Side::Left, &scale)?)
    }
}

/// Rows whose share is done in one go.
const BASE: usize = 64;

/// The lower triangle of `L⁻ᵀL⁻¹`, row-major; the rest is not to be read.
fn on_host(mut l: Array2<f64>) -> Array2<f64> {
    on_a_worker(l.len() * l.nrows() / 3, || {
        invert(l.view_mut());
        square(l.view_mut());
    });
    l
}

/// The halves of a lower triangular matrix: `[A11; A21, A22]`.
fn halves<'a>(a: &'a mut ArrayViewMut2<f64>) -> [ArrayViewMut2<'a, f64>; 3] {
    let half = (a.nrows() / 2).next_multiple_of(BASE);
    let (upper, lower) = a.view_mut().split_at(Axis(0), half);
    let (a21, a22) = lower.split_at(Axis(1), half);
    [upper.split_at(Axis(1), half).0, a21, a22]
}

/// `X = L⁻¹`: `X21 = -L22⁻¹ L21 L11⁻¹`.
fn invert(mut l: ArrayViewMut2<f64>) {
    if l.nrows() <= BASE {
        let mut eye = Array2::eye(l.nrows());
        solve_in_place(l.view(), Triangle::Lower, eye.view_mut());
        return l.assign(&eye);
    }
    let [l11, mut l21, l22] = halves(&mut l);
    solve_in_place(l22.view(), Triangle::Lower, l21.view_mut());
    solve_in_place(l11.t(), Triangle::Upper, l21.view_mut().reversed_axes());
    l21.mapv_inplace(|v| -v);
    rayon::join(|| invert(l11), || invert(l22));
}

/// `P = XᵀX`: `P11 = X11ᵀX11 + X21ᵀX21`, `P21 = X22ᵀX21`, `P22 = X22ᵀX22`.
fn square(mut x: ArrayViewMut2<f64>) {
    if x.nrows() <= BASE {
        let own = x.to_owned();
        return product(1.0, own.t(), own.view(), 0.0, x);
    }
    let [mut x11, mut x21, x22] = halves(&mut x);
    square(x11.view_mut());
    add_lower(1.0, x21.t(), x21.view(), 1.0, x11);
    transposed_times(x22.view(), x21.view_mut());
    square(x22);
}

/// `B = XᵀB`: `B1 = X11ᵀB1 + X21ᵀB2`, `B2 = X22ᵀB2`.
fn transposed_times(x: ArrayView2<f64>, mut b: ArrayViewMut2<f64>) {
    let n = x.nrows();
    if n <= BASE {
        let own = b.to_owned();
        return product(1.0, x.t(), own.view(), 0.0, b);
    }
    let half = (n / 2).next_multiple_of(BASE);
    let (mut upper, lower) = b.view_mut().split_at(Axis(0), half);
    transposed_times(x.slice(s![..half, ..half]), upper.view_mut());
    product(1.0, x.slice(s![half.., ..half]).t(), lower.view(), 1.0, upper);
    transposed_times(x.slice(s![half.., half..]), lower);
}
