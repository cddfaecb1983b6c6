//! What a variational autoencoder has learned.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::bound::Bound;
use super::model::Decoder;
use crate::Result;
use crate::check::{inputs, numbers, parameter, room};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, InverseTransform, Report, Reported, Sample, Transform};
use crate::models::neural::loss::OutputLoss;
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::models::neural::training::{Learned, Objective};
use crate::random::{gaussians, uniforms};
use crate::saved::Format;

/// A fitted [`Vae`](super::Vae).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedVae {
    format: Format,
    encoder: Network,
    decoder: Network,
    kind: Decoder,
    parameters: Vec<f64>,
    exploded: Option<usize>,
    report: Report,
}

getters!(FittedVae {
    /// The encoder: means of the code, then logarithms of their variances.
    encoder: &Network,
    /// The decoder: means, or logits.
    decoder: &Network,
    /// The parameters: of the encoder, of the decoder, and the logarithm of the variance of a Gaussian decoder.
    parameters: &[f64],
    /// The step at which the bound was no longer a number, if it came to that.
    exploded: Option<usize>,
    /// How the training went; the trace is the mean negative bound of each epoch.
    report: &Report,
});

inherent!(FittedVae: Transform, InverseTransform, Sample);

impl FittedVae {
    pub(super) fn new(encoder: Network, decoder: Network, kind: Decoder, learned: Learned) -> Self {
        let Learned { parameters, report, exploded, .. } = learned;
        FittedVae { format: Format, encoder, decoder, kind, parameters, exploded, report }
    }

    fn bound<'a>(&'a self, x: ArrayView2<'a, f64>, draws: usize) -> Result<Bound<'a>> {
        inputs("FittedVae", x, self.encoder.inputs())?;
        self.kind.accepts(x)?;
        parameter("draws", draws as f64, draws > 0, "must be at least 1")?;
        room("draws", draws, 32 * x.len())?;
        Ok(Bound { encoder: &self.encoder, decoder: &self.decoder, kind: self.kind, draws, x })
    }

    /// Means and logarithms of variances of `q(z | x)`, each m x k.
    ///
    /// # Errors
    /// As `transform`.
    pub fn encode(&self, x: impl Inputs) -> Result<(Array2<f64>, Array2<f64>)> {
        let x = x.inputs();
        inputs("FittedVae::encode", x.view(), self.encoder.inputs())?;
        let coded = pass::forward(&self.encoder, &self.parameters[..self.encoder.parameters()], x.view());
        numbers("FittedVae::encode", "the code", coded.view())?;
        let k = self.decoder.inputs();
        Ok((coded.slice(s![.., ..k]).to_owned(), coded.slice(s![.., k..]).to_owned()))
    }

    /// The variance of a Gaussian decoder; 0 for Bernoulli's.
    pub fn noise(&self) -> f64 {
        if self.kind == Decoder::Gaussian { self.parameters[self.parameters.len() - 1].exp() } else { 0.0 }
    }

    /// The parameters of the decoder.
    pub fn decoder_parameters(&self) -> &[f64] {
        let start = self.encoder.parameters();
        &self.parameters[start..start + self.decoder.parameters()]
    }

    /// The ELBO of each row, `E_q ln p(x | z)` by so many draws less the KL in closed form.
    ///
    /// # Errors
    /// As `transform`, and [`Error::Parameter`](crate::Error::Parameter) for no draws, or for a number outside of 0 to 1 if
    /// the decoder is Bernoulli's.
    pub fn elbo(&self, x: impl Inputs, draws: usize, seed: u64) -> Result<Array1<f64>> {
        let x = x.inputs();
        Ok(self.bound(x.view(), draws)?.rows(&self.parameters, false, seed))
    }

    /// The importance weighted bound of each row, `ln (1/K) Σ_k p(x, z_k)/q(z_k | x)`: on average above the ELBO, and nearer
    /// to `ln p(x)` the more draws there are.
    ///
    /// # Errors
    /// As [`FittedVae::elbo`].
    pub fn importance_bound(&self, x: impl Inputs, draws: usize, seed: u64) -> Result<Array1<f64>> {
        let x = x.inputs();
        Ok(self.bound(x.view(), draws)?.rows(&self.parameters, true, seed))
    }

    /// The mean negative bound of the rows at other parameters, and its gradient, for one choice of noise: what training
    /// descends. K draws as in [`Vae::importance_samples`](super::Vae::importance_samples).
    ///
    /// # Errors
    /// As [`FittedVae::elbo`], and [`Error::Shape`](crate::Error::Shape) for another number of parameters.
    pub fn objective(
        &self,
        parameters: &[f64],
        x: impl Inputs,
        draws: usize,
        seed: u64,
    ) -> Result<(f64, Vec<f64>)> {
        let x = x.inputs();
        let (want, held) = (self.parameters.len(), parameters.len());
        crate::check::require("FittedVae::objective", want == held, || {
            format!("{held} parameters for {want}")
        })?;
        let rows: Vec<usize> = (0..x.nrows()).collect();
        let (value, mut gradient) = self.bound(x.view(), draws)?.batch(parameters, &rows, seed)?;
        let n = x.nrows() as f64;
        for g in &mut gradient {
            *g /= n;
        }
        Ok((value / n, gradient))
    }
}

impl Transform for FittedVae {
    /// The means of the code.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.encode(x).map(|found| found.0)
    }
}

impl InverseTransform for FittedVae {
    /// The mean of x given the code.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedVae::inverse_transform", z, self.decoder.inputs())?;
        let a = pass::forward(&self.decoder, self.decoder_parameters(), z);
        let loss = if self.kind == Decoder::Gaussian { OutputLoss::Gaussian } else { OutputLoss::Bernoulli };
        numbers("FittedVae::inverse_transform", "the reconstruction", a.view())?;
        Ok(loss.outputs(a.view()))
    }
}

impl Sample for FittedVae {
    /// A code from the prior, then x given the code, noise included.
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        room("count", count, 8 * (self.decoder.inputs() + 4 * self.decoder.outputs()))?;
        if count == 0 {
            return Ok(Array2::zeros((0, self.decoder.outputs())));
        }
        let mut normal = gaussians(seed, 0);
        let z = Array2::from_shape_simple_fn((count, self.decoder.inputs()), &mut normal);
        let mut x = InverseTransform::inverse_transform(self, z.view())?;
        match self.kind {
            Decoder::Gaussian => {
                let deviation = self.noise().sqrt();
                x.mapv_inplace(|v| v + deviation * normal());
            }
            Decoder::Bernoulli => {
                let mut uniform = uniforms(seed, 1);
                x.mapv_inplace(|p| f64::from(u8::from(uniform() < p)));
            }
        }
        Ok(x)
    }
}

impl Reported for FittedVae {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedVae);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedVae {
    fn check(&self) -> Result<()> {
        let fits = self.encoder.outputs() == self.decoder.inputs().saturating_mul(2)
            && self.encoder.inputs() == self.decoder.outputs();
        crate::check::require("a saved FittedVae", fits, || {
            "an encoder and a decoder of other sizes".to_owned()
        })?;
        let extra = usize::from(self.kind == Decoder::Gaussian);
        let want = self.encoder.parameters().saturating_add(self.decoder.parameters()).saturating_add(extra);
        let (held, sound) = (self.parameters.len(), self.parameters.iter().all(|v| v.is_finite()));
        crate::check::require("a saved FittedVae", held == want && sound, || {
            format!("{held} numbers for {want}")
        })?;
        self.encoder.holds(&self.parameters[..self.encoder.parameters()])?;
        self.decoder.holds(self.decoder_parameters())
    }
}
