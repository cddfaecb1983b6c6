//! Autoencoders. Checked in `tests/neural/autoencoder.rs`: the linear one is principal component analysis.

use ndarray::{Array2, ArrayView2, Axis};

use super::activation::Activation;
use super::loss::OutputLoss;
use super::network::Network;
use super::pair::Pair;
use super::pass;
use super::training::{Learned, Objective, Training};
use crate::check::{finite, inputs, not_negative, numbers, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, InverseTransform, Report, Reported, Transform};
use crate::random::gaussians;
use crate::saved::Format;
use crate::{Device, Result};

const OP: &str = "Autoencoder::fit";

/// Autoencoder: `min Σ_n ½‖x_n - G(F(x_n))‖² / n` with an encoder F to k numbers and a decoder G back.
///
/// Without hidden layers both are affine and it spans the principal components, though not along their axes. With
/// [`noise`](Autoencoder::noise) it denoises: rows are disturbed before they are encoded and compared with what they were.
/// [`tied`](Autoencoder::tied) makes the decoder's matrices the transposes of the encoder's. Runs on the CPU in f64,
/// whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[2.0, 1.0], [-2.0, -1.0], [0.4, -0.8], [-0.4, 0.8]];
/// let training = Training::new(Minimiser::new().tolerance(1e-10)).epochs(500);
/// let fitted = Autoencoder::new(1).training(training).fit(&Device::cpu(), &x)?;
/// assert!((fitted.reconstruction_error(&x)? - 0.4).abs() < 1e-6); // the variance that one component leaves
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Autoencoder {
    code: usize,
    hidden: Vec<usize>,
    activation: Activation,
    noise: f64,
    tied: bool,
    training: Training,
}

impl Autoencoder {
    /// With a code of k numbers and no hidden layers.
    pub fn new(code: usize) -> Self {
        let (hidden, activation, training) = (Vec::new(), Activation::Tanh, Training::default());
        Autoencoder { code, hidden, activation, noise: 0.0, tied: false, training }
    }
}

setters!(Autoencoder {
    /// Widths of the encoder's hidden layers; the decoder has them in the other order.
    hidden: into Vec<usize>,
    /// The function of hidden units; tanh by default.
    activation: Activation,
    /// Standard deviation of the noise that is added to rows in training; none by default.
    noise: f64,
    /// Whether the decoder's matrices are the transposes of the encoder's.
    tied: bool,
    /// How to train.
    training: Training,
});

fits!(Autoencoder: Fit -> FittedAutoencoder);

struct Reconstruction<'a> {
    pair: &'a Pair,
    x: ArrayView2<'a, f64>,
    noise: f64,
}

impl Reconstruction<'_> {
    fn at(&self, theta: &[f64], x: Array2<f64>, clean: ArrayView2<f64>) -> (f64, Vec<f64>) {
        let (encoder, decoder) = self.pair.split(theta);
        let code = pass::record(&self.pair.encoder, &encoder, x, None);
        let back = pass::record(&self.pair.decoder, &decoder, code.output().clone(), None);
        let delta = OutputLoss::Gaussian.slope(back.output().view(), clean, None);
        let by_decoder = pass::backward(&self.pair.decoder, &decoder, &back, delta.view());
        let by_encoder = pass::backward(&self.pair.encoder, &encoder, &code, by_decoder.inputs.view());
        let value = OutputLoss::Gaussian.total(back.output().view(), clean, None);
        (value, self.pair.join(by_encoder.parameters, &by_decoder.parameters))
    }
}

impl Objective for Reconstruction<'_> {
    fn batch(&self, theta: &[f64], rows: &[usize], seed: u64) -> Result<(f64, Vec<f64>)> {
        let clean = self.x.select(Axis(0), rows);
        let mut disturbed = clean.clone();
        if self.noise > 0.0 {
            let mut normal = gaussians(seed, 7);
            disturbed.mapv_inplace(|v| v + self.noise * normal());
        }
        Ok(self.at(theta, disturbed, clean.view()))
    }

    fn loss(&self, theta: &[f64], rows: &[usize]) -> Result<f64> {
        let clean = self.x.select(Axis(0), rows);
        Ok(self.at(theta, clean.clone(), clean.view()).0)
    }
}

/// Hidden layers there and back.
fn mirrored(d: usize, hidden: &[usize], code: usize, h: Activation) -> Result<(Network, Network)> {
    let back: Vec<usize> = hidden.iter().rev().copied().collect();
    Ok((Network::mlp(d, hidden, code, h)?, Network::mlp(code, &back, d, h)?))
}

impl Autoencoder {
    fn pair(&self, d: usize) -> Result<Pair> {
        parameter("code", self.code as f64, self.code > 0, "must be at least 1")?;
        let (encoder, decoder) = mirrored(d, &self.hidden, self.code, self.activation)?;
        Ok(Pair { encoder, decoder, tied: self.tied })
    }

    /// The mean loss of the rows at these parameters, without noise, and its gradient: what training descends. Parameters are
    /// those of the encoder, then of the decoder; of a tied decoder only its biases.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of parameters, and bad data.
    pub fn objective(&self, parameters: &[f64], x: impl Inputs) -> Result<(f64, Vec<f64>)> {
        let x = x.inputs();
        finite("Autoencoder::objective", "x", x.view())?;
        let pair = self.pair(x.ncols())?;
        let (want, held) = (pair.parameters(), parameters.len());
        crate::check::require("Autoencoder::objective", want == held, || {
            format!("{held} parameters for {want}")
        })?;
        let n = x.nrows() as f64;
        let at =
            Reconstruction { pair: &pair, x: x.view(), noise: 0.0 }.at(parameters, x.to_owned(), x.view());
        Ok((at.0 / n, at.1.into_iter().map(|g| g / n).collect()))
    }
}

impl Fit for Autoencoder {
    type Fitted = FittedAutoencoder;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedAutoencoder> {
        finite(OP, "x", x)?;
        not_negative("noise", self.noise)?;
        let pair = self.pair(x.ncols())?;
        let objective = Reconstruction { pair: &pair, x, noise: self.noise };
        let start = |seed| Ok(pair.initial(seed));
        let learned = self.training.run(OP, x.nrows(), None, start, &pair.decaying(), &objective)?;
        let Learned { parameters, report, exploded, .. } = learned;
        let (of_encoder, of_decoder) = pair.split(&parameters);
        let Pair { encoder, decoder, .. } = pair;
        let fitted =
            FittedAutoencoder { format: Format, encoder, decoder, of_encoder, of_decoder, exploded, report };
        numbers(OP, "the code", fitted.transform(x)?.view())?;
        Ok(fitted)
    }
}

/// A fitted [`Autoencoder`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedAutoencoder {
    format: Format,
    encoder: Network,
    decoder: Network,
    of_encoder: Vec<f64>,
    of_decoder: Vec<f64>,
    exploded: Option<usize>,
    report: Report,
}

getters!(FittedAutoencoder {
    /// The encoder.
    encoder: &Network,
    /// The decoder.
    decoder: &Network,
    /// The parameters of the encoder.
    encoder_parameters => of_encoder: &[f64],
    /// The parameters of the decoder.
    decoder_parameters => of_decoder: &[f64],
    /// The step at which the loss was no longer a number, if it came to that.
    exploded: Option<usize>,
    /// How the training went; the trace is the mean loss of each epoch.
    report: &Report,
});

inherent!(FittedAutoencoder: Transform, InverseTransform);

impl FittedAutoencoder {
    /// `G(F(x))`.
    ///
    /// # Errors
    /// As `transform`.
    pub fn reconstruct(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let code = Transform::transform(self, x.inputs().view())?;
        InverseTransform::inverse_transform(self, code.view())
    }

    /// `Σ_n‖x_n - G(F(x_n))‖² / n`.
    ///
    /// # Errors
    /// As `transform`.
    pub fn reconstruction_error(&self, x: impl Inputs) -> Result<f64> {
        let x = x.inputs();
        let back = self.reconstruct(&x)?;
        Ok((&x - &back).mapv(|v| v * v).sum() / x.nrows() as f64)
    }
}

impl Transform for FittedAutoencoder {
    /// The code F(x).
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedAutoencoder::transform", x, self.encoder.inputs())?;
        let code = pass::forward(&self.encoder, &self.of_encoder, x);
        numbers("FittedAutoencoder::transform", "the code", code.view())?;
        Ok(code)
    }
}

impl InverseTransform for FittedAutoencoder {
    /// G(z).
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedAutoencoder::inverse_transform", z, self.decoder.inputs())?;
        let x = pass::forward(&self.decoder, &self.of_decoder, z);
        numbers("FittedAutoencoder::inverse_transform", "the reconstruction", x.view())?;
        Ok(x)
    }
}

impl Reported for FittedAutoencoder {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedAutoencoder);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedAutoencoder {
    fn check(&self) -> Result<()> {
        let (k, l) = (self.encoder.outputs(), self.decoder.inputs());
        crate::check::require("a saved FittedAutoencoder", k == l, || {
            format!("codes of {k} and {l} numbers")
        })?;
        self.encoder.holds(&self.of_encoder)?;
        self.decoder.holds(&self.of_decoder)
    }
}
