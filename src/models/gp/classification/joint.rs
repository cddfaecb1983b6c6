//! Latent functions at several points together: covariances, and class probabilities drawn from the posterior. Checked in
//! `tests/gp_classify/joint.rs`.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::about::probabilities;
use super::fitted::{Body, FittedGpClassifier};
use super::laplace::{Curvature, Laplace};
use crate::check::{finite, inputs, room, zeros};
use crate::learn::Inputs;
use crate::models::gp::prediction::{Samples, draw};
use crate::ops::{Trans, Zip, gemm, gram, gram_diagonal, syrk, zip};
use crate::{Matrix, Result};

const OP: &str = "FittedGpClassifier::latent_joint";

/// The latent functions at m points, together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JointLatent {
    /// The means, a column for each function, as in [`Latent`](super::Latent).
    pub mean: Array2<f64>,
    /// The covariance of all values, function after function: that of `f_c(x_i)` and `f_d(x_j)` is at `(cm + i, dm + j)`. Functions that
    /// were fitted one against the rest are independent; those of a softmax are not.
    pub covariance: Array2<f64>,
}

/// `K(x, new)`, the latent means there and `K(new, new)`.
fn parts<C: Curvature>(
    laplace: &Laplace<C>,
    new: ArrayView2<f64>,
) -> Result<(Matrix, Array2<f64>, Array2<f64>)> {
    let at = Matrix::from_host(new.to_owned());
    let cross = gram(&laplace.kernel, &laplace.x, Some(&at))?;
    let mean =
        gemm(1.0, &cross, Trans::Yes, &Matrix::from_host(laplace.a.clone()), Trans::No)?.into_array()?;
    Ok((cross, mean, gram(&laplace.kernel, &at, None)?.into_array()?))
}

impl<L> FittedGpClassifier<L> {
    /// Means and the covariance of the latent functions between all rows of `x`.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let fitted = GpClassifier::new(Kernel::rbf(1.0)).fit(&Device::cpu(), array![[-1.0], [1.0]], ["no", "yes"])?;
    /// let new = array![[5.0], [5.1]];
    /// let joint = fitted.latent_joint(&new)?;
    /// assert!(joint.covariance[[0, 1]] > 0.9); // far from the data, but near each other
    /// assert_eq!(fitted.sample(&new, 7, 1)?.values.dim(), (7, 2, 2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`latent`](Self::latent); [`Error::Parameter`](crate::Error::Parameter) for more points than memory has room for.
    pub fn latent_joint(&self, x: impl Inputs) -> Result<JointLatent> {
        let x = x.inputs();
        inputs(OP, x.view(), self.features())?;
        let (m, functions) = (x.nrows(), self.functions());
        let all = m.saturating_mul(functions);
        room("rows of x", all, all.saturating_mul(24))?;
        let (mut mean, mut covariance) = (zeros("x", m, functions)?, zeros("x", all, all)?);
        match &*self.body {
            Body::Binary(each, _) => {
                for (c, laplace) in each.iter().enumerate() {
                    let (cross, own, prior) = parts(laplace, x.view())?;
                    mean.column_mut(c).assign(&own.column(0));
                    let left = laplace.curvature.scaled.left_joint(&cross, prior)?;
                    covariance.slice_mut(s![c * m..(c + 1) * m, c * m..(c + 1) * m]).assign(&left);
                }
            }
            Body::Softmax(all) => {
                let (cross, own, prior) = parts(all, x.view())?;
                mean.assign(&own);
                let factors = &all.curvature;
                // E S⁻¹ E by halves, and the prior less E_c on the diagonal.
                let half = |e: &Matrix| factors.sum.whiten(gemm(1.0, e, Trans::No, &cross, Trans::No)?);
                let halves: Vec<Matrix> = factors.e.iter().map(half).collect::<Result<_>>()?;
                for (c, one) in halves.iter().enumerate() {
                    for (d, other) in halves.iter().enumerate() {
                        let mut block = gemm(1.0, one, Trans::Yes, other, Trans::No)?.into_array()?;
                        if c == d {
                            block += &factors.each[c].left_joint(&cross, prior.clone())?;
                        }
                        covariance.slice_mut(s![c * m..(c + 1) * m, d * m..(d + 1) * m]).assign(&block);
                    }
                }
            }
        }
        let covariance = (&covariance + &covariance.t()) * 0.5;
        finite(OP, "the covariance", covariance.view())?;
        Ok(JointLatent { mean, covariance })
    }

    /// Class probabilities drawn from the posterior at the rows of `x`, `count x m x classes`: those of latent functions that were drawn
    /// together. Their mean is `predict_proba` for two classes and for the softmax; the seed decides.
    ///
    /// # Errors
    /// As [`latent_joint`](Self::latent_joint); [`Error::Shape`](crate::Error::Shape) for a count of zero.
    pub fn sample(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Samples> {
        let x = x.inputs();
        self.drawn(&self.latent_joint(x.view())?, x.view(), count, seed)
    }

    pub(super) fn drawn(
        &self,
        joint: &JointLatent,
        x: ArrayView2<f64>,
        count: usize,
        seed: u64,
    ) -> Result<Samples> {
        let (m, functions) = joint.mean.dim();
        let kernel = self.kernels()[0];
        let prior = gram_diagonal(kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        // Function after function, as the covariance has them.
        let mean = Array2::from_shape_fn((m * functions, 1), |(at, _)| joint.mean[[at % m, at / m]]);
        let mut drawn = draw(&mean, &joint.covariance, prior.mean().unwrap_or(0.0), count, seed)?;
        let flat = drawn.values.index_axis(Axis(2), 0);
        let values = ndarray::Array3::from_shape_fn((count, m, functions), |(k, i, c)| flat[[k, c * m + i]]);
        let link = match &*self.body {
            Body::Binary(_, link) => Some(*link),
            Body::Softmax(_) => None,
        };
        drawn.values = probabilities(values, link);
        Ok(drawn)
    }
}

impl super::binary::ScaledFactor {
    /// `prior - crossᵀ E cross`, m x m: what is left of a prior covariance.
    fn left_joint(&self, cross: &Matrix, prior: Array2<f64>) -> Result<Array2<f64>> {
        let root = Matrix::from_host(self.root.view().insert_axis(Axis(1)).to_owned());
        let white = self.factor.whiten(zip(cross, &root, Zip::Mul)?)?;
        Ok(prior - syrk(1.0, &white, Trans::Yes)?.into_array()?)
    }
}
