//! The f64 matrix that a refined solve is about, stored or made of a kernel, and its f32 image on a device.

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::anchor::Anchor;
use super::column_scale::scale_rows;
use crate::linalg::iterative::kernel_operator::KernelOperator;
use super::norm::norm1;
use crate::linalg::iterative::operator::{Operator, Stored};
use crate::ops::{gram, gram_lower};
use crate::{Device, Kernel, Matrix, Result};

/// Shares of the rows that a norm is summed in.
const PARTS: usize = 16;

/// `A + jitter I` in f64; whatever holds it lives on the CPU.
#[derive(Debug, Clone)]
pub(in crate::linalg) enum Truth {
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

    /// In f64, on and below the diagonal; what is above it is not to be read.
    pub fn lower(&self) -> Result<Array2<f64>> {
        let mut a = match self {
            Truth::Stored(a) => a.matrix().to_array()?,
            Truth::Kernel(k) => gram_lower(k.kernel(), k.points())?,
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

    /// How far the entries of [`Truth::on_gpu`] are off because inputs are rounded, relative to the diagonal.
    pub fn moved(&self) -> Result<f64> {
        match self {
            Truth::Stored(_) => Ok(0.0),
            Truth::Kernel(k) => {
                let x = k.points().view();
                Anchor::new(k.kernel(), x).moved(k.kernel(), x, x)
            }
        }
    }

    /// `diag(s) A diag(s)` on a GPU. A kernel's is made there, so that nothing of size n² crosses.
    pub fn on_gpu(&self, device: &Device, s: Option<&Array1<f64>>) -> Result<Matrix> {
        match self {
            Truth::Stored(_) => {
                // Of a stored matrix that is all of it.
                let mut a = self.lower()?;
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

/// `‖diag(s) (A + shift I) diag(s)‖₁` of a symmetric matrix, of which the lower triangle is read, once.
pub(in crate::linalg) fn norm_of(a: &Array2<f64>, shift: f64, s: Option<&Array1<f64>>) -> f64 {
    let n = a.nrows();
    let scale = |i: usize| s.map_or(1.0, |s| s[i]);
    // Every entry counts in its row and in its column. Rows go round the parts, whose order is fixed.
    let part = |first: usize| {
        let (mut sums, mut scaled) = (vec![0.0; n], vec![0.0; n]);
        for i in (first..n).step_by(PARTS) {
            let own = (a[[i, i]] + shift).abs() * scale(i);
            let left = &mut scaled[..i];
            left.iter_mut().zip(a.row(i)).for_each(|(to, v)| *to = v.abs());
            if let Some(s) = s {
                left.iter_mut().zip(s).for_each(|(v, s)| *v *= s);
            }
            sums[i] += scale(i) * (own + sum(left));
            let by_row = scale(i);
            sums.iter_mut().zip(left).for_each(|(sum, v)| *sum += *v * by_row);
        }
        sums
    };
    let parts: Vec<Vec<f64>> = (0..PARTS.min(n)).into_par_iter().with_max_len(1).map(part).collect();
    let column = |j: usize| parts.iter().map(|sums| sums[j]).sum();
    // A sum that is not a number is the largest.
    let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
    (0..n).map(column).fold(0.0, larger)
}

/// In eight parts, none of which waits for another.
fn sum(values: &[f64]) -> f64 {
    let eights = values.chunks_exact(8);
    let rest: f64 = eights.remainder().iter().sum();
    let mut sums = [0.0; 8];
    for eight in eights {
        for l in 0..8 {
            sums[l] += eight[l];
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// Noise and scale travel as two more features: `s(x) (k(x, x') + [x is x'] noise(x)) s(x')` is a kernel too.
fn kernel_on_gpu(k: &KernelOperator, device: &Device, s: Option<&Array1<f64>>) -> Result<Matrix> {
    const OP: &str = "SpdFactor::of_kernel";
    let (n, d) = k.points().dim();
    let noise = k.noise();
    let anchor = Anchor::new(k.kernel(), k.points().view());
    if s.is_none() && noise.iter().all(|v| v.to_bits() == noise[0].to_bits()) {
        let x = anchor.upload(OP, device, k.points().view())?;
        let kernel = k.kernel().clone();
        let noisy = if noise[0] > 0.0 { kernel + Kernel::white(noise[0]) } else { kernel };
        return gram(&noisy, &x, None);
    }
    let x = Array2::from_shape_fn((n, d + 2), |(i, j)| match j {
        _ if j < d => k.points()[[i, j]] - anchor.shift()[j],
        _ if j == d => noise[i].sqrt(),
        _ => s.map_or(1.0, |s| s[i]),
    });
    let own = k.kernel().clone().on((0..d).collect::<Vec<_>>());
    let noisy = own + Kernel::white(1.0).warp("noise", move |x| x[d]);
    gram(&noisy.warp("equilibration", move |x| x[d + 1]), &Matrix::upload(OP, device, x.view())?, None)
}
