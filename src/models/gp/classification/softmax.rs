//! Several classes, a latent function each: `W = D - Π Πᵀ` with `D = diag(π)`, Π the n x n diagonals of the class
//! probabilities, stacked.
//!
//! With `E_c = (K + D_c⁻¹)⁻¹` and `S = Σ_c E_c` everything about W reduces to n x n matrices:
//! `(W⁻¹ + K)⁻¹ = E - E S⁻¹ E` (blocks `E_c S⁻¹ E_c'`) and `|I + WK| = |S| Π_c |B_c|`.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis};

use super::binary::{ScaledFactor, factored, half_outer};
use super::laplace::{Curvature, Observed, times};
use crate::linalg::SpdFactor;
use crate::ops::{Along, Reduction, Trans, Zip, gemm, reduce, syrk, zip};
use crate::{Error, Matrix, Result};

/// One class index for each point, below `classes`.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    pub y: Vec<usize>,
    pub classes: usize,
}

/// The factors at one f.
#[derive(Debug)]
pub(super) struct ManyFactors {
    /// n x C: the class probabilities at f.
    pub pi: Array2<f64>,
    pub each: Vec<ScaledFactor>,
    /// `E_c`, n x n.
    pub e: Vec<Matrix>,
    /// The diagonal of each `B_c⁻¹`.
    pub inner: Vec<Vec<f64>>,
    /// S.
    pub sum: SpdFactor,
}

impl Observed for Classes {
    type Curvature = ManyFactors;

    fn functions(&self) -> usize {
        self.classes
    }

    fn slope(&self, f: ArrayView2<f64>) -> (f64, Array2<f64>) {
        let (mut log, mut g) = (0.0, Array2::zeros(f.raw_dim()));
        for ((f, mut g), &y) in f.rows().into_iter().zip(g.rows_mut()).zip(&self.y) {
            let total = softmax(f, &mut g);
            log += f[y] - total;
            g.mapv_inplace(|p| -p);
            // 1 - π_y as what the others have: where that is little, a difference from one has few digits of it.
            g[y] = 0.0;
            g[y] = -g.sum();
        }
        (log, g)
    }

    fn curvature(&self, k: &Matrix, f: ArrayView2<f64>) -> Result<ManyFactors> {
        let mut pi = Array2::zeros(f.raw_dim());
        for (f, mut pi) in f.rows().into_iter().zip(pi.rows_mut()) {
            softmax(f, &mut pi);
        }
        let factor = |p: ArrayView1<f64>| ScaledFactor::new(k, p.mapv(f64::sqrt));
        let each: Vec<ScaledFactor> = pi.columns().into_iter().map(factor).collect::<Result<_>>()?;
        let (e, inner): (Vec<Matrix>, Vec<Vec<f64>>) =
            each.iter().map(ScaledFactor::dense).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let sum = factored(total(&e, k.rows())?.view())?;
        Ok(ManyFactors { pi, each, e, inner, sum })
    }
}

impl Curvature for ManyFactors {
    /// `v - (W⁻¹ + K)⁻¹ K v`.
    fn shrink(&self, k: &Matrix, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let kv = times(k, v)?;
        let one = |m: ArrayView1<f64>| m.to_owned().insert_axis(Axis(1));
        let parts: Vec<Array2<f64>> =
            self.each.iter().zip(kv.columns()).map(|(e, kv)| e.apply(one(kv))).collect::<Result<_>>()?;
        let together = parts.iter().fold(Array2::zeros((k.rows(), 1)), |sum, part| sum + part);
        let shared = self.sum.solve(together.view())?.x;
        let mut out = v.to_owned();
        for ((mut out, part), e) in out.columns_mut().into_iter().zip(parts).zip(&self.each) {
            out += &(e.apply(shared.clone())? - part).column(0);
        }
        Ok(out)
    }

    fn log_det(&self) -> Result<f64> {
        self.each.iter().try_fold(self.sum.log_det()?, |sum, e| Ok(sum + e.factor.log_det()?))
    }

    /// As for two classes, with the diagonal blocks of `(W⁻¹ + K)⁻¹` for E.
    fn weights(&self, k: &Matrix, a: ArrayView2<f64>) -> Result<Matrix> {
        let mut blocks: Option<Matrix> = None;
        for e in &self.e {
            let half = self.sum.whiten(e.clone())?;
            let block = zip(e, &syrk(1.0, &half, Trans::Yes)?, Zip::Sub)?;
            blocks = Some(blocks.map_or(Ok(block.clone()), |sum| zip(&sum, &block, Zip::Add))?);
        }
        let none = || Error::Shape { op: "GpClassifier", what: "no classes".to_owned() };
        half_outer(a, self.drift(k)?.view(), &blocks.ok_or_else(none)?)
    }

    fn drift(&self, k: &Matrix) -> Result<Array2<f64>> {
        let half = |e: &Matrix| gemm(1.0, &self.sum.whiten(e.clone())?, Trans::No, k, Trans::No);
        let halves: Vec<Matrix> = self.e.iter().map(half).collect::<Result<_>>()?;
        self.shrink(k, self.determinant_slope(&halves)?.view())
    }
}

impl ManyFactors {
    /// `-½ d ln|I + WK|/df = -½ Σ_cc' Cov(f_c, f_c') dW_cc'/df`, n x C: W at a point depends on the latent values at
    /// that point only, so only the C x C covariances there are wanted. `halves` are `S^-½ E_c K`.
    fn determinant_slope(&self, halves: &[Matrix]) -> Result<Array2<f64>> {
        let (n, classes) = self.pi.dim();
        let mut out = Array2::<f64>::zeros((n, classes));
        for c in 0..classes {
            for c2 in c..classes {
                let product = column_dots(&halves[c], &halves[c2])?;
                for i in 0..n {
                    let pi = self.pi.row(i);
                    for k in 0..classes {
                        let (is, is2) = (f64::from(u8::from(c == k)), f64::from(u8::from(c2 == k)));
                        // The first part of the variance, K - K E_c K, is (1 - B_c⁻¹)/π_c; dW_cc/df_k holds a π_c.
                        out[[i, k]] -= if c == c2 {
                            let own = 1.0 - self.inner[c][i] + pi[c] * product[i];
                            0.5 * own * (is - pi[k]) * (1.0 - 2.0 * pi[c])
                        } else {
                            product[i] * -pi[c] * pi[c2] * (is + is2 - 2.0 * pi[k])
                        };
                    }
                }
            }
        }
        Ok(out)
    }

    /// The C x C posterior covariances of the latent functions at m points, for `cross`, `K(x, new)`, n x m, and the
    /// prior variances there.
    pub fn covariances(&self, cross: &Matrix, prior: &[f64]) -> Result<Vec<Array2<f64>>> {
        let classes = self.each.len();
        let whiten = |e: &Matrix| self.sum.whiten(gemm(1.0, e, Trans::No, cross, Trans::No)?);
        let halves: Vec<Matrix> = self.e.iter().map(whiten).collect::<Result<_>>()?;
        let mut out = vec![Array2::zeros((classes, classes)); prior.len()];
        for c in 0..classes {
            let left = self.each[c].left(cross, prior)?;
            for c2 in c..classes {
                for (i, dot) in column_dots(&halves[c], &halves[c2])?.into_iter().enumerate() {
                    let own = if c == c2 { left[i] } else { 0.0 };
                    out[i][[c, c2]] = own + dot;
                    out[i][[c2, c]] = own + dot;
                }
            }
        }
        Ok(out)
    }
}

/// `S = Σ_c E_c`, n x n.
pub(super) fn total(e: &[Matrix], n: usize) -> Result<Array2<f64>> {
    let mut s = Array2::<f64>::zeros((n, n));
    for e in e {
        s += &e.to_array()?;
    }
    Ok((&s + &s.t()) * 0.5)
}

/// `Σ_j a[j, i] b[j, i]` for each column i.
fn column_dots(a: &Matrix, b: &Matrix) -> Result<Vec<f64>> {
    let sums = reduce(&zip(a, b, Zip::Mul)?, Along::EachColumn, Reduction::Sum)?;
    Ok(sums.into_array()?.into_iter().collect())
}

/// Writes the softmax of `f` to `out` and returns its log-sum-exp.
pub(super) fn softmax(f: ArrayView1<f64>, out: &mut ArrayViewMut1<f64>) -> f64 {
    let top = f.fold(f64::NEG_INFINITY, |s, v| s.max(*v));
    out.zip_mut_with(&f, |p, v| *p = (v - top).exp());
    let sum = out.sum();
    *out /= sum;
    top + sum.ln()
}
