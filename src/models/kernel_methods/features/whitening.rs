//! `K_zz + jitter I = LLᵀ` of some landmarks, and what L does.

use ndarray::Array2;

#[cfg(feature = "serde")]
use crate::check::{finite, not_negative};
use crate::linalg::{Jitter, SpdFactor, SpdParams};
use crate::ops::{Side, Trans, Triangle, gram, solve_triangular};
use crate::{Device, Kernel, Matrix, Result};

/// Landmarks and the factor of their kernel matrix, in f64 on the CPU.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::models) struct Whitening {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::lower"))]
    l: Matrix,
    jitter: f64,
}

impl Whitening {
    pub fn new(kernel: &Kernel, points: Array2<f64>, jitter: Jitter) -> Result<Self> {
        let z = Matrix::from_host(points.clone());
        // Two operands, so that white noise in the kernel stays out of it.
        let k = gram(kernel, &z, Some(&z))?;
        let params = SpdParams::new().jitter(jitter);
        let factor = SpdFactor::new(&Device::cpu(), k.cpu().view(), &params)?;
        Ok(Whitening { points, l: factor.factor().clone(), jitter: factor.jitter() })
    }

    pub fn points(&self) -> &Array2<f64> {
        &self.points
    }

    pub fn into_points(self) -> Array2<f64> {
        self.points
    }

    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// `L⁻¹ v`.
    pub fn whiten(&self, v: Array2<f64>) -> Result<Array2<f64>> {
        solve_triangular(&self.l, Triangle::Lower, Trans::No, Side::Left, &Matrix::from_host(v))?.to_array()
    }

    /// `L⁻ᵀ v`.
    pub fn unwhiten(&self, v: Array2<f64>) -> Result<Array2<f64>> {
        solve_triangular(&self.l, Triangle::Lower, Trans::Yes, Side::Left, &Matrix::from_host(v))?.to_array()
    }

    /// `k L⁻ᵀ` for kernel values `k`, n x m, between points and the landmarks: the features of those points.
    pub fn features(&self, k: &Matrix) -> Result<Array2<f64>> {
        solve_triangular(&self.l, Triangle::Lower, Trans::Yes, Side::Right, k)?.to_array()
    }
}

#[cfg(feature = "serde")]
impl Whitening {
    /// Whether the factor is one of this kernel and these points.
    pub fn check(&self, op: &'static str, kernel: &Kernel) -> Result<()> {
        not_negative("jitter", self.jitter)?;
        finite(op, "the landmarks", self.points.view())?;
        // Between two operands, as the factor was made: white noise in the kernel stays out of it.
        let own = |z: ndarray::ArrayView1<f64>| kernel.value(&z.to_vec(), &z.to_vec());
        let own: ndarray::Array1<f64> = self.points.rows().into_iter().map(own).collect::<Result<_>>()?;
        crate::saved::Triangular::new(self.l.cpu()).of_diagonal(op, (own + self.jitter).view()).map(drop)
    }
}
