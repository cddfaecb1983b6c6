//! What to fit: kernel, mean, noise, and how hyper-parameters are chosen.

use ndarray::ArrayView2;

use super::evidence::{Conditioned, Evidence};
use super::fitted::FittedGp;
use super::mean::Mean;
use super::prior::Prior;
use crate::linalg::{Jitter, Noise, SpdParams};
use crate::models::check::pairs;
use crate::models::plan::BUDGET;
use crate::optim::Minimiser;
use crate::{Device, Error, Kernel, Result};

/// Gaussian process regression: `y = f(x) + ε`, `f ~ GP(m, k)`, `ε ~ N(0, noise)`.
///
/// Given data, `f(x*)` is normal with mean `m(x*) + k(x*, X) C⁻¹ (y - m(X))` and covariance
/// `k(x*, x*') - k(x*, X) C⁻¹ k(X, x*')`, where `C = k(X, X) + noise`. Several columns of y are independent processes
/// that share everything but their data and the coefficients of their mean.
///
/// Hyper-parameters stay as they are given unless [`optimise`](GpRegressor::optimise) is asked for; then
/// `log p(y | θ) + log p(θ)` is maximised over all parameters of the kernel that are not fixed, and the noise.
///
/// ```
/// use mercer::models::gp::{GpRegressor, Predictive};
/// use mercer::optim::Minimiser;
/// use mercer::{Device, Kernel};
/// use ndarray::{Array2, array};
///
/// let x = Array2::from_shape_fn((25, 1), |(i, _)| 0.25 * i as f64);
/// let y = x.mapv(f64::sin);
/// let gp = GpRegressor::new(Kernel::rbf(0.3).scaled(1.0)).noise(0.1).optimise(Minimiser::default());
/// let fitted = gp.fit(&Device::cpu(), x.view(), y.view())?;
/// let p = fitted.predict_variance(array![[2.1], [20.0]].view(), Predictive::Latent)?;
/// assert!((p.mean[[0, 0]] - 2.1f64.sin()).abs() < 1e-3 && p.variance[0] < 1e-3);
/// assert!(p.variance[1] > 0.2); // far from the data the prior is back
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GpRegressor {
    pub(super) kernel: Kernel,
    pub(super) mean: Mean,
    pub(super) noise: Noise,
    pub(super) noise_bounds: (f64, f64),
    pub(super) noise_fixed: bool,
    pub(super) spd: SpdParams,
    pub(super) minimiser: Option<Minimiser>,
    pub(super) priors: Vec<(String, Prior)>,
    pub(super) budget: u64,
}

impl GpRegressor {
    /// A process of mean zero with this kernel, and noise of variance 1e-6: almost none.
    pub fn new(kernel: Kernel) -> Self {
        GpRegressor {
            kernel,
            mean: Mean::Zero,
            noise: Noise::Same(1e-6),
            noise_bounds: (1e-8, 1e5),
            noise_fixed: false,
            spd: SpdParams::default(),
            minimiser: None,
            priors: Vec::new(),
            budget: BUDGET,
        }
    }

    /// The mean function.
    #[must_use]
    pub fn mean(self, mean: Mean) -> Self {
        GpRegressor { mean, ..self }
    }

    /// The variance of the noise: one for all observations, which [`optimise`](GpRegressor::optimise) learns if it is
    /// not zero, or one for each, which is taken as known. Zero is a process observed without noise.
    #[must_use]
    pub fn noise(self, noise: impl Into<Noise>) -> Self {
        GpRegressor { noise: noise.into(), ..self }
    }

    /// Bounds the search for the noise; from 1e-8 to 1e5 unless said otherwise.
    #[must_use]
    pub fn noise_bounds(self, lower: f64, upper: f64) -> Self {
        GpRegressor { noise_bounds: (lower, upper), ..self }
    }

    /// Keeps the noise out of optimisation.
    #[must_use]
    pub fn fixed_noise(self) -> Self {
        GpRegressor { noise_fixed: true, ..self }
    }

    /// What may be added to the diagonal if the covariance is not positive definite; nothing unless said otherwise.
    #[must_use]
    pub fn jitter(self, jitter: Jitter) -> Self {
        GpRegressor { spd: SpdParams { jitter, ..self.spd }, ..self }
    }

    /// Chooses hyper-parameters by maximising the marginal likelihood, times the priors if there are any.
    #[must_use]
    pub fn optimise(self, minimiser: Minimiser) -> Self {
        GpRegressor { minimiser: Some(minimiser), ..self }
    }

    /// A prior for one hyper-parameter: a name of [`Kernel::params`], or `noise`.
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// Bytes that a fit may allocate, 2 GiB by default: a matrix of n = 16,384, or two of n = 11,585 for a gradient.
    /// Beyond that nothing n x n is stored: [`fit_large`](GpRegressor::fit_large) goes on without, and what needs a
    /// stored factor refuses. Up to 256 MB that earlier matrices have left for the next are not counted.
    #[must_use]
    pub fn memory_budget(self, bytes: u64) -> Self {
        GpRegressor { budget: bytes, ..self }
    }

    /// Conditions the process on `x` (`n x d`) and `y` (`n x q`). The n x n covariance is stored, for what only its
    /// factor gives: leave-one-out, joint samples, points added later. Where that may not fit the memory budget use
    /// [`fit_large`](GpRegressor::fit_large), which switches to conjugate gradients.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`] for bad data; [`Error::Parameter`] or [`Error::UnknownName`] for bad
    /// noise, kernel or priors; [`Error::NotPositiveDefinite`] if the covariance is not (duplicate inputs without
    /// noise) and no jitter is allowed; [`Error::OverBudget`] before anything is allocated if the covariance does not fit
    /// the [memory budget](GpRegressor::memory_budget); [`Error::Cancelled`] by the minimiser's progress; those of the
    /// device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedGp> {
        pairs("GpRegressor::fit", x, y)?;
        let size = (x.nrows(), x.ncols(), y.ncols());
        self.affords("GpRegressor::fit", device, size, self.minimiser.is_some(), "use `fit_large`")?;
        let space = self.space(x.nrows())?;
        let start = self.theta();
        let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) else {
            return FittedGp::new(self.clone(), device, x, y, None);
        };
        let sparing = GpRegressor { spd: SpdParams { condition: false, ..self.spd }, ..self.clone() };
        let minimum = minimiser.run(&start, &space.bounds, |theta| {
            let evidence = sparing.with_theta(theta)?.evidence(device, x, y)?;
            let (prior, slope) = space.log_prior(theta);
            let gradient = evidence.gradient.iter().zip(slope).map(|(e, p)| -e - p).collect();
            Ok((-evidence.value - prior, gradient))
        })?;
        FittedGp::new(self.with_theta(&minimum.point)?, device, x, y, Some(minimum))
    }

    /// `log p(y | X, θ)` at the hyper-parameters as they are, with its gradient by [`GpRegressor::theta`].
    ///
    /// The gradient is `½ Σ_ij (αα^T - C⁻¹)_ij ∂C_ij`, contracted tile by tile: the derivatives of C are never stored.
    ///
    /// # Errors
    /// As [`GpRegressor::fit`].
    pub fn log_marginal_likelihood(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<Evidence> {
        const OP: &str = "GpRegressor::log_marginal_likelihood";
        pairs(OP, x, y)?;
        self.affords(OP, device, (x.nrows(), x.ncols(), y.ncols()), true, "use `stochastic_evidence`")?;
        self.space(x.nrows())?;
        self.evidence(device, x, y)
    }

    fn evidence(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Evidence> {
        let conditioned = Conditioned::new(self, device, x, y)?;
        let value = conditioned.log_marginal_likelihood;
        Ok(Evidence { value, gradient: conditioned.into_gradient(self, x)? })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Whether the noise is one of the hyper-parameters that are learned.
    pub(super) fn learned_noise(&self) -> Option<f64> {
        match self.noise {
            Noise::Same(v) if v > 0.0 && !self.noise_fixed => Some(v),
            _ => None,
        }
    }

    /// The free hyper-parameters on the scale of the optimiser: [`Kernel::theta`], then the logarithm of the noise
    /// if it is learned.
    pub fn theta(&self) -> Vec<f64> {
        self.kernel.theta().into_iter().chain(self.learned_noise().map(f64::ln)).collect()
    }

    /// The inverse of [`GpRegressor::theta`].
    ///
    /// # Errors
    /// As [`Kernel::with_theta`].
    pub fn with_theta(&self, theta: &[f64]) -> Result<Self> {
        let Some(_) = self.learned_noise() else {
            return Ok(GpRegressor { kernel: self.kernel.with_theta(theta)?, ..self.clone() });
        };
        let Some((noise, rest)) = theta.split_last() else {
            return Err(Error::Shape { op: "with_theta", what: "no values given".to_owned() });
        };
        let kernel = self.kernel.with_theta(rest)?;
        Ok(GpRegressor { kernel, noise: Noise::Same(noise.exp()), ..self.clone() })
    }
}
