//! The f64 matrix that a solve is measured against, stored or made of a kernel: its scaling, its norm, its f32 image.

use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::factor::Factor;
use super::norm::norm1;
use super::rounding::rounding_error;
use super::scaling::{equilibration, scale_rows};
use crate::check::finite;
use crate::host::memory::mirror_lower;
use crate::linalg::iterative::kernel_operator::{KernelOperator, Noise};
use crate::linalg::iterative::operator::{Operator, Stored};
use crate::matrix::Points;
use crate::ops::{gram, gram_lower, gram_vec};
use crate::{Device, Kernel, Matrix, Result};

/// Shares of the rows that a norm is summed in.
const PARTS: usize = 16;

/// `A + jitter I` in f64 on the CPU.
#[derive(Debug, Clone)]
pub(in crate::linalg) struct Reference {
    entries: Entries,
    /// S, what makes the diagonal even: errors are measured by it whether or not a factor uses it.
    scale: Option<Array1<f64>>,
    norm: OnceLock<f64>,
}

#[derive(Debug, Clone)]
pub(in crate::linalg) enum Entries {
    Stored(Stored),
    /// Products are made on the host; the points are the same, where an f32 image of the matrix is made.
    Kernel(Box<KernelOperator>, Points),
}

impl Entries {
    fn operator(&self) -> &dyn Operator {
        match self {
            Entries::Stored(a) => a,
            Entries::Kernel(k, _) => k.as_ref(),
        }
    }
}

impl Reference {
    fn new(entries: Entries) -> Result<Self> {
        let scale = equilibration(&entries.operator().diagonal()?);
        Ok(Reference { entries, scale, norm: OnceLock::new() })
    }

    /// `a + shift I`; `a` is symmetric.
    pub fn of_matrix(a: Array2<f64>, shift: f64) -> Result<Self> {
        Self::new(Entries::Stored(Stored::new(&Matrix::from_host(a))?.shifted(shift)?))
    }

    /// `K + diag(noise)` over `x`, whose f32 image is made on `device`.
    pub fn of_kernel(
        op: &'static str,
        device: &Device,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        noise: impl Into<Noise>,
    ) -> Result<Self> {
        Self::of_points(kernel, Points::on(op, device, x, kernel.origin())?, noise)
    }

    /// The same over points that a caller has placed.
    pub fn of_points(kernel: &Kernel, points: Points, noise: impl Into<Noise>) -> Result<Self> {
        let operator = KernelOperator::new(kernel, points.on_host(), noise)?;
        Self::new(Entries::Kernel(Box::new(operator), points))
    }

    /// The same with `jitter` added to the diagonal.
    pub fn jittered(&self, jitter: f64) -> Result<Self> {
        Self::new(match &self.entries {
            Entries::Stored(a) => Entries::Stored(a.clone().shifted(a.shift() + jitter)?),
            Entries::Kernel(k, points) => Entries::Kernel(Box::new(k.noisier(jitter)), points.clone()),
        })
    }

    /// The same of which the norm is known.
    #[cfg(feature = "serde")]
    pub fn with_norm(self, norm: f64) -> Self {
        Reference { norm: norm.into(), ..self }
    }

    pub fn operator(&self) -> &dyn Operator {
        self.entries.operator()
    }

    pub fn entries(&self) -> &Entries {
        &self.entries
    }

    pub fn scale(&self) -> Option<&Array1<f64>> {
        self.scale.as_ref()
    }

    /// On and below the diagonal; what is above it is not to be read.
    pub fn lower(&self) -> Result<Array2<f64>> {
        let mut a = match &self.entries {
            Entries::Stored(a) => a.matrix().to_array()?,
            Entries::Kernel(k, points) => gram_lower(k.kernel(), points.on_host().cpu())?,
        };
        a.diag_mut().assign(&self.operator().diagonal()?);
        let norm = *self.norm.get_or_init(|| norm_of(&a, 0.0, self.scale()));
        if !norm.is_finite() {
            // A kernel may overflow.
            mirror_lower(&mut a);
            finite("solve_spd", "the matrix", a.view())?;
        }
        Ok(a)
    }

    /// `‖SAS‖₁`: exact of a matrix that has been made, or whose entries are not negative; else an estimate.
    pub fn norm(&self) -> Result<f64> {
        if let Some(norm) = self.norm.get() {
            return Ok(*norm);
        }
        let norm = match (&self.entries, self.scale()) {
            (Entries::Stored(a), _) => match a.matrix().host() {
                Some(host) => norm_of(host, a.shift(), self.scale()),
                None => norm_of(&self.lower()?, 0.0, self.scale()),
            },
            (Entries::Kernel(k, points), None) if k.kernel().is_nonnegative() => {
                let ones = Matrix::upload(
                    "solve_spd",
                    points.device(),
                    Array2::<f64>::ones((self.dim(), 1)).view(),
                )?;
                let sums = gram_vec(k.kernel(), points.matrix()?, None, &ones)?.to_array()?;
                sums.iter().zip(k.noise()).map(|(sum, noise)| sum + noise).fold(0.0, larger)
            }
            (Entries::Kernel(k, _), Some(s)) if k.kernel().is_nonnegative() => {
                let sums = k.apply(s.view().insert_axis(Axis(1)))?;
                sums.iter().zip(s).map(|(sum, s)| sum * s).fold(0.0, larger)
            }
            (Entries::Kernel(k, _), s) => norm1(self.dim(), |mut v| {
                scale_rows(&mut v, s);
                let mut out = k.apply(v.view())?;
                scale_rows(&mut out, s);
                Ok(out)
            })?,
        };
        Ok(*self.norm.get_or_init(|| norm))
    }

    /// An estimate of `‖SAS‖₁ ‖(SAS)⁻¹‖₁`.
    pub fn condition(&self, factor: &Factor) -> Result<f64> {
        let inverse = self.scale().map(|s| s.recip());
        let of_inverse = norm1(self.dim(), |mut v| {
            scale_rows(&mut v, inverse.as_ref());
            let mut x = factor.solve(v)?;
            scale_rows(&mut x, inverse.as_ref());
            Ok(x)
        })?;
        Ok(self.norm()? * of_inverse)
    }

    pub fn dim(&self) -> usize {
        self.operator().dim()
    }

    /// How far the entries of [`Reference::on_gpu`] are off because inputs are rounded, relative to the diagonal.
    pub fn moved(&self) -> Result<f64> {
        match &self.entries {
            Entries::Stored(_) => Ok(0.0),
            Entries::Kernel(k, points) => {
                rounding_error(k.kernel(), points.shift(), points.host(), points.host())
            }
        }
    }

    /// SAS on a GPU. A kernel's is made there, so that nothing of size n² crosses.
    pub fn on_gpu(&self, device: &Device) -> Result<Matrix> {
        match &self.entries {
            Entries::Stored(_) => {
                // Of a stored matrix that is all of it.
                let mut a = self.lower()?;
                if let Some(s) = self.scale() {
                    a *= s;
                    scale_rows(&mut a, Some(s));
                }
                Matrix::upload("solve_spd", device, a.view())
            }
            Entries::Kernel(k, points) => kernel_on_gpu(k, points, self.scale()),
        }
    }
}

/// `‖S(A + shift I)S‖₁` of a symmetric matrix, of which the lower triangle is read, once.
fn norm_of(a: &Array2<f64>, shift: f64, s: Option<&Array1<f64>>) -> f64 {
    let n = a.nrows();
    let scale = |i: usize| s.map_or(1.0, |s| s[i]);
    // Every entry counts in its row and in its column. Rows go round the parts, whose order is fixed.
    let part = |first: usize| {
        let mut sums = vec![0.0; n];
        for i in (first..n).step_by(PARTS) {
            let mut row = (a[[i, i]] + shift).abs() * scale(i) * scale(i);
            for (j, v) in a.row(i).iter().take(i).enumerate() {
                let v = v.abs() * scale(j) * scale(i);
                row += v;
                sums[j] += v;
            }
            sums[i] += row;
        }
        sums
    };
    let parts: Vec<Vec<f64>> = (0..PARTS.min(n)).into_par_iter().with_max_len(1).map(part).collect();
    (0..n).map(|j| parts.iter().map(|sums| sums[j]).sum()).fold(0.0, larger)
}

/// The larger of two sums; one that is not a number is the largest.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Noise and scale travel as two more features: `s(x) (k(x, x') + [x is x'] noise(x)) s(x')` is a kernel too.
fn kernel_on_gpu(k: &KernelOperator, points: &Points, s: Option<&Array1<f64>>) -> Result<Matrix> {
    let (n, d) = points.host().dim();
    let noise = k.noise();
    if s.is_none() && noise.iter().all(|v| v.to_bits() == noise[0].to_bits()) {
        let kernel = k.kernel().clone();
        let noisy = if noise[0] > 0.0 { kernel + Kernel::white(noise[0]) } else { kernel };
        return gram(&noisy, points.matrix()?, None);
    }
    let x = Array2::from_shape_fn((n, d + 2), |(i, j)| match j {
        _ if j < d => points.host()[[i, j]] - points.shift()[j],
        _ if j == d => noise[i].sqrt(),
        _ => s.map_or(1.0, |s| s[i]),
    });
    let plain = k.kernel().clone().on((0..d).collect::<Vec<_>>());
    let noisy = plain + Kernel::white(1.0).warp("noise", move |x| x[d]);
    let x = Matrix::upload("SpdFactor::of_kernel", points.device(), x.view())?;
    gram(&noisy.warp("equilibration", move |x| x[d + 1]), &x, None)
}
