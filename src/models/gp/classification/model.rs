//! What Gaussian process classification is to fit, and the search for hyper-parameters.

use std::sync::Arc;

use ndarray::{ArrayView1, ArrayView2};

use super::about::{Raised, means};
use super::binary::Signs;
use super::fitted::{Body, FittedGpClassifier};
use super::laplace::{Laplace, Observed, Problem};
use super::likelihood::Likelihood;
use super::softmax::Classes;
use crate::check::{finite, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::fits;
use crate::learn::plan::BUDGET;
use crate::learn::{Fit, Inputs, Label, Labels, Targets};
use crate::matrix::Points;
use crate::models::gp::hyper_space::{HyperSpace, by_theta};
use crate::models::gp::{Evidence, Prior};
use crate::optim::{Minimiser, Minimum};
use crate::{Device, Kernel, Result};

/// `p(y | x) = ∫ p(y | f(x)) p(f | data) df`, `f ~ GP(0, k)`, by Laplace's approximation: the posterior of the latent
/// values is taken as `N(f̂, (K⁻¹ + W)⁻¹)`, with its mode f̂ and its curvature there, `W = -∇∇ ln p(y | f̂)`.
///
/// The mode is found by Newton's method through `B = I + W^½ K W^½`, whose eigenvalues are at least one, so K may be
/// singular (duplicate points). Hyper-parameters stay as they are given unless [`optimise`](GpClassifier::optimise) is
/// asked for; then they maximise the approximate evidence `ln Z = ln p(y | f̂) - ½ f̂ᵀK⁻¹f̂ - ½ ln |B|`, by its exact
/// gradient, within the bounds of the kernel's parameters. K and B are stored, `n x n` in f64.
///
/// On a GPU the kernel matrix stays there, and so does B of every step: n numbers cross. Those steps are f32; the last ones, the
/// evidence, its gradient and all predictions are f64 on the CPU, and so are all steps of a softmax likelihood.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
///
/// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
/// let fitted = GpClassifier::new(Kernel::rbf(1.0)).fit(&Device::best(), &x, ["no", "no", "yes", "yes"])?;
/// assert!((fitted.log_evidence() + 2.621391425).abs() < 1e-8);
///
/// let new = array![[1.5]];
/// let latent = fitted.latent(&new)?;
/// assert!((latent.mean[[0, 0]] - 0.6261624614).abs() < 1e-9);
/// assert!((latent.variance[[0, 0]] - 0.7370007319).abs() < 1e-9);
/// // Averaged over the latent value; the logistic function of its mean would be 0.65.
/// assert!((fitted.predict_proba(&new)?[[0, 1]] - 0.6320137261).abs() < 1e-9);
/// assert_eq!(fitted.predict(&new)?, ["yes"]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::UnknownName`](crate::Error::UnknownName) for a prior of none of its hyper-parameters,
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if K has a negative eigenvalue,
/// [`Error::OverBudget`](crate::Error::OverBudget) if the matrices do not fit the
/// [memory budget](GpClassifier::memory_budget), [`Error::Cancelled`](crate::Error::Cancelled) by the minimiser's
/// progress.
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

    /// A prior for one hyper-parameter: a name of [`Kernel::params`]. Classes that are fitted against the rest have it
    /// each.
    ///
    /// Classes that a line separates leave the amplitude open, and with it how sure the classifier is:
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    ///
    /// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    /// let model = GpClassifier::new(1.0 * Kernel::rbf(2.0)).optimise(Minimiser::default());
    /// let amplitude = Prior::LogNormal { mean: 4f64.ln(), deviation: 0.1 };
    /// let fitted = model.prior("scale", amplitude).fit(&Device::cpu(), &x, [0, 0, 1, 1])?;
    /// assert!((fitted.kernels()[0].params()[0].value / 4.0).ln().abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    #[must_use]
    pub fn prior(mut self, name: &str, prior: Prior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }
}

setters!(GpClassifier {
    /// The likelihood: logistic by default.
    likelihood: Likelihood,
    /// Chooses hyper-parameters by maximising the approximate evidence, times the priors if there are any.
    optimise => minimiser: into Option<Minimiser>,
    /// Bytes that a fit may allocate, 2 GiB by default: two classes of about 8100 points together, or 6100 with a search.
    /// Beyond that it refuses before anything is allocated; [`plan`](GpClassifier::plan) says what it would take.
    memory_budget => budget: u64,
});

getters!(GpClassifier {
    /// The kernel, where the search for its parameters starts.
    kernel: &Kernel,
});

fits!(GpClassifier: Classify -> FittedGpClassifier);

impl<L: Label> Fit<[L]> for GpClassifier {
    type Fitted = FittedGpClassifier<L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedGpClassifier<L>> {
        self.fit_raised("GpClassifier::fit", device, x, y, |_, _| 0.0)
    }
}

impl GpClassifier {
    /// A fit of `f - m` for latent functions f with means m, given for each row and the number of a function.
    pub(super) fn fit_raised<L: Label>(
        &self,
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        mean: impl Fn(ArrayView1<f64>, usize) -> f64,
    ) -> Result<FittedGpClassifier<L>> {
        let (labels, index, points) = self.place(op, device, x, y, self.minimiser.is_some())?;
        let space = HyperSpace::new(&self.kernel, None, &self.priors)?;
        let (classes, mut searches) = (labels.classes().len(), Vec::new());
        let body = match self.likelihood.link() {
            None => {
                let mean = means(op, &mean, x, 0..classes)?;
                let observed = Raised { observed: Classes { y: index, classes }, mean };
                Body::Softmax(Box::new(self.one(&points, &observed, &space, &mut searches)?))
            }
            Some(link) => {
                let each = against_the_rest(&index, classes).enumerate().map(|(c, y)| {
                    let mean = means(op, &mean, x, c..c + 1)?;
                    self.one(&points, &Raised { observed: Signs { y, link }, mean }, &space, &mut searches)
                });
                Body::Binary(each.collect::<Result<_>>()?, link)
            }
        };
        Ok(FittedGpClassifier { labels, body: Arc::new(body), searches, device: points.device().clone() })
    }

    /// `ln Z` and its gradient by [`Kernel::theta`], at the kernel as it is; the sum over classes that are fitted
    /// against the rest.
    ///
    /// # Errors
    /// As [`GpClassifier::fit`].
    pub fn log_evidence<L: Label>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
    ) -> Result<Evidence> {
        let (x, y) = (x.inputs(), y.targets());
        let (labels, index, points) = self.place("GpClassifier::log_evidence", device, x.view(), &y, true)?;
        let classes = labels.classes().len();
        let Some(link) = self.likelihood.link() else {
            return evidence(&Problem::new(&self.kernel, &points)?, &Classes { y: index, classes });
        };
        let problem = Problem::new(&self.kernel, &points)?;
        let mut sum = Evidence::new(0.0, vec![0.0; self.kernel.theta().len()]);
        for y in against_the_rest(&index, classes) {
            let one = evidence(&problem, &Signs { y, link })?;
            sum.value += one.value;
            sum.gradient.iter_mut().zip(one.gradient).for_each(|(s, g)| *s += g);
        }
        Ok(sum)
    }

    /// Labels, their indices and the data where Newton's method will run, once everything is known to be in order.
    pub(super) fn place<L: Label>(
        &self,
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        gradient: bool,
    ) -> Result<(Labels<L>, Vec<usize>, Points)> {
        finite("GpClassifier", "x", x)?;
        require("GpClassifier", x.nrows() == y.len(), || {
            format!("{} points, {} labels", x.nrows(), y.len())
        })?;
        let (labels, index) = Labels::of_classes(y)?;
        let size = (x.nrows(), x.ncols(), labels.classes().len());
        HyperSpace::new(&self.kernel, None, &self.priors)?;
        let plan = self.affords(op, device, size, gradient)?;
        let device = if self.likelihood == Likelihood::Softmax { &Device::cpu() } else { device };
        let flops = plan.flops + plan.flops_per_iteration;
        let points = Points::new(op, device, x, self.kernel.origin(), flops)?;
        Ok((labels, index, points))
    }

    /// One latent model: the search, then the approximation where it ended.
    fn one<O: Observed>(
        &self,
        points: &Points,
        observed: &O,
        space: &HyperSpace,
        searches: &mut Vec<Minimum>,
    ) -> Result<Laplace<O::Curvature>> {
        let start = self.kernel.theta();
        let mut kernel = self.kernel.clone();
        if let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) {
            let found = minimiser.run(&start, &space.bounds, |theta| {
                let kernel = kernel.with_theta(theta)?;
                let found = evidence(&Problem::new(&kernel, points)?, observed)?;
                Ok(space.objective(theta, (found.value, found.gradient)))
            })?;
            kernel = kernel.with_theta(&found.point)?;
            searches.push(found);
        }
        Laplace::new(&Problem::new(&kernel, points)?, observed)
    }
}

/// ±1 for the second of two classes against the first, or for each of more against the rest.
pub(super) fn against_the_rest(index: &[usize], classes: usize) -> impl Iterator<Item = Vec<f64>> {
    let sign = |yes: bool| if yes { 1.0 } else { -1.0 };
    let first = usize::from(classes == 2);
    (first..classes).map(move |class| index.iter().map(|&i| sign(i == class)).collect())
}

/// `ln Z` and its gradient by theta.
fn evidence<O: Observed>(problem: &Problem, observed: &O) -> Result<Evidence> {
    let laplace = Laplace::new(problem, observed)?;
    let gradient = by_theta(&laplace.kernel, &laplace.gradient(&problem.k)?);
    Ok(Evidence::new(laplace.log_evidence, gradient))
}
