//! The f64 matrix that a refined solve is about, stored or made of a kernel, and its f32 image on a device.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::column_scale::scale_rows;
use super::kernel_operator::KernelOperator;
use super::norm::norm1;
use super::operator::{Operator, Stored};
use crate::ops::gram;
use crate::{Device, Kernel, Matrix, Result};

/// `A + jitter I` in f64; whatever holds it lives on the CPU.
#[derive(Debug, Clone)]
pub(super) enum Truth {
    Stored(Stored),
    Kernel(Box<KernelOperator>),
}

impl Truth {
    pub fn operator(&self) -> &dyn Operator {
        match self {
            Truth::Stored(a) => a,
            Truth::Kernel(k) => k.as_ref(),
        }
    }

    /// The same with `jitter` added to the diagonal.
    pub fn jittered(&self, jitter: f64) -> Result<Self> {
        Ok(match self {
            Truth::Stored(a) => Truth::Stored(a.clone().shifted(a.shift() + jitter)?),
            Truth::Kernel(k) => Truth::Kernel(Box::new(k.noisier(jitter))),
        })
    }

    /// All of it, in f64.
    pub fn dense(&self) -> Result<Array2<f64>> {
        let mut a = match self {
            Truth::Stored(a) => a.matrix().to_array()?,
            Truth::Kernel(k) => gram(k.kernel(), k.x(), None)?.into_array()?,
        };
        let diagonal = self.operator().diagonal()?;
        a.diag_mut().assign(&diagonal);
        Ok(a)
    }

    /// `‖diag(s) A diag(s)‖₁`; of a kernel, which is not stored, an estimate.
    pub fn norm(&self, s: Option<&Array1<f64>>) -> Result<f64> {
        if let Truth::Stored(stored) = self
            && let Some(a) = stored.matrix().host()
        {
            return Ok(norm_of(a, stored.shift(), s));
        }
        norm1(self.operator().dim(), |mut v| {
            scale_rows(&mut v, s);
            let mut out = self.operator().apply(v.view())?;
            scale_rows(&mut out, s);
            Ok(out)
        })
    }

    /// `diag(s) A diag(s)` on a GPU. A kernel's is made there, so that nothing of size n² crosses.
    pub fn on_gpu(&self, device: &Device, s: Option<&Array1<f64>>) -> Result<Matrix> {
        match self {
            Truth::Stored(_) => {
                let mut a = self.dense()?;
                if let Some(s) = s {
                    a *= s;
                    scale_rows(&mut a, Some(s));
                }
                Matrix::upload("solve_spd", device, a.view())
            }
            Truth::Kernel(k) => kernel_on_gpu(k, device, s),
        }
    }
}

/// `‖diag(s) (A + shift I) diag(s)‖₁` of a symmetric matrix.
pub(super) fn norm_of(a: &Array2<f64>, shift: f64, s: Option<&Array1<f64>>) -> f64 {
    let row = |i: usize| {
        let row = a.row(i);
        let own = (row[i] + shift).abs() - row[i].abs();
        match s {
            None => own + row.as_slice().map_or_else(|| row.fold(0.0, |sum, v| sum + v.abs()), absolute_sum),
            Some(s) => (row.iter().zip(s).map(|(v, s)| v.abs() * s).sum::<f64>() + own * s[i]) * s[i],
        }
    };
    // A sum that is not a number is the largest.
    let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
    (0..a.nrows()).into_par_iter().map(row).reduce(|| 0.0, larger)
}

/// In eight parts, none of which waits for another.
fn absolute_sum(values: &[f64]) -> f64 {
    let eights = values.chunks_exact(8);
    let rest: f64 = eights.remainder().iter().map(|v| v.abs()).sum();
    let mut sums = [0.0; 8];
    for eight in eights {
        for l in 0..8 {
            sums[l] += eight[l].abs();
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// Noise and scale travel as two more features: `s(x) (k(x, x') + [x is x'] noise(x)) s(x')` is a kernel too.
fn kernel_on_gpu(k: &KernelOperator, device: &Device, s: Option<&Array1<f64>>) -> Result<Matrix> {
    let (n, d) = k.points().dim();
    let noise = k.noise();
    let upload = |x: &Array2<f64>| Matrix::upload("SpdFactor::of_kernel", device, x.view());
    if s.is_none() && noise.iter().all(|v| v.to_bits() == noise[0].to_bits()) {
        let x = upload(k.points())?;
        let kernel = k.kernel().clone();
        let noisy = if noise[0] > 0.0 { kernel + Kernel::white(noise[0]) } else { kernel };
        return gram(&noisy, &x, None);
    }
    let x = Array2::from_shape_fn((n, d + 2), |(i, j)| match j {
        _ if j < d => k.points()[[i, j]],
        _ if j == d => noise[i].sqrt(),
        _ => s.map_or(1.0, |s| s[i]),
    });
    let own = k.kernel().clone().on((0..d).collect::<Vec<_>>());
    let noisy = own + Kernel::white(1.0).warp("noise", move |x| x[d]);
    gram(&noisy.warp("equilibration", move |x| x[d + 1]), &upload(&x)?, None)
}
