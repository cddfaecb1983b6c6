//! What to fit, and the search for the parameters.

use ndarray::{Array2, ArrayView2};

use super::data::{Data, chunk};
use super::evidence::{SparseEvidence, gradient};
use super::factors::{Factors, Setting};
use super::fitted::FittedSparseGp;
use super::inducing::Inducing;
use super::search::{Place, Search, scales};
use crate::models::check::{finite, require};
use crate::optim::{Minimiser, Minimum};
use crate::{Device, Error, Kernel, Result};

const OP: &str = "SparseGpRegressor::fit";

/// How `Q = K_xz K_zz⁻¹ K_zx` stands in for K.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
pub struct SparseGpRegressor {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    pub(super) noise_bounds: (f64, f64),
    pub(super) noise_fixed: bool,
    pub(super) inducing: Inducing,
    pub(super) method: SparseMethod,
    jitter: f64,
    minimiser: Option<Minimiser>,
    pub(super) move_inducing: bool,
    pub(super) chunk: Option<usize>,
}

impl SparseGpRegressor {
    /// The bound with a noise of 0.1 and everything as it is given, until [`optimise`](Self::optimise) is asked for.
    ///
    /// The mean is zero: centre y first.
    pub fn new(kernel: Kernel, inducing: Inducing) -> Self {
        SparseGpRegressor {
            kernel,
            noise: 0.1,
            noise_bounds: (1e-8, 1e5),
            noise_fixed: false,
            inducing,
            method: SparseMethod::default(),
            jitter: 1e-6,
            minimiser: None,
            move_inducing: false,
            chunk: None,
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

    /// Maximises F over the parameters of the kernel that are not fixed, and the noise.
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

    /// The smallest and the largest noise variance to be tried: 1e-8 to 1e5 unless said otherwise.
    #[must_use]
    pub fn noise_bounds(mut self, lower: f64, upper: f64) -> Self {
        self.noise_bounds = (lower, upper);
        self
    }

    /// What is added to the diagonal of `K_zz`, relative to its mean: 1e-6 unless said otherwise. With it the bound is
    /// still a bound, a little lower; without it inducing points that meet make `K_zz` singular.
    #[must_use]
    pub fn jitter(mut self, relative: f64) -> Self {
        self.jitter = relative;
        self
    }

    /// F and its gradient at the parameters as they are, for `x`, `n x d`, and `y`, `n x p`: outputs share everything.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn evidence(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<SparseEvidence> {
        let (data, z) = self.start(device, x, y)?;
        let place = self.here(z);
        let at = self.at(device, &place);
        gradient(&at, &data, &Factors::new(&at, &data)?, true)
    }

    /// Fits to `x`, `n x d`, and `y`, `n x p`: the outputs share kernel, noise and inducing points.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for bad input, among it noise that is not positive
    /// and white noise in the kernel; [`Error::NotPositiveDefinite`] if `K_zz` is not, in spite of the jitter;
    /// [`Error::Cancelled`]; [`Error::Unsupported`] for a kernel that the device cannot run.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedSparseGp> {
        let (data, z) = self.start(device, x, y)?;
        let Some(minimiser) = &self.minimiser else {
            return self.finish(device, &data, self.here(z), None);
        };
        let search = Search::new(self, scales(x), z);
        let found = minimiser.run(&search.start(), &search.bounds(), |v| {
            let place = search.place(v)?;
            let at = self.at(device, &place);
            let found = gradient(&at, &data, &Factors::new(&at, &data)?, self.move_inducing)?;
            Ok((-found.value, search.down(&place, &found)))
        })?;
        let best = search.place(&found.point)?;
        self.finish(device, &data, best, Some(found))
    }

    /// Checked data, and where the inducing points start.
    fn start(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<(Data, Array2<f64>)> {
        let refuse = |name: &str, value: f64, requirement| {
            Err(Error::Parameter { name: name.to_owned(), value, requirement })
        };
        if !(self.noise > 0.0 && self.noise.is_finite()) {
            return refuse("noise", self.noise, "the variance of the noise must be positive and finite");
        }
        if !(self.jitter >= 0.0 && self.jitter.is_finite()) {
            return refuse("jitter", self.jitter, "must be finite and not negative");
        }
        let (lower, upper) = self.noise_bounds;
        if !(lower > 0.0 && lower <= upper && upper.is_finite()) {
            return refuse("noise_bounds", lower, "must be positive, finite and in order");
        }
        require(OP, !self.kernel.has_white_noise(), || {
            "white noise in the kernel: inducing variables have none, give it as `noise`".to_owned()
        })?;
        finite(OP, "x", x)?;
        let z = self.inducing.choose(OP, &self.kernel, x)?;
        let rows = self.chunk.unwrap_or_else(|| chunk(z.nrows()));
        Ok((Data::new(OP, device, x, y, rows)?, z))
    }

    fn here(&self, z: Array2<f64>) -> Place {
        Place { kernel: self.kernel.clone(), noise: self.noise, z }
    }

    fn at<'a>(&self, device: &'a Device, place: &'a Place) -> Setting<'a> {
        let (method, jitter) = (self.method, self.jitter);
        Setting { device, kernel: &place.kernel, noise: place.noise, z: &place.z, method, jitter }
    }

    fn finish(
        &self,
        device: &Device,
        data: &Data,
        place: Place,
        minimum: Option<Minimum>,
    ) -> Result<FittedSparseGp> {
        let factors = Factors::new(&self.at(device, &place), data)?;
        FittedSparseGp::new(device, place, self.method, factors, minimum)
    }
}
