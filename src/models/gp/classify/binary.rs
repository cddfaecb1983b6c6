//! Two classes, one latent function: `B = I + D^½ K D^½` with D diagonal, whose eigenvalues are all at least one.

#[cfg(feature = "serde")]
mod saved;
#[cfg(feature = "serde")]
pub(super) use saved::SavedOne;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::laplace::{Curvature, Observed, times};
use super::likelihood::{Link, Local};
use crate::linalg::{SpdFactor, SpdParams, dots};
use crate::models::gp::f32_bound::{SINGLE, doubtful, reach};
use crate::probability::posterior_variance::left;
use crate::ops::{Along, Reduction, Trans, Zip, diagonal, gemm_add, reduce, syrk, zip};
use crate::{Device, Matrix, Result};

/// Labels ±1 under a link.
#[derive(Debug, Clone)]
pub(super) struct Signs {
    pub y: Vec<f64>,
    pub link: Link,
}

/// The factor of B at one f.
#[derive(Debug)]
pub(super) struct OneFactor {
    pub scaled: ScaledFactor,
    /// `d ln D/df`.
    pub drift: Array1<f64>,
}

impl Signs {
    fn locals<'a>(&'a self, f: ArrayView2<'a, f64>) -> impl Iterator<Item = Local> + 'a {
        self.y.iter().zip(f.into_iter().copied().collect::<Vec<_>>()).map(|(&y, f)| self.link.local(y, f))
    }
}

impl Observed for Signs {
    type Curvature = OneFactor;

    fn functions(&self) -> usize {
        1
    }

    fn slope(&self, f: ArrayView2<f64>) -> (f64, Array2<f64>) {
        let (mut log, mut g) = (0.0, Array2::zeros(f.raw_dim()));
        for (g, local) in g.iter_mut().zip(self.locals(f)) {
            log += local.log;
            *g = local.slope;
        }
        (log, g)
    }

    fn curvature(&self, device: &Device, k: &Matrix, f: ArrayView2<f64>) -> Result<OneFactor> {
        let root = self.locals(f).map(|l| l.curvature.sqrt()).collect();
        let drift = self.locals(f).map(|l| l.drift).collect();
        Ok(OneFactor { scaled: ScaledFactor::new(device, k, root)?, drift })
    }
}

impl Curvature for OneFactor {
    fn shrink(&self, k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(&v - &self.scaled.apply(times(k, v)?)?)
    }

    fn log_det(&self) -> Result<f64> {
        self.scaled.factor.log_det()
    }

    fn single(&self) -> Option<f64> {
        self.scaled.single()
    }

    const GUARDED: bool = true;

    /// `½ (a aᵀ + u aᵀ + a uᵀ - E)`: the first and last terms are what K does to ψ and to the determinant, the others
    /// what it does to the determinant by moving the mode, `u = (I + DK)⁻¹ s`, `s = -½ diag((K⁻¹ + D)⁻¹) dD/df`.
    fn weights(&self, k: &Matrix, a: ArrayView2<f64>) -> Result<Matrix> {
        let (e, inner) = self.scaled.dense()?;
        // (K⁻¹ + D)⁻¹ = D^-½ (I - B⁻¹) D^-½: D cancels against dD/df, which matters where D has underflowed.
        let s = Array1::from_iter(inner.iter().zip(&self.drift).map(|(b, drift)| -0.5 * (1.0 - b) * drift));
        let u = self.shrink(k, s.insert_axis(Axis(1)).view())?;
        half_outer(a, u.view(), &e)
    }
}

/// `½ Σ_c (a_c a_cᵀ + u_c a_cᵀ + a_c u_cᵀ) - ½ e`, where `e` lives.
pub(super) fn half_outer(a: ArrayView2<f64>, u: ArrayView2<f64>, e: &Matrix) -> Result<Matrix> {
    // a aᵀ + u aᵀ + a uᵀ = (a + u)(a + u)ᵀ - u uᵀ.
    let sum = &a + &u;
    let left = ndarray::concatenate![Axis(1), sum, u];
    let right = ndarray::concatenate![Axis(1), sum, -&u];
    let on = |m: &Array2<f64>| Matrix::from_array(&e.device(), m.view());
    gemm_add(0.5, &on(&left)?, Trans::No, &on(&right)?, Trans::Yes, -0.5, e)
}

/// `E = D^½ B⁻¹ D^½ = (K + D⁻¹)⁻¹`, `B = I + D^½ K D^½`, for a diagonal D that may hold zeros.
#[derive(Debug)]
pub(super) struct ScaledFactor {
    root: Array1<f64>,
    /// Of the diagonal of B.
    largest: f64,
    pub factor: SpdFactor,
}

impl ScaledFactor {
    pub fn new(device: &Device, k: &Matrix, root: Array1<f64>) -> Result<Self> {
        let (b, largest) = scaled(k, &root)?;
        Ok(ScaledFactor { factor: SpdFactor::new(device, b.view(), &params(device))?, largest, root })
    }

    /// `E v`, n x r, refined.
    pub fn apply(&self, mut v: Array2<f64>) -> Result<Array2<f64>> {
        let column = self.column();
        v *= &column;
        let mut out = self.factor.solve(v.view())?.x;
        out *= &column;
        Ok(out)
    }

    /// E where the factor lives, and the diagonal of B⁻¹.
    pub fn dense(&self) -> Result<(Matrix, Vec<f64>)> {
        let half = self.factor.whiten(Matrix::from_host(Array2::eye(self.root.len())))?;
        let inner = syrk(1.0, &half, Trans::Yes)?;
        let on = |v: ArrayView2<f64>| Matrix::from_array(&inner.device(), v);
        let rows = zip(&inner, &on(self.column())?, Zip::Mul)?;
        let e = zip(&rows, &on(self.row())?, Zip::Mul)?;
        Ok((e, diagonal(&inner)?.into_array()?.into_iter().collect()))
    }

    /// `prior - kᵀ E k` for each column k of `cross`, n x m, in f64 on the CPU: what is left of the prior variances.
    ///
    /// A factor in f32 comes with a bound on what it has lost; where that could matter a solve that is refined in f64
    /// takes its place.
    pub fn left(&self, cross: &Matrix, prior: &[f64]) -> Result<Vec<f64>> {
        let scaled = zip(cross, &Matrix::from_host(self.column().to_owned()), Zip::Mul)?;
        let white = self.factor.whiten(scaled.clone())?;
        let explained = reduce(&white, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
        let mut rest: Vec<f64> = prior.iter().zip(&explained).map(|(&p, &e)| left(p, e)).collect();
        if white.device().is_gpu() {
            let lost = reach(&self.factor, self.largest, &white)?.into_iter().map(|r| SINGLE * r * r);
            let doubtful = doubtful(&lost.collect::<Vec<f64>>(), &rest);
            if !doubtful.is_empty() {
                let again = scaled.cpu().select(Axis(1), &doubtful);
                let explained = dots(&again, &self.factor.solve(again.view())?.x);
                doubtful.iter().zip(explained).for_each(|(&j, e)| rest[j] = left(prior[j], e));
            }
        }
        Ok(rest)
    }

    /// The condition of a factor in f32.
    pub fn single(&self) -> Option<f64> {
        self.factor.factor().device().is_gpu().then(|| self.factor.condition())
    }

    fn column(&self) -> ArrayView2<'_, f64> {
        self.root.view().insert_axis(Axis(1))
    }

    fn row(&self) -> ArrayView2<'_, f64> {
        self.root.view().insert_axis(Axis(0))
    }
}

/// B, and the largest entry of its diagonal.
fn scaled(k: &Matrix, root: &Array1<f64>) -> Result<(Array2<f64>, f64)> {
    let mut b = k.to_array()?;
    b *= root;
    b *= &root.view().insert_axis(Axis(1));
    b.diag_mut().mapv_inplace(|v| v + 1.0);
    let largest = b.diag().fold(0f64, |m, v| m.max(*v));
    Ok((b, largest))
}

/// Only a device in f32 decides anything by the condition.
pub(super) fn params(device: &Device) -> SpdParams {
    SpdParams { condition: device.is_gpu(), ..SpdParams::default() }
}
