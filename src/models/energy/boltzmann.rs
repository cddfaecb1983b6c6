//! A restricted Boltzmann machine with its parameters: conditionals, free energy, exact sums. Checked in
//! `tests/energy/rbm.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::layer::{decide, sigmoids, with_bias};
use crate::Result;
use crate::check::{finite, inputs, parameter, require, zeros};
use crate::configure::getters;
use crate::inference::logs::softplus;
use crate::learn::inherent::inherent;
use crate::learn::{InverseTransform, Report, Sample, Score, Transform};
use crate::random::Philox;
use crate::saved::Format;

/// What the visible units are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Visible {
    /// Zeros and ones; probabilities between them are taken as such.
    #[default]
    Bernoulli,
    /// Numbers, normal of unit variance given the hidden units: the energy has `½|x - b|²` instead of `-bᵀx`.
    Gaussian,
}

/// `p(x, z) ∝ exp(aᵀz + bᵀx + xᵀWz)` with x of d visible and z of m hidden units, all zero or one (or x of numbers).
///
/// Learned by [`Rbm`](super::Rbm), or given.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedRbm {
    format: Format,
    visible: Visible,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) weights: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) hidden_bias: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) visible_bias: Array1<f64>,
    pub(super) report: Report,
}

getters!(FittedRbm {
    /// W, `d x m`.
    weights: &Array2<f64>,
    /// a, of length m.
    hidden_bias: &Array1<f64>,
    /// b, of length d.
    visible_bias: &Array1<f64>,
    /// What the visible units are.
    visible: Visible,
    /// How the fit went: the reconstruction error after each pass.
    report: &Report,
});

inherent!(FittedRbm: Transform, InverseTransform, Sample, Score);

const OP: &str = "FittedRbm";

impl FittedRbm {
    /// The machine with these weights, `d x m`, and biases of the hidden and of the visible units.
    ///
    /// # Errors
    /// Shapes that do not fit, NaN.
    pub fn new(
        visible: Visible,
        weights: Array2<f64>,
        hidden: Array1<f64>,
        seen: Array1<f64>,
    ) -> Result<Self> {
        let report = Report::direct(f64::NAN);
        let rbm =
            FittedRbm { format: Format, visible, weights, hidden_bias: hidden, visible_bias: seen, report };
        rbm.sound()?;
        Ok(rbm)
    }

    fn sound(&self) -> Result<()> {
        let (d, m) = self.weights.dim();
        finite(OP, "weights", self.weights.view())?;
        require(OP, self.hidden_bias.len() == m && self.visible_bias.len() == d, || {
            format!(
                "weights of {d} x {m}, biases of {} and {}",
                self.visible_bias.len(),
                self.hidden_bias.len()
            )
        })?;
        finite(OP, "hidden bias", self.hidden_bias.view().insert_axis(Axis(0)))?;
        finite(OP, "visible bias", self.visible_bias.view().insert_axis(Axis(0)))
    }

    pub(super) fn check(&self, x: ArrayView2<f64>) -> Result<()> {
        inputs(OP, x, self.weights.nrows())?;
        allowed(self.visible, x)
    }

    /// `p(z_j = 1 | x) = σ(w_jᵀx + a_j)`, `n x m`.
    pub(super) fn hidden(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let mut z = with_bias(x, self.weights.view(), &self.hidden_bias);
        sigmoids(&mut z);
        z
    }

    /// `E[x | z]`: `σ(Wz + b)`, or `Wz + b` of numbers.
    pub(super) fn seen(&self, z: ArrayView2<f64>) -> Array2<f64> {
        let mut x = with_bias(z, self.weights.t(), &self.visible_bias);
        if self.visible == Visible::Bernoulli {
            sigmoids(&mut x);
        }
        x
    }

    /// Draws of the hidden units.
    pub(super) fn draw_hidden(&self, x: ArrayView2<f64>, rng: &mut Philox) -> Array2<f64> {
        let mut z = self.hidden(x);
        decide(&mut z, rng);
        z
    }

    /// Draws of the visible units.
    pub(super) fn draw_seen(&self, z: ArrayView2<f64>, rng: &mut Philox) -> Array2<f64> {
        let mut x = self.seen(z);
        match self.visible {
            Visible::Bernoulli => decide(&mut x, rng),
            Visible::Gaussian => x.mapv_inplace(|m| m + rng.normal()),
        }
        x
    }

    pub(super) fn free(&self, x: ArrayView1<f64>) -> f64 {
        let own = match self.visible {
            Visible::Bernoulli => -x.dot(&self.visible_bias),
            Visible::Gaussian => {
                0.5 * x.iter().zip(&self.visible_bias).map(|(x, b)| (x - b).powi(2)).sum::<f64>()
            }
        };
        own - (x.dot(&self.weights) + &self.hidden_bias).iter().map(|v| softplus(*v)).sum::<f64>()
    }

    /// The free energy `F(x) = -bᵀx - Σ_j log(1 + exp(a_j + w_jᵀx))` of each row: `p(x) ∝ exp(-F(x))`.
    ///
    /// # Errors
    /// Another number of features, NaN, values that are not of the visible units.
    pub fn free_energy(&self, x: impl crate::learn::Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        self.check(x.view())?;
        Ok(x.rows().into_iter().map(|r| self.free(r)).collect())
    }

    /// The energy `-aᵀz - bᵀx - xᵀWz` of a state of both layers (with `½|x - b|²` for numbers).
    ///
    /// # Errors
    /// Another number of units.
    pub fn energy(&self, x: ArrayView1<f64>, z: ArrayView1<f64>) -> Result<f64> {
        require(OP, (x.len(), z.len()) == self.weights.dim(), || {
            format!("{} and {} units", x.len(), z.len())
        })?;
        let own = match self.visible {
            Visible::Bernoulli => -x.dot(&self.visible_bias),
            Visible::Gaussian => {
                0.5 * x.iter().zip(&self.visible_bias).map(|(x, b)| (x - b).powi(2)).sum::<f64>()
            }
        };
        Ok(own - z.dot(&self.hidden_bias) - x.dot(&self.weights.dot(&z)))
    }
}

/// Values that visible units may have.
pub(super) fn allowed(visible: Visible, x: ArrayView2<f64>) -> Result<()> {
    if visible == Visible::Bernoulli {
        let bad = x.indexed_iter().find(|(_, v)| !(0.0..=1.0).contains(*v));
        bad.map_or(Ok(()), |((i, j), v)| {
            parameter(&format!("x[{i}, {j}]"), *v, false, "must lie in [0, 1]")
        })?;
    }
    Ok(())
}

impl Transform for FittedRbm {
    /// Probabilities of the hidden units.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.check(x)?;
        let z = self.hidden(x);
        crate::check::numbers(OP, "the hidden units", z.view())?;
        Ok(z)
    }
}

impl InverseTransform for FittedRbm {
    /// The expected visible units.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(OP, z, self.weights.ncols())?;
        Ok(self.seen(z))
    }
}

impl Score for FittedRbm {
    /// The mean pseudo-log-likelihood `Σ_i log p(x_i | x_{-i})` of zeros and ones; of numbers, minus the mean squared
    /// reconstruction error.
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        self.check(x)?;
        let n = x.nrows() as f64;
        if self.visible == Visible::Gaussian {
            let off = &self.seen(self.hidden(x).view()) - &x;
            return Ok(-off.mapv(|v| v * v).sum() / n);
        }
        let one = |row: ArrayView1<f64>| {
            let (own, mut flipped) = (self.free(row), row.to_owned());
            let mut sum = 0.0;
            for i in 0..row.len() {
                flipped[i] = 1.0 - row[i];
                sum -= softplus(own - self.free(flipped.view()));
                flipped[i] = row[i];
            }
            sum
        };
        Ok(x.rows().into_iter().map(one).sum::<f64>() / n)
    }
}

impl Sample for FittedRbm {
    /// Chains of block Gibbs sampling from random hidden units, a thousand half-steps long, one for each row.
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        zeros("count", count, self.weights.nrows().max(self.weights.ncols()))?;
        let mut rng = Philox::new(seed, 0);
        let mut z =
            Array2::from_shape_fn((count, self.weights.ncols()), |_| f64::from(u8::from(rng.bernoulli(0.5))));
        for _ in 0..500 {
            let x = self.draw_seen(z.view(), &mut rng);
            z = self.draw_hidden(x.view(), &mut rng);
        }
        Ok(self.draw_seen(z.view(), &mut rng))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRbm);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedRbm {
    fn check(&self) -> Result<()> {
        self.sound()
    }
}
