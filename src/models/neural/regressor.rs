//! Regression by a network. Checked in `tests/neural/regressor.rs`.

use std::marker::PhantomData;

use ndarray::{Array, ArrayView1, ArrayView2, Ix2};

use super::activation::Activation;
use super::design::{Design, designs};
use super::loss::{OutputLoss, precision};
use super::network::Network;
use super::supervised::Supervised;
use super::training::{Learned, Training};
use crate::check::{inputs, numbers, pairs, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Predict, Report, Reported, TargetDim};
use crate::saved::Format;
use crate::{Device, Result};

const OP: &str = "NeuralRegressor::fit";

/// Regression by a feed-forward network: `t ~ N(f(x; w), 1/β)`, `min_w ½ Σ_n‖f(x_n; w) - t_n‖² / n + κ/2 ‖W‖²`.
///
/// Counts are better taken as Poisson, with `e^f` for their mean: [`loss`](NeuralRegressor::loss). The loss is not
/// convex; the seed of the [`Training`] decides where it starts. Columns of very different sizes should be standardised
/// first ([`Pipeline`](crate::learn::Pipeline)). A loss that explodes is said by the report, and the parameters are those
/// of the best epoch. Dense layers with biases train on a GPU in f32 if there is enough to do, with the batches of the CPU; a
/// network with dropout, skip connections, masks, convolutions or pools, units of erf, or the rules of Nesterov and L-BFGS,
/// trains on the CPU whatever the device. Predictions are the CPU's.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array;
/// let x = Array::linspace(-3.0, 3.0, 60).insert_axis(ndarray::Axis(1));
/// let y = x.column(0).mapv(f64::sin);
/// let training = Training::new(Minimiser::new()).epochs(300);
/// let fitted = NeuralRegressor::new(&[8]).training(training).fit(&Device::cpu(), &x, &y)?;
/// assert!(fitted.score(&x, &y)? > 0.99);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) for a batch that is larger than the data;
/// [`Error::NoConvergence`](crate::Error::NoConvergence) if the loss explodes in the first epoch.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NeuralRegressor {
    design: Design,
    loss: OutputLoss,
    training: Training,
}

impl NeuralRegressor {
    /// With hidden layers of these widths; none makes it linear.
    pub fn new(hidden: &[usize]) -> Self {
        NeuralRegressor {
            design: Design::new(hidden),
            loss: OutputLoss::Gaussian,
            training: Training::default(),
        }
    }
}

setters!(NeuralRegressor {
    /// The distribution of targets: Gaussian by default, or Poisson, or Bernoulli for shares between 0 and 1.
    loss: OutputLoss,
});
designs!(NeuralRegressor);
fits!(NeuralRegressor: Regression -> FittedNeuralRegressor);

impl NeuralRegressor {
    fn run<D: TargetDim>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Result<FittedNeuralRegressor<D>> {
        pairs(OP, x, y)?;
        let least = y.fold(f64::INFINITY, |m, v| m.min(*v));
        let most = y.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        match self.loss {
            OutputLoss::Gaussian => {}
            OutputLoss::Poisson => parameter("least target", least, least >= 0.0, "a count is not negative")?,
            OutputLoss::Bernoulli | OutputLoss::Softmax => {
                parameter("least target", least, least >= 0.0, "a probability is at least 0")?;
                parameter("largest target", most, most <= 1.0, "a probability is at most 1")?;
            }
        }
        let network = self.design.network(OP, x.ncols(), y.ncols())?;
        let objective = Supervised { device, network: &network, loss: self.loss, x, targets: y, weights };
        let start = |seed| self.design.start(OP, &network, seed);
        let decaying = network.decaying();
        let learned = self.training.run(OP, x.nrows(), weights, start, &decaying, &objective)?;
        let a = super::pass::forward(&network, &learned.parameters, x);
        let predicted = self.loss.outputs(a.view());
        numbers(OP, "what is predicted", predicted.view())?;
        let noise_precision = precision(predicted.view(), y, weights).min(f64::MAX);
        let Learned { parameters, report, best_epoch, exploded, validation, .. } = learned;
        Ok(FittedNeuralRegressor {
            format: Format,
            network,
            parameters,
            loss: self.loss,
            noise_precision,
            best_epoch,
            exploded,
            validation,
            report,
            targets: PhantomData,
        })
    }
}

/// A fitted [`NeuralRegressor`].
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedNeuralRegressor<D = Ix2> {
    format: Format,
    network: Network,
    parameters: Vec<f64>,
    loss: OutputLoss,
    noise_precision: f64,
    best_epoch: usize,
    exploded: Option<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    validation: Vec<f64>,
    report: Report,
    targets: PhantomData<D>,
}

getters!(FittedNeuralRegressor<D> {
    /// The network.
    network: &Network,
    /// Its parameters, in the order of its layers.
    parameters: &[f64],
    /// The precision of the noise, `1/β = Σ‖y - t‖²/(nK)` at the data of the fit.
    noise_precision: f64,
    /// The epoch whose parameters these are, from 1.
    best_epoch: usize,
    /// The step at which the loss was no longer a number, if it came to that.
    exploded: Option<usize>,
    /// The loss on what was held out after each epoch, if anything was.
    validation: &[f64],
    /// How the training went; the trace is the mean loss of each epoch.
    report: &Report,
});

inherent!(FittedNeuralRegressor<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedNeuralRegressor<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        inputs("FittedNeuralRegressor::predict", x, self.network.inputs())?;
        let a = super::pass::forward(&self.network, &self.parameters, x);
        let y = self.loss.outputs(a.view());
        numbers("FittedNeuralRegressor::predict", "what is predicted", y.view())?;
        Ok(D::shaped(y))
    }
}

impl<D> Reported for FittedNeuralRegressor<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNeuralRegressor<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedNeuralRegressor<D> {
    fn check(&self) -> Result<()> {
        D::fits("a saved FittedNeuralRegressor", self.network.outputs())?;
        self.network.holds(&self.parameters)
    }
}
