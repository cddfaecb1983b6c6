//! Symmetric matrices as what they do to vectors.

use ndarray::{Array1, Array2, ArrayView2};

use crate::check::{block, parameter, require};
use crate::linalg::solve::scaling::unit_columns;
use crate::ops::{Trans, diagonal, gemm};
use crate::{Device, Error, Matrix, Precision, Result};

/// A symmetric `n x n` matrix that need not be stored.
///
/// Vectors cross as host f64 blocks: that is O(nr) beside the O(n²r) of a product.
pub trait Operator {
    /// n.
    fn dim(&self) -> usize;

    /// `A V` for `v`, `n x r`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `v` has not n rows, [`Error::NotFinite`] if it is not finite; those of the device.
    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>>;

    /// `a_ii`.
    ///
    /// # Errors
    /// Those of the device.
    fn diagonal(&self) -> Result<Array1<f64>>;

    /// The named columns of A, `n x which.len()`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such column; those of the device.
    fn columns(&self, which: &[usize]) -> Result<Array2<f64>>;

    /// How products are computed: a residual cannot be trusted below the rounding of this.
    fn precision(&self) -> Precision {
        Precision::Double
    }
}

pub(in crate::linalg) fn has_columns(op: &'static str, which: &[usize], n: usize) -> Result<()> {
    require(op, !which.is_empty(), || "no columns were asked for".to_owned())?;
    match which.iter().find(|i| **i >= n) {
        None => Ok(()),
        Some(i) => Err(Error::Shape { op, what: format!("column {i} of a {n} x {n} matrix") }),
    }
}

/// `v` on the device and what to multiply each column of the result by: f32 has a narrow range, the scales do not.
pub(in crate::linalg) fn upload(
    op: &'static str,
    device: &Device,
    v: ArrayView2<f64>,
) -> Result<(Matrix, Array1<f64>)> {
    let mut v = v.to_owned();
    let back = if device.is_gpu() { unit_columns(&mut v) } else { Array1::ones(v.ncols()) };
    Ok((if device.is_gpu() { Matrix::upload(op, device, v.view())? } else { Matrix::from_host(v) }, back))
}

/// `A + shift I` for a stored symmetric A, on the device it lives on.
///
/// ```
/// use mercer::linalg::{Operator, Stored};
/// use mercer::{Device, Matrix};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[2.0, 1.0], [1.0, 3.0]].view())?;
/// let op = Stored::new(&a)?.shifted(1.0)?;
/// assert_eq!(op.apply(ndarray::array![[1.0], [0.0]].view())?, ndarray::array![[3.0], [1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stored {
    a: Matrix,
    shift: f64,
}

impl Stored {
    /// A handle on `a`, which is `n x n` and must be symmetric: that is not checked, it may be on a GPU.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is not square.
    pub fn new(a: &Matrix) -> Result<Self> {
        let (n, m) = a.shape();
        require("Stored::new", n == m, || format!("a is {n} x {m}, not square"))?;
        Ok(Stored { a: a.clone(), shift: 0.0 })
    }

    /// The same matrix with this, and only this, added to its diagonal.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not finite.
    pub fn shifted(self, shift: f64) -> Result<Self> {
        parameter("shift", shift, shift.is_finite(), "must be finite")?;
        Ok(Stored { shift, ..self })
    }

    /// The matrix, without the shift.
    pub fn matrix(&self) -> &Matrix {
        &self.a
    }

    /// What is added to its diagonal.
    pub fn shift(&self) -> f64 {
        self.shift
    }
}

impl Operator for Stored {
    fn dim(&self) -> usize {
        self.a.rows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("Stored::apply", "v", v, self.dim())?;
        let (on, back) = upload("Stored::apply", &self.a.device(), v)?;
        let mut out = gemm(1.0, &self.a, Trans::No, &on, Trans::No)?.to_array()?;
        out *= &back;
        if self.shift != 0.0 {
            out.scaled_add(self.shift, &v);
        }
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(diagonal(&self.a)?.to_array()?.column(0).to_owned() + self.shift)
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        let n = self.dim();
        has_columns("Stored::columns", which, n)?;
        if let Some(a) = self.a.host() {
            let shift = |i, j| if i == j { self.shift } else { 0.0 };
            let at = |(i, c): (usize, usize)| a[[i, which[c]]] + shift(i, which[c]);
            return Ok(Array2::from_shape_fn((n, which.len()), at));
        }
        // A product with unit vectors rounds nothing, and reads back only what was asked for.
        let mut unit = Array2::zeros((n, which.len()));
        which.iter().enumerate().for_each(|(c, &j)| unit[[j, c]] = 1.0);
        self.apply(unit.view())
    }

    fn precision(&self) -> Precision {
        self.a.precision()
    }
}
