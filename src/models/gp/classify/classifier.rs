//! The estimator: what to fit, and the search for hyper-parameters.

use ndarray::ArrayView2;

use super::binary::Signs;
use super::fitted::{Body, FittedGpClassifier};
use super::labels::Labels;
use super::laplace::{Laplace, Observed};
use super::likelihood::{Likelihood, Link};
use crate::check::finite;
use crate::models::gp::space::{Space, by_theta};
use crate::models::gp::{Evidence, Prior};
use crate::learn::plan::BUDGET;
use crate::ops::gram;
use crate::optim::{Minimiser, Minimum};
use crate::{Device, Kernel, Matrix, Result};

/// `p(y | x) = ∫ p(y | f(x)) p(f | data) df`, `f ~ GP(0, k)`, by Laplace's approximation: the posterior of the latent
/// values is taken as `N(f̂, (K⁻¹ + W)⁻¹)`, with its mode f̂ and its curvature there, `W = -∇∇ ln p(y | f̂)`.
///
/// The mode is found by Newton's method through `B = I + W^½ K W^½`, whose eigenvalues are at least one, so K may be
/// singular (duplicate points). Hyper-parameters stay as they are given unless [`optimise`](GpClassifier::optimise) is
/// asked for; then they maximise the approximate evidence `ln Z = ln p(y | f̂) - ½ f̂ᵀK⁻¹f̂ - ½ ln |B|`, by its exact
/// gradient, within the bounds of the kernel's parameters. K and B are stored, `n x n` in f64.
///
/// On a GPU the factors are f32 and every step of Newton's method is refined, so that the mode is that of f64. Where f32
/// would lose more than 1e-5 of ln Z the last factor is made again in f64 on the CPU, where it would lose 1e-4 of a
/// variance the solve is refined. What a search sees, and the predictions of a softmax likelihood, are f64 on the CPU.
///
/// ```
/// use mercer::models::gp::{GpClassifier, Likelihood};
/// use mercer::{Device, Kernel};
/// use ndarray::array;
///
/// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
/// let fitted = GpClassifier::new(Kernel::rbf(1.0)).fit(&Device::cpu(), x.view(), &[0, 0, 1, 1])?;
/// assert!((fitted.log_evidence() + 2.621391425).abs() < 1e-8);
///
/// let new = array![[1.5]];
/// let latent = fitted.latent(new.view())?;
/// assert!((latent.mean[[0, 0]] - 0.6261624614).abs() < 1e-9);
/// assert!((latent.variance[[0, 0]] - 0.7370007319).abs() < 1e-9);
/// // Averaged over the latent value; the logistic function of its mean would be 0.65.
/// assert!((fitted.predict_proba(new.view())?[[0, 1]] - 0.6320137261).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GpClassifier {
    kernel: Kernel,
    pub(super) likelihood: Likelihood,
    pub(super) minimiser: Option<Minimiser>,
    priors: Vec<(String, Prior)>,
    pub(super) budget: u64,
}

impl GpClassifier {
    /// With this kernel and the logistic likelihood.
    pub fn new(kernel: Kernel) -> Self {
        GpClassifier {
            kernel,
            likelihood: Likelihood::Logistic,
            minimiser: None,
            priors: Vec::new(),
            budget: BUDGET,
        }
    }

    /// The kernel, where the search for its parameters starts.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// With another likelihood.
    #[must_use]
    pub fn likelihood(mut self, likelihood: Likelihood) -> Self {
        self.likelihood = likelihood;
        self
    }

    /// Chooses hyper-parameters by maximising the approximate evidence, times the priors if there are any.
    #[must_use]
    pub fn optimise(mut self, minimiser: Minimiser) -> Self {
        self.minimiser = Some(minimiser);
        self
    }

    /// A prior for one hyper-parameter: a name of [`Kernel::params`]. Classes that are fitted against the rest have it
    /// each.
    ///
    /// Classes that a line separates leave the amplitude open, and with it how sure the classifier is:
    ///
    /// ```
    /// use mercer::models::gp::{GpClassifier, Prior};
    /// use mercer::optim::Minimiser;
    /// use mercer::{Device, Kernel};
    /// use ndarray::array;
    ///
    /// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// let model = GpClassifier::new(1.0 * Kernel::rbf(2.0)).optimise(Minimiser::default());
    /// let amplitude = Prior::LogNormal { mean: 4f64.ln(), deviation: 0.1 };
    /// let fitted = model.prior("scale", amplitude).fit(&Device::cpu(), x.view(), &[0, 0, 1, 1])?;
    /// assert!((fitted.kernels()[0].params()[0].value / 4.0).ln().abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// Bytes that a fit may allocate, 2 GiB by default: two classes of about 8100 points
    /// together, or 6100 with a search.
    /// Beyond that it refuses before anything is allocated; [`plan`](GpClassifier::plan) says what it would take.
    #[must_use]
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// Fits to `x`, `n x d`, and one label for each row: any numbers, of which at least two differ.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for labels that do not fit `x` or do not differ,
    /// [`Error::NotFinite`](crate::Error::NotFinite) for a NaN or an infinity in `x`,
    /// [`Error::Parameter`](crate::Error::Parameter) for a bad kernel or prior,
    /// [`Error::UnknownName`](crate::Error::UnknownName) for a prior of none of its hyper-parameters,
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if K has a negative eigenvalue,
    /// [`Error::OverBudget`](crate::Error::OverBudget) if the matrices do not fit the
    /// [memory budget](GpClassifier::memory_budget), [`Error::Cancelled`](crate::Error::Cancelled) by the minimiser's
    /// callback.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, labels: &[usize]) -> Result<FittedGpClassifier> {
        finite("GpClassifier", "x", x)?;
        let labels = Labels::new(labels, x.nrows())?;
        let size = (x.nrows(), x.ncols(), labels.names.len());
        let space = Space::new(&self.kernel, None, &self.priors)?;
        self.affords("GpClassifier::fit", device, size, self.minimiser.is_some())?;
        let x = Matrix::from_host(x.to_owned());
        let mut searches = Vec::new();
        let body = match self.likelihood {
            Likelihood::Softmax => {
                Body::Softmax(Box::new(self.one(device, &x, &labels.classes(), &space, &mut searches)?))
            }
            Likelihood::Logistic | Likelihood::Probit => {
                let link = self.link();
                let each = labels
                    .against_the_rest()
                    .map(|y| self.one(device, &x, &Signs { y, link }, &space, &mut searches));
                Body::Binary(each.collect::<Result<_>>()?, link)
            }
        };
        Ok(FittedGpClassifier { names: labels.names, body, searches })
    }

    /// `ln Z` and its gradient by [`Kernel::theta`], at the kernel as it is; the sum over classes that are fitted
    /// against the rest.
    ///
    /// # Errors
    /// As [`GpClassifier::fit`].
    pub fn log_evidence(&self, device: &Device, x: ArrayView2<f64>, labels: &[usize]) -> Result<Evidence> {
        finite("GpClassifier", "x", x)?;
        let labels = Labels::new(labels, x.nrows())?;
        let size = (x.nrows(), x.ncols(), labels.names.len());
        self.affords("GpClassifier::log_evidence", device, size, true)?;
        let x = Matrix::from_host(x.to_owned());
        if self.likelihood == Likelihood::Softmax {
            return evidence(device, &self.kernel, &x, &labels.classes());
        }
        let mut sum = Evidence { value: 0.0, gradient: vec![0.0; self.kernel.theta().len()] };
        for y in labels.against_the_rest() {
            let own = evidence(device, &self.kernel, &x, &Signs { y, link: self.link() })?;
            sum.value += own.value;
            sum.gradient.iter_mut().zip(own.gradient).for_each(|(s, g)| *s += g);
        }
        Ok(sum)
    }

    fn link(&self) -> Link {
        if self.likelihood == Likelihood::Probit { Link::Probit } else { Link::Logistic }
    }

    /// One latent model: the search, then the approximation where it ended.
    fn one<O: Observed>(
        &self,
        device: &Device,
        x: &Matrix,
        observed: &O,
        space: &Space,
        searches: &mut Vec<Minimum>,
    ) -> Result<Laplace<O::Curvature>> {
        let start = self.kernel.theta();
        let mut kernel = self.kernel.clone();
        if let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) {
            let found = minimiser.run(&start, &space.bounds, |theta| {
                let own = evidence(device, &kernel.with_theta(theta)?, x, observed)?;
                Ok(space.objective(theta, (own.value, own.gradient)))
            })?;
            kernel = kernel.with_theta(&found.point)?;
            searches.push(found);
        }
        Laplace::new(device, &kernel, x, observed, &gram(&kernel, x, None)?, true)
    }
}

/// `ln Z` and its gradient by theta.
fn evidence<O: Observed>(device: &Device, kernel: &Kernel, x: &Matrix, observed: &O) -> Result<Evidence> {
    let k = gram(kernel, x, None)?;
    let laplace = Laplace::new(device, kernel, x, observed, &k, false)?;
    let gradient = by_theta(kernel, &laplace.gradient(&k)?);
    Ok(Evidence { value: laplace.log_evidence, gradient })
}
