//! What to fit: kernel, mean, noise, and how hyper-parameters are chosen.

use ndarray::ArrayView2;

use super::evidence::{Conditioned, Evidence};
use super::fitted::FittedGp;
use super::matrix_free::{LargeParams, Parts};
use super::mean::Mean;
use super::prior::Prior;
use crate::linalg::{Jitter, Noise, SpdParams};
use crate::check::pairs;
use crate::learn::plan::{BUDGET, Method};
use crate::optim::Minimiser;
use crate::{Device, Kernel, Result};

/// Gaussian process regression: `y = f(x) + ε`, `f ~ GP(m, k)`, `ε ~ N(0, noise)`.
///
/// Given data, `f(x*)` is normal with mean `m(x*) + k(x*, X) C⁻¹ (y - m(X))` and covariance
/// `k(x*, x*') - k(x*, X) C⁻¹ k(X, x*')`, where `C = k(X, X) + noise`. Several columns of y are independent processes
/// that share everything but their data and the coefficients of their mean.
///
/// Hyper-parameters stay as they are given unless [`optimise`](GpRegressor::optimise) is asked for; then
/// `log p(y | θ) + log p(θ)` is maximised over all parameters of the kernel that are not fixed, and the noise.
///
/// The n x n covariance is stored and factored if it fits the [memory budget](GpRegressor::memory_budget), and if not,
/// conjugate gradients do without: [`plan`](GpRegressor::plan) says which before anything is run,
/// [`large`](GpRegressor::large) how.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GpRegressor {
    pub(super) kernel: Kernel,
    pub(super) mean: Mean,
    pub(super) noise: Noise,
    /// Those that were asked for.
    pub(super) noise_bounds: Option<(f64, f64)>,
    pub(super) noise_fixed: bool,
    pub(super) spd: SpdParams,
    pub(super) minimiser: Option<Minimiser>,
    pub(super) priors: Vec<(String, Prior)>,
    pub(super) budget: u64,
    pub(super) large: LargeParams,
}

impl GpRegressor {
    /// A process of mean zero with this kernel, and noise of variance 1e-6: almost none.
    pub fn new(kernel: Kernel) -> Self {
        GpRegressor {
            kernel,
            mean: Mean::Zero,
            noise: Noise::Same(1e-6),
            noise_bounds: None,
            noise_fixed: false,
            spd: SpdParams::default(),
            minimiser: None,
            priors: Vec::new(),
            budget: BUDGET,
            large: LargeParams::default(),
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

    /// Bounds the search for the noise. Unless said otherwise it goes from 1e-8 to 1e5, and five decades further where it
    /// begins beyond.
    #[must_use]
    pub fn noise_bounds(self, lower: f64, upper: f64) -> Self {
        GpRegressor { noise_bounds: Some((lower, upper)), ..self }
    }

    /// Keeps the noise out of optimisation.
    #[must_use]
    pub fn fixed_noise(self) -> Self {
        GpRegressor { noise_fixed: true, ..self }
    }

    /// What may be added to the diagonal if the covariance is not positive definite; nothing unless said otherwise.
    /// Where the covariance is not stored nobody can tell, so that nothing is added: the noise must be positive there.
    #[must_use]
    pub fn jitter(self, jitter: Jitter) -> Self {
        GpRegressor { spd: SpdParams { jitter, ..self.spd }, ..self }
    }

    /// Chooses hyper-parameters by maximising the marginal likelihood, times the priors if there are any.
    #[must_use]
    pub fn optimise(self, minimiser: Minimiser) -> Self {
        GpRegressor { minimiser: Some(minimiser), ..self }
    }

    /// Whether a fit chooses hyper-parameters.
    pub(in crate::models) fn is_searched(&self) -> bool {
        self.minimiser.is_some()
    }

    /// With the hyper-parameters that it has.
    pub(in crate::models) fn unsearched(self) -> Self {
        GpRegressor { minimiser: None, ..self }
    }

    /// A prior for one hyper-parameter: a name of [`Kernel::params`], or `noise`.
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// Bytes that a fit may allocate, 2 GiB by default: one matrix up to about n = 16,300, two up to 11,500 for a
    /// gradient; on a GPU, whose factor stands beside the matrix, up to 15,800 and 10,300.
    /// Beyond that nothing n x n is stored, and what needs a stored factor refuses. So do joint predictions and samples
    /// whose covariance between new points passes the same limit by itself. Up to 256 MB that earlier matrices
    /// have left for the next are not counted.
    #[must_use]
    pub fn memory_budget(self, bytes: u64) -> Self {
        GpRegressor { budget: bytes, ..self }
    }

    /// How a fit goes about it if the covariance does not fit the [memory budget](GpRegressor::memory_budget).
    ///
    /// Hyper-parameters are searched there too if that is asked for: with the same probes for all of them, so that the
    /// objective is a function, but one whose gradient is as exact as the probes are many. A search then ends where
    /// steps no longer gain; give the minimiser a tolerance of 1e-3 or so, and few iterations.
    #[must_use]
    pub fn large(self, params: LargeParams) -> Self {
        GpRegressor { large: params, ..self }
    }

    /// Conditions the process on `x` (`n x d`) and `y` (`n x q`), as [`plan`](GpRegressor::plan) says.
    ///
    /// ```
    /// use mercer::models::gp::GpRegressor;
    /// use mercer::learn::plan::Method;
    /// use mercer::{Device, Kernel};
    /// use ndarray::{Array2, array};
    ///
    /// let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 30.0);
    /// let y = x.mapv(f64::sin);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01).memory_budget(1 << 19);
    /// println!("{}", gp.plan(&Device::cpu(), 300, 1, 1));
    /// let fitted = gp.fit(&Device::cpu(), x.view(), y.view())?;
    /// assert!(matches!(fitted.method(), Method::MatrixFree { .. }));
    /// assert!((fitted.predict(array![[2.5]].view())?[[0, 0]] - 2.5f64.sin()).abs() < 1e-3);
    /// assert!(fitted.leave_one_out().is_err()); // which takes the factor
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data;
    /// [`Error::Parameter`](crate::Error::Parameter) or [`Error::UnknownName`](crate::Error::UnknownName) for bad
    /// noise, kernel, priors or [`LargeParams`]; [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if
    /// the covariance is not (duplicate inputs without noise) and no jitter is allowed;
    /// [`Error::Cancelled`](crate::Error::Cancelled) by the minimiser's progress; those of the device. If the
    /// covariance is not stored also [`Error::Parameter`](crate::Error::Parameter) for noise that is not positive,
    /// whatever the jitter, and [`Error::NoConvergence`](crate::Error::NoConvergence).
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedGp> {
        pairs("GpRegressor::fit", x, y)?;
        self.large.check()?;
        // Out of order it is refused even where nothing is added.
        self.spd.jitter.rungs()?;
        let space = self.space(x.nrows())?;
        let plan = self.plan(device, x.nrows(), x.ncols(), y.ncols());
        let start = self.theta();
        let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) else {
            return FittedGp::new(self.clone(), device, x, y, plan, None);
        };
        let sparing = GpRegressor { spd: SpdParams { condition: false, ..self.spd }, ..self.clone() };
        let minimum = minimiser.run(&start, &space.bounds, |theta| {
            let model = sparing.with_theta(theta)?;
            let Evidence { value, gradient } = match plan.method {
                Method::MatrixFree { rank } => {
                    let parts = Parts::new(&model, device, x, y, rank, &self.large)?;
                    Evidence { value: parts.value, gradient: parts.gradient(&model, &self.large)? }
                }
                _ => model.evidence(device, x, y)?,
            };
            Ok(space.objective(theta, (value, gradient)))
        })?;
        FittedGp::new(self.with_theta(&minimum.point)?, device, x, y, plan, Some(minimum))
    }

    /// `log p(y | X, θ)` at the hyper-parameters as they are, with its gradient by [`GpRegressor::theta`].
    ///
    /// The gradient is `½ Σ_ij (αα^T - C⁻¹)_ij ∂C_ij`, contracted tile by tile: the derivatives of C are never stored.
    ///
    /// # Errors
    /// As [`GpRegressor::fit`]; [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated if the
    /// matrices do not fit the [memory budget](GpRegressor::memory_budget):
    /// [`stochastic_evidence`](GpRegressor::stochastic_evidence) needs none.
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
}
