//! The distributions that black-box inference fits, by their parameters. Checked in `tests/inference/black_box.rs`.

use ndarray::ArrayView2;

use crate::Result;
use crate::check::{numbers, parameter, positive, require};
use crate::inference::logs::{sigmoid, softplus};
use crate::random::Philox;

const OP: &str = "Approximation";

/// A distribution over d variables with parameters φ, one vector for all of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Approximation {
    /// Independent normals, `z = m + exp(s) w`: φ = (m, s).
    Diagonal {
        /// m.
        mean: Vec<f64>,
        /// s, the logarithms of the standard deviations.
        log_sd: Vec<f64>,
    },
    /// A normal distribution, `z = m + A w` with A lower triangular: φ = (m, A row after row, the lower part alone).
    Full {
        /// m.
        mean: Vec<f64>,
        /// The lower triangle of A, row after row, its diagonal positive.
        factor: Vec<f64>,
    },
    /// Independent variables in {0, 1}: φ the log odds.
    Bernoulli {
        /// The log odds of each.
        logits: Vec<f64>,
    },
}

impl Approximation {
    /// Independent standard normals.
    pub fn diagonal(d: usize) -> Self {
        Approximation::Diagonal { mean: vec![0.0; d], log_sd: vec![0.0; d] }
    }

    /// A standard normal distribution with a full factor.
    pub fn full(d: usize) -> Self {
        let factor = (0..d).flat_map(|i| (0..=i).map(move |j| f64::from(u8::from(i == j)))).collect();
        Approximation::Full { mean: vec![0.0; d], factor }
    }

    /// Independent fair coins.
    pub fn bernoulli(d: usize) -> Self {
        Approximation::Bernoulli { logits: vec![0.0; d] }
    }

    /// The number of variables.
    pub fn dim(&self) -> usize {
        match self {
            Approximation::Diagonal { mean, .. } | Approximation::Full { mean, .. } => mean.len(),
            Approximation::Bernoulli { logits } => logits.len(),
        }
    }

    /// φ as one vector.
    pub fn parameters(&self) -> Vec<f64> {
        match self {
            Approximation::Diagonal { mean, log_sd } => [&mean[..], log_sd].concat(),
            Approximation::Full { mean, factor } => [&mean[..], factor].concat(),
            Approximation::Bernoulli { logits } => logits.clone(),
        }
    }

    /// The approximation of the same family with other parameters.
    ///
    /// # Errors
    /// Another number of them, one that is not finite, a factor whose diagonal is not positive.
    pub fn with(&self, parameters: &[f64]) -> Result<Self> {
        let d = self.dim();
        require(OP, parameters.len() == self.parameters().len(), || {
            format!("{} parameters where there are {}", parameters.len(), self.parameters().len())
        })?;
        let (head, tail) = parameters.split_at(d);
        let next = match self {
            Approximation::Diagonal { .. } => {
                Approximation::Diagonal { mean: head.to_vec(), log_sd: tail.to_vec() }
            }
            Approximation::Full { .. } => Approximation::Full { mean: head.to_vec(), factor: tail.to_vec() },
            Approximation::Bernoulli { .. } => Approximation::Bernoulli { logits: head.to_vec() },
        };
        next.check()?;
        Ok(next)
    }

    pub(super) fn check(&self) -> Result<()> {
        let phi = self.parameters();
        require(OP, !phi.is_empty(), || "there are no variables".to_owned())?;
        numbers(OP, "parameters", ArrayView2::from_shape((1, phi.len()), &phi).expect("a row"))?;
        let d = self.dim();
        match self {
            Approximation::Diagonal { log_sd, .. } => {
                require(OP, log_sd.len() == d, || format!("{d} means, {} deviations", log_sd.len()))
            }
            Approximation::Full { factor, .. } => {
                require(OP, factor.len() == d * (d + 1) / 2, || {
                    format!("a factor of {} entries", factor.len())
                })?;
                (0..d).try_for_each(|i| positive("diagonal of the factor", factor[row(i) + i]))
            }
            Approximation::Bernoulli { .. } => Ok(()),
        }
    }

    /// The standard variables w behind a draw: normal, or uniform.
    pub(super) fn noise(&self, rng: &mut Philox) -> Vec<f64> {
        let uniform = matches!(self, Approximation::Bernoulli { .. });
        (0..self.dim()).map(|_| if uniform { rng.uniform() } else { rng.normal() }).collect()
    }

    /// The draw `z = G_φ(w)`.
    pub(super) fn push(&self, w: &[f64]) -> Vec<f64> {
        match self {
            Approximation::Diagonal { mean, log_sd } => {
                mean.iter().zip(log_sd).zip(w).map(|((m, s), w)| m + s.exp() * w).collect()
            }
            Approximation::Full { mean, factor } => {
                let along = |i: usize| (0..=i).map(|j| factor[row(i) + j] * w[j]).sum::<f64>();
                mean.iter().enumerate().map(|(i, m)| m + along(i)).collect()
            }
            Approximation::Bernoulli { logits } => {
                logits.iter().zip(w).map(|(l, u)| f64::from(u8::from(*u < sigmoid(*l)))).collect()
            }
        }
    }

    /// A draw.
    pub fn draw(&self, rng: &mut Philox) -> Vec<f64> {
        self.push(&self.noise(rng))
    }

    /// `log q(z)` of each variable, given those before it.
    pub(super) fn log_each(&self, z: &[f64]) -> Vec<f64> {
        let half_log_tau = 0.5 * (2.0 * std::f64::consts::PI).ln();
        match self {
            Approximation::Diagonal { log_sd, .. } => {
                let w = self.standard(z);
                w.iter().zip(log_sd).map(|(w, s)| -0.5 * w * w - s - half_log_tau).collect()
            }
            Approximation::Full { factor, .. } => {
                let w = self.standard(z);
                let own = |(i, w): (usize, &f64)| -0.5 * w * w - factor[row(i) + i].ln() - half_log_tau;
                w.iter().enumerate().map(own).collect()
            }
            Approximation::Bernoulli { logits } => {
                logits.iter().zip(z).map(|(l, z)| z * l - softplus(*l)).collect()
            }
        }
    }

    /// `log q(z)`.
    pub fn log_density(&self, z: &[f64]) -> f64 {
        self.log_each(z).iter().sum()
    }

    fn standard(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Approximation::Diagonal { mean, log_sd } => {
                z.iter().zip(mean).zip(log_sd).map(|((z, m), s)| (z - m) * (-s).exp()).collect()
            }
            Approximation::Full { mean, factor } => {
                let mut w: Vec<f64> = Vec::with_capacity(z.len());
                for i in 0..z.len() {
                    let dot: f64 = (0..i).map(|j| factor[row(i) + j] * w[j]).sum();
                    w.push((z[i] - mean[i] - dot) / factor[row(i) + i]);
                }
                w
            }
            Approximation::Bernoulli { .. } => z.to_vec(),
        }
    }

    /// The score `∇_φ log q(z)`.
    pub fn score(&self, z: &[f64]) -> Vec<f64> {
        let w = self.standard(z);
        match self {
            Approximation::Diagonal { log_sd, .. } => {
                let means = w.iter().zip(log_sd).map(|(w, s)| w * (-s).exp());
                means.chain(w.iter().map(|w| w * w - 1.0)).collect()
            }
            Approximation::Full { factor, .. } => {
                let d = w.len();
                // v solves Aᵀ v = w.
                let mut v = vec![0.0; d];
                for i in (0..d).rev() {
                    let dot: f64 = (i + 1..d).map(|k| factor[row(k) + i] * v[k]).sum();
                    v[i] = (w[i] - dot) / factor[row(i) + i];
                }
                let mut out = v.clone();
                for i in 0..d {
                    for (j, w) in w[..=i].iter().enumerate() {
                        let own = if i == j { 1.0 / factor[row(i) + i] } else { 0.0 };
                        out.push(v[i] * w - own);
                    }
                }
                out
            }
            Approximation::Bernoulli { logits } => {
                logits.iter().zip(z).map(|(l, z)| z - sigmoid(*l)).collect()
            }
        }
    }

    /// The entropy `-E[log q(z)]`.
    pub fn entropy(&self) -> f64 {
        let each = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
        match self {
            Approximation::Diagonal { log_sd, .. } => log_sd.iter().map(|s| s + each).sum(),
            Approximation::Full { mean, factor } => {
                (0..mean.len()).map(|i| factor[row(i) + i].ln() + each).sum()
            }
            Approximation::Bernoulli { logits } => {
                logits.iter().map(|l| softplus(*l) - l * sigmoid(*l)).sum()
            }
        }
    }
}

/// Where row i of a packed lower triangle begins.
pub(super) fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

/// `KL(q || N(0, I))` in closed form: `½ Σ (s² + m² - 1 - log s²)`, `½ (tr AAᵀ + mᵀm - d - log det AAᵀ)` for a full factor.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for Bernoulli variables, which are not normal.
pub fn kl_to_standard(q: &Approximation) -> Result<f64> {
    q.check()?;
    let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
    match q {
        Approximation::Diagonal { mean, log_sd } => {
            let spread: f64 = log_sd.iter().map(|s| (2.0 * s).exp() - 1.0 - 2.0 * s).sum();
            Ok(0.5 * (spread + square(mean)))
        }
        Approximation::Full { mean, factor } => {
            let log_det: f64 = (0..mean.len()).map(|i| 2.0 * factor[row(i) + i].ln()).sum();
            Ok(0.5 * (square(factor) + square(mean) - mean.len() as f64 - log_det))
        }
        Approximation::Bernoulli { logits } => parameter(
            "Bernoulli variables",
            logits.len() as f64,
            false,
            "the prior N(0, I) is over real numbers",
        )
        .map(|()| 0.0),
    }
}

/// A relaxed one-hot vector: `softmax((logits + Gumbel noise) / temperature)`, differentiable in the logits; as the
/// temperature falls it becomes a draw of the categorical distribution.
///
/// # Errors
/// No logits, NaN, a temperature that is not positive.
pub fn gumbel_softmax(logits: &[f64], temperature: f64, rng: &mut Philox) -> Result<Vec<f64>> {
    positive("temperature", temperature)?;
    require("gumbel_softmax", !logits.is_empty(), || "there are no logits".to_owned())?;
    for (i, l) in logits.iter().enumerate() {
        parameter(&format!("logits[{i}]"), *l, l.is_finite(), "must be finite")?;
    }
    let gumbel = |rng: &mut Philox| -(-(1.0 - rng.uniform()).ln()).ln();
    let mut v: Vec<f64> = logits.iter().map(|l| (l + gumbel(rng)) / temperature).collect();
    crate::inference::logs::normalise(&mut v);
    Ok(v)
}
