//! What a mixture of logistic regressions has learned.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand::RngExt;

use super::logistic::with_ones;
use super::logistic_steps::{Params, log_joint};
#[cfg(feature = "serde")]
use crate::check::{finite, parameter, weights};
use crate::check::{inputs, require};
use crate::learn::answer::answered;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Classes, Inputs, Labels, Predict, PredictProba, Report, Reported, Targets};
use crate::models::mixture::responsibilities::shares;
use crate::models::mixture::sample::answers;
use crate::saved::Format;
use crate::{Device, Matrix, Result};

/// Fitted [`LogisticRegressionMixture`](super::LogisticRegressionMixture).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLogisticRegressionMixture<L> {
    format: Format,
    labels: Labels<L>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    weights: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    slopes: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    intercepts: Array1<f64>,
    log_likelihood: f64,
    count: usize,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedLogisticRegressionMixture<L> {
    /// The weights π, of length K.
    weights: &Array1<f64>,
    /// The slopes w, `K x d`.
    slopes: &Array2<f64>,
    /// The intercepts b.
    intercepts: &Array1<f64>,
    /// The log-likelihood `sum_i log p(y_i | x_i)` of the data of the fit.
    log_likelihood: f64,
    /// How the fit went: the log-likelihood, less the ridge, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedLogisticRegressionMixture<L: Ord>: Accuracy);

impl<L: Ord + Clone> FittedLogisticRegressionMixture<L> {
    pub(super) fn new(
        labels: Labels<L>,
        params: Params,
        log_likelihood: f64,
        count: usize,
        report: Report,
        device: Device,
    ) -> Self {
        let d = params.coefficients.ncols() - 1;
        FittedLogisticRegressionMixture {
            format: Format,
            labels,
            weights: params.weights,
            slopes: params.coefficients.slice(s![.., ..d]).to_owned(),
            intercepts: params.coefficients.column(d).to_owned(),
            log_likelihood,
            count,
            report,
            device,
        }
    }

    /// The two classes in ascending order; the second is "1".
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The more probable class of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of features than the fit had,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        Predict::predict(self, x.inputs().view())
    }

    /// Probabilities of both classes, one row for each row of `x`; rows sum to one.
    ///
    /// # Errors
    /// As `predict`.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered(
            "FittedLogisticRegressionMixture::predict_proba",
            PredictProba::predict_proba(self, x.inputs().view()),
        )
    }

    /// What each group says: `σ(w_k^T x_i + b_k)`, `m x K`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn probabilities(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("FittedLogisticRegressionMixture::probabilities", x.view(), self.slopes.ncols())?;
        Ok((x.dot(&self.slopes.t()) + &self.intercepts).mapv(|f| 1.0 / (1.0 + (-f).exp())))
    }

    /// Responsibilities once y is seen, `p(k | x_i, y_i)`, `m x K`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn responsibilities(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<Array2<f64>> {
        const OP: &str = "FittedLogisticRegressionMixture::responsibilities";
        let (x, y) = (x.inputs(), y.targets());
        inputs(OP, x.view(), self.slopes.ncols())?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y {}", x.nrows(), y.len()))?;
        let sign: Vec<f64> = self.labels.indices(&y)?.iter().map(|&v| 2.0 * v as f64 - 1.0).collect();
        let d = self.slopes.ncols();
        let entry = |(k, j): (usize, usize)| if j < d { self.slopes[[k, j]] } else { self.intercepts[k] };
        let params = Params {
            weights: self.weights.clone(),
            coefficients: Array2::from_shape_fn((self.weights.len(), d + 1), entry),
        };
        let ones = Matrix::from_host(with_ones(x.view()));
        shares(&log_joint(&params, &ones, &Matrix::column(&Device::cpu(), &sign)?)?.0)
    }

    /// A label for each row of `x`, `m x d`, drawn from the mixture, and the group it comes from.
    ///
    /// # Errors
    /// As `predict`.
    pub fn sample_at(&self, x: impl Inputs, seed: u64) -> Result<(Vec<L>, Vec<usize>)> {
        let probabilities = self.probabilities(x)?;
        let draw = |_: usize, p: f64, rng: &mut rand_chacha::ChaCha8Rng| usize::from(rng.random::<f64>() < p);
        let (classes, groups) = answers(&probabilities, self.weights.view(), seed, draw);
        Ok((self.labels.names(&classes)?, groups))
    }

    /// The number of free parameters: slopes, intercepts and weights.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.slopes.dim();
        k * (d + 2) - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * (self.count as f64).ln() - 2.0 * self.log_likelihood
    }
}

impl<L: Ord + Clone> Predict for FittedLogisticRegressionMixture<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(self.predict_proba(x)?.view()))
    }
}

impl<L: Ord + Clone> PredictProba for FittedLogisticRegressionMixture<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let second = self.probabilities(x)?.dot(&self.weights);
        Ok(ndarray::stack![Axis(1), 1.0 - &second, second])
    }
}

impl<L: Ord + Clone> Classes for FittedLogisticRegressionMixture<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Reported for FittedLogisticRegressionMixture<L> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLogisticRegressionMixture<L>);

#[cfg(feature = "serde")]
impl<L: Ord + Clone> crate::saved::Checked for FittedLogisticRegressionMixture<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLogisticRegressionMixture";
        let (k, classes) = (self.slopes.nrows(), self.classes());
        require(OP, classes.len() == 2 && classes[0] < classes[1], || {
            "there must be two classes".to_owned()
        })?;
        finite(OP, "the slopes", self.slopes.view())?;
        weights(OP, self.weights.view(), k)?;
        require(OP, self.intercepts.len() == k, || {
            format!("{k} slopes, {} intercepts", self.intercepts.len())
        })?;
        finite(OP, "the intercepts", self.intercepts.view().insert_axis(Axis(1)))?;
        require(OP, self.count > 0, || "it was fitted to nothing".to_owned())?;
        parameter("log_likelihood", self.log_likelihood, self.log_likelihood.is_finite(), "must be finite")
    }
}
