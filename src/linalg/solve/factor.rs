//! One Cholesky factorisation, in f32 on a GPU or in f64 on the CPU, and solves with it.

use ndarray::{Array1, Array2, ArrayView1};

use super::reference::Reference;
use super::scaling::{scale_rows, unit_columns};
use crate::ops::{
    Side, Trans, Triangle, cholesky, cholesky_in_place, gemm, invert_lower, log_det, solve_triangular,
    solve_triangular_in_place,
};
use crate::{Device, Error, Matrix, Result};

/// Pivots below this multiple of `√n` roundings of their diagonal entry are what is left of a zero.
const ROUNDINGS: f64 = 8.0;

/// `L L^T = diag(s) A diag(s)`.
#[derive(Debug, Clone)]
pub(in crate::linalg) struct Factor {
    pub l: Matrix,
    pub s: Option<Array1<f64>>,
    /// How far inputs rounded to f32 have moved the entries that it was made of, relative to the diagonal; zero in f64.
    pub moved: f64,
    /// `L⁻¹` on a GPU, if it was asked for.
    pub inverse: Option<Matrix>,
}

impl Factor {
    /// In f64 and in the memory of A; a pivot that is nothing but rounding counts as not positive.
    pub fn in_f64(a: Array2<f64>) -> Result<Self> {
        let diagonal = a.diag().to_owned();
        let l = cholesky_in_place(a).map_err(renamed)?;
        match positive(diagonal.view(), l.cpu().diag(), l.rows(), f64::EPSILON) {
            None => Ok(Factor { l, s: None, moved: 0.0, inverse: None }),
            Some((pivot, value)) => Err(Error::NotPositiveDefinite { op: "solve_spd", pivot, value }),
        }
    }

    /// In f32 on a GPU, of `diag(s) A diag(s)`.
    pub fn in_f32(a: &Reference, device: &Device, moved: f64) -> Result<Self> {
        let diagonal = a.operator().diagonal()?;
        if let Some((pivot, &value)) = diagonal.indexed_iter().find(|(_, d)| **d <= 0.0) {
            return Err(Error::NotPositiveDefinite { op: "solve_spd", pivot, value });
        }
        let l = cholesky(&a.on_gpu(device)?).map_err(renamed)?;
        Ok(Factor { l, s: a.scale().cloned(), moved, inverse: None })
    }

    /// The same with its inverse, on a GPU.
    pub fn inverted(self) -> Result<Self> {
        let inverse = Some(invert_lower(&self.l)?);
        Ok(Factor { inverse, ..self })
    }

    pub fn is_f64(&self) -> bool {
        !self.l.device().is_gpu()
    }

    /// `A⁻¹ b`, as well as the factor's precision allows.
    pub fn solve(&self, mut b: Array2<f64>) -> Result<Array2<f64>> {
        scale_rows(&mut b, self.s.as_ref());
        let back = unit_columns(&mut b);
        let on = self.upload(b)?;
        let by = |op, b: &Matrix| match &self.inverse {
            Some(inverse) => gemm(1.0, inverse, op, b, Trans::No),
            None => solve_triangular(&self.l, Triangle::Lower, op, Side::Left, b),
        };
        let mut x = by(Trans::Yes, &by(Trans::No, &on)?)?.to_array()?;
        scale_rows(&mut x, self.s.as_ref());
        x *= &back;
        Ok(x)
    }

    /// `L⁻¹ diag(s) b`, where the factor lives: `bᵀA⁻¹b` is its squared norm. On the CPU it takes the memory of b, if
    /// nobody else has it.
    pub fn whiten(&self, b: Matrix) -> Result<Matrix> {
        let (n, rows) = (self.l.rows(), b.rows());
        if rows != n {
            let what = format!("the factor is {n} x {n}, b has {rows} rows");
            return Err(Error::Shape { op: "SpdFactor::whiten", what });
        }
        if self.is_f64() {
            let mut x = b.into_array()?;
            scale_rows(&mut x, self.s.as_ref());
            solve_triangular_in_place(&self.l, Triangle::Lower, x.view_mut())?;
            return Ok(Matrix::from_host(x));
        }
        let on = match &self.s {
            None => b.to_device(&self.l.device())?,
            Some(s) => {
                let mut b = b.into_array()?;
                scale_rows(&mut b, Some(s));
                self.upload(b)?
            }
        };
        solve_triangular(&self.l, Triangle::Lower, Trans::No, Side::Left, &on)
    }

    /// `log det A`.
    pub fn log_det(&self) -> Result<f64> {
        let scale: f64 = self.s.iter().flatten().map(|v| v.ln()).sum();
        Ok(log_det(&self.l)? - 2.0 * scale)
    }

    fn upload(&self, b: Array2<f64>) -> Result<Matrix> {
        if self.is_f64() {
            Ok(Matrix::from_host(b))
        } else {
            Matrix::upload("solve_spd", &self.l.device(), b.view())
        }
    }
}

/// The first pivot, with its value, that is nothing but rounding of its diagonal entry, for a matrix of order n.
pub(in crate::linalg) fn positive(
    a: ArrayView1<f64>,
    l: ArrayView1<f64>,
    n: usize,
    rounding: f64,
) -> Option<(usize, f64)> {
    let noise = ROUNDINGS * (n as f64).sqrt() * rounding;
    let at = a.iter().zip(l).position(|(a, l)| l * l <= noise * a)?;
    Some((at, l[at] * l[at]))
}

/// The caller asked for a solve, not for a factor.
fn renamed(e: Error) -> Error {
    match e {
        Error::NotPositiveDefinite { pivot, value, .. } => {
            Error::NotPositiveDefinite { op: "solve_spd", pivot, value }
        }
        other => other,
    }
}
