//! The game, round after round.

use ndarray::{Array2, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fitted::{FittedGan, Generator};
use super::mmd::mmd;
use super::model::{Gan, GanLoss, OP};
use crate::check::{entries, require};
use crate::learn::Report;
use crate::models::neural::activation::{sigmoid, softplus};
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::optim::{Adam, StepRule};
use crate::random::gaussians;
use crate::{Error, Result};

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

    /// How steeply the generator's loss rises with v at what it made.
    fn pull(&self, v: f64) -> f64 {
        match self {
            GanLoss::NonSaturating => -sigmoid(-v),
            _ => self.gain(v, false).1,
        }
    }
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

pub(super) fn play(model: &Gan, x: ArrayView2<f64>) -> Result<FittedGan> {
    let (n, d) = x.dim();
    let generator = Network::mlp(model.latent, &model.generator, d, model.activation)?;
    let critic = Network::mlp(d, &model.critic, 1, model.activation)?;
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
            let (a, mut gradient) = critic_step(&model.loss, &critic, &phi, batch(), true);
            let (b, more) = critic_step(&model.loss, &critic, &phi, made, false);
            gradient.iter_mut().zip(&more).for_each(|(g, m)| *g += m);
            value = a + b;
            sound(&gradient, round)?;
            critic_rule.step(&mut phi, &gradient)?;
            if let GanLoss::Wasserstein { clip } = model.loss {
                for p in &mut phi {
                    *p = p.clamp(-clip, clip);
                }
            }
        }
        let tape = pass::record(&generator, &theta, noise(), None);
        let delta = if let GanLoss::Mmd { lengthscales } = &model.loss {
            let (found, gradient) = mmd(batch().view(), tape.output().view(), lengthscales);
            value = found;
            gradient
        } else {
            let judged = pass::record(&critic, &phi, tape.output().clone(), None);
            let pull = judged.output().mapv(|v| model.loss.pull(v) / size as f64);
            pass::backward(&critic, &phi, &judged, pull.view()).inputs
        };
        let gradient = pass::backward(&generator, &theta, &tape, delta.view()).parameters;
        sound(&gradient, round)?;
        rule.step(&mut theta, &gradient)?;
        trace.push(value);
        model.progress.report(OP, round + 1, model.rounds, value)?;
    }
    let report = Report::new(trace, model.rounds, false, Vec::new());
    Ok(FittedGan::new(Generator::new(generator, theta)?, critic, phi, report))
}

/// An error with the round in which a gradient is no longer a number.
fn sound(gradient: &[f64], round: usize) -> Result<()> {
    if gradient.iter().all(|g| g.is_finite()) {
        return Ok(());
    }
    Err(Error::NoConvergence { op: OP, iterations: round + 1, residual: f64::INFINITY, tolerance: 0.0 })
}
