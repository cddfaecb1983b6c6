//! Which network a model has: hidden layers by their widths, or layers that the caller made.

use super::activation::Activation;
use super::layer::Layer;
use super::network::Network;
use crate::Result;
use crate::check::require;

/// The network of a regressor or classifier before it has seen data.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Design {
    pub hidden: Vec<usize>,
    pub activation: Activation,
    pub dropout: f64,
    pub skip: bool,
    pub network: Option<Network>,
    pub start: Option<Vec<f64>>,
}

impl Design {
    pub fn new(hidden: &[usize]) -> Self {
        Design {
            hidden: hidden.to_vec(),
            activation: Activation::Tanh,
            dropout: 0.0,
            skip: false,
            network: None,
            start: None,
        }
    }

    /// Parameters to begin with.
    pub fn start(&self, op: &'static str, network: &Network, seed: u64) -> Result<Vec<f64>> {
        let Some(start) = &self.start else { return Ok(network.initial(seed)) };
        let want = network.parameters();
        let fits = start.len() == want && start.iter().all(|v| v.is_finite());
        require(op, fits, || format!("a start of {} numbers for {want} parameters", start.len()))?;
        Ok(start.clone())
    }

    /// For rows of so many inputs and outputs.
    pub fn network(&self, op: &'static str, inputs: usize, outputs: usize) -> Result<Network> {
        if let Some(own) = &self.network {
            let fits = (own.inputs(), own.outputs()) == (inputs, outputs);
            require(op, fits, || {
                format!(
                    "the network is {} to {}, the data {inputs} to {outputs}",
                    own.inputs(),
                    own.outputs()
                )
            })?;
            return Ok(own.clone());
        }
        let mut layers = Vec::new();
        let mut width = inputs;
        for &next in &self.hidden {
            layers.push(Layer::dense(width, next));
            layers.push(Layer::activate(next, self.activation));
            if self.dropout != 0.0 {
                layers.push(Layer::dropout(next, self.dropout));
            }
            width = next;
        }
        layers.push(Layer::dense(width, outputs));
        let deep = Network::new(layers)?;
        if !self.skip {
            return Ok(deep);
        }
        let direct = Network::new(vec![Layer::linear(inputs, outputs)])?;
        Network::new(vec![Layer::sum(vec![deep, direct])])
    }
}

/// The setters of a [`Design`] in a model's field `design`.
macro_rules! designs {
    ($own:ident) => {
        crate::learn::configure::setters!($own {
            /// The function of hidden units; tanh by default.
            activation => design.activation: Activation,
            /// The share of hidden units that drop out at each step of training; none by default.
            dropout => design.dropout: f64,
            /// Whether there are weights from inputs to outputs beside the hidden layers.
            skip => design.skip: bool,
            /// A network of one's own instead of hidden layers by their widths; its outputs are those of the data.
            network => design.network: into Option<Network>,
            /// Parameters to begin with, such as those of a network trained before; drawn by default.
            start => design.start: into Option<Vec<f64>>,
            /// How to train.
            training: Training,
        });
    };
}

pub(super) use designs;
