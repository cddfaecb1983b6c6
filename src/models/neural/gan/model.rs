//! What an adversarial network is to fit.

use ndarray::ArrayView2;

use super::fitted::FittedGan;
use super::game::play;
use crate::check::{parameter, positive, sample};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::models::neural::activation::Activation;
use crate::{Device, Progress, Result};

pub(super) const OP: &str = "Gan::fit";

/// The game that a generator and a discriminator play.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum GanLoss {
    /// `min_G max_D E ln D(x) + E ln(1 - D(G(z)))`: the generator learns little while it is easily told from the data.
    Minimax,
    /// The same discriminator; the generator maximises `E ln D(G(z))` instead.
    NonSaturating,
    /// The f-GAN of the Kullback-Leibler divergence, `max_T E T(x) - E e^{T(G(z)) - 1}`.
    KullbackLeibler,
    /// `max_T E T(x) - E T(G(z))` over T whose parameters are at most `clip` in size, so that it is Lipschitz.
    Wasserstein {
        /// The largest parameter of the critic, > 0.
        clip: f64,
    },
    /// No discriminator: [`Mmd::loss`](crate::stats::Mmd::loss), the unbiased squared discrepancy, with the mean of Gaussian
    /// kernels of these lengthscales.
    Mmd {
        /// All > 0.
        lengthscales: Vec<f64>,
    },
}

/// Adversarial network: a generator `x = G(z)`, `z ~ N(0, I)`, that learns to make what a discriminator cannot tell from
/// the data.
///
/// Each round the discriminator makes some steps of Adam, then the generator one, on batches that the seed decides. There is
/// no density and no objective that falls: judge what comes out by a two-sample test
/// ([`Mmd`](crate::stats::Mmd), [`c2st`](crate::stats::c2st)). Runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((64, 1), |(n, _)| 3.0 + (n as f64 / 10.0).sin());
/// let loss = GanLoss::Mmd { lengthscales: vec![0.5, 1.0, 2.0] };
/// let fitted = Gan::new(1).loss(loss).rounds(300).fit(&Device::cpu(), &x)?;
/// assert!((fitted.sample(500, 1)?.mean().unwrap() - 3.0).abs() < 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NoConvergence`](crate::Error::NoConvergence) with the round in which a parameter was no longer a number.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gan {
    pub(super) latent: usize,
    pub(super) generator: Vec<usize>,
    pub(super) critic: Vec<usize>,
    pub(super) activation: Activation,
    pub(super) loss: GanLoss,
    pub(super) rounds: usize,
    pub(super) critic_steps: usize,
    pub(super) batch: usize,
    pub(super) generator_rate: f64,
    pub(super) critic_rate: f64,
    pub(super) start: Option<Vec<f64>>,
    pub(super) seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl Gan {
    /// With z of so many numbers, an affine generator, a discriminator with 16 hidden units and the non-saturating loss.
    pub fn new(latent: usize) -> Self {
        Gan {
            latent,
            generator: Vec::new(),
            critic: vec![16],
            activation: Activation::Tanh,
            loss: GanLoss::NonSaturating,
            rounds: 1000,
            critic_steps: 1,
            batch: 64,
            generator_rate: 0.01,
            critic_rate: 0.01,
            start: None,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

setters!(Gan {
    /// Widths of the generator's hidden layers; none by default.
    generator: into Vec<usize>,
    /// Widths of the discriminator's hidden layers; 16 by default.
    critic: into Vec<usize>,
    /// The function of hidden units of both; tanh by default.
    activation: Activation,
    /// The game.
    loss: GanLoss,
    /// Steps of the generator; 1000 by default.
    rounds: usize,
    /// Steps of the discriminator before each of the generator's; 1 by default.
    critic_steps: usize,
    /// Rows of a batch, of data and of what is generated; 64 by default, or all rows if there are fewer.
    batch: usize,
    /// The rate of the generator's steps; 0.01 by default.
    generator_rate: f64,
    /// The rate of the discriminator's steps; 0.01 by default.
    critic_rate: f64,
    /// Parameters of the generator to begin with; drawn by default, with the mean of the data for the last biases.
    start: into Option<Vec<f64>>,
    /// Seed of parameters, batches and z.
    seed: u64,
    /// Called after every round with the value of the game; it can cancel the fit.
    progress: Progress,
});

fits!(Gan: Fit -> FittedGan);

impl Gan {
    /// Settings that lie in their domain.
    pub(super) fn check(&self) -> Result<()> {
        for (name, count) in [("latent", self.latent), ("rounds", self.rounds), ("batch", self.batch)] {
            parameter(name, count as f64, count > 0, "must be at least 1")?;
        }
        let judged = self.critic_steps > 0 || matches!(self.loss, GanLoss::Mmd { .. });
        parameter("critic_steps", self.critic_steps as f64, judged, "must be at least 1")?;
        positive("generator_rate", self.generator_rate)?;
        positive("critic_rate", self.critic_rate)?;
        match &self.loss {
            GanLoss::Wasserstein { clip } => positive("clip", *clip)?,
            GanLoss::Mmd { lengthscales } => {
                let count = lengthscales.len();
                parameter("lengthscales", count as f64, count > 0, "there must be at least one")?;
                lengthscales.iter().try_for_each(|l| positive("lengthscale", *l))?;
                parameter("batch", self.batch as f64, self.batch > 1, "must be at least 2 to compare pairs")?;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Fit for Gan {
    type Fitted = FittedGan;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedGan> {
        sample(OP, "x", x, 2)?;
        self.check()?;
        play(self, x)
    }
}
