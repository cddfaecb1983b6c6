//! Exact sums of a restricted Boltzmann machine with few units: partition function, likelihood, gradient.

use ndarray::{Array1, Array2, Axis};

use super::boltzmann::{FittedRbm, Visible};
use crate::Result;
use crate::check::parameter;
use crate::inference::logs::softplus;

/// The most units whose states are gone through.
const MOST: usize = 24;

/// The zeros and ones of state s of m units.
fn bits(s: usize, m: usize) -> Array1<f64> {
    (0..m).map(|j| f64::from(u8::from(s >> j & 1 == 1))).collect()
}

/// `log Σ exp` of numbers that come one at a time: 2²⁴ of them need no room.
fn log_sum(logs: impl Iterator<Item = f64>) -> f64 {
    let (top, sum) = logs.fold((f64::NEG_INFINITY, 0.0), |(top, sum), v| {
        if v <= top { (top, sum + (v - top).exp()) } else { (v, sum * (top - v).exp() + 1.0) }
    });
    top + sum.ln()
}

impl FittedRbm {
    /// All hidden states and their log weights, the visible units summed or integrated out.
    fn hidden_states(&self) -> Result<impl Iterator<Item = (Array1<f64>, f64)>> {
        let (d, m) = self.weights.dim();
        parameter("hidden units", m as f64, m <= MOST, "must be at most 24 to go through all states")?;
        Ok((0..1usize << m).map(move |s| {
            let z = bits(s, m);
            let sum = self.weights.dot(&z);
            let seen: f64 = match self.visible() {
                Visible::Bernoulli => sum.iter().zip(&self.visible_bias).map(|(s, b)| softplus(s + b)).sum(),
                Visible::Gaussian => {
                    let part = |(s, b): (&f64, &f64)| s * b + 0.5 * s * s;
                    sum.iter().zip(&self.visible_bias).map(part).sum::<f64>()
                        + 0.5 * d as f64 * (2.0 * std::f64::consts::PI).ln()
                }
            };
            let log = seen + z.dot(&self.hidden_bias);
            (z, log)
        }))
    }

    /// `log Z`, exactly: a sum over the states of the smaller layer (of the hidden one for numbers).
    ///
    /// # Errors
    /// More than 24 units there.
    pub fn log_partition(&self) -> Result<f64> {
        let (d, m) = self.weights.dim();
        if self.visible() == Visible::Bernoulli && d < m {
            parameter("visible units", d as f64, d <= MOST, "must be at most 24 to go through all states")?;
            return Ok(log_sum((0..1usize << d).map(|s| -self.free(bits(s, d).view()))));
        }
        Ok(log_sum(self.hidden_states()?.map(|s| s.1)))
    }

    /// `log p(x)` of each row, exactly.
    ///
    /// # Errors
    /// As [`FittedRbm::free_energy`] and [`FittedRbm::log_partition`].
    pub fn score_samples(&self, x: impl crate::learn::Inputs) -> Result<Array1<f64>> {
        Ok(-self.free_energy(x)? - self.log_partition()?)
    }

    /// The exact gradient of the mean log-likelihood by W, a and b: what the data show less what the model expects,
    /// `x_i p(z_j | x) - E[x_i z_j]`.
    ///
    /// # Errors
    /// As [`FittedRbm::score_samples`].
    pub fn gradient(&self, x: impl crate::learn::Inputs) -> Result<(Array2<f64>, Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        self.check(x.view())?;
        let (h, n) = (self.hidden(x.view()), x.nrows() as f64);
        let all = log_sum(self.hidden_states()?.map(|s| s.1));
        let mut w = x.t().dot(&h) / n;
        let mut a = h.sum_axis(Axis(0)) / n;
        let mut b = x.sum_axis(Axis(0)) / n;
        for (z, log) in self.hidden_states()? {
            let p = (log - all).exp();
            let seen = self.seen(z.view().insert_axis(Axis(0))).row(0).to_owned();
            w.scaled_add(-p, &seen.view().insert_axis(Axis(1)).dot(&z.view().insert_axis(Axis(0))));
            a.scaled_add(-p, &z);
            b.scaled_add(-p, &seen);
        }
        // For numbers ∂E/∂b is b - x: the difference of the phases is the same.
        Ok((w, a, b))
    }
}
