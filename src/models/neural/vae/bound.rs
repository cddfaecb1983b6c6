//! The bound of a batch and its gradient, through the draws.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::model::Decoder;
use crate::Result;
use crate::models::neural::elbo::{diagonal, log_mean_exp};
use crate::models::neural::loss::OutputLoss;
use crate::models::neural::network::Network;
use crate::models::neural::pass::{self, Tape};
use crate::models::neural::training::Objective;
use crate::random::gaussians;

/// Parameters are those of the encoder, of the decoder, and `ln σ²` if it is Gaussian.
pub(super) struct Bound<'a> {
    pub encoder: &'a Network,
    pub decoder: &'a Network,
    pub kind: Decoder,
    /// Draws a row, K.
    pub draws: usize,
    pub x: ArrayView2<'a, f64>,
}

/// One draw of the codes of a batch.
struct Draw {
    noise: Array2<f64>,
    code: Array2<f64>,
    tape: Tape,
    /// `ln p(x | z)` of each row.
    fit: Array1<f64>,
}

impl Bound<'_> {
    pub fn initial(&self, seed: u64) -> Vec<f64> {
        let mut theta = self.encoder.initial(seed);
        theta.extend(self.decoder.initial(seed.wrapping_add(1)));
        if self.kind == Decoder::Gaussian {
            // The variance of the data: a decoder that knows nothing is right about it.
            let mean = self.x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(self.x.ncols()));
            let square = (&self.x - &mean).mapv(|v| v * v).mean().unwrap_or(1.0);
            theta.push(square.max(1e-12).ln());
        }
        theta
    }

    pub fn decaying(&self) -> Vec<bool> {
        let mut all = self.encoder.decaying();
        all.extend(self.decoder.decaying());
        all.extend((self.kind == Decoder::Gaussian).then_some(false));
        all
    }

    /// Parameters of the encoder, of the decoder, and `ln σ²`.
    pub fn split<'t>(&self, theta: &'t [f64]) -> (&'t [f64], &'t [f64], f64) {
        let (encoder, rest) = theta.split_at(self.encoder.parameters());
        let (decoder, variance) = rest.split_at(self.decoder.parameters());
        (encoder, decoder, variance.first().copied().unwrap_or(0.0))
    }

    fn draw(
        &self,
        decoder: &[f64],
        variance: f64,
        coded: &Array2<f64>,
        x: &Array2<f64>,
        seed: u64,
        which: usize,
    ) -> Draw {
        let k = self.decoder.inputs();
        let (mean, log_variance) = (coded.slice(s![.., ..k]), coded.slice(s![.., k..]));
        let mut normal = gaussians(seed, 11 + which as u64);
        let noise = Array2::from_shape_simple_fn((x.nrows(), k), &mut normal);
        let code = &mean + &(log_variance.mapv(|s| (0.5 * s).exp()) * &noise);
        let tape = pass::record(self.decoder, decoder, code.clone(), Some(seed));
        let rows = tape.output().rows().into_iter().zip(x.rows());
        let fit = rows.map(|(a, x)| self.log_density(a, x, variance)).collect();
        Draw { noise, code, tape, fit }
    }

    /// `ln p(x | z)` of a row.
    fn log_density(&self, a: ArrayView1<f64>, x: ArrayView1<f64>, variance: f64) -> f64 {
        match self.kind {
            Decoder::Bernoulli => -OutputLoss::Bernoulli.of_row(a, x),
            Decoder::Gaussian => {
                let square = 2.0 * OutputLoss::Gaussian.of_row(a, x);
                -0.5 * (x.len() as f64 * (TAU.ln() + variance) + square / variance.exp())
            }
        }
    }

    /// `ln p(x, z) - ln q(z | x)` of each row, from the same noise that made z.
    fn log_weights(draw: &Draw, log_variance: ArrayView2<f64>) -> Array1<f64> {
        let rows = draw.code.rows().into_iter().zip(draw.noise.rows()).zip(log_variance.rows());
        let each = rows.zip(&draw.fit).map(|(((z, e), s), fit)| {
            // The normalisers of the prior and of q cancel but for the variances.
            fit - 0.5 * z.dot(&z) + 0.5 * e.dot(&e) + 0.5 * s.sum()
        });
        each.collect()
    }

    /// The bound of each row at these parameters: the ELBO with its KL in closed form, averaged over draws, or the
    /// importance weighted one.
    pub fn rows(&self, theta: &[f64], importance: bool, seed: u64) -> Array1<f64> {
        let (encoder, decoder, variance) = self.split(theta);
        let k = self.decoder.inputs();
        let coded = pass::forward(self.encoder, encoder, self.x);
        let (x, log_variance) = (self.x.to_owned(), coded.slice(s![.., k..]));
        let draws: Vec<Draw> =
            (0..self.draws).map(|j| self.draw(decoder, variance, &coded, &x, seed, j)).collect();
        if importance {
            let weights: Vec<Array1<f64>> =
                draws.iter().map(|d| Self::log_weights(d, log_variance)).collect();
            return (0..x.nrows())
                .map(|n| log_mean_exp(&weights.iter().map(|w| w[n]).collect::<Vec<_>>()))
                .collect();
        }
        let one = |n: usize| {
            let fit = draws.iter().map(|d| d.fit[n]).sum::<f64>() / self.draws as f64;
            fit - diagonal(coded.slice(s![n, ..k]), coded.slice(s![n, k..]))
        };
        (0..x.nrows()).map(one).collect()
    }
}

impl Objective for Bound<'_> {
    /// The negative bound.
    fn batch(&self, theta: &[f64], rows: &[usize], seed: u64) -> Result<(f64, Vec<f64>)> {
        let x = self.x.select(Axis(0), rows);
        let (encoder, decoder, variance) = self.split(theta);
        let k = self.decoder.inputs();
        let coder = pass::record(self.encoder, encoder, x.clone(), Some(seed));
        let coded = coder.output();
        let log_variance = coded.slice(s![.., k..]);
        let draws: Vec<Draw> =
            (0..self.draws).map(|j| self.draw(decoder, variance, coded, &x, seed, j)).collect();
        let weights: Vec<Array1<f64>> = draws.iter().map(|d| Self::log_weights(d, log_variance)).collect();
        let importance = self.draws > 1;
        let mut value = 0.0;
        let mut by_code = Array2::zeros(coded.raw_dim());
        let mut by_decoder = vec![0.0; self.decoder.parameters()];
        let mut by_variance = 0.0;
        let totals: Vec<f64> =
            (0..x.nrows()).map(|n| log_mean_exp(&weights.iter().map(|w| w[n]).collect::<Vec<_>>())).collect();
        for (draw, own) in draws.iter().zip(&weights) {
            // The share of this draw in each row's bound.
            let share: Array1<f64> = if importance {
                own.iter().zip(&totals).map(|(w, t)| (w - t).exp() / self.draws as f64).collect()
            } else {
                Array1::ones(x.nrows())
            };
            let a = draw.tape.output().view();
            let (loss, scale) = match self.kind {
                Decoder::Bernoulli => (OutputLoss::Bernoulli, 1.0),
                Decoder::Gaussian => (OutputLoss::Gaussian, (-variance).exp()),
            };
            let delta = loss.slope(a, x.view(), Some(share.view())) * scale;
            if self.kind == Decoder::Gaussian {
                let square = 2.0 * loss.total(a, x.view(), Some(share.view()));
                by_variance += 0.5 * (share.sum() * x.ncols() as f64 - square * scale);
            }
            let back = pass::backward(self.decoder, decoder, &draw.tape, delta.view());
            by_decoder.iter_mut().zip(&back.parameters).for_each(|(s, g)| *s += g);
            for n in 0..x.nrows() {
                for j in 0..k {
                    // The prior pulls on z only where the KL is not in closed form.
                    let prior = if importance { share[n] * draw.code[[n, j]] } else { 0.0 };
                    let by_z = back.inputs[[n, j]] + prior;
                    let s = log_variance[[n, j]];
                    by_code[[n, j]] += by_z;
                    by_code[[n, k + j]] += by_z * 0.5 * (0.5 * s).exp() * draw.noise[[n, j]];
                    if importance {
                        by_code[[n, k + j]] -= 0.5 * share[n];
                    }
                }
            }
            if !importance {
                value -= draw.fit.sum();
            }
        }
        if importance {
            value -= totals.iter().sum::<f64>();
        } else {
            for n in 0..x.nrows() {
                value += diagonal(coded.slice(s![n, ..k]), coded.slice(s![n, k..]));
                for j in 0..k {
                    by_code[[n, j]] += coded[[n, j]];
                    by_code[[n, k + j]] += 0.5 * coded[[n, k + j]].exp_m1();
                }
            }
        }
        let mut gradient = pass::backward(self.encoder, encoder, &coder, by_code.view()).parameters;
        gradient.extend(by_decoder);
        gradient.extend((self.kind == Decoder::Gaussian).then_some(by_variance));
        Ok((value, gradient))
    }
}
