//! What to fit.

use super::inducing::Inducing;
use crate::kernel::about;
use crate::models::gp::prior::Prior;
use crate::models::gp::space::{NOISE, NoiseRange, Space};
use crate::learn::plan::BUDGET;
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
/// use mercer::models::gp::{Inducing, Predictive, SparseGpRegressor};
/// use mercer::optim::Minimiser;
/// use mercer::{Device, Kernel};
/// use ndarray::Array2;
///
/// let x = Array2::from_shape_fn((200, 1), |(i, _)| i as f64 / 20.0);
/// let y = x.mapv(|v| v.sin() + 0.1 * (37.0 * v).sin());
/// let start = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(12));
/// let gp = start.optimise(Minimiser::default()).fit(&Device::cpu(), x.view(), y.view())?;
/// let new = ndarray::array![[2.5], [7.0]];
/// let found = gp.predict_variance(new.view(), Predictive::Latent)?;
/// assert!((found.mean[[0, 0]] - 2.5f64.sin()).abs() < 0.1);
/// assert!(found.variance[0] < 0.01);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SparseGpRegressor {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    /// Those that were asked for.
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

    /// The variance of the noise, or where its search starts. It must be given here and not as white noise of the
    /// kernel: inducing variables have none.
    #[must_use]
    pub fn noise(mut self, variance: f64) -> Self {
        self.noise = variance;
        self
    }

    /// The bound, DTC or FITC.
    #[must_use]
    pub fn method(mut self, method: SparseMethod) -> Self {
        self.method = method;
        self
    }

    /// Maximises F over the parameters of the kernel that are not fixed, and the noise; `F + log p(θ)` if there are
    /// [priors](Self::prior).
    #[must_use]
    pub fn optimise(mut self, minimiser: Minimiser) -> Self {
        self.minimiser = Some(minimiser);
        self
    }

    /// Whether the search moves the inducing inputs too.
    #[must_use]
    pub fn optimise_inducing(mut self, yes: bool) -> Self {
        self.move_inducing = yes;
        self
    }

    /// Rows of the data that are worked on at a time; by default so many that a chunk of A takes 16 MiB.
    #[must_use]
    pub fn chunk(mut self, rows: usize) -> Self {
        self.chunk = Some(rows);
        self
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

    /// What is added to the diagonal of `K_zz`, relative to its mean: 1e-6 unless said otherwise. With it the bound is
    /// still a bound, a little lower; without it inducing points that meet make `K_zz` singular.
    #[must_use]
    pub fn jitter(mut self, relative: f64) -> Self {
        self.jitter = relative;
        self
    }

    /// A prior for one hyper-parameter: a name of [`Kernel::params`], or `noise`.
    ///
    /// ```
    /// use mercer::models::gp::{Inducing, Prior, SparseGpRegressor};
    /// use mercer::optim::Minimiser;
    /// use mercer::{Device, Kernel};
    /// use ndarray::Array2;
    ///
    /// // Three points cannot tell noise from signal.
    /// let x = Array2::from_shape_fn((3, 1), |(i, _)| i as f64);
    /// let y = x.mapv(f64::sin);
    /// let noise = Prior::LogNormal { mean: 1e-2f64.ln(), deviation: 0.1 };
    /// let gp = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(3)).prior("noise", noise);
    /// let fitted = gp.optimise(Minimiser::default()).fit(&Device::cpu(), x.view(), y.view())?;
    /// assert!((fitted.noise() / 1e-2).ln().abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// Bytes that a fit or a joint prediction may allocate, 2 GiB by default. Beyond that they refuse before anything
    /// is allocated; [`plan`](Self::plan) says what a fit would take.
    #[must_use]
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// Bytes that a fit or a joint prediction may allocate.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The kernel, where the search for its parameters starts.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The variance of the noise, or where its search starts.
    pub fn noise_variance(&self) -> f64 {
        self.noise
    }

    /// What is searched besides the inducing inputs, once it is known to be in order.
    pub(super) fn space(&self) -> Result<Space> {
        let bounds = self.noise_bounds.unwrap_or_else(|| about(NOISE, self.noise));
        let noise = NoiseRange { bounds, learned: !self.noise_fixed };
        Space::new(&self.kernel, Some(noise), &self.priors)
    }

    /// How inducing inputs are chosen.
    pub fn inducing(&self) -> &Inducing {
        &self.inducing
    }

    /// How K is approximated.
    pub fn approximation(&self) -> SparseMethod {
        self.method
    }
}
