//! What Bayesian linear regression believes beforehand, and whether it may change its mind about the precisions.

use ndarray::{Array1, Array2, ArrayRef, ArrayView2, Axis, Ix1};

use super::evidence::maximise;
use super::fitted::FittedBayesianLinearRegression;
use crate::check::{finite, pairs, positive, require};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::{Device, Error, Progress, Result};

/// What is believed of the weights before any data.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Prior {
    /// `N(0, I/α)`.
    Isotropic(f64),
    /// `N(mean, precision⁻¹)`.
    Full {
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
        mean: Array1<f64>,
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
        precision: Array2<f64>,
    },
}

impl Prior {
    /// In order for so many features, with this precision of the noise.
    pub fn check(&self, beta: f64, features: usize) -> Result<()> {
        let op = "BayesianLinearRegression";
        positive("beta", beta)?;
        require(op, features > 0, || "there are no features".to_owned())?;
        match self {
            Prior::Isotropic(alpha) => positive("alpha", *alpha),
            Prior::Full { mean, precision } => {
                let (d, shape) = (mean.len(), precision.dim());
                require(op, shape == (d, d), || {
                    format!("the prior has {d} means, its precision is {shape:?}")
                })?;
                require(op, d == features, || {
                    format!("the prior has {d} weights, x has {features} columns")
                })?;
                finite(op, "the prior mean", mean.view().insert_axis(Axis(1)))
            }
        }
    }
}

/// Bayesian linear regression: `y = wᵀx + ε`, `ε ~ N(0, 1/β)`, `w ~ N(0, I/α)`, so that
/// `w | data ~ N(m, S)`, `S⁻¹ = αI + βXᵀX`, `m = βSXᵀy`.
///
/// The rows of X are features: the data itself, columns of basis functions, or the output of
/// [`features`](crate::models::kernel_methods::features). There is no separate intercept; give X a column of ones. The mean
/// is ridge regression with `λ = α/β`, and the whole is a Gaussian process with `k(x, x') = xᵀx'/α`: while there are
/// fewer observations than features it is computed as one, so that nothing is ever larger than the smaller of the two.
/// All of it is f64 on the CPU, whatever the device: a posterior must bear many updates.
///
/// [`optimise`](BayesianLinearRegression::optimise) seeks the α and β that maximise `log p(y | α, β)`, uphill from the
/// α/β given, or from as near to it as the evidence is not flat. For a given `λ = α/β` the best β is `n / (‖y - Xm‖² + λ‖m‖²)`,
/// which leaves one number to be sought: the λ at which `γ = α‖m‖²`. There the usual fixed point `α = γ / ‖m‖²`, `1/β = ‖y -
/// Xm‖² / (n - γ)` rests too. One singular value decomposition serves every step.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let line = |x: f64| [1.0, x];
/// let x = array![line(0.5), line(-0.5), line(0.9)];
/// let y = array![-0.05, -0.55, 0.15];
/// let fit = BayesianLinearRegression::new(2.0, 25.0).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.mean()[1] - 0.4582853192).abs() < 1e-9);
/// assert!((fit.log_evidence() + 1.3896288752).abs() < 1e-9);
/// let at = fit.predict_distribution(array![line(0.0)])?;
/// assert!((at.mean()[0] + 0.2800184374).abs() < 1e-9);
/// assert!((at.variance()[0] - 0.0560175156).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`] if the precision of the prior is not. If α and β are sought: [`Error::Parameter`] if
/// the prior is not isotropic, or if the features reproduce the targets exactly, or the targets are zero: then there is no
/// maximum; [`Error::Cancelled`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianLinearRegression {
    prior: Prior,
    beta: f64,
    optimise: bool,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl BayesianLinearRegression {
    /// With the precision α > 0 of every weight and β > 0 of the noise.
    pub fn new(alpha: f64, beta: f64) -> Self {
        Self::of(Prior::Isotropic(alpha), beta)
    }

    /// With a prior `N(mean, precision⁻¹)` of the weights, and the precision β > 0 of the noise.
    pub fn with_prior(mean: Array1<f64>, precision: Array2<f64>, beta: f64) -> Self {
        Self::of(Prior::Full { mean, precision }, beta)
    }

    fn of(prior: Prior, beta: f64) -> Self {
        let (optimise, progress) = (false, Progress::none());
        BayesianLinearRegression { prior, beta, optimise, tolerance: 1e-12, max_iterations: 200, progress }
    }
}

setters!(BayesianLinearRegression {
    /// Whether a fit seeks the α and β of the largest evidence, starting from those given; by default it keeps them.
    optimise: bool,
    /// The relative width of the interval of α/β at which that search stops; 1e-12 by default.
    tolerance: f64,
    /// The most values of α/β to try; 200 by default.
    max_iterations: usize,
    /// Called after each of them with the log evidence; it can cancel.
    progress: Progress,
});

impl BayesianLinearRegression {
    /// The belief before any data, for so many features: [`FittedBayesianLinearRegression::update`] starts from here.
    ///
    /// # Errors
    /// [`Error::Parameter`] if α or β is not positive, [`Error::Shape`] if the prior is one of other features,
    /// [`Error::NotPositiveDefinite`] if its precision is not.
    pub fn prior(&self, features: usize) -> Result<FittedBayesianLinearRegression> {
        self.prior.check(self.beta, features)?;
        FittedBayesianLinearRegression::before(self.prior.clone(), self.beta, features)
    }
}

fits!(BayesianLinearRegression: Numbers -> FittedBayesianLinearRegression);

impl Fit<ArrayRef<f64, Ix1>> for BayesianLinearRegression {
    type Fitted = FittedBayesianLinearRegression;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, Ix1>) -> Result<Self::Fitted> {
        pairs("BayesianLinearRegression::fit", x, y.view().insert_axis(Axis(1)))?;
        let fitted = |model: &Self| {
            let mut fitted = model.prior(x.ncols())?;
            fitted.absorb(x, y.view())?;
            Ok(fitted)
        };
        if !self.optimise {
            return fitted(self);
        }
        self.prior.check(self.beta, x.ncols())?;
        positive("tolerance", self.tolerance)?;
        let Prior::Isotropic(alpha) = self.prior else {
            let requirement =
                "only the scale of an isotropic prior is sought: use BayesianLinearRegression::new";
            return Err(Error::Parameter { name: "prior".to_owned(), value: f64::NAN, requirement });
        };
        let best = maximise(self, alpha / self.beta, x, y.view())?;
        Ok(fitted(&BayesianLinearRegression::new(best.alpha, best.beta))?.sought(best))
    }
}
