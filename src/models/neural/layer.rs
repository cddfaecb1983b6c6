//! Layers as values: their shape and how many parameters they have. What they compute is in `pass.rs` and `image.rs`.

use ndarray::Array2;

use super::activation::Activation;
use super::network::Network;
use crate::Result;
use crate::check::{parameter, require};

/// How a window of a picture becomes one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pooling {
    /// The largest; of equals the first.
    Max,
    /// The mean.
    Mean,
}

/// The size of a picture: its numbers are a row of `channels x height x width`, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Picture {
    /// Numbers at each place.
    pub channels: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

impl Picture {
    /// Numbers in all.
    pub fn len(&self) -> usize {
        self.channels.saturating_mul(self.height).saturating_mul(self.width)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One step of a [`Network`]: rows of some width to rows of another.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layer {
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Kind {
    /// Parameters: the matrix, outputs x inputs, row after row; then the biases. A mask has an entry for each weight.
    Dense {
        inputs: usize,
        outputs: usize,
        bias: bool,
        mask: Option<Vec<bool>>,
    },
    Activate {
        width: usize,
        activation: Activation,
    },
    /// Parameters: `filters x channels x size x size`, then a bias for each filter.
    Convolution {
        picture: Picture,
        filters: usize,
        size: usize,
        stride: usize,
        padding: usize,
    },
    Pool {
        picture: Picture,
        size: usize,
        pooling: Pooling,
    },
    Dropout {
        width: usize,
        share: f64,
    },
    Sum {
        branches: Vec<Network>,
    },
}

impl Layer {
    /// `W x + b`.
    pub fn dense(inputs: usize, outputs: usize) -> Self {
        Layer { kind: Kind::Dense { inputs, outputs, bias: true, mask: None } }
    }

    /// `W x`.
    pub fn linear(inputs: usize, outputs: usize) -> Self {
        Layer { kind: Kind::Dense { inputs, outputs, bias: false, mask: None } }
    }

    /// `(M ∘ W) x + b`: a connection exists only where the mask, outputs x inputs, is true. The others have no gradient.
    pub fn sparse(mask: &Array2<bool>) -> Self {
        let (outputs, inputs) = mask.dim();
        Layer {
            kind: Kind::Dense { inputs, outputs, bias: true, mask: Some(mask.iter().copied().collect()) },
        }
    }

    /// `h(x)`, elementwise.
    pub fn activate(width: usize, activation: Activation) -> Self {
        Layer { kind: Kind::Activate { width, activation } }
    }

    /// Correlation of a picture with filters of `size x size`, every `stride` places, with zeros of this padding around
    /// it, and a bias for each filter: a dense layer whose weights are tied and local.
    pub fn convolution(picture: Picture, filters: usize, size: usize, stride: usize, padding: usize) -> Self {
        Layer { kind: Kind::Convolution { picture, filters, size, stride, padding } }
    }

    /// The largest or the mean of every window of `size x size`, side by side; what is left over at the edge is left out.
    pub fn pool(picture: Picture, size: usize, pooling: Pooling) -> Self {
        Layer { kind: Kind::Pool { picture, size, pooling } }
    }

    /// In training each number is zero with this probability and else divided by what is left of 1, so that its mean
    /// stays; afterwards nothing happens.
    pub fn dropout(width: usize, share: f64) -> Self {
        Layer { kind: Kind::Dropout { width, share } }
    }

    /// `x + f(x)`.
    pub fn residual(inner: Network) -> Self {
        let identity = Network::identity(inner.inputs());
        Layer { kind: Kind::Sum { branches: vec![identity, inner] } }
    }

    /// `Σ_b f_b(x)` over networks of the same width: a skip connection is a branch with a single layer.
    pub fn sum(branches: Vec<Network>) -> Self {
        Layer { kind: Kind::Sum { branches } }
    }

    /// The width of the rows that it takes.
    pub fn inputs(&self) -> usize {
        match &self.kind {
            Kind::Dense { inputs, .. } => *inputs,
            Kind::Activate { width, .. } | Kind::Dropout { width, .. } => *width,
            Kind::Convolution { picture, .. } | Kind::Pool { picture, .. } => picture.len(),
            Kind::Sum { branches } => branches.first().map_or(0, Network::inputs),
        }
    }

    /// The width of the rows that it makes.
    pub fn outputs(&self) -> usize {
        match &self.kind {
            Kind::Dense { outputs, .. } => *outputs,
            Kind::Activate { width, .. } | Kind::Dropout { width, .. } => *width,
            Kind::Convolution { .. } | Kind::Pool { .. } => self.picture().map_or(0, |p| p.len()),
            Kind::Sum { branches } => branches.first().map_or(0, Network::outputs),
        }
    }

    /// The picture that a convolution or a pooling makes.
    pub fn picture(&self) -> Option<Picture> {
        match self.kind {
            Kind::Convolution { picture, filters, size, stride, padding } => {
                let along = |n: usize| {
                    n.saturating_add(padding.saturating_mul(2)).saturating_sub(size) / stride.max(1) + 1
                };
                Some(Picture {
                    channels: filters,
                    height: along(picture.height),
                    width: along(picture.width),
                })
            }
            Kind::Pool { picture, size, .. } => {
                let (height, width) = (picture.height / size.max(1), picture.width / size.max(1));
                Some(Picture { channels: picture.channels, height, width })
            }
            _ => None,
        }
    }

    /// How many parameters it has.
    pub fn parameters(&self) -> usize {
        match &self.kind {
            Kind::Dense { inputs, outputs, bias, .. } => {
                outputs.saturating_mul(inputs.saturating_add(usize::from(*bias)))
            }
            Kind::Convolution { picture, filters, size, .. } => filters.saturating_mul(
                picture.channels.saturating_mul(size.saturating_mul(*size)).saturating_add(1),
            ),
            Kind::Activate { .. } | Kind::Pool { .. } | Kind::Dropout { .. } => 0,
            Kind::Sum { branches } => branches.iter().map(Network::parameters).fold(0, usize::saturating_add),
        }
    }

    /// Weights that lead to one unit: what a draw of them is scaled by.
    pub(super) fn fan_in(&self) -> usize {
        match &self.kind {
            Kind::Dense { inputs, .. } => *inputs,
            Kind::Convolution { picture, size, .. } => picture.channels * size * size,
            _ => 0,
        }
    }

    /// Parameters that are weights and not biases; they stand first.
    pub(super) fn weights(&self) -> usize {
        match &self.kind {
            Kind::Dense { inputs, outputs, .. } => inputs * outputs,
            Kind::Convolution { picture, filters, size, .. } => filters * picture.channels * size * size,
            _ => 0,
        }
    }

    /// An error unless its own sizes make sense.
    pub(super) fn check(&self) -> Result<()> {
        const OP: &str = "a layer";
        require(OP, self.inputs() > 0 && self.outputs() > 0, || {
            format!("{} numbers in, {} out; there must be some", self.inputs(), self.outputs())
        })?;
        match &self.kind {
            Kind::Dropout { share, .. } => {
                parameter("dropout", *share, (0.0..1.0).contains(share), "must be at least 0 and below 1")
            }
            Kind::Convolution { picture, size, stride, padding, .. } => {
                let fits = *size > 0
                    && *stride > 0
                    && *size <= picture.height.min(picture.width).saturating_add(padding.saturating_mul(2));
                require(OP, fits, || format!("filters of {size} x {size} on {picture:?}, every {stride}"))
            }
            Kind::Pool { picture, size, .. } => {
                let fits = *size > 0 && size <= &picture.height.min(picture.width);
                require(OP, fits, || format!("windows of {size} x {size} on {picture:?}"))
            }
            Kind::Dense { inputs, outputs, mask, .. } => {
                let fits = mask.as_ref().is_none_or(|m| m.len() == inputs.saturating_mul(*outputs));
                require(OP, fits, || format!("a mask that is not {outputs} x {inputs}"))
            }
            Kind::Activate { .. } => Ok(()),
            Kind::Sum { branches } => {
                let alike = |b: &Network| (b.inputs(), b.outputs()) == (self.inputs(), self.outputs());
                require(OP, branches.iter().all(alike), || "branches of different widths".to_owned())?;
                branches.iter().try_for_each(Network::check)
            }
        }
    }
}
