//! The Gram matrix plus noise as an operator: nothing of it is stored.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::operator::{Operator, has_columns, upload};
use crate::check::{block, parameter, require};
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::{Kernel, Matrix, Precision, Result};

/// The variance of each observation: one for all of them, or one for each.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Noise {
    /// One variance for all.
    Same(f64),
    /// A variance for each observation.
    Each(Vec<f64>),
}

impl From<f64> for Noise {
    fn from(v: f64) -> Self {
        Noise::Same(v)
    }
}

impl From<Vec<f64>> for Noise {
    fn from(v: Vec<f64>) -> Self {
        Noise::Each(v)
    }
}

impl From<&[f64]> for Noise {
    fn from(v: &[f64]) -> Self {
        Noise::Each(v.to_vec())
    }
}

impl Noise {
    /// One variance for each of n observations.
    pub(in crate::linalg) fn variances(&self, op: &'static str, n: usize) -> Result<Array1<f64>> {
        let v = match self {
            Noise::Same(v) => Array1::from_elem(n, *v),
            Noise::Each(v) => Array1::from(v.clone()),
        };
        require(op, v.len() == n, || format!("{n} observations, {} noise variances", v.len()))?;
        let bad = v.iter().copied().find(|v| !(*v >= 0.0 && v.is_finite()));
        parameter("noise", bad.unwrap_or(0.0), bad.is_none(), "a variance must be finite and not negative")?;
        Ok(v)
    }
}

/// `K + diag(noise)` with `K[i, j] = k(x_i, x_j)`, evaluated anew in every product, in O(n) memory.
///
/// White noise that is part of the kernel is included.
///
/// ```
/// use mercer::linalg::{KernelOperator, Operator};
/// use mercer::{Device, Kernel, Matrix};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 1.0])?;
/// let op = KernelOperator::new(&Kernel::linear(), &x, 0.5)?;
/// assert_eq!(op.diagonal()?.to_vec(), [0.5, 1.5]);
/// assert_eq!(op.columns(&[1])?, ndarray::array![[0.0], [1.5]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelOperator {
    kernel: Kernel,
    x: Matrix,
    /// x on the host, as its device sees it: columns of K are made from its rows.
    points: Matrix,
    noise: Array1<f64>,
    /// Of K alone.
    diagonal: Array1<f64>,
}

impl KernelOperator {
    /// Products run on the device that `x` (`n x d`) lives on.
    ///
    /// # Errors
    /// As [`gram_diagonal`]; [`Error::Shape`](crate::Error::Shape) or
    /// [`Error::Parameter`](crate::Error::Parameter) for noise of the wrong length or sign.
    pub fn new(kernel: &Kernel, x: &Matrix, noise: impl Into<Noise>) -> Result<Self> {
        let noise = noise.into().variances("KernelOperator::new", x.rows())?;
        let diagonal = gram_diagonal(kernel, x)?.to_array()?.index_axis_move(Axis(1), 0);
        let points = if x.host().is_some() { x.clone() } else { Matrix::from_host(x.to_array()?) };
        Ok(KernelOperator { kernel: kernel.clone(), x: x.clone(), points, noise, diagonal })
    }

    /// K alone: the same kernel and points, no noise but what the kernel itself has.
    #[must_use]
    pub fn without_noise(&self) -> Self {
        KernelOperator { noise: Array1::zeros(self.noise.len()), ..self.clone() }
    }

    /// The variances that are added to the diagonal.
    pub fn noise(&self) -> &Array1<f64> {
        &self.noise
    }

    pub(crate) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Some of the points, where x lives.
    pub(crate) fn rows(&self, which: Range<usize>) -> Result<Matrix> {
        let rows = self.points.cpu().slice(s![which, ..]);
        Matrix::upload("KernelOperator::rows", &self.x.device(), rows)
    }

    /// `k(rows, x) V` for rows that live where x does: no noise.
    pub(crate) fn between(&self, rows: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (on, back) = upload("KernelOperator::apply", &self.x.device(), v)?;
        Ok(gram_vec(&self.kernel, rows, Some(&self.x), &on)?.to_array()? * &back)
    }

    /// The same with more noise.
    pub(in crate::linalg) fn noisier(&self, by: f64) -> Self {
        KernelOperator { noise: &self.noise + by, ..self.clone() }
    }
}

impl Operator for KernelOperator {
    fn dim(&self) -> usize {
        self.x.rows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("KernelOperator::apply", "v", v, self.dim())?;
        let (on, back) = upload("KernelOperator::apply", &self.x.device(), v)?;
        let mut out = gram_vec(&self.kernel, &self.x, None, &on)?.to_array()?;
        out *= &back;
        out += &(&v * &self.noise.view().insert_axis(Axis(1)));
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(&self.diagonal + &self.noise)
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        has_columns("KernelOperator::columns", which, self.dim())?;
        let rows = self.points.cpu().select(Axis(0), which);
        let y = Matrix::upload("KernelOperator::columns", &self.x.device(), rows.view())?;
        let mut out = gram(&self.kernel, &self.x, Some(&y))?.to_array()?;
        // Between two data sets there is no white noise; here both are one.
        for (c, &j) in which.iter().enumerate() {
            out[[j, c]] = self.diagonal[j] + self.noise[j];
        }
        Ok(out)
    }

    fn precision(&self) -> Precision {
        self.x.precision()
    }
}
