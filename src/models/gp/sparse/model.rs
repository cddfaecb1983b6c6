//! What to fit.

use super::inducing::Inducing;
use crate::kernel::about;
use crate::learn::configure::{getters, setters};
use crate::learn::plan::BUDGET;
use crate::models::gp::hyper_space::{HyperSpace, NOISE, NoiseRange};
use crate::models::gp::prior::Prior;
use crate::optim::Minimiser;
use crate::{Kernel, Result};

/// How `Q = K_xz K_zz⁻¹ K_zx` stands in for K.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SparseMethod {
    /// A lower bound of the exact log marginal likelihood: `log N(y; 0, Q + noise I) - tr(K - Q) / (2 noise)`. More
    /// inducing points can only tighten it, and moving them cannot overfit.
    #[default]
    Variational,
    /// Deterministic training conditional: `N(y; 0, Q + noise I)`. Predictions as above, but nothing holds the inducing
    /// points back.
    Dtc,
    /// Fully independent training conditional: `N(y; 0, Q + diag(K - Q) + noise I)`. Its noise varies with the
    /// distance from the inducing points.
    Fitc,
}

/// Gaussian process regression through inducing points: `F(θ, noise, Z)` of [`SparseMethod`] is maximised, then
/// `f | y` is predicted, in O(nm²) time and O(nd + m²) memory.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
///
/// let x = Array2::from_shape_fn((200, 1), |(i, _)| i as f64 / 20.0);
/// let y = x.column(0).mapv(|v| v.sin() + 0.1 * (37.0 * v).sin());
/// let start = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(12));
/// let gp = start.optimise(Minimiser::default()).fit(&Device::cpu(), &x, &y)?;
/// let new = ndarray::array![[2.5], [7.0]];
/// let found = gp.predict_latent(&new)?;
/// assert!((found.mean[0] - 2.5f64.sin()).abs() < 0.1);
/// assert!(found.variance[0] < 0.01);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// The device is that of the gradients of a search, unless F in f32 is off by more than 1e-4 there; F itself and all that is
/// fitted are f64 on the CPU: `L⁻¹` takes more digits than f32 has.
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) for noise that is not positive,
/// [`Error::Shape`](crate::Error::Shape) for white noise in the kernel;
/// [`Error::UnknownName`](crate::Error::UnknownName) for a prior of none of its hyper-parameters;
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if `K_zz` is not, in spite of the jitter;
/// [`Error::OverBudget`](crate::Error::OverBudget) beyond the [memory budget](Self::memory_budget);
/// [`Error::Cancelled`](crate::Error::Cancelled).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SparseGpRegressor {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    /// None until somebody bounds it.
    pub(super) noise_bounds: Option<(f64, f64)>,
    pub(super) noise_fixed: bool,
    pub(super) inducing: Inducing,
    pub(super) method: SparseMethod,
    pub(super) jitter: f64,
    pub(super) minimiser: Option<Minimiser>,
    pub(super) move_inducing: bool,
    pub(super) chunk: Option<usize>,
    pub(super) priors: Vec<(String, Prior)>,
    pub(super) budget: u64,
}

impl SparseGpRegressor {
    /// The bound with a noise of 0.1 and everything as it is given, until [`optimise`](Self::optimise) is asked for.
    ///
    /// The mean is zero: centre y first.
    pub fn new(kernel: Kernel, inducing: Inducing) -> Self {
        SparseGpRegressor {
            kernel,
            noise: 0.1,
            noise_bounds: None,
            noise_fixed: false,
            inducing,
            method: SparseMethod::default(),
            jitter: 1e-6,
            minimiser: None,
            move_inducing: false,
            chunk: None,
            priors: Vec::new(),
            budget: BUDGET,
        }
    }

    /// Keeps the noise out of the search.
    #[must_use]
    pub fn fixed_noise(mut self) -> Self {
        self.noise_fixed = true;
        self
    }

    /// The smallest and the largest noise variance to be tried. Unless said otherwise 1e-8 and 1e5, and five decades
    /// further where the search begins beyond.
    #[must_use]
    pub fn noise_bounds(mut self, lower: f64, upper: f64) -> Self {
        self.noise_bounds = Some((lower, upper));
        self
    }

    /// A prior for one hyper-parameter: a name of [`Kernel::params`], or `noise`.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::Array2;
    ///
    /// // Three points cannot tell noise from signal.
    /// let x = Array2::from_shape_fn((3, 1), |(i, _)| i as f64);
    /// let y = x.mapv(f64::sin);
    /// let noise = Prior::LogNormal { mean: 1e-2f64.ln(), deviation: 0.1 };
    /// let gp = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(3)).prior("noise", noise);
    /// let fitted = gp.optimise(Minimiser::default()).fit(&Device::cpu(), &x, &y)?;
    /// assert!((fitted.noise() / 1e-2).ln().abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// What is searched besides the inducing inputs, once it is known to be in order.
    pub(super) fn space(&self) -> Result<HyperSpace> {
        let bounds = self.noise_bounds.unwrap_or_else(|| about(NOISE, self.noise));
        let noise = NoiseRange { bounds, learned: !self.noise_fixed };
        HyperSpace::new(&self.kernel, Some(noise), &self.priors)
    }
}

setters!(SparseGpRegressor {
    /// The variance of the noise, or where its search starts. It must be given here and not as white noise of the
    /// kernel: inducing variables have none.
    noise: f64,
    /// The approximation: the bound, DTC or FITC.
    method: SparseMethod,
    /// Maximises F over the parameters of the kernel that are not fixed, and the noise; `F + log p(θ)` if there are
    /// [priors](Self::prior).
    optimise => minimiser: into Option<Minimiser>,
    /// Whether the search moves the inducing inputs too.
    optimise_inducing => move_inducing: bool,
    /// Rows of the data that are worked on at a time; by default so many that a chunk of A takes 16 MiB.
    chunk: into Option<usize>,
    /// What is added to the diagonal of `K_zz`, relative to its mean: 1e-6 unless said otherwise. With it the bound is
    /// still a bound, a little lower; without it inducing points that meet make `K_zz` singular.
    jitter: f64,
    /// Bytes that a fit or a joint prediction may allocate, 2 GiB by default. Beyond that they refuse before anything
    /// is allocated; [`plan`](Self::plan) says what a fit would take.
    memory_budget => budget: u64,
});

getters!(SparseGpRegressor {
    /// Bytes that a fit or a joint prediction may allocate.
    budget: u64,
    /// The kernel, where the search for its parameters starts.
    kernel: &Kernel,
    /// The variance of the noise, or where its search starts.
    noise_variance => noise: f64,
    /// How inducing inputs are chosen.
    inducing: &Inducing,
    /// How K is approximated.
    approximation => method: SparseMethod,
});
