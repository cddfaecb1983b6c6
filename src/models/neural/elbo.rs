//! Bounds on the likelihood of latent variable models, exact where they can be. Checked in `tests/neural/elbo.rs`.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::network::Network;
use super::pass;
use super::training::{Objective, Training};
use crate::Result;
use crate::check::{finite, inputs, positive, require, symmetric};
use crate::learn::{Inputs, Report};
use crate::linalg::small_cholesky::Small;

/// `KL(N(m, diag e^s) ‖ N(0, I)) = ½ Σ_j m_j² + (e^s_j - 1) - s_j`, from logarithms of variances.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for vectors of different lengths.
pub fn kl_to_standard(mean: ArrayView1<f64>, log_variance: ArrayView1<f64>) -> Result<f64> {
    let (n, m) = (mean.len(), log_variance.len());
    require("kl_to_standard", n == m, || format!("{n} means, {m} variances"))?;
    Ok(diagonal(mean, log_variance))
}

pub(super) fn diagonal(mean: ArrayView1<f64>, log_variance: ArrayView1<f64>) -> f64 {
    0.5 * mean.iter().zip(log_variance).map(|(m, s)| m * m + s.exp_m1() - s).sum::<f64>()
}

/// `KL(N(m, Σ) ‖ N(0, I)) = ½ (mᵀm + tr Σ - ln|Σ| - d)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for sizes that do not fit,
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite).
pub fn kl_to_standard_full(mean: ArrayView1<f64>, covariance: ArrayView2<f64>) -> Result<f64> {
    let d = mean.len();
    require("kl_to_standard_full", covariance.dim() == (d, d), || {
        format!("{d} means, {:?}", covariance.dim())
    })?;
    let factor = Small::new("kl_to_standard_full", symmetric("kl_to_standard_full", covariance)?.view())?;
    Ok(0.5 * (mean.dot(&mean) + covariance.diag().sum() - factor.log_det - d as f64))
}

/// `z = m + e^{s/2} ε`: a draw from `N(m, diag e^s)` as a function of its parameters, with noise ε ~ N(0, I).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for matrices of different sizes.
pub fn reparametrise(
    mean: &Array2<f64>,
    log_variance: &Array2<f64>,
    noise: &Array2<f64>,
) -> Result<Array2<f64>> {
    let fits = mean.dim() == log_variance.dim() && mean.dim() == noise.dim();
    require("reparametrise", fits, || "mean, variance and noise differ in size".to_owned())?;
    Ok(mean + &(log_variance.mapv(|s| (0.5 * s).exp()) * noise))
}

/// The gradient by m and by s of a function of `z = m + e^{s/2} ε` whose gradient by z is given: `∂m = ∂z`,
/// `∂s = ½ e^{s/2} ε ∂z`. By the variance `v = e^s` it is `∂s / v`.
///
/// # Errors
/// As [`reparametrise`].
pub fn reparametrised_gradient(
    by_z: &Array2<f64>,
    log_variance: &Array2<f64>,
    noise: &Array2<f64>,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let fits = by_z.dim() == log_variance.dim() && by_z.dim() == noise.dim();
    require("reparametrised_gradient", fits, || "gradient, variance and noise differ in size".to_owned())?;
    Ok((by_z.clone(), log_variance.mapv(|s| 0.5 * (0.5 * s).exp()) * noise * by_z))
}

/// `ln (1/K) Σ_k w_k` from logarithms of importance weights `w = p(x, z)/q(z | x)`: for draws `z_k ~ q` its mean is a
/// bound on `ln p(x)` that rises with K; for K = 1 it is the ELBO.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no weights.
pub fn importance_bound(log_weights: &[f64]) -> Result<f64> {
    require("importance_bound", !log_weights.is_empty(), || "there are no weights".to_owned())?;
    Ok(log_mean_exp(log_weights))
}

pub(super) fn log_mean_exp(all: &[f64]) -> f64 {
    let top = all.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + (all.iter().map(|v| (v - top).exp()).sum::<f64>() / all.len() as f64).ln()
}

/// `z ~ N(0, I)`, `x | z ~ N(L z + μ, σ² I)`: the model whose evidence and posterior are known, which is probabilistic
/// principal component analysis, and the linear variational autoencoder.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let model = LinearDecoder::new(array![[1.0], [0.5], [-0.5]], array![0.0, 0.0, 0.0], 0.4)?;
/// let x = array![1.0, 0.0, -1.0];
/// let (mean, covariance) = model.posterior(x.view())?;
/// let bound = model.elbo(x.view(), mean.view(), covariance.view())?;
/// assert!((model.log_evidence(x.view())? + 3.181188653).abs() < 1e-8);
/// assert!((bound.reconstruction_less_kl + 3.181188653).abs() < 1e-8); // no gap at the posterior
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearDecoder {
    loadings: Array2<f64>,
    mean: Array1<f64>,
    noise: f64,
    /// `M = LᵀL + σ²I`, inverted.
    inverse: Array2<f64>,
    log_det: f64,
}

/// The evidence lower bound of one observation, three ways; all are the same number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Elbo {
    /// `E_q ln p(x, z) + H(q)`.
    pub energy_and_entropy: f64,
    /// `E_q ln p(x | z) - KL(q ‖ p(z))`.
    pub reconstruction_less_kl: f64,
    /// `ln p(x) - KL(q ‖ p(z | x))`.
    pub evidence_less_gap: f64,
}

impl LinearDecoder {
    /// With loadings L, d x k, the mean μ and the noise variance σ².
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a mean of another size,
    /// [`Error::Parameter`](crate::Error::Parameter) for a variance that is not positive.
    pub fn new(loadings: Array2<f64>, mean: Array1<f64>, noise: f64) -> Result<Self> {
        finite("LinearDecoder::new", "loadings", loadings.view())?;
        let (d, k) = loadings.dim();
        require("LinearDecoder::new", mean.len() == d, || format!("{d} loadings, {} means", mean.len()))?;
        finite("LinearDecoder::new", "mean", mean.view().insert_axis(ndarray::Axis(0)))?;
        positive("noise", noise)?;
        let inner = loadings.t().dot(&loadings) + Array2::<f64>::eye(k) * noise;
        let factor = Small::new("LinearDecoder::new", inner.view())?;
        let (inverse, log_det) = (factor.inverse(k), factor.log_det);
        Ok(LinearDecoder { loadings, mean, noise, inverse, log_det })
    }

    fn centred(&self, x: ArrayView1<f64>) -> Result<Array1<f64>> {
        let (n, d) = (x.len(), self.mean.len());
        require("LinearDecoder", n == d, || format!("the model is of {d} numbers, x has {n}"))?;
        Ok(&x - &self.mean)
    }

    /// `ln p(x) = ln N(x; μ, LLᵀ + σ²I)`, by k x k matrices.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an x of another size.
    pub fn log_evidence(&self, x: ArrayView1<f64>) -> Result<f64> {
        let c = self.centred(x)?;
        let (d, k) = self.loadings.dim();
        let inner = self.loadings.t().dot(&c);
        let distance = (c.dot(&c) - inner.dot(&self.inverse.dot(&inner))) / self.noise;
        let log_det = self.log_det + (d as f64 - k as f64) * self.noise.ln();
        Ok(-0.5 * (d as f64 * TAU.ln() + log_det + distance))
    }

    /// `p(z | x) = N(M⁻¹Lᵀ(x - μ), σ²M⁻¹)`.
    ///
    /// # Errors
    /// As [`LinearDecoder::log_evidence`].
    pub fn posterior(&self, x: ArrayView1<f64>) -> Result<(Array1<f64>, Array2<f64>)> {
        let c = self.centred(x)?;
        Ok((self.inverse.dot(&self.loadings.t().dot(&c)), &self.inverse * self.noise))
    }

    /// The bound for `q = N(m, V)`, exactly.
    ///
    /// # Errors
    /// As [`LinearDecoder::log_evidence`], and [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for V.
    pub fn elbo(
        &self,
        x: ArrayView1<f64>,
        mean: ArrayView1<f64>,
        covariance: ArrayView2<f64>,
    ) -> Result<Elbo> {
        let (d, k) = self.loadings.dim();
        let fits = mean.len() == k && covariance.dim() == (k, k);
        require("LinearDecoder::elbo", fits, || format!("q is not of {k} numbers"))?;
        let factor = Small::new("LinearDecoder::elbo", symmetric("LinearDecoder::elbo", covariance)?.view())?;
        let rest = self.centred(x)? - self.loadings.dot(&mean);
        let spread = (&self.loadings.dot(&covariance) * &self.loadings).sum();
        let reconstruction =
            -0.5 * (d as f64 * (TAU * self.noise).ln() + (rest.dot(&rest) + spread) / self.noise);
        let energy = -0.5 * (k as f64 * TAU.ln() + mean.dot(&mean) + covariance.diag().sum());
        let entropy = 0.5 * (k as f64 * (1.0 + TAU.ln()) + factor.log_det);
        // KL between Gaussians, with the posterior's precision M/σ².
        let (b, _) = self.posterior(x)?;
        let precision =
            (self.loadings.t().dot(&self.loadings) + Array2::<f64>::eye(k) * self.noise) / self.noise;
        let away = &mean - &b;
        let log_dets = (k as f64 * self.noise.ln() - self.log_det) - factor.log_det;
        let gap =
            0.5 * ((&precision * &covariance).sum() + away.dot(&precision.dot(&away)) - k as f64 + log_dets);
        Ok(Elbo {
            energy_and_entropy: reconstruction + energy + entropy,
            reconstruction_less_kl: reconstruction - kl_to_standard_full(mean, covariance)?,
            evidence_less_gap: self.log_evidence(x)? - gap,
        })
    }

    /// Amortised inference: trains the parameters of an encoder d → 2k, means and logarithms of variances, so that the mean
    /// bound of all rows is largest. No draws are needed: the bound and its gradient are exact.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an encoder of other sizes, and those of training.
    pub fn amortise(
        &self,
        encoder: &Network,
        x: impl Inputs,
        training: &Training,
    ) -> Result<(Vec<f64>, Report)> {
        const OP: &str = "LinearDecoder::amortise";
        let x = x.inputs();
        let (d, k) = self.loadings.dim();
        inputs(OP, x.view(), d)?;
        let fits = encoder.inputs() == d && encoder.outputs() == 2 * k;
        require(OP, fits, || format!("the encoder must take {d} numbers and make {}", 2 * k))?;
        let objective = Amortised { model: self, encoder, x: x.view() };
        let start = |seed| Ok(encoder.initial(seed));
        let learned = training.run(OP, x.nrows(), None, start, &encoder.decaying(), &objective)?;
        Ok((learned.parameters, learned.report))
    }
}

struct Amortised<'a> {
    model: &'a LinearDecoder,
    encoder: &'a Network,
    x: ArrayView2<'a, f64>,
}

impl Objective for Amortised<'_> {
    fn batch(&self, theta: &[f64], rows: &[usize], _: u64) -> Result<(f64, Vec<f64>)> {
        let (model, x) = (self.model, self.x.select(ndarray::Axis(0), rows));
        let (d, k) = model.loadings.dim();
        let inner = model.loadings.t().dot(&model.loadings);
        let tape = pass::record(self.encoder, theta, x.clone(), None);
        let mut delta = Array2::zeros(tape.output().raw_dim());
        let mut value = 0.0;
        for ((out, row), mut by) in tape.output().rows().into_iter().zip(x.rows()).zip(delta.rows_mut()) {
            let (m, s) = (out.slice(ndarray::s![..k]), out.slice(ndarray::s![k..]));
            let rest = &row - &model.mean - &model.loadings.dot(&m);
            let spread: f64 = (0..k).map(|j| inner[[j, j]] * s[j].exp()).sum();
            let fit = 0.5 * (d as f64 * (TAU * model.noise).ln() + (rest.dot(&rest) + spread) / model.noise);
            value += fit + diagonal(m, s);
            let pull = model.loadings.t().dot(&rest) / model.noise;
            for j in 0..k {
                by[j] = m[j] - pull[j];
                by[k + j] = 0.5 * (inner[[j, j]] * s[j].exp() / model.noise + s[j].exp_m1());
            }
        }
        Ok((value, pass::backward(self.encoder, theta, &tape, delta.view()).parameters))
    }
}
