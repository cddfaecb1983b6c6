//! Classification by a network. Checked in `tests/neural/classifier.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::activation::Activation;
use super::adversarial::fgsm;
use super::design::{Design, designs};
use super::loss::OutputLoss;
use super::network::Network;
use super::supervised::Supervised;
use super::training::{Learned, Training};
use crate::check::{finite, inputs, numbers, require};
use crate::learn::configure::getters;
use crate::learn::inherent::{fits, inherent};
use crate::learn::labels::most_probable;
use crate::learn::{
    Classes, Decision, Fit, FitWeighted, Inputs, Label, Labels, Predict, PredictProba, Report, Reported,
    Targets,
};
use crate::saved::Format;
use crate::{Device, Result};

const OP: &str = "NeuralClassifier::fit";

/// Classification by a feed-forward network: `p(k | x) = softmax_k f(x; w)`, `min_w -Σ_n ln p(t_n | x_n) / n + κ/2 ‖W‖²`.
///
/// The loss is not convex; the seed of the [`Training`] decides where it starts. A loss that explodes is said by the
/// report, and the parameters are those of the best epoch. It trains on a GPU where
/// [`NeuralRegressor`](super::NeuralRegressor) does, and predicts on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let xor = ["same", "other", "other", "same"];
/// let training = Training::new(Minimiser::new()).epochs(200).seed(1);
/// let fitted = NeuralClassifier::new(&[4]).training(training).fit(&Device::cpu(), &x, xor)?;
/// assert_eq!(fitted.predict(&x)?, xor);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// As [`NeuralRegressor`](super::NeuralRegressor).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NeuralClassifier {
    design: Design,
    training: Training,
}

impl NeuralClassifier {
    /// With hidden layers of these widths; none makes it a logistic regression.
    pub fn new(hidden: &[usize]) -> Self {
        NeuralClassifier { design: Design::new(hidden), training: Training::default() }
    }
}

designs!(NeuralClassifier);
fits!(NeuralClassifier: Classify -> FittedNeuralClassifier);

impl<L: Label> Fit<[L]> for NeuralClassifier {
    type Fitted = FittedNeuralClassifier<L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedNeuralClassifier<L>> {
        self.run(device, x, y, None)
    }
}

impl<L: Label> FitWeighted<[L]> for NeuralClassifier {
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        w: ArrayView1<f64>,
    ) -> Result<FittedNeuralClassifier<L>> {
        crate::check::weights(OP, w, x.nrows())?;
        self.run(device, x, y, Some(w))
    }
}

/// One row a label, a 1 in the column of its class.
fn one_hot(index: &[usize], classes: usize) -> Array2<f64> {
    Array2::from_shape_fn((index.len(), classes), |(n, k)| f64::from(u8::from(index[n] == k)))
}

impl NeuralClassifier {
    fn run<L: Label>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        weights: Option<ArrayView1<f64>>,
    ) -> Result<FittedNeuralClassifier<L>> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("{} rows, {} labels", x.nrows(), y.len()))?;
        let (labels, index) = Labels::of_classes(y)?;
        let targets = one_hot(&index, labels.classes().len());
        let network = self.design.network(OP, x.ncols(), targets.ncols())?;
        let loss = OutputLoss::Softmax;
        let objective = Supervised { device, network: &network, loss, x, targets: targets.view(), weights };
        let start = |seed| self.design.start(OP, &network, seed);
        let decaying = network.decaying();
        let learned = self.training.run(OP, x.nrows(), weights, start, &decaying, &objective)?;
        let Learned { parameters, report, best_epoch, exploded, validation, .. } = learned;
        Ok(FittedNeuralClassifier {
            format: Format,
            network,
            parameters,
            labels,
            best_epoch,
            exploded,
            validation,
            report,
        })
    }
}

/// A fitted [`NeuralClassifier`].
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        remote = "Self",
        bound(serialize = "L: serde::Serialize", deserialize = "L: serde::Deserialize<'de>")
    )
)]
pub struct FittedNeuralClassifier<L = usize> {
    format: Format,
    network: Network,
    parameters: Vec<f64>,
    labels: Labels<L>,
    best_epoch: usize,
    exploded: Option<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    validation: Vec<f64>,
    report: Report,
}

getters!(FittedNeuralClassifier<L> {
    /// The network; its outputs are logits, one a class.
    network: &Network,
    /// Its parameters, in the order of its layers.
    parameters: &[f64],
    /// The epoch whose parameters these are, from 1.
    best_epoch: usize,
    /// The step at which the loss was no longer a number, if it came to that.
    exploded: Option<usize>,
    /// The loss on what was held out after each epoch, if anything was.
    validation: &[f64],
    /// How the training went; the trace is the mean loss of each epoch.
    report: &Report,
});

inherent!(FittedNeuralClassifier<L: Label>: Predict -> Vec<L>, PredictProba, Decision, Accuracy);

impl<L: Label> FittedNeuralClassifier<L> {
    fn logits(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedNeuralClassifier::predict", x, self.network.inputs())?;
        let a = super::pass::forward(&self.network, &self.parameters, x);
        numbers("FittedNeuralClassifier::predict", "the logits", a.view())?;
        Ok(a)
    }

    /// The classes in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// Inputs moved by the fast gradient sign method, each number by ±ε, so that their labels become less probable.
    ///
    /// # Errors
    /// As `predict`, and [`Error::Parameter`](crate::Error::Parameter) for a label that is none of the classes or an ε
    /// that is negative.
    pub fn adversarial(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
        epsilon: f64,
    ) -> Result<Array2<f64>> {
        let (x, y) = (x.inputs(), y.targets());
        inputs("FittedNeuralClassifier::adversarial", x.view(), self.network.inputs())?;
        let targets = one_hot(&self.labels.indices(&y)?, self.labels.classes().len());
        fgsm(&self.network, &self.parameters, OutputLoss::Softmax, x.view(), &targets, epsilon)
    }
}

impl<L: Label> Predict for FittedNeuralClassifier<L> {
    type Output = Vec<L>;

    /// The most probable class.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(self.logits(x)?.view()))
    }
}

impl<L: Label> PredictProba for FittedNeuralClassifier<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(OutputLoss::Softmax.outputs(self.logits(x)?.view()))
    }
}

impl<L: Label> Decision for FittedNeuralClassifier<L> {
    /// The logits; of two classes the second less the first.
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let a = self.logits(x)?;
        if a.ncols() > 2 {
            return Ok(a);
        }
        Ok((&a.column(1) - &a.column(0)).insert_axis(Axis(1)))
    }
}

impl<L> Classes for FittedNeuralClassifier<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Reported for FittedNeuralClassifier<L> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedNeuralClassifier<L>);

#[cfg(feature = "serde")]
impl<L: Ord + Clone> crate::saved::Checked for FittedNeuralClassifier<L> {
    fn check(&self) -> Result<()> {
        let (k, outputs) = (self.labels.classes().len(), self.network.outputs());
        require("a saved FittedNeuralClassifier", k == outputs, || {
            format!("{k} classes, {outputs} outputs")
        })?;
        self.network.holds(&self.parameters)
    }
}
