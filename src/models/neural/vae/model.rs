//! What a variational autoencoder is to fit.

use ndarray::ArrayView2;

use super::bound::Bound;
use super::fitted::FittedVae;
use crate::check::{finite, parameter};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::models::neural::activation::Activation;
use crate::models::neural::network::Network;
use crate::models::neural::training::Training;
use crate::{Device, Result};

const OP: &str = "Vae::fit";

/// What a decoder says of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Decoder {
    /// `x ~ N(g(z), σ²I)`, with one variance that is learned.
    #[default]
    Gaussian,
    /// `x_j ~ Bernoulli(σ(g_j(z)))`, for numbers between 0 and 1.
    Bernoulli,
}

/// Variational autoencoder: `z ~ N(0, I)`, `x ~ p_θ(x | z)`, with `q_φ(z | x) = N(m(x), diag e^{s(x)})` for its posterior.
///
/// θ and φ maximise the mean of `E_q ln p_θ(x | z) - KL(q_φ(z | x) ‖ p(z))` together, by gradients through
/// `z = m + e^{s/2}ε` with one ε a row and step, and the KL in closed form. With
/// [`importance_samples`](Vae::importance_samples) of K > 1 it is the importance weighted autoencoder (IWAE): the bound is
/// `E ln (1/K) Σ_k p(x, z_k)/q(z_k | x)`, which rises with K. Without hidden layers it is probabilistic principal component
/// analysis. Runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 3), |(n, j)| (n as f64 / 6.0 + j as f64).sin());
/// let fitted = Vae::new(2).hidden([8]).training(Training::default().epochs(50)).fit(&Device::cpu(), &x)?;
/// assert_eq!(fitted.transform(&x)?.dim(), (40, 2));
/// assert_eq!(fitted.sample(5, 1)?.dim(), (5, 3));
/// # Ok::<(), mercer::Error>(())
/// ```
#[doc(alias = "Iwae")]
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vae {
    code: usize,
    hidden: Vec<usize>,
    activation: Activation,
    decoder: Decoder,
    importance_samples: usize,
    training: Training,
}

impl Vae {
    /// With a code of k numbers, no hidden layers and a Gaussian decoder.
    pub fn new(code: usize) -> Self {
        Vae {
            code,
            hidden: Vec::new(),
            activation: Activation::Tanh,
            decoder: Decoder::Gaussian,
            importance_samples: 1,
            training: Training::default(),
        }
    }
}

setters!(Vae {
    /// Widths of the encoder's hidden layers; the decoder has them in the other order.
    hidden: into Vec<usize>,
    /// The function of hidden units; tanh by default.
    activation: Activation,
    /// What the decoder says of the data.
    decoder: Decoder,
    /// Draws of the importance weighted bound, K; 1 by default, which is the ELBO.
    importance_samples: usize,
    /// How to train.
    training: Training,
});

impl Decoder {
    /// An error for rows that it gives no probability.
    pub(super) fn accepts(self, x: ArrayView2<f64>) -> Result<()> {
        let outside = x.iter().find(|v| !(0.0..=1.0).contains(*v)).copied();
        let fits = self != Decoder::Bernoulli || outside.is_none();
        parameter("entry of x", outside.unwrap_or(0.0), fits, "a Bernoulli decoder needs 0 to 1")
    }
}

fits!(Vae: Fit -> FittedVae);

impl Fit for Vae {
    type Fitted = FittedVae;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedVae> {
        finite(OP, "x", x)?;
        parameter("code", self.code as f64, self.code > 0, "must be at least 1")?;
        let k = self.importance_samples;
        parameter("importance_samples", k as f64, k > 0, "must be at least 1")?;
        crate::check::room("importance_samples", k, 8 * x.len() + 1024)?;
        self.decoder.accepts(x)?;
        let back: Vec<usize> = self.hidden.iter().rev().copied().collect();
        let encoder = Network::mlp(x.ncols(), &self.hidden, self.code.saturating_mul(2), self.activation)?;
        let decoder = Network::mlp(self.code, &back, x.ncols(), self.activation)?;
        let bound = Bound { encoder: &encoder, decoder: &decoder, kind: self.decoder, draws: k, x };
        let start = |seed: u64| Ok(bound.initial(seed));
        let learned = self.training.run(OP, x.nrows(), None, start, &bound.decaying(), &bound)?;
        Ok(FittedVae::new(encoder, decoder, self.decoder, learned))
    }
}
