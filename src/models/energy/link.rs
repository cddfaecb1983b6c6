//! One direction between two layers of zeros and ones.

use ndarray::{Array1, Array2, ArrayView1};

use crate::inference::logs::{sigmoid, softplus};
use crate::random::Philox;

/// Weights and biases of one direction between two layers: `p(to = 1 | from) = σ(from W + b)`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Link {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub weights: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub bias: Array1<f64>,
}

impl Link {
    pub fn input(&self, from: ArrayView1<f64>) -> Array1<f64> {
        from.dot(&self.weights) + &self.bias
    }

    pub fn draw(&self, from: ArrayView1<f64>, rng: &mut Philox) -> Array1<f64> {
        self.input(from).mapv_into(|v| f64::from(u8::from(rng.bernoulli(sigmoid(v)))))
    }

    pub fn log_probability(&self, to: ArrayView1<f64>, from: ArrayView1<f64>) -> f64 {
        log_bernoulli(to, self.input(from).view())
    }

    /// The delta rule: towards predicting `to` from `from`.
    pub fn learn(&mut self, to: ArrayView1<f64>, from: ArrayView1<f64>, rate: f64) {
        let off = &to - &self.input(from).mapv_into(sigmoid);
        for (i, v) in from.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            self.weights.row_mut(i).scaled_add(rate * v, &off);
        }
        self.bias.scaled_add(rate, &off);
    }
}

/// `Σ_i log p(z_i)` of units with these inputs.
pub(super) fn log_bernoulli(z: ArrayView1<f64>, input: ArrayView1<f64>) -> f64 {
    z.iter().zip(input).map(|(z, v)| z * v - softplus(*v)).sum()
}
