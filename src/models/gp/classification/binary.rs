//! Two classes, one latent function: `B = I + D^½ K D^½` with D diagonal, whose eigenvalues are all at least one.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::laplace::{Curvature, Observed, times};
use super::likelihood::{Link, Local};
use crate::linalg::{SpdFactor, SpdParams};
use crate::ops::{
    Along, Reduction, Side, Trans, Triangle, Zip, add_diagonal, cholesky, diagonal, gemm_add, reduce,
    solve_triangular, syrk, zip,
};
use crate::probability::posterior_variance::left;
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

impl Signs {
    /// The diagonal of `D^½`.
    fn root(&self, f: ArrayView2<f64>) -> Array1<f64> {
        self.locals(f).map(|l| l.curvature.sqrt()).collect()
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

    fn curvature(&self, k: &Matrix, f: ArrayView2<f64>) -> Result<OneFactor> {
        let drift = self.locals(f).map(|l| l.drift).collect();
        Ok(OneFactor { scaled: ScaledFactor::new(k, self.root(f))?, drift })
    }

    /// `v - D^½ B⁻¹ D^½ K v`: B is made where K is, and n numbers cross each way.
    fn rough_step(
        &self,
        k: &Matrix,
        f: ArrayView2<f64>,
        v: ArrayView2<f64>,
        mut kv: Array2<f64>,
    ) -> Result<Option<Array2<f64>>> {
        let root = self.root(f).insert_axis(Axis(1));
        let on = |m: ArrayView2<f64>| Matrix::upload("GpClassifier", &k.device(), m);
        let scaled = zip(&zip(k, &on(root.view())?, Zip::Mul)?, &on(root.t())?, Zip::Mul)?;
        let l = cholesky(&add_diagonal(&scaled, 1.0)?)?;
        kv *= &root;
        let half = solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &on(kv.view())?)?;
        let solved = solve_triangular(&l, Triangle::Lower, Trans::Yes, Side::Left, &half)?.into_array()?;
        Ok(Some(&v - &(solved * &root)))
    }
}

impl Curvature for OneFactor {
    fn shrink(&self, k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(&v - &self.scaled.apply(times(k, v)?)?)
    }

    fn log_det(&self) -> Result<f64> {
        self.scaled.factor.log_det()
    }

    /// `½ (a aᵀ + u aᵀ + a uᵀ - E)`: the first and last terms are what K does to ψ and to the determinant, the others
    /// what it does to the determinant by moving the mode, `u = (I + DK)⁻¹ s`, `s = -½ diag((K⁻¹ + D)⁻¹) dD/df`.
    fn weights(&self, k: &Matrix, a: ArrayView2<f64>) -> Result<Matrix> {
        half_outer(a, self.drift(k)?.view(), &self.scaled.dense()?.0)
    }

    fn drift(&self, k: &Matrix) -> Result<Array2<f64>> {
        let inner = self.scaled.dense()?.1;
        // (K⁻¹ + D)⁻¹ = D^-½ (I - B⁻¹) D^-½: D cancels against dD/df, which matters where D has underflowed.
        let s = Array1::from_iter(inner.iter().zip(&self.drift).map(|(b, drift)| -0.5 * (1.0 - b) * drift));
        self.shrink(k, s.insert_axis(Axis(1)).view())
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

/// `E = D^½ B⁻¹ D^½ = (K + D⁻¹)⁻¹`, `B = I + D^½ K D^½`, for a diagonal D that may hold zeros; in f64 on the CPU.
#[derive(Debug)]
pub(super) struct ScaledFactor {
    pub root: Array1<f64>,
    pub factor: SpdFactor,
}

impl ScaledFactor {
    pub fn new(k: &Matrix, root: Array1<f64>) -> Result<Self> {
        Ok(ScaledFactor { factor: factored(scaled(k, &root)?.view())?, root })
    }

    /// `E v`, n x r, refined.
    pub fn apply(&self, mut v: Array2<f64>) -> Result<Array2<f64>> {
        let column = self.column();
        v *= &column;
        let mut out = self.factor.solve(v.view())?.x;
        out *= &column;
        Ok(out)
    }

    /// E and the diagonal of B⁻¹.
    pub fn dense(&self) -> Result<(Matrix, Vec<f64>)> {
        let half = self.factor.whiten(Matrix::from_host(Array2::eye(self.root.len())))?;
        let inner = syrk(1.0, &half, Trans::Yes)?;
        let row = self.root.view().insert_axis(Axis(0));
        let rows = zip(&inner, &Matrix::from_host(self.column().to_owned()), Zip::Mul)?;
        let e = zip(&rows, &Matrix::from_host(row.to_owned()), Zip::Mul)?;
        Ok((e, diagonal(&inner)?.into_array()?.into_iter().collect()))
    }

    /// `prior - kᵀ E k` for each column k of `cross`, n x m: what is left of the prior variances.
    pub fn left(&self, cross: &Matrix, prior: &[f64]) -> Result<Vec<f64>> {
        let scaled = zip(cross, &Matrix::from_host(self.column().to_owned()), Zip::Mul)?;
        let white = self.factor.whiten(scaled)?;
        let explained = reduce(&white, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
        Ok(prior.iter().zip(&explained).map(|(&p, &e)| left(p, e)).collect())
    }

    fn column(&self) -> ArrayView2<'_, f64> {
        self.root.view().insert_axis(Axis(1))
    }
}

/// B.
pub(super) fn scaled(k: &Matrix, root: &Array1<f64>) -> Result<Array2<f64>> {
    let mut b = k.to_array()?;
    b *= root;
    b *= &root.view().insert_axis(Axis(1));
    b.diag_mut().mapv_inplace(|v| v + 1.0);
    Ok(b)
}

/// In f64; nobody asks for the condition.
pub(super) fn factored(a: ArrayView2<f64>) -> Result<SpdFactor> {
    SpdFactor::new(&Device::cpu(), a, &SpdParams::new().condition(false))
}
