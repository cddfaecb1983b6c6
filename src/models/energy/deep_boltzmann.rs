//! Deep Boltzmann machines: several hidden layers, joined to their neighbours alone. Checked in `tests/energy/deep.rs`.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::boltzmann::{FittedRbm, Visible};
use crate::Result;
use crate::check::{finite, parameter, require};
use crate::configure::getters;
use crate::inference::logs::{log_sum_exp, sigmoid, softplus, xlogx};
use crate::random::Philox;

/// `p(x, z¹, z², ...) ∝ exp(Σ_l b_lᵀ z^l + Σ_l (z^{l-1})ᵀ W_l z^l)` with `z⁰ = x`, all units zero or one.
///
/// Odd layers are independent given the even ones, and the other way round: Gibbs sampling and mean field alternate.
///
/// ```
/// use mercer::models::energy::DeepBoltzmann;
/// use ndarray::array;
/// let machine = DeepBoltzmann::new(
///     vec![array![[0.5, -0.2], [0.1, 0.3]], array![[0.4], [-0.3]]],
///     vec![array![0.1, 0.2], array![0.0, 0.1], array![-0.2]],
/// )?;
/// assert!(machine.elbo(array![1.0, 0.0].view(), 50)? <= machine.log_probability(array![1.0, 0.0].view())?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DeepBoltzmann {
    weights: Vec<Array2<f64>>,
    biases: Vec<Array1<f64>>,
}

getters!(DeepBoltzmann {
    /// W of each layer, below x above.
    weights: &[Array2<f64>],
    /// b of each layer, the visible one first.
    biases: &[Array1<f64>],
});

const OP: &str = "DeepBoltzmann";

impl DeepBoltzmann {
    /// The machine with these weights, and the biases of every layer.
    ///
    /// # Errors
    /// Shapes that do not fit, NaN.
    pub fn new(weights: Vec<Array2<f64>>, biases: Vec<Array1<f64>>) -> Result<Self> {
        let fits = !weights.is_empty()
            && biases.len() == weights.len() + 1
            && weights.iter().enumerate().all(|(l, w)| w.dim() == (biases[l].len(), biases[l + 1].len()));
        require(OP, fits, || {
            "weights must lead from each layer to the next, with a bias for each".to_owned()
        })?;
        weights.iter().try_for_each(|w| finite(OP, "weights", w.view()))?;
        biases.iter().try_for_each(|b| finite(OP, "biases", b.view().insert_axis(Axis(0))))?;
        Ok(DeepBoltzmann { weights, biases })
    }

    /// Restricted machines that were trained one on the hidden units of the other, stacked: of two or more all weights are
    /// halved, as inner layers get input from both sides, and a layer that two machines have gets the mean of their biases.
    ///
    /// # Errors
    /// Machines that do not fit onto each other, or whose visible units are numbers.
    pub fn stacked(machines: &[FittedRbm]) -> Result<Self> {
        require(OP, !machines.is_empty(), || "there are no machines".to_owned())?;
        let binary = machines.iter().all(|m| m.visible() == Visible::Bernoulli);
        require(OP, binary, || "all units must be zero or one".to_owned())?;
        let share = if machines.len() > 1 { 0.5 } else { 1.0 };
        let weights = machines.iter().map(|m| m.weights() * share).collect();
        let mut biases = vec![machines[0].visible_bias().clone()];
        for (l, m) in machines.iter().enumerate() {
            biases.push(match machines.get(l + 1) {
                Some(above) if above.visible_bias().len() == m.hidden_bias().len() => {
                    (m.hidden_bias() + above.visible_bias()) * 0.5
                }
                _ => m.hidden_bias().clone(),
            });
        }
        Self::new(weights, biases)
    }

    /// The input of a layer from its neighbours.
    fn input(&self, layers: &[Array1<f64>], l: usize) -> Array1<f64> {
        let mut sum = self.biases[l].clone();
        if l > 0 {
            sum += &layers[l - 1].dot(&self.weights[l - 1]);
        }
        if l < self.weights.len() {
            sum += &self.weights[l].dot(&layers[l + 1]);
        }
        sum
    }

    /// `p(z^l = 1 | all other layers)` of every unit.
    ///
    /// # Errors
    /// Layers that do not fit.
    pub fn conditional(&self, layers: &[Array1<f64>], l: usize) -> Result<Array1<f64>> {
        let fits = layers.len() == self.biases.len() && l < layers.len();
        let sizes = fits && layers.iter().zip(&self.biases).all(|(a, b)| a.len() == b.len());
        require(OP, sizes, || format!("{} layers, of which {l}", layers.len()))?;
        Ok(self.input(layers, l).mapv_into(sigmoid))
    }

    fn check(&self, x: ArrayView1<f64>) -> Result<()> {
        require(OP, x.len() == self.biases[0].len(), || {
            format!("{} visible units, x has {}", self.biases[0].len(), x.len())
        })?;
        let bad = x.iter().find(|v| !(0.0..=1.0).contains(*v));
        bad.map_or(Ok(()), |v| parameter("x", *v, false, "must lie in [0, 1]"))
    }

    /// Mean field of the hidden layers given x: odd ones, then even ones, so many sweeps from one half.
    ///
    /// # Errors
    /// Another number of units, values outside [0, 1].
    pub fn mean_field(&self, x: ArrayView1<f64>, sweeps: usize) -> Result<Vec<Array1<f64>>> {
        self.check(x)?;
        let hidden = self.biases[1..].iter().map(|b| Array1::from_elem(b.len(), 0.5));
        let mut layers: Vec<Array1<f64>> = std::iter::once(x.to_owned()).chain(hidden).collect();
        for _ in 0..sweeps {
            for parity in [1, 2] {
                for l in (parity..layers.len()).step_by(2) {
                    layers[l] = self.input(&layers, l).mapv_into(sigmoid);
                }
            }
        }
        layers.remove(0);
        Ok(layers)
    }

    /// Gibbs sampling: so many rows of visible units, each after `sweeps` alternations from fair coins.
    ///
    /// # Errors
    /// More than memory has room for.
    pub fn sample(&self, count: usize, sweeps: usize, seed: u64) -> Result<Array2<f64>> {
        let mut out = crate::check::zeros("count", count, self.biases[0].len())?;
        for (i, mut row) in out.rows_mut().into_iter().enumerate() {
            let mut rng = Philox::new(seed, i as u64);
            let mut coin = |p: f64| f64::from(u8::from(rng.bernoulli(p)));
            let mut layers: Vec<Array1<f64>> = self.biases.iter().map(|b| b.mapv(|_| coin(0.5))).collect();
            for _ in 0..sweeps {
                for parity in [1, 0] {
                    for l in (parity..layers.len()).step_by(2) {
                        layers[l] = self.input(&layers, l).mapv_into(|v| coin(sigmoid(v)));
                    }
                }
            }
            row.assign(&layers[0]);
        }
        Ok(out)
    }

    /// The layers that are gone through, the others being independent given them: the odd or the even ones.
    fn enumerated(&self, fixed: Option<ArrayView1<f64>>) -> Result<f64> {
        let units = |parity: usize| -> usize {
            let first = usize::from(fixed.is_some());
            (first..self.biases.len()).filter(|l| l % 2 == parity).map(|l| self.biases[l].len()).sum()
        };
        let parity = usize::from(units(1) <= units(0));
        let count = units(parity);
        parameter(
            "units",
            count as f64,
            count <= 22,
            "must be at most 22 in every other layer to go through all states",
        )?;
        let mut logs = Vec::with_capacity(1 << count);
        for state in 0..1usize << count {
            let mut bit = 0;
            let mut layers: Vec<Array1<f64>> = self.biases.iter().map(|b| Array1::zeros(b.len())).collect();
            for l in 0..layers.len() {
                if let (0, Some(x)) = (l, &fixed) {
                    layers[0] = x.to_owned();
                } else if l % 2 == parity {
                    layers[l] = layers[l].mapv(|_| {
                        bit += 1;
                        (state >> (bit - 1) & 1) as f64
                    });
                }
            }
            let mut log = 0.0;
            for l in 0..layers.len() {
                if l == 0 && fixed.is_some() || l % 2 == parity {
                    log += layers[l].dot(&self.biases[l]);
                    // Weights between two layers that are both set.
                    if l == 1 && fixed.is_some() && parity == 1 {
                        log += layers[0].dot(&self.weights[0].dot(&layers[1]));
                    }
                } else {
                    log += self.input(&layers, l).iter().map(|v| softplus(*v)).sum::<f64>();
                }
            }
            logs.push(log);
        }
        Ok(log_sum_exp(&logs))
    }

    /// `log Z`, exactly: a sum over every other layer.
    ///
    /// # Errors
    /// More than 22 units there.
    pub fn log_partition(&self) -> Result<f64> {
        self.enumerated(None)
    }

    /// `log p(x)`, exactly.
    ///
    /// # Errors
    /// As [`DeepBoltzmann::log_partition`] and [`DeepBoltzmann::mean_field`].
    pub fn log_probability(&self, x: ArrayView1<f64>) -> Result<f64> {
        self.check(x)?;
        Ok(self.enumerated(Some(x))? - self.log_partition()?)
    }

    /// The evidence lower bound on `log p(x)` of the mean field after so many sweeps.
    ///
    /// # Errors
    /// As [`DeepBoltzmann::log_probability`].
    pub fn elbo(&self, x: ArrayView1<f64>, sweeps: usize) -> Result<f64> {
        let mut layers = self.mean_field(x, sweeps)?;
        layers.insert(0, x.to_owned());
        let mut sum: f64 = layers.iter().zip(&self.biases).map(|(z, b)| z.dot(b)).sum();
        sum +=
            self.weights.iter().enumerate().map(|(l, w)| layers[l].dot(&w.dot(&layers[l + 1]))).sum::<f64>();
        sum -= layers[1..].iter().flatten().map(|p| xlogx(*p) + xlogx(1.0 - p)).sum::<f64>();
        Ok(sum - self.log_partition()?)
    }
}
