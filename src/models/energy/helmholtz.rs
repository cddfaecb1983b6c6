//! Helmholtz machines: a sigmoid belief network and its recognition network, by wake and sleep. Checked in
//! `tests/energy/helmholtz.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::boltzmann::{Visible, allowed};
use super::link::{Link, log_bernoulli};
#[cfg(feature = "serde")]
use crate::check::numbers;
use crate::check::{inputs, parameter, positive, require, sample, zeros};
use crate::configure::{getters, setters};
use crate::inference::logs::{log_sum_exp, sigmoid};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Report, Sample, Transform};
use crate::random::Philox;
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// `p(h^l_i = 1 | h^{l+1}) = σ(w_iᵀ h^{l+1} + b_i)` downwards from independent top units, with a recognition network `q` of
/// the same form upwards. Awake, q explains the data and p is made to generate them so; asleep, p dreams and q is made to
/// recognise what was dreamt. On the CPU.
///
/// ```
/// use mercer::models::energy::Helmholtz;
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((60, 4), |(i, j)| f64::from(u8::from((i % 2 == 0) == (j < 2))));
/// let machine = Helmholtz::new(&[2]).passes(300).seed(1).fit(&Device::best(), &x)?;
/// // The two patterns have half of the probability each; independent units would give each 1/16.
/// assert!(machine.log_probability(x.row(0))? > 0.3f64.ln());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Helmholtz {
    layers: Vec<usize>,
    passes: usize,
    rate: f64,
    seed: u64,
    progress: Progress,
}

setters!(Helmholtz {
    /// Passes over the data: 100.
    passes: usize,
    /// The learning rate of both phases: 0.1.
    rate: f64,
    /// Seed of the weights, of what is drawn awake and of what is dreamt.
    seed: u64,
    /// Called after every pass with the mean bound of the data, as sampled; it can cancel the fit.
    progress: Progress,
});

fits!(Helmholtz: Fit -> FittedHelmholtz);

impl Helmholtz {
    /// Hidden layers of these sizes, the top one last.
    pub fn new(layers: &[usize]) -> Self {
        Helmholtz { layers: layers.to_vec(), passes: 100, rate: 0.1, seed: 0, progress: Progress::none() }
    }
}

/// Both networks of a Helmholtz machine.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedHelmholtz {
    format: Format,
    /// Upwards, from each layer to the next.
    recognition: Vec<Link>,
    /// Downwards, to each layer from the next.
    generation: Vec<Link>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    top: Array1<f64>,
    report: Report,
}

getters!(FittedHelmholtz {
    /// How the fit went: the mean bound of each pass, as sampled.
    report: &Report,
});

inherent!(FittedHelmholtz: Sample, Transform);

const OP: &str = "Helmholtz";

impl FittedHelmholtz {
    fn random(d: usize, layers: &[usize], rng: &mut Philox) -> Self {
        let sizes: Vec<usize> = std::iter::once(d).chain(layers.iter().copied()).collect();
        let mut link = |from: usize, to: usize| Link {
            weights: Array2::from_shape_fn((from, to), |_| 0.1 * rng.normal()),
            bias: Array1::zeros(to),
        };
        let recognition = sizes.windows(2).map(|w| link(w[0], w[1])).collect();
        let generation = sizes.windows(2).map(|w| link(w[1], w[0])).collect();
        let top = Array1::zeros(sizes[sizes.len() - 1]);
        FittedHelmholtz { format: Format, recognition, generation, top, report: Report::direct(f64::NAN) }
    }

    /// A row and all its hidden layers by recognition.
    fn recognise(&self, x: ArrayView1<f64>, rng: &mut Philox) -> Vec<Array1<f64>> {
        let mut layers = vec![x.to_owned()];
        for link in &self.recognition {
            let next = link.draw(layers[layers.len() - 1].view(), rng);
            layers.push(next);
        }
        layers
    }

    /// All layers by generation, the visible one first.
    fn dream(&self, rng: &mut Philox) -> Vec<Array1<f64>> {
        let mut layers = vec![self.top.mapv(|v| f64::from(u8::from(rng.bernoulli(sigmoid(v)))))];
        for link in self.generation.iter().rev() {
            let next = link.draw(layers[layers.len() - 1].view(), rng);
            layers.push(next);
        }
        layers.reverse();
        layers
    }

    /// `log p(all layers)` and `log q(hidden | visible)`.
    fn logs(&self, layers: &[Array1<f64>]) -> (f64, f64) {
        let mut p = log_bernoulli(layers[layers.len() - 1].view(), self.top.view());
        let mut q = 0.0;
        for (l, (up, down)) in self.recognition.iter().zip(&self.generation).enumerate() {
            p += down.log_probability(layers[l].view(), layers[l + 1].view());
            q += up.log_probability(layers[l + 1].view(), layers[l].view());
        }
        (p, q)
    }

    fn wake(&mut self, x: ArrayView1<f64>, rate: f64, rng: &mut Philox) -> f64 {
        let layers = self.recognise(x, rng);
        let (p, q) = self.logs(&layers);
        for l in 0..self.generation.len() {
            self.generation[l].learn(layers[l].view(), layers[l + 1].view(), rate);
        }
        let off = &layers[layers.len() - 1] - &self.top.mapv(sigmoid);
        self.top.scaled_add(rate, &off);
        p - q
    }

    fn asleep(&mut self, rate: f64, rng: &mut Philox) {
        let layers = self.dream(rng);
        for l in 0..self.recognition.len() {
            self.recognition[l].learn(layers[l + 1].view(), layers[l].view(), rate);
        }
    }

    /// So many dreams: q is moved towards the posterior of p (the M-projection), p stays as it is.
    ///
    /// # Errors
    /// A rate that is not positive.
    pub fn sleep(mut self, dreams: usize, rate: f64, seed: u64) -> Result<Self> {
        positive("rate", rate)?;
        let mut rng = Philox::new(seed, 0);
        (0..dreams).for_each(|_| self.asleep(rate, &mut rng));
        Ok(self)
    }

    /// `log p(x, h)` and `log q(h | x)` of every hidden state.
    fn states(&self, x: ArrayView1<f64>) -> Result<Vec<(f64, f64)>> {
        let d = self.recognition[0].weights.nrows();
        require(OP, x.len() == d, || format!("{d} visible units, x has {}", x.len()))?;
        allowed(Visible::Bernoulli, x.insert_axis(Axis(0)))?;
        let sizes: Vec<usize> = self.recognition.iter().map(|l| l.bias.len()).collect();
        let count: usize = sizes.iter().sum();
        parameter("hidden units", count as f64, count <= 20, "must be at most 20 to go through all states")?;
        Ok((0..1usize << count)
            .map(|state| {
                let mut bit = 0;
                let mut layers = vec![x.to_owned()];
                for s in &sizes {
                    layers.push((bit..bit + s).map(|b| (state >> b & 1) as f64).collect());
                    bit += s;
                }
                self.logs(&layers)
            })
            .collect())
    }

    /// `log p(x)`, exactly, by all hidden states.
    ///
    /// # Errors
    /// Another number of units, values outside [0, 1], more than 20 hidden units.
    pub fn log_probability(&self, x: ArrayView1<f64>) -> Result<f64> {
        Ok(log_sum_exp(&self.states(x)?.iter().map(|s| s.0).collect::<Vec<_>>()))
    }

    /// The evidence lower bound of the recognition network, exactly: at most `log p(x)`.
    ///
    /// # Errors
    /// As [`FittedHelmholtz::log_probability`].
    pub fn elbo(&self, x: ArrayView1<f64>) -> Result<f64> {
        Ok(self.states(x)?.iter().map(|(p, q)| q.exp() * (p - q)).sum())
    }
}

impl Sample for FittedHelmholtz {
    /// Dreams: ancestral draws from the top down.
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut out = zeros("count", count, self.recognition[0].weights.nrows())?;
        for (i, mut row) in out.rows_mut().into_iter().enumerate() {
            row.assign(&self.dream(&mut Philox::new(seed, i as u64))[0]);
        }
        Ok(out)
    }
}

impl Transform for FittedHelmholtz {
    /// The recognition network's probabilities of the first hidden layer.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(OP, x, self.recognition[0].weights.nrows())?;
        allowed(Visible::Bernoulli, x)?;
        Ok((x.dot(&self.recognition[0].weights) + &self.recognition[0].bias).mapv_into(sigmoid))
    }
}

impl Fit for Helmholtz {
    type Fitted = FittedHelmholtz;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedHelmholtz> {
        sample(OP, "x", x, 1)?;
        allowed(Visible::Bernoulli, x)?;
        positive("rate", self.rate)?;
        require(OP, !self.layers.is_empty() && !self.layers.contains(&0), || {
            "a layer has no units".to_owned()
        })?;
        let widest = self.layers.iter().copied().max().unwrap_or(1).max(x.ncols());
        crate::check::room("layers", widest.saturating_mul(widest), 16)?;
        let mut rng = Philox::new(self.seed, 0);
        let mut machine = FittedHelmholtz::random(x.ncols(), &self.layers, &mut rng);
        let mut trace = Vec::new();
        for pass in 0..self.passes {
            let mut sum = 0.0;
            for i in rng.permutation(x.nrows()) {
                sum += machine.wake(x.row(i), self.rate, &mut rng);
                machine.asleep(self.rate, &mut rng);
            }
            let mean = sum / x.nrows() as f64;
            parameter("bound", mean, mean.is_finite(), "the fit diverged: lower `rate`")?;
            trace.push(mean);
            self.progress.report(OP, pass + 1, self.passes, mean)?;
        }
        let end = trace.last().copied().unwrap_or(f64::NAN);
        machine.report = Report::new(trace, self.passes, false, vec![end]);
        Ok(machine)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedHelmholtz);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedHelmholtz {
    fn check(&self) -> Result<()> {
        let n = self.recognition.len();
        let fits = n > 0
            && n == self.generation.len()
            && self.recognition.iter().zip(&self.generation).all(|(u, d)| {
                u.weights.t().dim() == d.weights.dim()
                    && u.bias.len() == u.weights.ncols()
                    && d.bias.len() == d.weights.ncols()
            })
            && self.recognition.windows(2).all(|w| w[0].bias.len() == w[1].weights.nrows())
            && self.top.len() == self.recognition[n - 1].bias.len();
        require("a saved FittedHelmholtz", fits, || "layers that do not fit onto each other".to_owned())?;
        for link in self.recognition.iter().chain(&self.generation) {
            numbers(OP, "weights", link.weights.view())?;
            numbers(OP, "biases", link.bias.view().insert_axis(Axis(0)))?;
        }
        numbers(OP, "the top", self.top.view().insert_axis(Axis(0)))
    }
}
