//! Entropies of other losses than the logarithm.

use ndarray::{ArrayView2, Axis};

use super::{divergence, entropy, pair};
use crate::Result;
use crate::check::{parameter, require};
use crate::optim::Minimiser;
use crate::probability::special::softmax;

/// A loss of estimating X: `H(p) = min_x̂ E[loss(X, x̂)]`, concave in p and zero for a certain X.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointLoss {
    /// `(x - x̂)²`: the variance, at the mean.
    Squared,
    /// `1` unless `x̂ = x`: one less the largest probability, at the mode.
    ZeroOne,
    /// `-ln p̂(x)`: Shannon's entropy, at `p̂ = p`.
    Log,
}

impl PointLoss {
    /// `H(p)`, for a variable with these values.
    ///
    /// # Errors
    /// As [`entropy`], and [`Error::Shape`](crate::Error::Shape) unless there is a value for each probability.
    pub fn entropy(self, p: &[f64], values: &[f64]) -> Result<f64> {
        pair("PointLoss::entropy", p, p)?;
        require("PointLoss::entropy", p.len() == values.len(), || {
            format!("{} probabilities, {} values", p.len(), values.len())
        })?;
        Ok(match self {
            PointLoss::Squared => {
                let mean: f64 = p.iter().zip(values).map(|(p, v)| p * v).sum();
                p.iter().zip(values).map(|(p, v)| p * (v - mean) * (v - mean)).sum()
            }
            PointLoss::ZeroOne => 1.0 - p.iter().fold(0f64, |m, p| m.max(*p)),
            PointLoss::Log => entropy(p)?,
        })
    }

    /// `H(X | Y) = Σ_y p(y) H(p(x | y))` of a joint table, X along the rows: the least expected loss of one who knows Y.
    ///
    /// # Errors
    /// As [`entropy`](Self::entropy).
    pub fn conditional_entropy(self, joint: ArrayView2<f64>, values: &[f64]) -> Result<f64> {
        let all: Vec<f64> = joint.iter().copied().collect();
        pair("PointLoss::conditional_entropy", &all, &all)?;
        let mut sum = 0.0;
        for column in joint.axis_iter(Axis(1)) {
            let mass = column.sum();
            if mass > 0.0 {
                let given: Vec<f64> = column.iter().map(|p| p / mass).collect();
                sum += mass * self.entropy(&given, values)?;
            }
        }
        Ok(sum)
    }

    /// `I(X; Y) = H(X) - H(X | Y)`: never negative, zero if they are independent; symmetric for the logarithm only.
    ///
    /// # Errors
    /// As [`entropy`](Self::entropy).
    pub fn mutual_information(self, joint: ArrayView2<f64>, values: &[f64]) -> Result<f64> {
        if self == PointLoss::Log {
            let (rows, columns) = (joint.sum_axis(Axis(1)), joint.sum_axis(Axis(0)));
            let p: Vec<f64> = joint.iter().copied().collect();
            let q: Vec<f64> = joint.indexed_iter().map(|((i, j), _)| rows[i] * columns[j]).collect();
            return divergence(&p, &q);
        }
        let all = joint.sum_axis(Axis(1)).to_vec();
        Ok((self.entropy(&all, values)? - self.conditional_entropy(joint, values)?).max(0.0))
    }
}

/// `min_p̂ Σ p(x) f(p̂(x))` over the simplex and the p̂ that reaches it, for a decreasing f given with its derivative: p itself for
/// `f = -ln`, and in general not. By L-BFGS on logits.
///
/// # Errors
/// As [`entropy`], and those of the minimiser.
pub fn distributional_entropy(
    p: &[f64],
    f: impl Fn(f64) -> (f64, f64),
    minimiser: &Minimiser,
) -> Result<(f64, Vec<f64>)> {
    pair("distributional_entropy", p, p)?;
    let value = |z: &[f64]| {
        let q = softmax(z);
        let each: Vec<(f64, f64)> = q.iter().map(|&q| f(q)).collect();
        let sum: f64 = p.iter().zip(&each).map(|(p, e)| p * e.0).sum();
        // d/dz_j = q_j (p_j f'_j - Σ_k q_k p_k f'_k).
        let mean: f64 = q.iter().zip(p).zip(&each).map(|((q, p), e)| q * p * e.1).sum();
        let g = q.iter().zip(p).zip(&each).map(|((q, p), e)| q * (p * e.1 - mean)).collect();
        Ok((sum, g))
    };
    let k = p.len();
    // A little off the middle, which may be a saddle.
    let start: Vec<f64> = p.iter().map(|p| 0.1 * p).collect();
    let found = minimiser.run(&start, &vec![(-30.0, 30.0); k], value)?;
    parameter("entropy", found.value, found.value.is_finite(), "must be finite")?;
    Ok((found.value, softmax(&found.point)))
}
