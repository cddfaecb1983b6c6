//! What Gaussian process regression is to fit: kernel, mean, noise, and how hyper-parameters are chosen.

use ndarray::{Array2, ArrayRef, ArrayView2};

use super::evidence::Evidence;
use super::matrix_free::MatrixFreeParams;
use crate::check::{finite, pairs};
use crate::learn::configure::setters;
use crate::learn::plan::{BUDGET, Method};
use crate::learn::ranks::Meeting;
use crate::learn::{Inputs, TargetDim, Targets};
use crate::linalg::{Jitter, Noise, SpdParams};
use crate::models::gp::mean::Mean;
use crate::models::gp::prediction::{Samples, draw};
use crate::models::gp::prior::Prior;
use crate::ops::gram;
use crate::optim::Minimiser;
use crate::{Device, Kernel, Matrix, Result};

/// Gaussian process regression with hyper-parameters that stay as they are given, unless
/// [`optimise`](GpRegressor::optimise) is called: `y = f(x) + ε`, `f ~ GP(m, k)`, `ε ~ N(0, noise)`.
///
/// Given data, `f(x*)` is normal with mean `m(x*) + k(x*, X) C⁻¹ (y - m(X))` and covariance
/// `k(x*, x*') - k(x*, X) C⁻¹ k(X, x*')`, where `C = k(X, X) + noise`. Several columns of y are independent processes
/// that share everything but their data and the coefficients of their mean.
///
/// With `optimise` a fit maximises `log p(y | θ) + log p(θ)` over all parameters of the kernel that are not fixed, and the
/// noise.
///
/// The n x n covariance is stored and factored if it fits the [memory budget](GpRegressor::memory_budget), and if not,
/// conjugate gradients do without: [`plan`](GpRegressor::plan) says which before anything is run,
/// [`matrix_free`](GpRegressor::matrix_free) how. Problems that are too small for a GPU to gain anything run on the CPU;
/// [`FittedGp::device`](super::FittedGp::device) says where. Means are f64 sums on the CPU wherever the fit ran.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::{Array2, array};
///
/// let x = Array2::from_shape_fn((25, 1), |(i, _)| 0.25 * i as f64);
/// let y = x.column(0).mapv(f64::sin);
/// let gp = GpRegressor::new(Kernel::rbf(0.3).scaled(1.0)).noise(0.1).optimise(Minimiser::default());
/// let fitted = gp.fit(&Device::best(), &x, &y)?;
/// let p = fitted.predict_latent(array![[2.1], [20.0]])?;
/// assert!((p.mean[0] - 2.1f64.sin()).abs() < 1e-3 && p.variance[0] < 1e-3);
/// assert!(p.variance[1] > 0.2); // far from the data the prior is back
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// Among several ranks ([`fit_across`](GpRegressor::fit_across)) every one has all points, in f64 on its CPU, whatever device is
/// given; where the covariance is not stored each makes a share of the rows of every product.
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) or [`Error::UnknownName`](crate::Error::UnknownName) for bad noise,
/// kernel, priors or [`MatrixFreeParams`]; [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if the
/// covariance is not (duplicate inputs without noise) and no jitter is allowed;
/// [`Error::Cancelled`](crate::Error::Cancelled) by the minimiser's progress. If the covariance is not stored also
/// [`Error::Parameter`](crate::Error::Parameter) for noise that is not positive, whatever the jitter, and
/// [`Error::NoConvergence`](crate::Error::NoConvergence).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GpRegressor {
    pub(super) kernel: Kernel,
    pub(super) mean: Mean,
    pub(super) noise: Noise,
    /// None until somebody bounds it.
    pub(super) noise_bounds: Option<(f64, f64)>,
    pub(super) noise_fixed: bool,
    pub(super) spd: SpdParams,
    pub(super) minimiser: Option<Minimiser>,
    pub(super) priors: Vec<(String, Prior)>,
    pub(super) budget: u64,
    pub(super) matrix_free: MatrixFreeParams,
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
            matrix_free: MatrixFreeParams::default(),
        }
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

    /// A prior for one hyper-parameter: a name of [`Kernel::params`], or `noise`.
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }
}

setters!(GpRegressor {
    /// The mean function; zero by default.
    mean: Mean,
    /// The variance of the noise: one for all observations, which [`optimise`](GpRegressor::optimise) learns if it is
    /// not zero, or one for each, which is taken as known. Zero is a process observed without noise.
    noise: into Noise,
    /// What may be added to the diagonal if the covariance is not positive definite; nothing unless said otherwise.
    /// Where the covariance is not stored nobody can tell, so that nothing is added: the noise must be positive there.
    jitter => spd.jitter: Jitter,
    /// Chooses hyper-parameters by maximising the marginal likelihood, times the priors if there are any; `None` leaves
    /// them as they are given.
    optimise => minimiser: into Option<Minimiser>,
    /// Bytes that a fit may allocate, 2 GiB by default: one matrix up to about n = 16,300, two up to 11,500 for a
    /// gradient; on a GPU, whose factor stands beside the matrix, up to 15,800 and 10,300.
    /// Beyond that nothing n x n is stored, and what needs a stored factor refuses. So do joint predictions and samples
    /// whose covariance between new points passes the same limit by itself. Up to 256 MB that earlier matrices
    /// have left for the next are not counted.
    memory_budget => budget: u64,
    /// How a fit goes about it if the covariance does not fit the [memory budget](GpRegressor::memory_budget).
    ///
    /// Hyper-parameters are searched there too if that is asked for: with the same probes for all of them, so that the
    /// objective is a function, but one whose gradient is as exact as the probes are many. A search then ends where
    /// steps no longer gain; give the minimiser a tolerance of 1e-3 or so, and few iterations.
    ///
    /// ```
    /// use mercer::learn::plan::Method;
    /// use mercer::prelude::*;
    /// use ndarray::{Array2, array};
    ///
    /// let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 30.0);
    /// let y = x.column(0).mapv(f64::sin);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01).memory_budget(1 << 19);
    /// println!("{}", gp.plan(&Device::cpu(), 300, 1, 1));
    /// let fitted = gp.matrix_free(MatrixFreeParams::new().tolerance(1e-6)).fit(&Device::cpu(), &x, &y)?;
    /// assert!(matches!(fitted.method(), Method::MatrixFree { .. }));
    /// assert!((fitted.predict(array![[2.5]])?[0] - 2.5f64.sin()).abs() < 1e-3);
    /// assert!(fitted.leave_one_out().is_err()); // which takes the factor
    /// # Ok::<(), mercer::Error>(())
    /// ```
    matrix_free: MatrixFreeParams,
});

impl GpRegressor {
    /// `log p(y | X, θ)` at the hyper-parameters as they are, with its gradient by [`GpRegressor::theta`].
    ///
    /// The gradient is `½ Σ_ij (αα^T - C⁻¹)_ij ∂C_ij`, contracted tile by tile: the derivatives of C are never stored.
    /// It is a difference of large sums, of which f32 keeps three digits: value and gradient are f64, made on the CPU
    /// whatever the device. A search by [`optimise`](GpRegressor::optimise) takes the device's,
    /// [`device_evidence`](GpRegressor::device_evidence).
    ///
    /// # Errors
    /// As [`GpRegressor::fit`]; [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated if the
    /// matrices do not fit the [memory budget](GpRegressor::memory_budget):
    /// [`stochastic_evidence`](GpRegressor::stochastic_evidence) needs none.
    pub fn log_evidence<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
    ) -> Result<Evidence> {
        let (x, y) = (x.inputs(), y.targets());
        self.evidence_on("GpRegressor::log_evidence", &Device::cpu(), device, x.view(), D::columns(&y))
    }

    /// The evidence and its gradient as a search by [`optimise`](GpRegressor::optimise) takes them: made on the device, on a
    /// GPU by f32, which keeps three digits of the gradient, and in the time that f32 takes there.
    ///
    /// # Errors
    /// As [`GpRegressor::log_evidence`].
    pub fn device_evidence<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
    ) -> Result<Evidence> {
        let (x, y) = (x.inputs(), y.targets());
        self.evidence_on("GpRegressor::device_evidence", device, device, x.view(), D::columns(&y))
    }

    /// On a device, within the memory of another.
    fn evidence_on(
        &self,
        op: &'static str,
        device: &Device,
        budget: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<Evidence> {
        pairs(op, x, y)?;
        self.affords(op, budget, (x.nrows(), x.ncols(), y.ncols()), true, "use `stochastic_evidence`")?;
        self.space(x.nrows())?;
        let (points, _) = self.place(op, device, x, y.ncols())?;
        self.evidence(&Meeting::alone_here(), &points, y, Method::Dense)
    }

    /// Functions drawn from the prior at the rows of `x`: `count x m x 1`. Their mean is zero; that of the model has
    /// coefficients only once there are data.
    ///
    /// # Errors
    /// As [`gram`]; [`Error::Shape`](crate::Error::Shape) for a count of zero;
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for a kernel that is not;
    /// [`Error::OverBudget`](crate::Error::OverBudget) before anything is allocated if the m x m covariance and what is
    /// drawn do not fit the [memory budget](GpRegressor::memory_budget).
    pub fn sample_prior(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Samples> {
        const OP: &str = "GpRegressor::sample_prior";
        let x = x.inputs();
        self.affords_joint(OP, (0, x.nrows()), (count, 1), false)?;
        finite(OP, "x", x.view())?;
        let covariance = gram(&self.kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
        let scale = covariance.diag().mean().unwrap_or(0.0);
        draw(&Array2::zeros((x.nrows(), 1)), &covariance, scale, count, seed)
    }
}
