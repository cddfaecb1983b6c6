//! What a Bayesian network is to fit, and the two approximations.

use std::f64::consts::TAU;
use std::marker::PhantomData;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

use super::fitted::FittedBayesianNetwork;

use crate::check::{numbers, pairs, parameter, positive, room};
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::linalg::small_cholesky::Small;
use crate::models::neural::activation::Activation;
use crate::models::neural::loss::OutputLoss;
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::models::neural::supervised::Supervised;
use crate::models::neural::training::{Objective, Training};
use crate::optim::Minimiser;
use crate::random::gaussians;
use crate::saved::Format;
use crate::{Device, Result};

const OP: &str = "BayesianNetwork::fit";

/// How the posterior of the weights is approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WeightPosterior {
    /// `N(ŵ, H⁻¹)` at the most probable weights, `H = β Σ JᵀJ + αI` with the Jacobian J of the outputs: exact for a linear
    /// network. H is stored, P x P for P parameters.
    #[default]
    Laplace,
    /// `Π_j N(m_j, e^{s_j})`, which maximises the evidence lower bound by gradients through draws of the weights.
    MeanField {
        /// Draws that predictions are averaged over.
        draws: usize,
    },
}

/// Bayesian network: `w ~ N(0, 1/α)`, `t ~ N(f(x; w), 1/β)`, with the posterior of w approximated by a Gaussian.
///
/// Predictions have error bars that widen where there are no data. Biases have the same prior as weights. All rows are used at
/// each step. Runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[-1.0], [0.0], [1.0]], array![-1.0_f64, 0.1, 0.9]);
/// let fitted = BayesianNetwork::new(&[4], 1.0, 25.0).fit(&Device::cpu(), &x, &y)?;
/// let (_, variance) = fitted.predict_distribution(array![[0.5], [5.0]])?;
/// assert!(variance[1] > 2.0 * variance[0] && variance[0] > 1.0 / 25.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianNetwork {
    hidden: Vec<usize>,
    activation: Activation,
    prior_precision: f64,
    noise_precision: f64,
    posterior: WeightPosterior,
    training: Training,
}

impl BayesianNetwork {
    /// With hidden layers of these widths, the precision α of weights and β of the noise, by Laplace's approximation at a
    /// mode that L-BFGS finds.
    pub fn new(hidden: &[usize], prior_precision: f64, noise_precision: f64) -> Self {
        BayesianNetwork {
            hidden: hidden.to_vec(),
            activation: Activation::Tanh,
            prior_precision,
            noise_precision,
            posterior: WeightPosterior::Laplace,
            training: Training::new(Minimiser::new().tolerance(1e-10)).epochs(1000),
        }
    }
}

setters!(BayesianNetwork {
    /// The function of hidden units; tanh by default.
    activation: Activation,
    /// How the posterior is approximated. For mean field a [`training`](BayesianNetwork::training) by steps is needed.
    posterior: WeightPosterior,
    /// How to train.
    training: Training,
});

fits!(BayesianNetwork: Regression -> FittedBayesianNetwork);

/// `β Σ w_n E_n + α/2 ‖w‖²`, all rows at once.
struct Mode<'a> {
    data: Supervised<'a>,
    alpha: f64,
    beta: f64,
    rows: Vec<usize>,
}

impl Objective for Mode<'_> {
    fn batch(&self, w: &[f64], _: &[usize], seed: u64) -> Result<(f64, Vec<f64>)> {
        let (value, gradient) = self.data.batch(w, &self.rows, seed)?;
        let square: f64 = w.iter().map(|v| v * v).sum();
        let gradient = gradient.iter().zip(w).map(|(g, w)| self.beta * g + self.alpha * w).collect();
        Ok((self.beta * value + 0.5 * self.alpha * square, gradient))
    }
}

/// The negative bound for `q = Π N(m, e^s)`: parameters are m, then s.
struct Field<'a>(Mode<'a>);

impl Objective for Field<'_> {
    fn batch(&self, theta: &[f64], _: &[usize], seed: u64) -> Result<(f64, Vec<f64>)> {
        let p = theta.len() / 2;
        let (m, s) = theta.split_at(p);
        let mut normal = gaussians(seed, 5);
        let noise: Vec<f64> = (0..p).map(|_| normal()).collect();
        let w: Vec<f64> = (0..p).map(|j| m[j] + (0.5 * s[j]).exp() * noise[j]).collect();
        let (mode, alpha) = (&self.0, self.0.alpha);
        let (fit, by_w) = mode.data.batch(&w, &mode.rows, seed)?;
        let mut value = mode.beta * fit;
        let mut gradient = vec![0.0; 2 * p];
        for j in 0..p {
            let v = s[j].exp();
            value += 0.5 * (alpha * (m[j] * m[j] + v) - 1.0 - alpha.ln() - s[j]);
            let g = mode.beta * by_w[j];
            gradient[j] = g + alpha * m[j];
            gradient[p + j] = g * 0.5 * (0.5 * s[j]).exp() * noise[j] + 0.5 * (alpha * v - 1.0);
        }
        Ok((value, gradient))
    }
}

/// `∂f_k/∂w` at each row, n x P, for each output k.
pub(super) fn jacobians(network: &Network, w: &[f64], x: ArrayView2<f64>) -> Vec<Array2<f64>> {
    let (n, p) = (x.nrows(), w.len());
    let mut all = vec![Array2::zeros((n, p)); network.outputs()];
    for row in 0..n {
        let tape = pass::record(network, w, x.slice(s![row..=row, ..]).to_owned(), None);
        for (k, own) in all.iter_mut().enumerate() {
            let mut unit = Array2::zeros((1, network.outputs()));
            unit[[0, k]] = 1.0;
            let gradient = pass::backward(network, w, &tape, unit.view()).parameters;
            own.row_mut(row).assign(&ArrayView1::from(&gradient));
        }
    }
    all
}

impl BayesianNetwork {
    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Result<FittedBayesianNetwork<D>> {
        pairs(OP, x, y)?;
        positive("prior_precision", self.prior_precision)?;
        positive("noise_precision", self.noise_precision)?;
        let network = Network::mlp(x.ncols(), &self.hidden, y.ncols(), self.activation)?;
        let p = network.parameters();
        let data = Supervised {
            device: &Device::cpu(),
            network: &network,
            loss: OutputLoss::Gaussian,
            x,
            targets: y,
            weights,
        };
        let (alpha, beta) = (self.prior_precision, self.noise_precision);
        let mode = Mode { data, alpha, beta, rows: (0..x.nrows()).collect() };
        // One row for the trainer: every step sees all of the data.
        let none = vec![false; 2 * p];
        let total = weights.map_or(x.nrows() as f64, |w| w.sum()) * y.ncols() as f64;
        let (report, spread, mean, log_evidence, draws) = match self.posterior {
            WeightPosterior::Laplace => {
                room("parameters of the network", p, 16 * p)?;
                let start = |seed| Ok(network.initial(seed));
                let found = self.training.run(OP, 1, None, start, &none[..p], &mode)?;
                let w = found.parameters;
                let mut h = Array2::<f64>::eye(p) * alpha;
                for jacobian in jacobians(&network, &w, x) {
                    let weighed = match weights {
                        Some(weights) => &jacobian * &weights.insert_axis(Axis(1)),
                        None => jacobian.clone(),
                    };
                    h += &(jacobian.t().dot(&weighed) * beta);
                }
                let factor = Small::new(OP, h.view())?;
                let (energy, _) = mode.batch(&w, &[], 0)?;
                let constants = 0.5 * (total * (beta / TAU).ln() + p as f64 * alpha.ln() - factor.log_det);
                (found.report, factor.inverse(p), w, constants - energy, 0)
            }
            WeightPosterior::MeanField { draws } => {
                parameter("draws", draws as f64, draws > 0, "must be at least 1")?;
                room("draws", draws, 8 * p)?;
                let start = |seed| {
                    let mut theta = network.initial(seed);
                    theta.resize(2 * p, -6.0);
                    Ok(theta)
                };
                let found = self.training.run(OP, 1, None, start, &none, &Field(mode))?;
                let (m, s) = found.parameters.split_at(p);
                let variance = Array2::from_shape_fn((1, p), |(_, j)| s[j].exp());
                let constants = 0.5 * total * (beta / TAU).ln();
                (found.report.clone(), variance, m.to_vec(), constants - found.report.objective(), draws)
            }
        };
        numbers(OP, "the posterior", spread.view())?;
        Ok(FittedBayesianNetwork {
            format: Format,
            network,
            mean,
            spread,
            draws,
            seed: self.training.seed,
            noise_precision: beta,
            log_evidence,
            report,
            targets: PhantomData,
        })
    }
}
