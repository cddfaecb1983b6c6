//! The game, round after round.

use ndarray::{Array2, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fitted::{FittedGan, Generator};
use super::model::{Gan, GanLoss, OP};
use crate::check::{entries, finite, inputs, require};
use crate::learn::{Inputs, Report};
use crate::models::neural::activation::{sigmoid, softplus};
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::optim::{Adam, StepRule};
use crate::random::gaussians;
use crate::stats::Mmd;
use crate::{Error, Kernel, Result};

impl GanLoss {
    /// What the discriminator gains by a number v at a row of the data, or at one that was generated, and how steeply.
    fn gain(&self, v: f64, real: bool) -> (f64, f64) {
        match (self, real) {
            (GanLoss::Minimax | GanLoss::NonSaturating, true) => (-softplus(-v), sigmoid(-v)),
            (GanLoss::Minimax | GanLoss::NonSaturating, false) => (-softplus(v), -sigmoid(v)),
            (GanLoss::KullbackLeibler, false) => (-(v - 1.0).exp(), -(v - 1.0).exp()),
            (_, true) => (v, 1.0),
            (_, false) => (-v, -1.0),
        }
    }

    /// The generator's loss by a number v at what it made, and how steeply it rises.
    fn loss(&self, v: f64) -> (f64, f64) {
        match self {
            GanLoss::NonSaturating => (softplus(-v), -sigmoid(-v)),
            _ => self.gain(v, false),
        }
    }
}

/// What the two players of a round descend, at given parameters: [`Gan::round`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GanRound {
    /// What the discriminator gains: the value of the game. NaN of a kernel's discrepancy, which has no discriminator.
    pub gain: f64,
    /// The gradient of `-gain` by the discriminator's parameters; empty if there is none.
    pub by_critic: Vec<f64>,
    /// The loss of the generator.
    pub loss: f64,
    /// Its gradient by the generator's parameters.
    pub by_generator: Vec<f64>,
}

/// Mean gain over rows, and the gradient of its negative by the discriminator's parameters.
fn critic_step(
    loss: &GanLoss,
    critic: &Network,
    w: &[f64],
    rows: Array2<f64>,
    real: bool,
) -> (f64, Vec<f64>) {
    let n = rows.nrows() as f64;
    let tape = pass::record(critic, w, rows, None);
    let gains: Vec<(f64, f64)> = tape.output().iter().map(|v| loss.gain(*v, real)).collect();
    let delta = Array2::from_shape_fn((gains.len(), 1), |(i, _)| -gains[i].1 / n);
    let gradient = pass::backward(critic, w, &tape, delta.view()).parameters;
    (gains.iter().map(|g| g.0).sum::<f64>() / n, gradient)
}

/// What the discriminator gains by rows of the data and rows that were made, and the gradient of its negative.
fn judge(
    loss: &GanLoss,
    critic: &Network,
    w: &[f64],
    (real, made): (Array2<f64>, Array2<f64>),
) -> (f64, Vec<f64>) {
    let (a, mut gradient) = critic_step(loss, critic, w, real, true);
    let (b, more) = critic_step(loss, critic, w, made, false);
    gradient.iter_mut().zip(&more).for_each(|(g, m)| *g += m);
    (a + b, gradient)
}

/// The generator's loss, and its gradient by the rows that were made.
fn deceive(
    loss: &GanLoss,
    critic: &Network,
    w: &[f64],
    made: &Array2<f64>,
    real: impl FnOnce() -> Array2<f64>,
) -> Result<(f64, Array2<f64>)> {
    if let GanLoss::Mmd { lengthscales } = loss {
        let share = 1.0 / lengthscales.len() as f64;
        let kernels = lengthscales.iter().map(|l| Kernel::rbf(*l) * share);
        let kernel = kernels.reduce(|a, b| a + b).unwrap_or_else(|| Kernel::rbf(1.0));
        return Mmd::new(kernel).loss(made, real());
    }
    let n = made.nrows() as f64;
    let judged = pass::record(critic, w, made.clone(), None);
    let value = judged.output().iter().map(|v| loss.loss(*v).0).sum::<f64>() / n;
    let pull = judged.output().mapv(|v| loss.loss(v).1 / n);
    Ok((value, pass::backward(critic, w, &judged, pull.view()).inputs))
}

impl Gan {
    /// Generator and discriminator for rows of d numbers.
    fn players(&self, d: usize) -> Result<(Network, Network)> {
        let generator = Network::mlp(self.latent, &self.generator, d, self.activation)?;
        Ok((generator, Network::mlp(d, &self.critic, 1, self.activation)?))
    }

    /// Both objectives of a round and their gradients at these parameters, for rows x of the data and codes z: what a fit
    /// descends, the discriminator first.
    ///
    /// # Errors
    /// [`Error::Shape`] for other numbers of parameters or columns; settings out of their domain, and bad data.
    pub fn round(
        &self,
        generator: &[f64],
        critic: &[f64],
        x: impl Inputs,
        z: impl Inputs,
    ) -> Result<GanRound> {
        const OP: &str = "Gan::round";
        self.check()?;
        let (x, z) = (x.inputs(), z.inputs());
        inputs(OP, z.view(), self.latent)?;
        finite(OP, "x", x.view())?;
        let (g, c) = self.players(x.ncols())?;
        g.holds(generator)?;
        c.holds(critic)?;
        let tape = pass::record(&g, generator, z.to_owned(), None);
        let made = tape.output();
        let (gain, by_critic) = match self.loss {
            GanLoss::Mmd { .. } => (f64::NAN, Vec::new()),
            _ => judge(&self.loss, &c, critic, (x.to_owned(), made.clone())),
        };
        let (loss, delta) = deceive(&self.loss, &c, critic, made, || x.to_owned())?;
        let by_generator = pass::backward(&g, generator, &tape, delta.view()).parameters;
        Ok(GanRound { gain, by_critic, loss, by_generator })
    }
}

pub(super) fn play(model: &Gan, x: ArrayView2<f64>) -> Result<FittedGan> {
    let (n, d) = x.dim();
    let (generator, critic) = model.players(d)?;
    let (mut theta, mut phi) = (generator.initial(model.seed), critic.initial(model.seed.wrapping_add(1)));
    // The last biases are where the data are: the game begins near them.
    let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| ndarray::Array1::zeros(d));
    let last = theta.len() - d;
    theta[last..].iter_mut().zip(&mean).for_each(|(t, m)| *t = *m);
    if let Some(start) = &model.start {
        let (want, held) = (theta.len(), start.len());
        require(OP, want == held, || format!("a start of {held} numbers for {want} parameters"))?;
        entries(OP, "the start", start)?;
        theta.clone_from(start);
    }
    let (mut rule, mut critic_rule) =
        (Adam::new(model.generator_rate).first_memory(0.5), Adam::new(model.critic_rate).first_memory(0.5));
    let mut normal = gaussians(model.seed, 2);
    let mut rng = ChaCha8Rng::seed_from_u64(model.seed);
    let size = model.batch.min(n);
    let mut batch = || x.select(Axis(0), &(0..size).map(|_| rng.random_range(0..n)).collect::<Vec<_>>());
    let mut noise = || Array2::from_shape_simple_fn((size, model.latent), &mut normal);
    let mut trace = Vec::with_capacity(model.rounds);
    for round in 0..model.rounds {
        let steps = if matches!(model.loss, GanLoss::Mmd { .. }) { 0 } else { model.critic_steps };
        let mut value = f64::NAN;
        for _ in 0..steps {
            let made = pass::forward(&generator, &theta, noise().view());
            let (gain, gradient) = judge(&model.loss, &critic, &phi, (batch(), made));
            value = gain;
            sound(&gradient, round)?;
            critic_rule.step(&mut phi, &gradient)?;
            if let GanLoss::Wasserstein { clip } = model.loss {
                for p in &mut phi {
                    *p = p.clamp(-clip, clip);
                }
            }
        }
        let tape = pass::record(&generator, &theta, noise(), None);
        sound(tape.output(), round)?;
        let (loss, delta) = deceive(&model.loss, &critic, &phi, tape.output(), &mut batch)?;
        if steps == 0 {
            value = loss;
        }
        let gradient = pass::backward(&generator, &theta, &tape, delta.view()).parameters;
        sound(&gradient, round)?;
        rule.step(&mut theta, &gradient)?;
        trace.push(value);
        model.progress.report(OP, round + 1, model.rounds, value)?;
    }
    let report = Report::new(trace, model.rounds, false, Vec::new());
    Ok(FittedGan::new(Generator::new(generator, theta)?, critic, phi, report))
}

/// An error with the round in which something is no longer a number.
fn sound<'a>(numbers: impl IntoIterator<Item = &'a f64>, round: usize) -> Result<()> {
    if numbers.into_iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    Err(Error::NoConvergence { op: OP, iterations: round + 1, residual: f64::INFINITY, tolerance: 0.0 })
}
