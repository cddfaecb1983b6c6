//! Bayesian linear regression. Checked in `tests/ridge/bayesian.rs` and `tests/ridge/evidence.rs`.

mod evidence;
mod function_space;
mod posterior;
mod weight_space;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

pub use evidence::{EvidenceFit, EvidenceParams};
pub use posterior::{LinearPosterior, LinearPrediction};

use crate::Result;
use crate::check::{finite, pairs, positive, require};

/// What is believed of the weights before any data.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Prior {
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

/// Bayesian linear regression: `t = wᵀφ + ε`, `ε ~ N(0, 1/β)`, `w ~ N(0, I/α)`, so that
/// `w | data ~ N(m, S)`, `S⁻¹ = αI + βΦᵀΦ`, `m = βSΦᵀt`.
///
/// The rows of Φ are features: the data itself, columns of basis functions, or the output of a
/// [`FeatureMap`](crate::models::kernel_methods::features::FeatureMap). There is no separate intercept; give Φ a column of ones. The mean
/// is ridge regression with `λ = α/β`, and the whole is a Gaussian process with `k(x, x') = φᵀφ'/α`: while there are
/// fewer observations than features it is computed as one, so that nothing is ever larger than the smaller of the two.
/// All of it is f64 on the CPU: a posterior must bear many updates.
///
/// ```
/// use mercer::models::linear::BayesianLinearRegression;
/// use ndarray::array;
/// let line = |x: f64| [1.0, x];
/// let phi = array![line(0.5), line(-0.5), line(0.9)];
/// let posterior = BayesianLinearRegression::new(2.0, 25.0).fit(phi.view(), array![-0.05, -0.55, 0.15].view())?;
/// assert!((posterior.mean()[1] - 0.4582853192).abs() < 1e-9);
/// assert!((posterior.log_evidence() + 1.3896288752).abs() < 1e-9);
/// let at = posterior.predict(array![line(0.0)].view())?;
/// assert!((at.mean[0] + 0.2800184374).abs() < 1e-9);
/// assert!((at.observation_variance()[0] - 0.0560175156).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianLinearRegression {
    prior: Prior,
    beta: f64,
}

impl BayesianLinearRegression {
    /// With the precision α > 0 of every weight and β > 0 of the noise.
    pub fn new(alpha: f64, beta: f64) -> Self {
        BayesianLinearRegression { prior: Prior::Isotropic(alpha), beta }
    }

    /// With a prior `N(mean, precision⁻¹)` of the weights, and the precision β > 0 of the noise.
    pub fn with_prior(mean: Array1<f64>, precision: Array2<f64>, beta: f64) -> Self {
        BayesianLinearRegression { prior: Prior::Full { mean, precision }, beta }
    }

    /// The belief before any data, for `features` features: [`LinearPosterior::update`] starts from here.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if α or β is not positive,
    /// [`Error::Shape`](crate::Error::Shape) if the prior is one of other features,
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if its precision is not.
    pub fn prior(&self, features: usize) -> Result<LinearPosterior> {
        self.check(features)?;
        LinearPosterior::before(self.prior.clone(), self.beta, features)
    }

    /// The posterior given `phi`, n x d, and `t`, n.
    ///
    /// # Errors
    /// As [`prior`](BayesianLinearRegression::prior), and [`Error::Shape`](crate::Error::Shape) or
    /// [`Error::NotFinite`](crate::Error::NotFinite) for bad data.
    pub fn fit(&self, phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<LinearPosterior> {
        pairs("BayesianLinearRegression::fit", phi, t.insert_axis(Axis(1)))?;
        let mut posterior = self.prior(phi.ncols())?;
        posterior.update(phi, t)?;
        Ok(posterior)
    }

    fn check(&self, features: usize) -> Result<()> {
        let op = "BayesianLinearRegression";
        positive("beta", self.beta)?;
        require(op, features > 0, || "there are no features".to_owned())?;
        match &self.prior {
            Prior::Isotropic(alpha) => positive("alpha", *alpha),
            Prior::Full { mean, precision } => {
                let (d, fits) = (mean.len(), precision.dim() == (mean.len(), mean.len()));
                require(op, fits, || {
                    format!("the prior has {d} means, its precision is {:?}", precision.dim())
                })?;
                require(op, d == features, || {
                    format!("the prior has {d} weights, phi has {features} columns")
                })?;
                finite(op, "the prior mean", mean.view().insert_axis(Axis(1)))
            }
        }
    }
}
