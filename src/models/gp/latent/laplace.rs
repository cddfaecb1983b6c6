//! Laplace's approximation of the latent values, and what is predicted from it.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::likelihood::{Local, PointLikelihood};
use crate::check::{finite, inputs, largest, require};
use crate::learn::answer::answered;
use crate::learn::configure::getters;
use crate::learn::{Inputs, Weights};
use crate::models::gp::prediction::{Samples, draw};
use crate::ops::gram;
use crate::probability::gaussian::factor::{forward, log_det, lower, solve_one, symmetrised};
use crate::saved::Format;
use crate::{Error, Kernel, Matrix, Result};

/// Newton's method needs few; EM's weights of a likelihood that is not log-concave need many.
const MOST: usize = 5000;

/// The normal approximation `N(f̂, (K⁻¹ + D)⁻¹)` of latent values at the data, with predictions `K(new, x) K⁻¹ f̂` and
/// `k(new, new') - K(new, x)(K + D⁻¹)⁻¹K(x, new')`.
///
/// ```
/// use mercer::prelude::*;
/// use mercer::models::gp::{LatentGp, PoissonLikelihood};
/// use ndarray::array;
/// // Counts that rise.
/// let (x, y) = (array![[0.0], [1.0], [2.0], [3.0]], array![1.0, 2.0, 6.0, 11.0]);
/// let gp = LatentGp::laplace(&Kernel::rbf(2.0).scaled(4.0), &PoissonLikelihood, &x, &y)?;
/// let rates = gp.latent(array![[0.0], [3.0]])?.0.mapv(f64::exp);
/// assert!(rates[0] < 2.5 && rates[1] > 8.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct LatentGp {
    pub(super) format: Format,
    pub(super) kernel: Kernel,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) x: Array2<f64>,
    /// f̂, or the posterior means.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) mode: Array1<f64>,
    /// `K⁻¹ f̂`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) alpha: Array1<f64>,
    /// D, which may hold negative numbers.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) curvature: Array1<f64>,
    /// `(K + D⁻¹)⁻¹`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) inner: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) covariance: Array2<f64>,
    pub(super) log_evidence: f64,
    /// Whether the likelihood was the probit; one that was saved before it was asked says no.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) probit: bool,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub(super) trace: Vec<f64>,
}

getters!(LatentGp {
    /// The most probable latent values at the data, or their means by expectation propagation.
    mode: &Array1<f64>,
    /// D at the mode: the precision that each observation adds.
    curvature: &Array1<f64>,
    /// The posterior covariance of the latent values at the data, `K - K(K + D⁻¹)⁻¹K`.
    covariance: &Array2<f64>,
    /// `ln p(y)`, approximately.
    log_evidence: f64,
    /// `ln p(y|f) - ½ fᵀK⁻¹f` before the first step and after each, which never falls; the log evidence after each sweep of
    /// expectation propagation.
    trace: &[f64],
});

pub(super) fn covariance_of(
    kernel: &Kernel,
    x: ArrayView2<f64>,
    y: Option<ArrayView2<f64>>,
) -> Result<Array2<f64>> {
    let on = |a: ArrayView2<f64>| Matrix::from_host(a.as_standard_layout().into_owned());
    gram(kernel, &on(x), y.map(on).as_ref())?.into_array()
}

/// The observations, checked.
pub(super) fn checked(
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    likelihood: &impl PointLikelihood,
) -> Result<()> {
    finite("LatentGp", "x", x)?;
    require("LatentGp", x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
    y.iter().try_for_each(|&y| likelihood.check(y))
}

impl LatentGp {
    /// Laplace's approximation for any likelihood: the mode by Newton's method with halved steps.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for observations that cannot be,
    /// [`Error::NoConvergence`]; [`Error::NotPositiveDefinite`] where the mode of a likelihood that is not log-concave is no
    /// maximum.
    pub fn laplace(
        kernel: &Kernel,
        likelihood: &impl PointLikelihood,
        x: impl Inputs,
        y: impl Weights,
    ) -> Result<Self> {
        let (x, y) = (x.inputs(), y.weights());
        Self::laplace_beside(kernel, likelihood, x.view(), y.view(), &Array1::zeros(x.nrows()))
    }

    /// The same where the likelihood sees f plus a known number for each observation; f is what is approximated.
    pub(super) fn laplace_beside(
        kernel: &Kernel,
        likelihood: &impl PointLikelihood,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
        known: &Array1<f64>,
    ) -> Result<Self> {
        checked(x, y, likelihood)?;
        let k = covariance_of(kernel, x, None)?;
        let n = y.len();
        let locals = |f: &Array1<f64>| -> Vec<Local> {
            y.iter().zip(f).zip(known).map(|((&y, &f), &m)| likelihood.local(y, f + m)).collect()
        };
        let mut alpha = Array1::<f64>::zeros(n);
        let mut f = alpha.clone();
        let mut here = locals(&f);
        let value = |here: &[Local], a: &Array1<f64>, f: &Array1<f64>| {
            here.iter().map(|l| l.log).sum::<f64>() - 0.5 * a.dot(f)
        };
        let mut psi = value(&here, &alpha, &f);
        let mut trace = vec![psi];
        let mut residual = f64::INFINITY;
        for _ in 0..MOST {
            let gap: Array1<f64> = here.iter().zip(&alpha).map(|(l, a)| l.slope - a).collect();
            residual = largest(&gap);
            if residual < 1e-11 {
                break;
            }
            // a += (I + WK)⁻¹(g - a) = (g - a) - W^½ B⁻¹ W^½ K (g - a).
            let root: Array1<f64> = here.iter().map(|l| l.weight.max(0.0).sqrt()).collect();
            let l = lower("LatentGp::laplace", scaled(&k, &root).view())?;
            let right = &root * &k.dot(&gap);
            let step = &gap - &(&root * &solve_one(&l, right.view()));
            let moved = k.dot(&step);
            let mut t = 1.0;
            let next = loop {
                let (a, g) = (&alpha + &(&step * t), &f + &(&moved * t));
                let there = locals(&g);
                let rises = value(&there, &a, &g);
                if rises >= psi - 1e-13 * (1.0 + psi.abs()) {
                    break Some((a, g, there, rises));
                }
                t *= 0.5;
                if t < 1e-12 {
                    break None;
                }
            };
            let Some((a, g, there, rises)) = next else { break };
            (alpha, f, here, psi) = (a, g, there, rises);
            trace.push(psi);
        }
        if residual.is_nan() || residual > 1e-7 {
            let (iterations, tolerance) = (trace.len(), 1e-11);
            return Err(Error::NoConvergence { op: "LatentGp::laplace", iterations, residual, tolerance });
        }
        let curvature: Array1<f64> = here.iter().map(|l| l.curvature).collect();
        let (inner, covariance, log) = parts(&k, &curvature)?;
        let log_evidence = psi - 0.5 * log;
        let (kernel, x) = (kernel.clone(), x.to_owned());
        Ok(LatentGp {
            format: Format,
            kernel,
            x,
            mode: f,
            alpha,
            curvature,
            inner,
            covariance,
            log_evidence,
            probit: likelihood.is_probit(),
            trace,
        })
    }

    /// Means and the joint covariance of the latent function at new points.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features, [`Error::NotFinite`].
    pub fn latent_joint(&self, x: impl Inputs) -> Result<(Array1<f64>, Array2<f64>)> {
        let x = x.inputs();
        inputs("LatentGp::latent", x.view(), self.x.ncols())?;
        let cross = covariance_of(&self.kernel, self.x.view(), Some(x.view()))?;
        let prior = covariance_of(&self.kernel, x.view(), None)?;
        let covariance = symmetrised(prior - cross.t().dot(&self.inner.dot(&cross)));
        let mean = answered("LatentGp::latent", Ok(cross.t().dot(&self.alpha)))?;
        Ok((mean, answered("LatentGp::latent", Ok(covariance))?))
    }

    /// Means and variances of the latent function at new points.
    ///
    /// # Errors
    /// As [`latent_joint`](Self::latent_joint).
    pub fn latent(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let (mean, covariance) = self.latent_joint(x)?;
        Ok((mean, covariance.diag().mapv(|v| v.max(0.0))))
    }

    /// The variance of the plug-in predictive `p(f(new) | f̂)`, which takes f̂ as known: `k(new, new) - K(new, x) K⁻¹ K(x, new)`. It
    /// is never more than that of [`latent`](Self::latent), and its mean is the same.
    ///
    /// # Errors
    /// As [`latent_joint`](Self::latent_joint), and [`Error::NotPositiveDefinite`] for a singular K.
    pub fn plug_in_variance(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        inputs("LatentGp::plug_in_variance", x.view(), self.x.ncols())?;
        let l =
            lower("LatentGp::plug_in_variance", covariance_of(&self.kernel, self.x.view(), None)?.view())?;
        let half = forward(&l, covariance_of(&self.kernel, self.x.view(), Some(x.view()))?.view());
        let prior = covariance_of(&self.kernel, x.view(), None)?;
        let explained = half.map_axis(Axis(0), |c| c.dot(&c));
        Ok((&prior.diag() - &explained).mapv(|v| v.max(0.0)))
    }

    /// Draws of the latent function at new points, together: `count x m x 1`; the seed decides.
    ///
    /// # Errors
    /// As [`latent_joint`](Self::latent_joint).
    pub fn sample_latent(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Samples> {
        let (mean, covariance) = self.latent_joint(x)?;
        let scale = covariance.diag().mean().unwrap_or(0.0);
        draw(&mean.insert_axis(Axis(1)), &covariance, scale, count, seed)
    }
}

/// `I + W^½ K W^½`.
pub(super) fn scaled(k: &Array2<f64>, root: &Array1<f64>) -> Array2<f64> {
    let mut b = k * root * root.view().insert_axis(Axis(1));
    b.diag_mut().mapv_inplace(|v| v + 1.0);
    b
}

/// `(K + D⁻¹)⁻¹`, `K - K(K + D⁻¹)⁻¹K` and `ln |I + DK|`. Positive entries of D first, by `B = I + D^½ K D^½`; negative ones then take from the
/// covariance that these leave, which must stay positive definite.
pub(super) fn parts(k: &Array2<f64>, d: &Array1<f64>) -> Result<(Array2<f64>, Array2<f64>, f64)> {
    let root = d.mapv(|d| d.max(0.0).sqrt());
    let l = lower("LatentGp", scaled(k, &root).view())?;
    let half = forward(&l, Array2::from_diag(&root).view());
    let mut inner = half.t().dot(&half);
    let mut covariance = symmetrised(k - &k.dot(&inner.dot(k)));
    let mut log = log_det(&l);
    for (i, &own) in d.iter().enumerate().filter(|(_, d)| **d < 0.0) {
        // One entry of D more: (C⁻¹ + d e eᵀ)⁻¹ = C - C e eᵀ C d/(1 + d C_ii).
        let rest = 1.0 + own * covariance[[i, i]];
        if rest.is_nan() || rest <= 0.0 {
            return Err(Error::NotPositiveDefinite {
                op: "LatentGp, posterior precision",
                pivot: i,
                value: rest,
            });
        }
        let column = covariance.column(i).to_owned().insert_axis(Axis(1));
        covariance = symmetrised(&covariance - &(column.dot(&column.t()) * (own / rest)));
        log += rest.ln();
        inner = inner_with(k, &inner, i, own, rest);
    }
    Ok((symmetrised(inner), covariance, log))
}

/// `(K + D⁻¹)⁻¹ = D - D C D`, after one more entry of D: `M' = M + (d/rest) v vᵀ`, `v = e - M K e`.
fn inner_with(k: &Array2<f64>, m: &Array2<f64>, i: usize, d: f64, rest: f64) -> Array2<f64> {
    let mut v = -m.dot(&k.column(i));
    v[i] += 1.0;
    let column = v.insert_axis(Axis(1));
    m + &(column.dot(&column.t()) * (d / rest))
}
