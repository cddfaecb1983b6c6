//! Differentially private gradients: clipped, noised, accounted for. Checked in `tests/optim/private.rs`.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use statrs::function::gamma::ln_gamma;

use crate::check::{not_negative, parameter, positive, require, room};
use crate::configure::setters;
use crate::{Error, Result};

/// The orders of Rényi divergence that the accountant tries.
const ORDERS: std::ops::RangeInclusive<usize> = 2..=256;

/// `(1/B) (Σ_i g_i min(1, c/‖g_i‖) + c z N(0, I))`: a mean of gradients that no single one can move by more than c/B, and
/// noise that hides which were there.
///
/// Draw batches by [`Order::Poisson`](super::Order::Poisson), of B rows on the mean, and step by any rule;
/// [`PrivateGradient::epsilon`] says what the steps together give away.
///
/// ```
/// use mercer::optim::PrivateGradient;
/// let mut private = PrivateGradient::new(1.0, 0.0); // clipped, without noise
/// let mean = private.of(&[vec![3.0, 4.0], vec![0.1, 0.0]], 2.0)?;
/// assert!((mean[0] - 0.35).abs() < 1e-12 && (mean[1] - 0.4).abs() < 1e-12);
/// assert!(PrivateGradient::new(1.0, 4.0).epsilon(0.01, 10_000, 1e-5)? < 1.3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateGradient {
    clip: f64,
    noise: f64,
    seed: u64,
    made: u64,
    /// The length of a gradient, once it is known.
    parameters: Option<usize>,
}

setters!(PrivateGradient {
    /// The longest that the gradient of one row may be, c > 0.
    clip: f64,
    /// Standard deviation of the noise as a multiple of c, z ≥ 0.
    noise: f64,
    /// Seed of the noise.
    seed: u64,
    /// The length of a gradient: what the first batch says, unless that is empty.
    parameters: into Option<usize>,
});

impl PrivateGradient {
    /// Gradients clipped to length c, noise of standard deviation z c.
    pub fn new(clip: f64, noise: f64) -> Self {
        PrivateGradient { clip, noise, seed: 0, made: 0, parameters: None }
    }

    /// The noised mean of the gradients of the rows of a batch; `expected` is B, the mean size of a batch.
    ///
    /// Every call draws new noise. A batch may be empty, as those of Poisson are at times, and is then noise alone: that there
    /// was nobody is nobody's business either.
    ///
    /// # Errors
    /// [`Error::Shape`] for gradients of different lengths, or none before their length is known, [`Error::NotFinite`], [`Error::Parameter`].
    pub fn of(&mut self, gradients: &[Vec<f64>], expected: f64) -> Result<Vec<f64>> {
        const OP: &str = "PrivateGradient::of";
        positive("clip", self.clip)?;
        not_negative("noise", self.noise)?;
        positive("expected", expected)?;
        let d = self.parameters.or(gradients.first().map(Vec::len)).unwrap_or(0);
        require(OP, d > 0 && gradients.iter().all(|g| g.len() == d), || {
            "gradients must be of one length; before an empty batch say it by `parameters`".to_owned()
        })?;
        room("parameters", d, 8)?;
        let mut sum = vec![0.0; d];
        for (row, g) in gradients.iter().enumerate() {
            if let Some((col, &value)) = g.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                return Err(Error::NotFinite { op: OP, what: "a gradient", value, row, col });
            }
            let largest = g.iter().fold(0f64, |m, v| m.max(v.abs()));
            // Divided before they are squared: a gradient may be as large as it likes.
            let length =
                largest * g.iter().map(|v| (v / largest.max(f64::MIN_POSITIVE)).powi(2)).sum::<f64>().sqrt();
            let scale = if length > self.clip { self.clip / length } else { 1.0 };
            sum.iter_mut().zip(g).for_each(|(s, v)| *s += scale * v);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.made);
        self.made += 1;
        self.parameters = Some(d);
        for s in &mut sum {
            let draw: f64 = StandardNormal.sample(&mut rng);
            *s = (*s + self.clip * self.noise * draw) / expected;
        }
        Ok(sum)
    }

    /// ε of (ε, δ)-differential privacy after `steps` steps, each row in each batch with probability `rate`.
    ///
    /// By Rényi divergences of integer orders α of the sampled Gaussian mechanism,
    /// `(1/(α-1)) ln Σ_k C(α,k) (1-q)^(α-k) q^k exp((k² - k)/(2z²))`, and
    /// `ε = min_α steps·R(α) + ln((α-1)/α) - (ln δ + ln α)/(α-1)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a rate outside (0, 1], a δ outside (0, 1), or no noise, which keeps nothing private.
    pub fn epsilon(&self, rate: f64, steps: usize, delta: f64) -> Result<f64> {
        positive("noise", self.noise)?;
        parameter("rate", rate, rate > 0.0 && rate <= 1.0, "must be above 0 and at most 1")?;
        parameter("delta", delta, delta > 0.0 && delta < 1.0, "must lie between 0 and 1")?;
        if steps == 0 {
            return Ok(0.0);
        }
        let at = |order: usize| {
            let a = order as f64;
            steps as f64 * self.divergence(rate, order) + ((a - 1.0) / a).ln()
                - (delta.ln() + a.ln()) / (a - 1.0)
        };
        Ok(ORDERS.map(at).fold(f64::INFINITY, f64::min).max(0.0))
    }

    /// The Rényi divergence of order α ≥ 2 of one step.
    fn divergence(&self, rate: f64, order: usize) -> f64 {
        let (a, q) = (order as f64, rate);
        let term = |k: usize| {
            let k = k as f64;
            let choose = ln_gamma(a + 1.0) - ln_gamma(k + 1.0) - ln_gamma(a - k + 1.0);
            let stay = if a == k { 0.0 } else { (a - k) * (-q).ln_1p() };
            choose + stay + k * q.ln() + (k * k - k) / (2.0 * self.noise * self.noise)
        };
        let terms: Vec<f64> = (0..=order).map(term).collect();
        let largest = terms.iter().fold(f64::NEG_INFINITY, |m, t| m.max(*t));
        (largest + terms.iter().map(|t| (t - largest).exp()).sum::<f64>().ln()) / (a - 1.0)
    }
}
