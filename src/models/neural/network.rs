//! Networks: layers one after the other, a function of inputs and of one vector of parameters.

use ndarray::{Array2, ArrayView2};

use super::activation::Activation;
use super::layer::{Kind, Layer};
use super::pass::{self, Tape};
use crate::Result;
use crate::check::{finite, require, room};
use crate::learn::Inputs;
use crate::random::uniforms;

/// `y = f_L(… f_1(x))`, layers one after the other. Parameters are not part of it: they are one vector, in the order of
/// the layers, so that any minimiser can move them.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let net = Network::mlp(2, &[3], 1, Activation::Tanh)?;
/// assert_eq!(net.parameters(), 2 * 3 + 3 + 3 + 1);
/// let w = net.initial(7);
/// let tape = net.record(&w, array![[0.5, -1.0]], None)?;
/// let gradient = net.backward(&w, &tape, array![[1.0]])?; // of the output, by parameters and by inputs
/// assert_eq!((gradient.parameters.len(), gradient.inputs.dim()), (13, (1, 2)));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Network {
    /// What it takes; only an empty network needs to be told.
    inputs: usize,
    pub(super) layers: Vec<Layer>,
}

/// What backpropagation finds: `Σ_n δ_nᵀ ∂y_n/∂·`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// By each parameter.
    pub parameters: Vec<f64>,
    /// By each input, n x d.
    pub inputs: Array2<f64>,
}

impl Network {
    /// Layers whose widths fit, one after the other.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for none, or for widths that do not fit;
    /// [`Error::Parameter`](crate::Error::Parameter) for a share or a size out of its domain.
    pub fn new(layers: Vec<Layer>) -> Result<Self> {
        let network = Network { inputs: layers.first().map_or(0, Layer::inputs), layers };
        require("Network::new", !network.layers.is_empty(), || "there are no layers".to_owned())?;
        network.check()?;
        Ok(network)
    }

    /// Dense layers with hidden units of these widths, an activation after each but the last.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a width of 0.
    pub fn mlp(inputs: usize, hidden: &[usize], outputs: usize, activation: Activation) -> Result<Self> {
        let mut layers = Vec::new();
        let mut width = inputs;
        for &next in hidden {
            layers.push(Layer::dense(width, next));
            layers.push(Layer::activate(next, activation));
            width = next;
        }
        layers.push(Layer::dense(width, outputs));
        Self::new(layers)
    }

    /// `y = x`.
    pub fn identity(width: usize) -> Self {
        Network { inputs: width, layers: Vec::new() }
    }

    /// One more layer at the end.
    ///
    /// # Errors
    /// As [`Network::new`].
    pub fn then(mut self, layer: Layer) -> Result<Self> {
        self.layers.push(layer);
        self.check()?;
        Ok(self)
    }

    pub(super) fn check(&self) -> Result<()> {
        let mut width = self.inputs;
        for (at, layer) in self.layers.iter().enumerate() {
            layer.check()?;
            let next = layer.inputs();
            require("Network", next == width, || {
                format!("layer {at} takes {next} numbers, there are {width}")
            })?;
            width = layer.outputs();
        }
        room("parameters", self.parameters(), 32)
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The width of the rows that it takes.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The width of the rows that it makes.
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(self.inputs, Layer::outputs)
    }

    /// How many parameters there are.
    pub fn parameters(&self) -> usize {
        self.layers.iter().map(Layer::parameters).fold(0, usize::saturating_add)
    }

    /// Parameters to begin with: weights uniform within `±√(6 / (fan in + fan out))`, biases zero. Equal weights would
    /// stay equal, so they are drawn.
    pub fn initial(&self, seed: u64) -> Vec<f64> {
        let mut uniform = uniforms(seed, 0);
        let mut out = Vec::with_capacity(self.parameters());
        self.draw(&mut uniform, &mut out);
        out
    }

    fn draw(&self, uniform: &mut dyn FnMut() -> f64, out: &mut Vec<f64>) {
        for layer in &self.layers {
            if let Kind::Sum { branches } = &layer.kind {
                for branch in branches {
                    branch.draw(uniform, out);
                }
                continue;
            }
            let fan_out = layer.weights() / layer.fan_in().max(1);
            let bound = (6.0 / (layer.fan_in() + fan_out).max(1) as f64).sqrt();
            let masked = |w: usize| matches!(&layer.kind, Kind::Dense { mask: Some(mask), .. } if !mask[w]);
            for w in 0..layer.weights() {
                let drawn = bound * (2.0 * uniform() - 1.0);
                out.push(if masked(w) { 0.0 } else { drawn });
            }
            out.extend(std::iter::repeat_n(0.0, layer.parameters() - layer.weights()));
        }
    }

    /// Which parameters are weights: those that decay. Biases do not.
    pub fn decaying(&self) -> Vec<bool> {
        let of = |layer: &Layer| match &layer.kind {
            Kind::Sum { branches } => branches.iter().flat_map(Network::decaying).collect::<Vec<_>>(),
            _ => (0..layer.parameters()).map(|p| p < layer.weights()).collect(),
        };
        self.layers.iter().flat_map(of).collect()
    }

    /// The outputs at each row of `x`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for rows of another width or another number of parameters,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn forward(&self, parameters: &[f64], x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        self.accepts(parameters, x.view())?;
        Ok(pass::forward(self, parameters, x.view()))
    }

    /// The outputs, with all that backpropagation needs. With a seed the network is in training: the seed decides what
    /// drops out.
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn record(&self, parameters: &[f64], x: impl Inputs, training: Option<u64>) -> Result<Tape> {
        let x = x.inputs();
        self.accepts(parameters, x.view())?;
        Ok(pass::record(self, parameters, x.to_owned(), training))
    }

    /// Backpropagation: `Σ_n δ_nᵀ ∂y_n/∂·` for the δ of each output, n x outputs.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a δ that is not of the outputs on the tape, a tape of another network or
    /// another number of parameters.
    pub fn backward(&self, parameters: &[f64], tape: &Tape, delta: impl Inputs) -> Result<Gradient> {
        let (delta, held) = (delta.inputs(), parameters.len());
        require("Network::backward", held == self.parameters() && tape.is_of(self), || {
            format!("{held} parameters for {}, or the tape of another network", self.parameters())
        })?;
        let want = tape.output().dim();
        require("Network::backward", delta.dim() == want, || {
            format!("δ is {:?}, outputs are {want:?}", delta.dim())
        })?;
        Ok(pass::backward(self, parameters, tape, delta.view()))
    }

    pub(super) fn accepts(&self, parameters: &[f64], x: ArrayView2<f64>) -> Result<()> {
        let (want, width) = (self.parameters(), self.inputs);
        require("Network", parameters.len() == want, || {
            format!("{} parameters for {want}", parameters.len())
        })?;
        require("Network", x.ncols() == width, || format!("rows of {} for {width} inputs", x.ncols()))?;
        finite("Network", "x", x)
    }
}

impl Network {
    /// An error unless the network fits together and these are its parameters.
    pub(super) fn holds(&self, parameters: &[f64]) -> Result<()> {
        self.check()?;
        let want = self.parameters();
        let fits = parameters.len() == want && parameters.iter().all(|v| v.is_finite());
        require("a saved network", fits, || format!("{} numbers for {want} parameters", parameters.len()))
    }
}
