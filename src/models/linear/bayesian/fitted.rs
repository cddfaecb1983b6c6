//! What is known of the weights, whichever way it is held.

use ndarray::{Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix1};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::evidence::Best;
use super::function_space::FunctionSpace;
use super::model::Prior;
use super::weight_space::WeightSpace;
use crate::Result;
use crate::check::{inputs, pairs, parameter, room};
use crate::learn::Answer;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::metrics::r_squared;
use crate::learn::{Inputs, MeanVariance, Predict, PredictDistribution, Report, Reported, Score, Targets};
use crate::probability::posterior_variance::known;
use crate::saved::Format;

/// `w | data ~ N(m, S)`: predictions, samples, evidence, and updates by more data.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBayesianLinearRegression {
    format: Format,
    beta: f64,
    features: usize,
    observations: usize,
    prior: Prior,
    state: State,
    effective: Option<f64>,
    report: Report,
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum State {
    Weights(WeightSpace),
    Functions(FunctionSpace),
}

/// Normal predictions, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearPrediction {
    mean: Array1<f64>,
    function_variance: Array1<f64>,
    noise_variance: f64,
}

impl Answer for LinearPrediction {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        self.mean.unfit().or_else(|| self.function_variance.unfit())
    }
}

impl MeanVariance for LinearPrediction {
    fn mean_variance(&self) -> (Array1<f64>, Array1<f64>) {
        (self.mean.clone(), self.variance())
    }
}

getters!(LinearPrediction {
    /// The mean `xᵀm` at each row.
    mean: &Array1<f64>,
    /// The variance `xᵀSx` of the function at each row, without the noise.
    function_variance: &Array1<f64>,
    /// The variance 1/β of the noise.
    noise_variance: f64,
});

impl LinearPrediction {
    /// The variance `xᵀSx + 1/β` of a new observation at each row.
    pub fn variance(&self) -> Array1<f64> {
        &self.function_variance + self.noise_variance
    }
}

getters!(FittedBayesianLinearRegression {
    /// How many observations it has seen.
    observations: usize,
    /// The precision β of the noise.
    beta: f64,
    /// How many weights the data determine, `γ = Σ_i βs_i / (α + βs_i)` with the eigenvalues s of `XᵀX`, if the
    /// precisions were sought.
    effective_parameters => effective: Option<f64>,
    /// How α and β were found: the log evidence of each pair tried, if they were sought. It has not converged if the
    /// maximum lies at α = ∞, where the data show no signal and the weights are as good as zero.
    report: &Report,
});

impl Reported for FittedBayesianLinearRegression {
    fn report(&self) -> &Report {
        &self.report
    }
}

inherent!(FittedBayesianLinearRegression: Predict -> Array1<f64>, PredictDistribution -> LinearPrediction);

impl Predict for FittedBayesianLinearRegression {
    type Output = Array1<f64>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        inputs("FittedBayesianLinearRegression::predict", x, self.features)?;
        Ok(x.dot(self.mean()))
    }
}

impl PredictDistribution for FittedBayesianLinearRegression {
    type Distribution = LinearPrediction;

    fn predict_distribution(&self, x: ArrayView2<f64>) -> Result<LinearPrediction> {
        const OP: &str = "FittedBayesianLinearRegression::predict_distribution";
        inputs(OP, x, self.features)?;
        let function_variance = match &self.state {
            State::Weights(s) => s.whitened(x)?.mapv(|v| v * v).sum_axis(Axis(0)),
            State::Functions(s) => s.variances(x)?,
        };
        known(OP, 0, &function_variance)?;
        Ok(LinearPrediction { mean: x.dot(self.mean()), function_variance, noise_variance: 1.0 / self.beta })
    }
}

impl Score<ArrayRef<f64, Ix1>> for FittedBayesianLinearRegression {
    fn score(&self, x: ArrayView2<f64>, y: &ArrayRef<f64, Ix1>) -> Result<f64> {
        let mean = Predict::predict(self, x)?.insert_axis(Axis(1));
        r_squared("FittedBayesianLinearRegression::score", y.view().insert_axis(Axis(1)), mean.view())
    }
}

impl FittedBayesianLinearRegression {
    pub(super) fn before(prior: Prior, beta: f64, features: usize) -> Result<Self> {
        let state = match &prior {
            Prior::Isotropic(alpha) => State::Functions(FunctionSpace::before(*alpha, beta, features)),
            Prior::Full { .. } => State::Weights(WeightSpace::before(&prior, features)?),
        };
        let (format, observations, effective, report) = (Format, 0, None, Report::direct(0.0));
        Ok(FittedBayesianLinearRegression {
            format,
            beta,
            features,
            observations,
            prior,
            state,
            effective,
            report,
        })
    }

    /// The same with what is known of the search for its precisions.
    pub(super) fn sought(mut self, best: Best) -> Self {
        (self.effective, self.report) = (Some(best.effective_parameters), best.report);
        self
    }

    /// Takes in more data, `x`, n x d, and `y`, n: what was the posterior becomes the prior. Any order and any division into
    /// batches gives the same, but for rounding.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data; then nothing has changed.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = ArrayRef<f64, Ix1>>) -> Result<()> {
        self.absorb(x.inputs().view(), y.targets().view())
    }

    pub(super) fn absorb(&mut self, phi: ArrayView2<f64>, t: ArrayView1<f64>) -> Result<()> {
        inputs("FittedBayesianLinearRegression::update", phi, self.features)?;
        pairs("FittedBayesianLinearRegression::update", phi, t.insert_axis(Axis(1)))?;
        match &mut self.state {
            State::Weights(weights) => weights.update(phi, t, self.beta)?,
            State::Functions(functions) => {
                let (all, targets) = functions.joined(phi, t)?;
                if all.nrows() < self.features {
                    functions.replace(all, targets)?;
                } else {
                    let mut weights = WeightSpace::before(&self.prior, self.features)?;
                    weights.update(all.view(), targets.view(), self.beta)?;
                    self.state = State::Weights(weights);
                }
            }
        }
        self.observations = self.observations.saturating_add(t.len());
        Ok(())
    }

    /// The mean m of the weights, which is also the most probable w.
    pub fn mean(&self) -> &Array1<f64> {
        match &self.state {
            State::Weights(s) => &s.mean,
            State::Functions(s) => &s.mean,
        }
    }

    /// The covariance S of the weights, d x d.
    ///
    /// # Errors
    /// None that data can cause.
    pub fn covariance(&self) -> Result<Array2<f64>> {
        let eye = Array2::<f64>::eye(self.features);
        self.prediction_covariance(&eye, &eye)
    }

    /// The precision α of the weights' prior; none if that is not isotropic.
    pub fn alpha(&self) -> Option<f64> {
        if let Prior::Isotropic(alpha) = self.prior { Some(alpha) } else { None }
    }

    /// The log evidence `log p(y)` of all targets so far, the sum of the logarithms of what was predicted for each batch.
    pub fn log_evidence(&self) -> f64 {
        match &self.state {
            State::Weights(s) => s.log_evidence,
            State::Functions(s) => s.log_evidence,
        }
    }

    /// R² of the predicted means at `x` against `y`.
    ///
    /// # Errors
    /// As `predict`, and [`Error::Shape`](crate::Error::Shape) for a `y` that does not fit or has fewer than two entries.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = ArrayRef<f64, Ix1>>) -> Result<f64> {
        Score::score(self, x.inputs().view(), &*y.targets())
    }

    /// The covariance `φᵀSφ'` of the function at each pair of rows of `a` and `b`, without the noise.
    ///
    /// # Errors
    /// As `predict`.
    pub fn prediction_covariance(&self, a: impl Inputs, b: impl Inputs) -> Result<Array2<f64>> {
        let (a, b) = (a.inputs(), b.inputs());
        let (a, b) = (a.view(), b.view());
        inputs("FittedBayesianLinearRegression::prediction_covariance", a, self.features)?;
        inputs("FittedBayesianLinearRegression::prediction_covariance", b, self.features)?;
        match &self.state {
            State::Weights(s) => Ok(s.whitened(a)?.t().dot(&s.whitened(b)?)),
            State::Functions(s) => s.covariance(a, b),
        }
    }

    /// The equivalent kernel `κ(x', x_n) = βφ(x')ᵀSφ(x_n)`: for a prior of mean zero and all of the data as `data`,
    /// the predicted mean is `Σ_n κ(x', x_n) t_n`. With the data as `new` too it is the smoother (hat) matrix.
    ///
    /// # Errors
    /// As `predict`.
    pub fn equivalent_kernel(&self, new: impl Inputs, data: impl Inputs) -> Result<Array2<f64>> {
        Ok(self.prediction_covariance(new, data)? * self.beta)
    }

    /// Weights drawn from the posterior, count x d.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if `count` is zero, or more than memory has room for.
    pub fn sample_weights(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("count", count as f64, count > 0, "there must be at least one sample")?;
        room("count", count, 16 * (self.features + self.observations.min(self.features)))?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = |rows| Array2::from_shape_fn((rows, count), |_| rng.sample(StandardNormal));
        let z = normal(self.features);
        let w = match &self.state {
            State::Weights(s) => s.turn(z)?,
            State::Functions(s) => s.turn(z, &normal(s.t.len()))?,
        };
        Ok(w.reversed_axes())
    }

    /// Functions drawn from the posterior, at each row of `x`: count x m.
    ///
    /// # Errors
    /// As `predict` and [`sample_weights`](FittedBayesianLinearRegression::sample_weights).
    pub fn sample(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("FittedBayesianLinearRegression::sample", x.view(), self.features)?;
        room("count", count, 8 * x.nrows())?;
        Ok(self.sample_weights(count, seed)?.dot(&x.t()))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBayesianLinearRegression);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedBayesianLinearRegression {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedBayesianLinearRegression";
        self.prior.check(self.beta, self.features)?;
        match (&self.state, &self.prior) {
            (State::Weights(weights), _) => weights.check(OP, self.features),
            (State::Functions(functions), Prior::Isotropic(alpha)) => {
                functions.check(OP, (*alpha, self.beta), self.observations, self.features)
            }
            (State::Functions(_), Prior::Full { .. }) => {
                let what = "a prior that is not isotropic is held by its weights".to_owned();
                Err(crate::Error::Shape { op: OP, what })
            }
        }
    }
}
