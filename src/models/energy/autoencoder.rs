//! Layers of restricted Boltzmann machines, unrolled to an autoencoder and trained together. Checked in
//! `tests/energy/deep.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::boltzmann::{FittedRbm, Visible, allowed};
use super::rbm::Rbm;
use crate::check::{inputs, numbers, parameter, positive, require, sample};
use crate::configure::{getters, setters};
use crate::inference::logs::sigmoid;
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Report, Transform};
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// `min Σ |x - G(F(x))|²` with sigmoid layers: each layer is first learned as an [`Rbm`] on the activations of the one below,
/// then all are unrolled and trained together by back-propagation. On the CPU.
///
/// ```
/// use mercer::models::energy::DeepAutoencoder;
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 8), |(i, j)| f64::from(u8::from(i % 4 == j / 2)));
/// let deep = DeepAutoencoder::new(&[6, 2]).seed(1).fit(&Device::best(), &x)?;
/// assert_eq!(deep.transform(&x)?.dim(), (40, 2));
/// assert!(deep.report().objective() < deep.report().trace[0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DeepAutoencoder {
    layers: Vec<usize>,
    pretraining: Rbm,
    pretrain: bool,
    iterations: usize,
    rate: f64,
    seed: u64,
    progress: Progress,
}

setters!(DeepAutoencoder {
    /// How each layer is learned before they are joined: passes, rate and phase of an [`Rbm`], whose units and seed are
    /// replaced.
    pretraining: Rbm,
    /// Whether layers are learned one after the other first; random weights otherwise.
    pretrain: bool,
    /// Steps of the training together: 200.
    iterations: usize,
    /// The first step size of it: 1. A step that raises the error is halved.
    rate: f64,
    /// Seed of the weights and of the layers' fits.
    seed: u64,
    /// Called after every step of the training together with the error; it can cancel the fit.
    progress: Progress,
});

fits!(DeepAutoencoder: Fit -> FittedDeepAutoencoder);

impl DeepAutoencoder {
    /// Hidden layers of these sizes, the code last.
    pub fn new(layers: &[usize]) -> Self {
        DeepAutoencoder {
            layers: layers.to_vec(),
            pretraining: Rbm::new(1).passes(30),
            pretrain: true,
            iterations: 200,
            rate: 1.0,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

/// A layer `σ(x W + b)`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Layer {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    weights: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    bias: Array1<f64>,
}

impl Layer {
    fn forward(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (x.dot(&self.weights) + &self.bias).mapv_into(sigmoid)
    }
}

/// An encoder and its decoder, layer after layer.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedDeepAutoencoder {
    format: Format,
    layers: Vec<Layer>,
    report: Report,
}

getters!(FittedDeepAutoencoder {
    /// The mean squared error before and after each step of the training together.
    report: &Report,
});

inherent!(FittedDeepAutoencoder: Transform);

const OP: &str = "DeepAutoencoder";

impl FittedDeepAutoencoder {
    /// What the code of each row decodes to, `n x d`.
    ///
    /// # Errors
    /// Another number of features, NaN.
    pub fn reconstruct(&self, x: impl crate::learn::Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        self.check(x.view())?;
        Ok(self.activations(x.view()).swap_remove(self.layers.len() - 1))
    }

    fn check(&self, x: ArrayView2<f64>) -> Result<()> {
        inputs(OP, x, self.layers[0].weights.nrows())?;
        allowed(Visible::Bernoulli, x)
    }

    fn activations(&self, x: ArrayView2<f64>) -> Vec<Array2<f64>> {
        let mut all: Vec<Array2<f64>> = Vec::new();
        for layer in &self.layers {
            let next = layer.forward(all.last().map_or(x, |a| a.view()));
            all.push(next);
        }
        all
    }

    /// The mean squared error and its gradient by every layer.
    fn gradient(&self, x: ArrayView2<f64>) -> (f64, Vec<Layer>) {
        let (all, n) = (self.activations(x), x.nrows() as f64);
        let mut off = &all[all.len() - 1] - &x;
        let error = off.mapv(|v| v * v).sum() / n;
        off *= 2.0 / n;
        let mut out = Vec::new();
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let delta = &off * &all[l].mapv(|a| a * (1.0 - a));
            let below = if l == 0 { x } else { all[l - 1].view() };
            out.push(Layer { weights: below.t().dot(&delta), bias: delta.sum_axis(Axis(0)) });
            off = delta.dot(&layer.weights.t());
        }
        out.reverse();
        (error, out)
    }
}

impl Transform for FittedDeepAutoencoder {
    /// The code of each row.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.check(x)?;
        Ok(self.activations(x).swap_remove(self.layers.len() / 2 - 1))
    }
}

impl Fit for DeepAutoencoder {
    type Fitted = FittedDeepAutoencoder;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedDeepAutoencoder> {
        sample(OP, "x", x, 1)?;
        allowed(Visible::Bernoulli, x)?;
        positive("rate", self.rate)?;
        require(OP, !self.layers.is_empty(), || "there are no layers".to_owned())?;
        let passes = |rbm: Rbm| if self.pretrain { rbm } else { rbm.passes(0) };
        let (mut machines, mut below): (Vec<FittedRbm>, Array2<f64>) = (Vec::new(), x.to_owned());
        for (l, &units) in self.layers.iter().enumerate() {
            let rbm = passes(self.pretraining.clone().units(units).seed(self.seed.wrapping_add(l as u64)));
            let machine = Fit::fit(&rbm, device, below.view(), &())?;
            below = machine.transform(&below)?;
            machines.push(machine);
        }
        let up =
            machines.iter().map(|m| Layer { weights: m.weights().clone(), bias: m.hidden_bias().clone() });
        let down = machines
            .iter()
            .rev()
            .map(|m| Layer { weights: m.weights().t().to_owned(), bias: m.visible_bias().clone() });
        let report = Report::direct(f64::NAN);
        let mut deep = FittedDeepAutoencoder { format: Format, layers: up.chain(down).collect(), report };
        let (mut error, mut slope) = deep.gradient(x);
        let (mut trace, mut rate, mut stalled) = (vec![error], self.rate, false);
        for step in 0..self.iterations {
            let mut next = deep.clone();
            for (layer, g) in next.layers.iter_mut().zip(&slope) {
                layer.weights.scaled_add(-rate, &g.weights);
                layer.bias.scaled_add(-rate, &g.bias);
            }
            let (moved, g) = next.gradient(x);
            if moved < error {
                (deep, error, slope) = (next, moved, g);
                rate *= 1.2;
            } else {
                rate *= 0.5;
            }
            trace.push(error);
            self.progress.report(OP, step + 1, self.iterations, error)?;
            stalled = rate < 1e-12 * self.rate;
            if stalled {
                break;
            }
        }
        parameter("error", error, error.is_finite(), "the fit diverged: lower `rate`")?;
        for layer in &deep.layers {
            numbers(OP, "the weights", layer.weights.view())?;
        }
        deep.report = Report::new(trace.clone(), trace.len() - 1, stalled, vec![error]);
        Ok(deep)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedDeepAutoencoder);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedDeepAutoencoder {
    fn check(&self) -> Result<()> {
        let fits = !self.layers.is_empty()
            && self.layers.len().is_multiple_of(2)
            && self.layers.iter().all(|l| l.weights.ncols() == l.bias.len() && !l.weights.is_empty())
            && self.layers.windows(2).all(|w| w[0].weights.ncols() == w[1].weights.nrows())
            && self.layers[self.layers.len() - 1].bias.len() == self.layers[0].weights.nrows();
        require("a saved FittedDeepAutoencoder", fits, || {
            "layers that do not fit onto each other".to_owned()
        })?;
        self.layers.iter().try_for_each(|l| {
            numbers(OP, "weights", l.weights.view())?;
            numbers(OP, "biases", l.bias.view().insert_axis(Axis(0)))
        })
    }
}
